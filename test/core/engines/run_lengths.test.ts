import { expect, it } from "vitest";
import { elementType, type KeyArray } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import { runCounts, runLengthEncode } from "../../../src/core/engines/run_lengths.js";
import { expectOutput } from "../../support/expected_output.js";

it("finds runs of any length, first, last and between others", () => {
  const type = elementType("u16");
  for (let length = 1; length < 70; length++) {
    for (const lengths of [[length], [length, 1], [1, length], [2, length, 3, length]]) {
      const keys = Uint16Array.from(lengths.flatMap((length, i) => new Array(length).fill(7 * i)));
      const counts = runCounts(keys.length, type);
      const distinct = runLengthEncode(keys, type, counts);
      expect([...counts.subarray(0, distinct)]).toEqual(lengths);
      expect([...keys.subarray(0, distinct)]).toEqual(lengths.map((_, i) => 7 * i));
    }
  }
  expect(runLengthEncode(new Uint16Array(), type, runCounts(0, type))).toBe(0);
});

it("counts more distinct keys than are written at once, with duplicates and without", async () => {
  const engine = new CpuEngine();
  const type = elementType("u32");
  const distinct = new Uint32Array(2 ** 20 + 5).map((_, i) => Math.imul(i, 0x9e3779b1)) as KeyArray;
  const twice = Uint32Array.from([...(distinct as Uint32Array), distinct[0] as number]);
  for (const keys of [distinct, twice]) await expectOutput(engine, type, keys, { unique: "counts" });
  engine.close();
});
