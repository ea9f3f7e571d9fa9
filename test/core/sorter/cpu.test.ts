import { afterAll, describe, expect, it } from "vitest";
import { elementType, elementTypes, type KeyArray } from "../../../src/core/elements.js";
import { createSorter } from "../../../src/core/sorter/create.js";
import { samplePlace } from "../../../src/core/sorter/select_on_cpu.js";
import { createSorter as createInNode } from "../../../src/dawn/create_sorter.js";
import { describeConformance } from "../../support/conformance.js";
import { difference, distributions, expectedIndices } from "../../support/keys.js";
import { expectRefused, expectTop, expectUnique } from "../../support/top_cases.js";

const sorters = [
  ["of gpusort/core", await createSorter("cpu")],
  ["of gpusort", await createInNode("cpu")],
  ["of gpusort, on three threads", await createInNode("cpu", { threads: 3 })],
] as const;

describe.each(sorters)("a sorter on the CPU %s", (name, sorter) => {
  const isThreaded = sorter === sorters.at(-1)![1];

  afterAll(() => sorter.destroy());

  it("has no device", () => expect([sorter.name, sorter.device]).toEqual(["CPU", undefined]));

  describeConformance(name, (keys, _, descending) => sorter.sort(keys, { descending }), [0, 1, 1000]);

  it.each(elementTypes)("moves values with $name keys, and computes their order", async (type) => {
    const keys = distributions.specials!(type, 3001);
    for (const descending of [false, true]) {
      const order = expectedIndices(keys, type, { descending });
      expect(await sorter.argsort(keys, { descending })).toEqual(order);
      const values = Float32Array.from({ length: keys.length }, (_, i) => i);
      const sorted = await sorter.sortPairs(keys, values, { descending });
      expect(sorted.values).toEqual(Float32Array.from(order));
      expect(difference(keys, sorted.keys as KeyArray, descending)).toBeUndefined();
    }
  });

  it("takes the bits of f16 keys in a Uint16Array whose type is named, and no other type for an array", async () => {
    const bits = Uint16Array.of(0x7e01, 0x3c00, 0, 0x8000, 0xfc00, 0xfe02, 0x3c00);
    const sorted = await sorter.sort(bits, { type: "f16" });
    expect(sorted.constructor).toBe(Uint16Array);
    expect([...sorted]).toEqual([0xfc00, 0x8000, 0, 0x3c00, 0x3c00, 0x7e01, 0xfe02]);
    expect([...(await sorter.argsort(bits, { type: "f16" }))]).toEqual([4, 3, 2, 1, 6, 0, 5]);
    const unique = await sorter.unique(bits, { type: "f16", counts: true });
    expect([...unique.keys].slice(0, 4)).toEqual([0xfc00, 0x8000, 0, 0x3c00]);
    expect([...unique.counts!]).toEqual([1, 1, 1, 2, 2]);
    expect([...(await sorter.sort(bits, { type: "u16" }))]).toEqual([...bits.slice().sort()]);
    for (const [keys, type] of [
      [new Int16Array(2), "f16"],
      [new Uint16Array(2), "i16"],
      [new Float32Array(2), "u32"],
    ] as const) {
      await expect(sorter.sort(keys, { type })).rejects.toThrow(`type is ${type}, but keys is a`);
    }
    await expect(sorter.sort(bits, { type: "f17" as never })).rejects.toThrow("unknown element type 'f17'");
  });

  it.each(elementTypes)("gives the first items, and the distinct keys: $name", async (type) => {
    for (const distribution of ["uniform", "few values", "specials", "constant"]) {
      for (const size of [0, 1, 700]) {
        const descending = size === 700 && distribution !== "specials";
        for (const top of new Set([0, 1, 13, Math.max(0, size - 1), size, size + 1])) {
          await expectTop(sorter, type, distribution, size, top, descending);
        }
        await expectUnique(sorter, type, distribution, size, descending);
      }
    }
    // The others take every other type.
    if (!isThreaded && (elementTypes.indexOf(type) + sorters.findIndex(([own]) => own === name)) % 2 === 1)
      return;
    await expectTop(sorter, type, "specials", 2 ** 17 + 1, 1000, true);
    await expectUnique(sorter, type, "few values", 2 ** 17 + 1, false);
  });

  it.each([
    ["f32", "uniform", 1, true],
    ["f64", "specials", 70, false],
    ["i64", "sorted", 500, true],
    ["u64", "constant", 3, false],
    ["i32", "uniform", 3000, true],
    ["f32", "sorted", 3000, false],
  ] as const)("gives the first of many keys: %s, %s, %d", async (name, distribution, top, descending) => {
    await expectTop(sorter, elementType(name), distribution, 2 ** 17, top, descending);
  });

  it("finds the first keys although the sample misleads", async () => {
    const keys = new Uint32Array(2 ** 17).map((_, i) => 2 ** 32 - 1 - i);
    for (let i = 0; i < 4096; i++) keys[samplePlace(i, keys.length)] = i % 7;
    expect(await sorter.sort(keys, { top: 8000 })).toEqual(keys.slice().sort().slice(0, 8000));
  });

  it("keeps the bits of a NaN that assignments change, when it counts distinct keys", async () => {
    const bits = Uint32Array.of(0xffa7e5a4, 0, 0);
    const { keys, counts } = await sorter.unique(new Float32Array(bits.buffer), { counts: true });
    expect(new Uint32Array(keys.buffer, keys.byteOffset, keys.length)).toEqual(Uint32Array.of(0, 0xffa7e5a4));
    expect(counts).toEqual(Uint32Array.of(2, 1));
  });

  it("refuses wrong options of top and unique", () => expectRefused(sorter));

  it("rejects with the signal's reason, and leaves the keys as they were", async () => {
    const keys = Uint32Array.of(3, 1, 2);
    const aborted = AbortSignal.abort("enough");
    await expect(sorter.sort(keys, { into: keys, signal: aborted })).rejects.toBe("enough");
    expect(keys).toEqual(Uint32Array.of(3, 1, 2));
  });
});
