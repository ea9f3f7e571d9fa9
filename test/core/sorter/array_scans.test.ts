import { describe, expect, it } from "vitest";
import { InputError } from "../../../src/core/errors.js";
import { compact, exclusiveScan, histogram } from "../../../src/core/index.js";

describe("exclusiveScan", () => {
  it("adds up u32 modulo 2^32", () => {
    const values = Uint32Array.of(3, 2 ** 32 - 1, 5);
    expect(exclusiveScan(values)).toEqual({ sums: Uint32Array.of(0, 3, 2), total: 7 });
    expect(exclusiveScan(new Uint32Array())).toEqual({ sums: new Uint32Array(), total: 0 });
    const into = new Uint32Array(3);
    expect(exclusiveScan(values, into).sums).toBe(into);
    expect(exclusiveScan(values, values).sums).toEqual(into);
  });

  it("rounds each sum of f32 once", () => {
    const values = new Float32Array(100_000).fill(0.1);
    const { sums, total } = exclusiveScan(values);
    const exact = (i: number) => Math.fround(i * Math.fround(0.1));
    expect(sums.every((sum, i) => Math.abs(sum - exact(i)) <= sum * 2 ** -23)).toBe(true);
    expect(total).toBeCloseTo(10_000, 3);
  });

  it("refuses other arrays", () => {
    expect(() => exclusiveScan(new Int32Array(2) as never)).toThrow(InputError);
    expect(() => exclusiveScan([1, 2] as never)).toThrow(/values is Array/);
    expect(() => exclusiveScan(new Uint32Array(2), new Uint32Array(3))).toThrow(/into is Uint32Array of 3/);
    const shared = new Uint32Array(5);
    expect(() => exclusiveScan(shared.subarray(0, 4), shared.subarray(1))).toThrow(/into and values overlap/);
  });
});

describe("compact", () => {
  it("keeps elements of any class whose flag is not 0", () => {
    expect(compact(BigInt64Array.of(-1n, 2n, 3n), Uint8Array.of(9, 0, 1))).toEqual(BigInt64Array.of(-1n, 3n));
    expect(compact(Float64Array.of(1, Number.NaN), Uint32Array.of(0, 2 ** 31))).toEqual(
      Float64Array.of(Number.NaN),
    );
    expect(compact(new Uint16Array(3), new Uint8Array(3))).toEqual(new Uint16Array());
    const nan = new Uint32Array([0xffc1_2345]);
    const kept = compact(new Float32Array(nan.buffer), Uint8Array.of(1));
    expect(new Uint32Array(kept.buffer)).toEqual(nan);
  });

  it("refuses other arrays", () => {
    expect(() => compact(new Uint8Array(2), new Uint8Array(3))).toThrow(
      /flags has 3 elements, but values has 2/,
    );
    expect(() => compact(new Uint8Array(2), [1, 1] as never)).toThrow(/flags is Array/);
  });
});

describe("histogram", () => {
  it("counts keys by their values or by some bits, and leaves out those without a bin", () => {
    const keys = Uint32Array.of(0, 2, 2, 3, 2 ** 32 - 1);
    expect(histogram(keys, { bins: 3 })).toEqual(Uint32Array.of(1, 0, 2));
    expect(histogram(keys, { bits: { begin: 31, end: 32 } })).toEqual(Uint32Array.of(4, 1));
    expect(histogram(keys, { bits: { begin: 1, end: 1 } })).toEqual(Uint32Array.of(5));
    expect(histogram(keys, { bits: { begin: 1, end: 3 }, bins: 3 })).toEqual(Uint32Array.of(1, 3, 0));
  });

  it("refuses wrong bins", () => {
    expect(() => histogram(new Uint32Array(2), {})).toThrow(/32 bits have 4294967296 bins/);
    expect(() => histogram(new Uint32Array(2), { bins: 1.5 })).toThrow(/bins is 1.5/);
    expect(() => histogram(new Uint8Array(2) as never, { bins: 1 })).toThrow(/keys is Uint8Array/);
  });
});
