import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ElementType, elementType, type KeyArray } from "../../../src/core/elements.js";
import type { Pass, Plan } from "../../../src/core/plan/plan.js";
import { defaultTraits } from "../../../src/core/plan/traits.js";
import { bitonicPlan, bitonicTuning } from "../../../src/core/sort/bitonic.js";
import { describeConformance, wholeWordTypes } from "../../support/conformance.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import { difference, distributions } from "../../support/keys.js";
import { mostWorkgroupBytes } from "../../support/workgroup_bytes.js";

const u32 = elementType("u32");
const ascending = { descending: false };

function plan(keyCount: number, type: ElementType, tileBits: number, descending = false): Plan {
  return bitonicPlan(keyCount, type, { descending }, defaultTraits, { workgroupSize: 256, tileBits });
}

function sortOnCpu(tileBits: number) {
  return async (keys: KeyArray, type: ElementType, descending: boolean): Promise<KeyArray> => {
    const sorting = plan(keys.length, type, tileBits, descending);
    const buffers = runOnCpu(sorting, { keys: new Uint32Array(keys.buffer) });
    return new type.array(buffers[sorting.result]!.buffer, 0, keys.length);
  };
}

/** The number of keys in the matrix that a pass reads and writes, from the start of its buffers. */
function matrixKeys({ program, params }: Pass): number {
  const words = params as readonly number[]; // bitonic plans have no parameters in buffers
  if (program.kernel === "transpose_blocks") return 16 * words[0]! * words[1]!;
  const [rows, columns] = program.kernel === "transpose" ? words : words.slice(3);
  return rows! * columns!;
}

// Small tiles cut the index bits of few keys into many windows, like larger tiles and millions of keys.
for (const tileBits of [1, 2, 5]) {
  const tile = 2 ** tileBits;
  const sizes = [0, 1, 2, 3, tile - 1, tile, tile + 1, 2 * tile + 1, 4 * tile - 1, 4 * tile + 1, 97];
  describeConformance(
    `bitonic on the CPU kernels, in tiles of ${tile} keys,`,
    sortOnCpu(tileBits),
    sizes,
    wholeWordTypes,
  );
}

describe("bitonic on the CPU kernels", () => {
  it("sorts any number of keys of any type in either direction with any tile", async () => {
    const cases = fc.record({
      type: fc.constantFrom(...wholeWordTypes),
      keyCount: fc.integer({ min: 0, max: 700 }),
      tileBits: fc.integer({ min: 1, max: 8 }),
      descending: fc.boolean(),
      distribution: fc.constantFrom(...Object.keys(distributions)),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ type, keyCount, tileBits, descending, distribution }) => {
        const keys = distributions[distribution]!(type, keyCount);
        const sorted = await sortOnCpu(tileBits)(keys, type, descending);
        expect(difference(keys, sorted, descending)).toBeUndefined();
      }),
      { numRuns: 75 },
    );
  });
});

describe("a bitonic plan", () => {
  it.each([0, 1])("of %i keys has no passes, but a result", (keyCount) => {
    const { passes, buffers, result } = plan(keyCount, u32, 13);
    expect(passes).toEqual([]);
    expect(buffers[result]).toEqual({ bytes: 4 });
  });

  it("of keys that fit one tile is one pass in place", () => {
    const { passes, buffers, result } = plan(8192, u32, 13);
    expect(passes).toHaveLength(1);
    expect(Object.keys(buffers)).toEqual(["keys"]);
    expect(result).toBe("keys");
    expect(plan(8193, u32, 13).passes.length).toBeGreaterThan(1);
  });

  it("has the documented number of passes for 2^25 keys", () => {
    expect(plan(2 ** 25, u32, 13).passes).toHaveLength(1 + 12 * 4);
    expect(plan(2 ** 25, u32, 12).passes).toHaveLength(1 + 7 * 4 + 6 * 6);
  });

  it("is valid for any number of keys: bindings exist and are long enough, and no limit is exceeded", () => {
    const cases = fc.record({
      type: fc.constantFrom(...wholeWordTypes),
      keyCount: fc.oneof(fc.integer({ min: 2, max: 5000 }), fc.integer({ min: 2, max: 2 ** 26 })),
      tileBits: fc.integer({ min: 3, max: 13 }),
    });
    fc.assert(
      fc.property(cases, ({ type, keyCount, tileBits }) => {
        const { buffers, passes, result } = plan(keyCount, type, tileBits);
        expect(buffers).toHaveProperty(result);
        for (const { bytes } of Object.values(buffers)) {
          expect(bytes % 4).toBe(0);
          expect(bytes).toBeGreaterThanOrEqual(type.bytes);
          expect(bytes).toBeGreaterThanOrEqual(keyCount * type.bytes);
        }
        const { maxComputeWorkgroupsPerDimension: most } = defaultTraits.limits;
        const isValid = (pass: Pass) =>
          new Set(pass.bindings).size === pass.bindings.length &&
          // A binding is always a whole buffer.
          pass.bindings.every((name) => matrixKeys(pass) * type.bytes <= buffers[name as string]!.bytes) &&
          pass.grid.every((workgroups) => workgroups >= 1 && workgroups <= most) &&
          [...(pass.params as number[]), ...Object.values(pass.program.constants)].every(
            (word) => word === word >>> 0,
          );
        expect(passes.filter((pass) => !isValid(pass))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it("has less slack than the layout of its topmost window has rows", () => {
    const cases = fc.tuple(fc.integer({ min: 16, max: 2 ** 26 }), fc.integer({ min: 3, max: 13 }));
    fc.assert(
      fc.property(cases, ([keyCount, tileBits]) => {
        const { buffers, passes } = plan(keyCount, u32, tileBits);
        const locals = passes.filter(({ program }) => program.kernel === "bitonic_local");
        const topmost = Math.max(...locals.map(({ params }) => (params as number[])[1]!));
        const slack = buffers.keys!.bytes / 4 - keyCount;
        expect(slack).toBeGreaterThanOrEqual(0);
        expect(slack).toBeLessThan(2 ** topmost);
      }),
    );
  });

  it("needs two kernels: one for all local passes and one for all transposes", () => {
    const { passes } = plan(2 ** 25, u32, 5);
    expect(new Set(passes.map(({ program }) => JSON.stringify(program))).size).toBe(2);
  });

  it.each([
    ["keys of 8 bits", "u8", {}],
    ["keys of 16 bits", "i16", {}],
    ["a range of bits", "u32", { bits: { begin: 0, end: 8 } }],
    ["values", "u32", { payload: 4 }],
    ["indices", "u32", { payload: "index" }],
    ["keys that must be kept", "u32", { keepInput: true }],
    ["a number of keys that the device reads", "u32", { counted: true }],
  ] as const)("refuses %s", (_, name, more) => {
    const refused = () => bitonicPlan(9, elementType(name), { descending: false, ...more }, defaultTraits);
    expect(refused).toThrow(RangeError);
  });

  it.each([-1, 1.5, 2 ** 32, Number.NaN])("refuses %d keys", (keyCount) => {
    expect(() => plan(keyCount, u32, 13)).toThrow(RangeError);
  });
});

describe("the tuning", () => {
  it.each(wholeWordTypes)("fills the workgroup memory that every device has, for $name", async (type) => {
    for (const software of [false, true]) {
      const traits = { ...defaultTraits, software };
      const { workgroupSize } = bitonicTuning(type, traits);
      const most = await mostWorkgroupBytes(bitonicPlan(100_000, type, ascending, traits));
      const { maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup } = defaultTraits.limits;
      expect(most).toBe(maxComputeWorkgroupStorageSize);
      expect(workgroupSize).toBeLessThanOrEqual(maxComputeInvocationsPerWorkgroup);
    }
  });

  it("rounds workgroup memory down to a power of two", () => {
    const limits = { ...defaultTraits.limits, maxComputeWorkgroupStorageSize: 12_000 };
    expect(bitonicTuning(u32, { ...defaultTraits, limits }).tileBits).toBe(11);
  });

  it("is the default of a plan", () => {
    const tuned = bitonicPlan(100_000, u32, ascending, defaultTraits, bitonicTuning(u32, defaultTraits));
    expect(bitonicPlan(100_000, u32, ascending, defaultTraits)).toEqual(tuned);
  });
});
