import { execFileSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { elementType } from "../../../src/core/elements.js";
import { InputError } from "../../../src/core/errors.js";
import { createSorter } from "../../../src/core/sorter/create.js";
import { distributions } from "../../support/keys.js";
import { expectLexsorted } from "../../support/lexsort_case.js";
import { numpy, withNumpy } from "../../support/numpy.js";

const sorter = await createSorter("cpu");
afterAll(() => sorter.destroy());

describe("lexsort on the CPU", () => {
  it("sorts by the last array, then by those before it, stably", async () => {
    expect(await sorter.lexsort([Uint8Array.of(9, 2, 2, 1), Float32Array.of(1, 1, 1, 0)])).toEqual(
      Uint32Array.of(3, 1, 2, 0),
    );
    for (const size of [0, 1, 2, 1000]) {
      await expectLexsorted(sorter, ["f64"], size, true);
      await expectLexsorted(sorter, ["u8", "f32"], size);
      await expectLexsorted(sorter, ["i64", "u16", "f32"], size, true);
      await expectLexsorted(sorter, ["u8", "i16", "u32"], size, [true, false, true]);
    }
  });

  withNumpy.it("gives what numpy.lexsort gives", async () => {
    const u8 = distributions["few values"]!(elementType("u8"), 5000) as Uint8Array;
    const i32 = distributions["few values"]!(elementType("i32"), 5000) as Int32Array;
    const program = `import json, sys, numpy as np
a, b = json.load(sys.stdin)
json.dump(np.lexsort((np.array(a, "u1"), np.array(b, "i4"))).tolist(), sys.stdout)`;
    const input = JSON.stringify([[...u8], [...i32]]);
    const output = execFileSync(numpy!, ["-c", program], { input, encoding: "utf8" });
    expect([...(await sorter.lexsort([u8, i32]))]).toEqual(JSON.parse(output));
  });

  it("leaves the arrays as they are", async () => {
    const arrays = [Uint8Array.of(3, 1, 2), Float32Array.of(1, 0, 1)] as const;
    await sorter.lexsort(arrays);
    expect(arrays).toEqual([Uint8Array.of(3, 1, 2), Float32Array.of(1, 0, 1)]);
  });

  const any = (value: unknown) => value as never;
  it.each<[string, () => Promise<unknown>, RegExp]>([
    ["no arrays", () => sorter.lexsort([]), /keys is an empty array/],
    ["one array", () => sorter.lexsort(any(new Uint8Array(2))), /keys is Uint8Array/],
    ["lists", () => sorter.lexsort(any([[1, 2]])), /cannot sort Array/],
    [
      "nothing as an array",
      () => sorter.lexsort(any([new Uint8Array(2), undefined])),
      /cannot sort undefined/,
    ],
    ["a list of as many", () => sorter.lexsort(any([new Uint8Array(2), [1, 2]])), /cannot sort Array/],
    [
      "arrays of several lengths",
      () => sorter.lexsort([new Uint8Array(3), new Uint8Array(2)]),
      /keys\[1\] has 2 elements, but keys\[0\] has 3/,
    ],
    [
      "directions for other arrays",
      () => sorter.lexsort([new Uint8Array(3)], { descending: [true, false] }),
      /descending has 2 values for 1 arrays/,
    ],
    [
      "a word for a direction",
      () => sorter.lexsort([new Uint8Array(3)], { descending: any(["no"]) }),
      /descending\[0\] is "no"/,
    ],
    ["a misspelt option", () => sorter.lexsort([new Uint8Array(3)], any({ reverse: true })), /reverse/],
  ])("refuses %s", async (_, call, expected) => {
    const error = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect((error as Error).message).toMatch(expected);
  });

  it("stops if its signal aborts", async () => {
    const signal = AbortSignal.abort(new Error("no longer wanted"));
    await expect(sorter.lexsort([new Uint8Array(3)], { signal })).rejects.toThrow("no longer wanted");
  });
});
