import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ElementType,
  elementType,
  elementTypes,
  type KeyArray,
  type TypeName,
} from "../../../src/core/elements.js";
import { mix } from "../../../src/core/items/mix.js";
import { BINDING_ALIGNMENT, type BufferRange, type Pass, rangeOf } from "../../../src/core/plan/plan.js";
import { type DeviceTraits, defaultTraits } from "../../../src/core/plan/traits.js";
import { readParams } from "../../../src/core/shaders/kernels.js";
import { chooseAlgorithm } from "../../../src/core/sort/algorithms.js";
import type { KeyBits, SortOptions, SortPlan } from "../../../src/core/sort/key.js";
import { type MsdTuning, msdLocals } from "../../../src/core/sort/msd/msd_tuning.js";
import { radixPlan, radixTuning } from "../../../src/core/sort/radix/radix.js";
import {
  type RadixTuning,
  type SubgroupTuning,
  subgroupsFit,
} from "../../../src/core/sort/radix/radix_tuning.js";
import { windowUnit } from "../../../src/core/sort/windows.js";
import { distribution, generateKeys } from "../../../src/testdata/distributions.js";
import { describeConformance } from "../../support/conformance.js";
import { readRange } from "../../support/cpu_kernels/key_range.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import { Status } from "../../support/cpu_kernels/status.js";
import { difference, distributions, keysNearZero, keysOfQuarters, wordsOfKeys } from "../../support/keys.js";
import { nvidiaTraits } from "../../support/limits.js";
import { expectSorted, type Runner } from "../../support/radix_case.js";
import { smallRemap } from "../../support/small_msd.js";
import { mostWorkgroupBytes, workgroupBytes } from "../../support/workgroup_bytes.js";

function subgroup(some: Partial<SubgroupTuning>): SubgroupTuning {
  return {
    family: "subgroup",
    digitBits: 8,
    workgroupSize: 256,
    subgroupSize: 32,
    keysPerInvocation: 1,
    columns: 3,
    lockstep: false,
    fusedScan: true,
    ...some,
  };
}

const twoLevels: MsdTuning = {
  digitBits: 3,
  workgroupSize: 8,
  keysPerInvocation: 2,
  columns: 4,
  second: { digitBits: 2, tilesPerChunk: 2 },
  local: { workgroupSize: 8, keysPerInvocation: 5, binBits: 4 },
};

const oneLevel: MsdTuning = {
  digitBits: 3,
  workgroupSize: 8,
  keysPerInvocation: 2,
  columns: 3,
  local: { workgroupSize: 8, keysPerInvocation: 5, binBits: 4 },
};

const tunings: Record<string, RadixTuning> = {
  serial: { family: "serial", digitBits: 8, workgroupSize: 4, columns: 7, minKeysPerChunk: 10 },
  workgroup: { family: "workgroup", digitBits: 8, workgroupSize: 8, keysPerInvocation: 3, columns: 5 },
  subgroup: subgroup({ fusedScan: false }),
  "subgroup (fused scan)": subgroup({ fusedScan: true }),
  "subgroup (6-bit digits)": subgroup({ digitBits: 6, subgroupSize: 8 }),
  "subgroup (local sorts)": subgroup({ local: { workgroupSize: 4, keysPerInvocation: 16 } }),
  "subgroup (MSD)": subgroup({
    msd: oneLevel,
  }),
  "subgroup (MSD, fallback in one dispatch)": subgroup({
    fusedScan: true,
    msd: {
      ...oneLevel,
      fallback: { workgroupSize: 256, keysPerInvocation: 1, workgroups: 3, spinLimit: 32 },
    },
  }),
  "subgroup (MSD, looking at keys while it counts)": subgroup({
    fusedScan: true,
    msd: {
      digitBits: 4,
      workgroupSize: 16,
      keysPerInvocation: 2,
      columns: 3,
      rangeSamples: 16,
      local: { workgroupSize: 8, keysPerInvocation: 5, binBits: 4 },
    },
  }),
  "subgroup (few keys alone by one workgroup)": subgroup({
    oneWorkgroup: { workgroupSize: 16, keysPerInvocation: 5, binBits: 5, rankBits: 4, maxBinKeys: 8 },
  }),
  "subgroup (MSD, two levels)": subgroup({
    fusedScan: false,
    msd: twoLevels,
  }),
  "subgroup (MSD, two levels, after a sample)": subgroup({
    fusedScan: false,
    msd: { ...twoLevels, samples: 16 },
  }),
  "subgroup (MSD, two levels, counting few values)": subgroup({
    fusedScan: false,
    msd: { ...twoLevels, samples: 64, maxDistinct: 8 },
  }),
};

/** The limits for the longest tiles of the tables. */
const mostMemory = {
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
  maxComputeWorkgroupStorageSize: 49_152,
};

const gpu = { ...defaultTraits, subgroups: true, subgroupSize: { min: 32, max: 32 } };

/** Of each of these, a tuning takes one: floats, wide integers, others. */
const typeGroups = [
  elementTypes.filter(({ order }) => order === "float"),
  elementTypes.filter(({ order, words }) => order !== "float" && words === 2),
  elementTypes.filter(({ order, words }) => order !== "float" && words === 1),
];

for (const [t, [family, tuning]] of Object.entries(tunings).entries()) {
  // MSD and one workgroup sort whole words only. The property below draws any type with any tuning.
  const types = typeGroups.map((group) => {
    const sorted =
      "msd" in tuning || "oneWorkgroup" in tuning ? group.filter(({ bytes }) => bytes >= 4) : group;
    return sorted[t % sorted.length]!;
  });
  const sizes = [0, 1, 2, 3, 10, 11, 69, 70, 71, 255, 256, 257, 769];
  const plans = new Map<string, SortPlan>();
  describeConformance(
    `a radix plan of the ${family} family, run by the CPU kernels,`,
    async (keys, type, descending) => {
      const where = `${keys.length} ${type.name} ${descending}`;
      const plan = plans.get(where) ?? radixPlan(keys.length, type, { descending }, defaultTraits, tuning);
      plans.set(where, plan);
      const output = runOnCpu(plan, { keys: wordsOfKeys(keys) })[plan.result]!;
      return new type.array(output.buffer as ArrayBuffer, 0, keys.length);
    },
    sizes,
    types,
  );
}

const u32 = elementType("u32");

/** The bits in which keys differ: those of their low words, and those of their high words, if they have some. */
function differingWords(keys: KeyArray): [low: number, high: number] {
  const words = wordsOfKeys(keys);
  const size = keys.BYTES_PER_ELEMENT / 4;
  const differing = Array.from(words, (word, i) => (word ^ words[i % size]!) >>> 0);
  const union = (offset: number) =>
    differing.reduce((or, bits, i) => (i % size === offset ? or | bits : or), 0) >>> 0;
  return [union(0), union(1)];
}

/** The bits of the distances from 0 of signed keys on both sides of it, and the sign bit: a key's words. */
function distanceWords(keys: KeyArray): Uint32Array {
  const size = keys.BYTES_PER_ELEMENT / 4;
  const [words, union] = [wordsOfKeys(keys), new Uint32Array(size)];
  union[size - 1] = 0x8000_0000;
  for (const [i, word] of words.entries()) union[i % size]! |= keys[Math.floor(i / size)]! < 0 ? ~word : word;
  return union;
}

/** The number of keys in the smallest window of a tuning. */
function windowKeysOf(tuning: RadixTuning): number {
  return tuning.family === "serial"
    ? windowUnit(1) * tuning.workgroupSize
    : windowUnit(tuning.workgroupSize * tuning.keysPerInvocation);
}

describe("a radix plan", () => {
  const ascending = { descending: false };

  const anyTuning: fc.Arbitrary<RadixTuning> = fc.oneof(
    fc.record({
      family: fc.constant("serial" as const),
      digitBits: fc.integer({ min: 1, max: 8 }),
      workgroupSize: fc.integer({ min: 1, max: 16 }),
      columns: fc.integer({ min: 1, max: 40 }),
      minKeysPerChunk: fc.integer({ min: 1, max: 200 }),
    }),
    fc.record({
      family: fc.constant("workgroup" as const),
      digitBits: fc.constantFrom(4, 6, 8),
      workgroupSize: fc.constantFrom(1, 4, 8, 16),
      keysPerInvocation: fc.integer({ min: 1, max: 7 }),
      columns: fc.integer({ min: 1, max: 40 }),
    }),
    fc.record({
      family: fc.constant("subgroup" as const),
      digitBits: fc.integer({ min: 2, max: 8 }),
      workgroupSize: fc.constantFrom(8, 16, 64),
      subgroupSize: fc.constant(8),
      keysPerInvocation: fc.integer({ min: 1, max: 7 }),
      columns: fc.integer({ min: 1, max: 40 }),
      lockstep: fc.boolean(),
      fusedScan: fc.boolean(),
      local: fc.option(
        fc.record({
          workgroupSize: fc.constantFrom(4, 16),
          keysPerInvocation: fc.integer({ min: 1, max: 9 }),
        }),
        { nil: undefined },
      ),
      oneWorkgroup: fc.option(
        fc.record({
          workgroupSize: fc.constantFrom(4, 16),
          keysPerInvocation: fc.constantFrom(3 as const, 5 as const, 9 as const),
          binBits: fc.integer({ min: 5, max: 6 }),
          rankBits: fc.constantFrom(3, 4),
          maxBinKeys: fc.integer({ min: 1, max: 16 }),
        }),
        { nil: undefined },
      ),
      msd: fc.option(
        fc.record({
          digitBits: fc.integer({ min: 1, max: 8 }),
          workgroupSize: fc.constant(8),
          keysPerInvocation: fc.constant(2),
          columns: fc.integer({ min: 1, max: 40 }),
          samples: fc.constantFrom(undefined, 8, 64),
          rangeSamples: fc.constantFrom(undefined, 2, 64),
          maxDistinct: fc.constantFrom(undefined, 4),
          second: fc.option(
            fc.record({
              digitBits: fc.integer({ min: 1, max: 8 }),
              tilesPerChunk: fc.integer({ min: 1, max: 4 }),
              long: fc.constantFrom(undefined, {
                workgroupSize: 32,
                keysPerInvocation: 9 as const,
                binBits: 6,
              }),
            }),
            { nil: undefined },
          ),
          local: fc.record({
            workgroupSize: fc.constantFrom(4, 16),
            keysPerInvocation: fc.constantFrom(3 as const, 5 as const, 9 as const),
            binBits: fc.integer({ min: 4, max: 6 }),
          }),
        }),
        { nil: undefined },
      ),
    }),
  );
  const anySort = fc.record({
    type: fc.constantFrom(...elementTypes),
    keyCount: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 3000 })),
    distribution: fc.constantFrom(...Object.keys(distributions)),
    descending: fc.boolean(),
    payload: fc.constantFrom(undefined, 0, 4, 8, 12, 20, "index" as const),
    keepInput: fc.boolean(),
    dropKeys: fc.boolean(),
    once: fc.boolean(),
    bits: fc.option(fc.tuple(fc.integer({ min: 0, max: 64 }), fc.integer({ min: 0, max: 64 })), {
      nil: undefined,
    }),
    count: fc.option(
      fc.oneof(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 2 ** 31, max: 2 ** 32 - 1 })),
      { nil: undefined },
    ),
    countAt: fc.constantFrom(undefined, 0, 1, 63),
    windowKeys: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    tuning: anyTuning,
  });

  it("sorts any keys with any options, by any family, in any chunks and windows", async () => {
    await fc.assert(
      fc.asyncProperty(anySort, async (sort) => {
        const {
          type,
          keyCount,
          distribution,
          bits,
          count,
          countAt,
          windowKeys,
          tuning,
          dropKeys,
          ...otherOptions
        } = sort;
        const width = 8 * type.bytes;
        const [begin, end] = (bits ?? []).map((bit) => bit % (width + 1)).sort((a, b) => a - b);
        const options = {
          ...otherOptions,
          dropKeys: dropKeys && Boolean(otherOptions.payload),
          ...(bits ? { bits: { begin: begin!, end: end! } } : {}),
          ...(count === undefined ? {} : { counted: true, countAt }),
        };
        // The binding limit just fits a workgroup's keys, or a few more. If the device reads the number of
        // keys, all keys must fit.
        const valueBytes = otherOptions.payload === "index" ? 4 : (otherOptions.payload ?? 0);
        const least = Math.max(windowKeysOf(tuning) * 4 * type.words, 256 * Math.max(4, valueBytes));
        const bindable = windowKeys === undefined || count !== undefined ? 2 ** 27 : least + 256 * windowKeys;
        const limits = { ...defaultTraits.limits, maxStorageBufferBindingSize: bindable };
        const keys = distributions[distribution]!(type, keyCount);
        const traits = { ...defaultTraits, limits };
        const one = { type, keys, options, traits, tuning, ...(count === undefined ? {} : { count }) };
        const run = (plan: SortPlan, inputs: Record<string, Uint32Array>) => {
          const isValid = ({ buffer, offset, bytes }: BufferRange) =>
            (/counts|totals|starts|chunk|segments/.test(buffer) || bytes <= bindable) &&
            offset % BINDING_ALIGNMENT === 0 &&
            offset + bytes <= plan.buffers[buffer]!.bytes;
          const ranges = plan.passes.flatMap((pass) =>
            pass.bindings.map((binding) => rangeOf(binding, plan.buffers)),
          );
          expect(ranges.filter((range) => !isValid(range))).toEqual([]);
          return runOnCpu(plan, inputs);
        };
        await expectSorted(run, one);
      }),
      { numRuns: 100 },
    );
  });

  it("sorts keys that differ in some of their bits only, though most are equal", async () => {
    // As an earlier sort of other keys leaves the bits in which these differ.
    const run: Runner = (plan, inputs) =>
      runOnCpu(plan, { ...inputs, status: Uint32Array.of(0, 0xffff_ffff, 0xffff_ffff, 0) });
    const moved = [{}, { payload: "index" }, { payload: 4, dropKeys: true }] as const;
    const msd = { ...twoLevels, digitBits: 8, second: { digitBits: 8, tilesPerChunk: 1 } };
    const tuning = subgroup({ fusedScan: false, msd });
    for (const [t, type] of ["u32", "i32", "i64", "u64"].map((name) => elementType(name)).entries()) {
      // Signed and unsigned keys take turns, and those of one and of two words.
      for (let quarters = t % 2; quarters < 16; quarters += 2) {
        const keys = keysOfQuarters(type, 300, quarters);
        for (let i = 0; i < keys.length; i++) if (i % 3 > 0) keys[i] = keys[0]!;
        for (const [m, more] of moved.entries()) {
          const options = { descending: (m + quarters) % 2 === 1, ...more };
          const output = await expectSorted(run, { type, keys, options, traits: gpu, tuning });
          expect(output.status![0]).toBe(Status.FALLBACK);
          // Signed keys may differ in other bits, by their distance from 0.
          if (type.order === "unsigned")
            expect([...output.status!.subarray(1, 3)]).toEqual(differingWords(keys));
        }
      }
    }
  });

  it("sorts signed keys of any distance from 0 by a smaller bias", async () => {
    const msd = { ...twoLevels, digitBits: 8, second: { digitBits: 8, tilesPerChunk: 1 } };
    const byMoves = subgroup({ fusedScan: false, msd });
    const inOneDispatch = tunings["subgroup (MSD, fallback in one dispatch)"]!;
    const moved = [{ payload: 0 }, { payload: "index" }, { payload: 4, dropKeys: true }] as const;
    for (const type of ["i32", "i64"].map((name) => elementType(name))) {
      for (let bits = 0; bits < 8 * type.bytes; bits += type.bytes / 4) {
        const keys = keysNearZero(type, 300, bits, bits < 20 && bits % 4 === 0 ? 2 ** 22 : 0);
        for (const [m, more] of moved.entries()) {
          const options = { descending: (m + bits) % 2 === 1, ...more };
          const tuning = more.payload !== 0 || bits % 3 > 0 ? byMoves : inOneDispatch;
          const { status } = await expectSorted(runOnCpu, { type, keys, options, traits: gpu, tuning });
          if (tuning !== byMoves || status![0] !== Status.FALLBACK) continue;
          expect(status!.slice(1, 1 + type.words)).toEqual(distanceWords(keys));
        }
        // Sorts by some of the bits, of an even and of an odd number of digits, take no other bias.
        for (const end of [8 * type.bytes - 2, 8 * type.bytes - 10]) {
          const options = { descending: false, payload: 4, bits: { begin: 0, end } } as const;
          await expectSorted(runOnCpu, { type, keys, options, traits: gpu, tuning: byMoves });
        }
      }
    }
  });

  it("refuses numbers of keys and options that it does not support", () => {
    const refused = (options: Partial<SortOptions>, keyCount = 1000, traits = defaultTraits) =>
      expect(() => radixPlan(keyCount, u32, { descending: false, ...options }, traits)).toThrow(RangeError);
    for (const payload of [undefined, 0]) refused({ payload, dropKeys: true });
    for (const payload of [-4, 1, 2, 6, 4.5, Number.NaN]) refused({ payload });
    for (const [begin, end] of [
      [-1, 8],
      [8, 7],
      [0, 33],
      [0.5, 8],
      [0, Number.NaN],
    ] as const) {
      refused({ bits: { begin, end } });
    }
    const limits = { ...defaultTraits.limits, maxStorageBufferBindingSize: 2 ** 20 };
    refused({ counted: true }, 2 ** 20, { ...defaultTraits, limits });
    for (const keyCount of [-1, 1.5, Number.NaN, 2 ** 31 + 1]) refused({}, keyCount);
  });

  it("has three passes per byte of a key, and no passes for fewer than two keys", () => {
    expect(radixPlan(1e6, u32, ascending, defaultTraits).passes).toHaveLength(12);
    expect(radixPlan(1e6, elementType("f64"), ascending, defaultTraits).passes).toHaveLength(24);
    expect(radixPlan(1, u32, ascending, defaultTraits).passes).toHaveLength(0);
    expect(() => radixPlan(-1, u32, ascending, defaultTraits)).toThrow(RangeError);
    expect(() => radixPlan(2 ** 32, u32, ascending, defaultTraits)).toThrow(RangeError);
  });

  it("converts keys only in the first pass and back only in the last, and unsigned keys not at all", () => {
    const constants = (name: string, type: "u32" | "f32") =>
      radixPlan(1e6, elementType(type), ascending, gpu)
        .passes.filter(({ program }) => program.kernel === "radix_scatter")
        .map(({ program }) => program.constants[name]);
    expect(constants("RAW_INPUT", "f32")).toEqual([1, 0, 0, 0]);
    expect(constants("RAW_OUTPUT", "f32")).toEqual([0, 0, 0, 1]);
    expect(constants("RAW_INPUT", "u32")).toEqual([0, 0, 0, 0]);
  });

  it("moves keys with indices by the same kernels, if it runs only once", () => {
    const kernels = (type: "u32" | "f32" | "i64", once: boolean) => {
      const options = { descending: true, payload: "index", once } as const;
      const { passes } = radixPlan(2 ** 21, elementType(type), options, gpu);
      const moving = passes.filter(({ program }) => /scatter|count/.test(program.kernel));
      return new Set(moving.map(({ program }) => JSON.stringify(program))).size;
    };
    for (const type of ["u32", "f32", "i64"] as const) {
      expect(kernels(type, true)).toBe(2);
      expect(kernels(type, false)).toBe(5);
    }
  });

  it("has the same kernels for types of a width and both directions, if a software adapter sorts once", () => {
    const software = { ...defaultTraits, software: true };
    const kernels = (name: TypeName, options: SortOptions) => {
      const { passes } = radixPlan(2 ** 18, elementType(name), options, software);
      const moving = passes.filter(({ program }) => /serial/.test(program.kernel));
      return [...new Set(moving.map(({ program }) => JSON.stringify(program)))].sort();
    };
    for (const payload of [undefined, 4, "index"] as const) {
      const expected = kernels("u32", { descending: false, payload, once: true });
      expect(expected).toHaveLength(3);
      for (const name of ["i32", "f32"] as const) {
        const found = kernels(name, { descending: true, payload, once: true });
        // Where the order of equal keys shows, floats have kernels for which all NaNs are equal.
        if (name === "f32" && payload) expect(found).toHaveLength(3);
        else expect(found).toEqual(expected);
        expect(kernels(name, { descending: true, payload }).length).toBeGreaterThan(3);
      }
    }
  });

  it("needs no other kernels on a software adapter for keys that differ in some bits only", () => {
    const software = { ...defaultTraits, software: true };
    const programs = (name: TypeName, varying?: KeyBits) => {
      const options = { descending: false, once: true, varying };
      const { passes } = radixPlan(2 ** 18, elementType(name), options, software);
      return passes.map(({ program }) => JSON.stringify(program));
    };
    for (const [name, begin, end, moves] of [
      ["u64", 0, 53, 7],
      ["u64", 11, 64, 7],
      ["f32", 9, 32, 3],
      ["i32", 3, 11, 1],
      ["u32", 0, 1, 1],
    ] as const) {
      const found = programs(name, { begin, end });
      expect(found.filter((text) => text.includes("scatter"))).toHaveLength(moves);
      expect(new Set(programs(name))).toEqual(new Set([...programs(name), ...found]));
    }
    // Whole digits would take two moves.
    expect(programs("u32", { begin: 5, end: 12 }).filter((text) => text.includes("scatter"))).toHaveLength(1);
  });

  it("puts every key into one chunk, and leaves no chunk empty", () => {
    for (const traits of [defaultTraits, gpu]) {
      for (const keyCount of [2, 127, 128, 129, 4095, 4096, 4097, 2 ** 22 - 1, 2 ** 22, 2 ** 25 + 1]) {
        const { passes } = radixPlan(keyCount, u32, ascending, traits);
        const counting = passes.find(({ program }) => program.kernel.endsWith("count"));
        if (!counting && passes.length === 1) continue; // one workgroup sorts all keys
        const [, , chunk, columns] = counting!.params as [number, number, number, number];
        expect(chunk * columns).toBeGreaterThanOrEqual(keyCount);
        expect(chunk * (columns - 1)).toBeLessThan(keyCount);
      }
    }
  });
});

describe("the tuning", () => {
  it("stays within the workgroup memory and invocations of any device", async () => {
    const limits = fc.record({
      maxComputeInvocationsPerWorkgroup: fc.constantFrom(256, 512, 1024),
      maxComputeWorkgroupStorageSize: fc.constantFrom(16_384, 32_768, 49_152, 65_536),
      subgroupSize: fc.constantFrom(16, 32),
      varies: fc.boolean(),
      keyCount: fc.integer({ min: 1, max: 2 ** 28 }),
      type: fc.constantFrom(...elementTypes),
    });
    await fc.assert(
      fc.asyncProperty(limits, async ({ subgroupSize, varies, keyCount, type, ...some }) => {
        const traits = {
          ...gpu,
          limits: {
            ...gpu.limits,
            ...some,
            maxComputeWorkgroupSizeX: some.maxComputeInvocationsPerWorkgroup,
          },
          subgroupSize: { min: varies ? 4 : subgroupSize, max: subgroupSize },
        };
        if (!subgroupsFit(traits)) return;
        const tuning = radixTuning(keyCount, type, traits);
        if (tuning.family !== "subgroup") throw new Error("the device can run the subgroup family");
        const plan = radixPlan(keyCount, type, { descending: false }, traits, tuning);
        expect(await mostWorkgroupBytes(plan)).toBeLessThanOrEqual(some.maxComputeWorkgroupStorageSize);
        expect(tuning.workgroupSize).toBeLessThanOrEqual(some.maxComputeInvocationsPerWorkgroup);
        expect(tuning.keysPerInvocation).toBeGreaterThan(0);
      }),
      { numRuns: 50 },
    );
  });

  it("sorts by stable passes what does not fit two levels, also where these passes need no scan", async () => {
    const given = tunings["subgroup (MSD, two levels, after a sample)"]! as SubgroupTuning;
    const tuning = { ...given, fusedScan: true, msd: { ...given.msd!, samples: undefined } };
    for (const name of ["u32", "i32", "u64", "f64"] as const) {
      const type = elementType(name);
      for (const distribution of ["constant", "few values", "uniform"]) {
        const keys = distributions[distribution]!(type, 500);
        const options = { descending: true };
        const { passes } = radixPlan(500, type, options, gpu, tuning);
        expect(passes.some(({ program }) => program.kernel === "msd_plan")).toBe(true);
        await expectSorted(runOnCpu, { type, keys, options, traits: gpu, tuning });
      }
    }
  });

  it("sorts many keys with values on a GPU with as much workgroup memory as browsers give", async () => {
    const limits = {
      ...defaultTraits.limits,
      maxComputeInvocationsPerWorkgroup: 1024,
      maxComputeWorkgroupSizeX: 1024,
      maxComputeWorkgroupStorageSize: 32 * 1024,
    };
    const traits = { ...gpu, limits };
    const keys = new Uint32Array(540_000).map((_, i) => Math.imul(i, 0x9e37_79b1) >>> 16);
    const options = { descending: false, payload: "index" } as const;
    const tuning = radixTuning(keys.length, u32, traits, options);
    await expectSorted(runOnCpu, { type: u32, keys, options, traits, tuning });
  });

  it("takes a sample whose places follow no order of the input", () => {
    const keyCount = 2 ** 21 + 2 ** 14; // fewer take no sample
    const keys = new Uint32Array(keyCount).map((_, i) => mix(i));
    const plan = radixPlan(
      keyCount,
      u32,
      { descending: false },
      { ...gpu, limits: { ...gpu.limits, ...mostMemory } },
    );
    const [sample] = plan.passes;
    expect(sample!.program.kernel).toBe("msd_sample");
    for (const block of [2 ** 11, 2 ** 22]) {
      const words = keys.slice();
      for (let at = 0; at < keyCount; at += block) words.subarray(at, at + block).sort();
      const { status } = runOnCpu({ ...plan, passes: [sample!] }, { keys: words });
      expect(status![0], `blocks of ${block}`).toBe(1);
    }
  });

  it("expects segments of keys to fit that are nearly twice as dense in half of their range", () => {
    const device = { ...gpu, limits: { ...gpu.limits, ...mostMemory } };
    const keyCount = 2 ** 22;
    const plan = radixPlan(keyCount, elementType("u64"), { descending: false }, device);
    const passes = plan.passes.slice(0, 1);
    expect(passes[0]!.program.kernel).toBe("msd_sample");
    // Of the high words, 94% are in the first half, or in the first quarter.
    for (const [part, status] of [
      [2 ** 31, 1],
      [2 ** 30, 0],
    ] as const) {
      const words = new Uint32Array(2 * keyCount);
      for (let i = 1; i < words.length; i += 2)
        words[i] = mix(~i) < 0.94 * 2 ** 32 ? mix(i) % part : mix(i) | part;
      const output = runOnCpu({ ...plan, passes }, { keys: words });
      expect(output.status![0]).toBe(status);
    }
  });

  it("sorts by MSD after a sample where it is known that keys differ in some bits only", () => {
    for (const name of [
      "subgroup (MSD, two levels, after a sample)",
      "subgroup (MSD)",
      "subgroup (MSD, looking at keys while it counts)",
    ]) {
      const given = tunings[name]! as SubgroupTuning;
      const countSamples = given.msd!.rangeSamples !== undefined;
      const tuning = countSamples
        ? given
        : { ...given, fusedScan: false, msd: { ...given.msd!, samples: 16 } };
      for (const typeName of ["u32", "u64"] as const) {
        const type = elementType(typeName);
        for (const unknown of [0, 1, 4, 7]) {
          const end = 8 * type.bytes - unknown;
          const words = new Uint32Array(150 * type.words).map((_, i) => Math.imul(i + 1, 0x9e37_79b1) >>> 0);
          for (let i = type.words - 1; i < words.length; i += type.words) words[i]! >>>= unknown;
          const keys = new type.array(words.slice().buffer) as KeyArray;
          const plan = radixPlan(150, type, { descending: false, varying: { begin: 0, end } }, gpu, tuning);
          const output = runOnCpu(plan, { keys: words });
          const sorted = new type.array(output[plan.result]!.buffer as ArrayBuffer, 0, 150) as KeyArray;
          expect(difference(keys, sorted, false), `${name} ${typeName} ${end}`).toBeUndefined();
        }
      }
    }
  });

  it("sorts by MSD in more chunks than can be marked, if each has a key without the bits of the others", () => {
    const given = tunings["subgroup (MSD, looking at keys while it counts)"]! as SubgroupTuning;
    for (const columns of [255, 256]) {
      // Segments would fit without the marks.
      const local = { workgroupSize: 1024, keysPerInvocation: 5, binBits: 11 } as const;
      const tuning = { ...given, columns, msd: { ...given.msd!, columns, local } };
      const chunk = given.workgroupSize * given.keysPerInvocation;
      const words = new Uint32Array(columns * chunk).map((_, i) => Math.imul(i + 1, 0x9e37_79b1) >>> 8);
      for (let i = 1; i < words.length; i += chunk) words[i] = (words[i]! | 0xff00_0000) >>> 0;
      const plan = radixPlan(words.length, u32, { descending: false }, gpu, tuning);
      const output = runOnCpu(plan, { keys: words.slice() });
      if (columns === 255) expect(readRange(output.key_range!, 32).unused).toBeGreaterThan(6); // the sample missed those keys
      expect(output.status![0]).toBe(0);
      const sorted = new Uint32Array(output[plan.result]!.buffer as ArrayBuffer, 0, words.length);
      expect(difference(words, sorted, false), `${columns}`).toBeUndefined();
    }
  });

  it("counts groups of chunks in counts that an earlier pass has cleared", () => {
    const nameOf = (binding: Pass["bindings"][number]) =>
      typeof binding === "string" ? binding : binding.buffer;
    const device = { ...gpu, limits: { ...gpu.limits, ...mostMemory } };
    const isPlan = ({ program }: Pass) => program.kernel === "msd_plan";
    const counting = new Set<string>();
    for (const name of ["u32", "f32", "u64", "f64"]) {
      for (const options of [{}, { payload: 4 }, { keepInput: true }, { once: true }] as const) {
        for (const keyCount of [2 ** 20, 2 ** 22, 2 ** 24, 2 ** 27]) {
          const sort = { descending: false, ...options };
          const { passes } = radixPlan(keyCount, elementType(name), sort, device);
          const clean = new Set<string>();
          for (const { program, bindings } of passes) {
            const groups = bindings.map(nameOf).filter((buffer) => buffer.endsWith("group_counts"));
            if (program.kernel === "radix_scatter") {
              // It reads those of its own move, and clears the others.
              clean.delete(groups[0]!);
              for (const cleared of groups.slice(1)) clean.add(cleared);
            } else if (program.kernel === "radix_count") {
              for (const group of groups) expect(clean, `${name} ${keyCount}`).toContain(group);
              if (groups.length > 0) counting.add(passes.some(isPlan) ? "after a plan" : "at once");
            } else {
              for (const group of groups) clean.add(group);
            }
          }
        }
      }
    }
    expect(counting).toEqual(new Set(["after a plan", "at once"]));
  });

  it("moves keys in one dispatch in tiles that fit a device whose workgroups may wait for each other", async () => {
    const traitsOf = (some: Partial<DeviceTraits["limits"]>, parallelProgress = true) => {
      const limits = { ...gpu.limits, ...some };
      return { ...gpu, limits, subgroupSize: { min: 32, max: 32 }, lockstep: true, parallelProgress };
    };
    const tuningOf = (keyCount: number, name: string, some: Partial<DeviceTraits["limits"]>) => {
      const of = (parallelProgress: boolean) => {
        const tuning = radixTuning(keyCount, elementType(name), traitsOf(some, parallelProgress));
        return tuning.family === "subgroup" ? tuning.msd : undefined;
      };
      expect(of(false)?.fallback).toBeUndefined();
      return of(true);
    };
    for (const invocations of [256, 512, 1024]) {
      for (const bytes of [16_384, 32_768, 49_152]) {
        for (const name of ["u32", "u64"]) {
          for (const keyCount of [2 ** 14, 2 ** 16, 2 ** 18, 2 ** 20]) {
            const limits = {
              maxComputeInvocationsPerWorkgroup: invocations,
              maxComputeWorkgroupSizeX: invocations,
              maxComputeWorkgroupStorageSize: bytes,
            };
            const fallback = tuningOf(keyCount, name, limits)?.fallback;
            if (!fallback) continue;
            const { workgroupSize } = fallback;
            expect(workgroupSize).toBeLessThanOrEqual(invocations);
            expect(workgroupSize % 256).toBe(0);
            const plan = radixPlan(keyCount, elementType(name), { descending: false }, traitsOf(limits));
            expect(await mostWorkgroupBytes(plan)).toBeLessThanOrEqual(bytes);
          }
        }
      }
    }
    const tileOf = (keyCount: number, name: string) => {
      const { workgroupSize, keysPerInvocation } = tuningOf(keyCount, name, mostMemory)!.fallback!;
      return [workgroupSize, keysPerInvocation];
    };
    expect([2 ** 16, 2 ** 18, 2 ** 20].map((keyCount) => tileOf(keyCount, "u32"))).toEqual([
      [512, 4],
      [512, 4],
      [1024, 8],
    ]);
    expect([2 ** 16, 2 ** 18, 2 ** 20].map((keyCount) => tileOf(keyCount, "u64"))).toEqual([
      [512, 2],
      [1024, 4],
      [1024, 4],
    ]);
    const least = {
      maxComputeInvocationsPerWorkgroup: 256,
      maxComputeWorkgroupSizeX: 256,
      maxComputeWorkgroupStorageSize: 32_768,
    };
    expect(tuningOf(2 ** 16, "u32", least)).toMatchObject({ workgroupSize: 256, fallback: undefined });
  });

  it("sorts up to 4,096 keys by one workgroup, in one dispatch, whatever moves with them", () => {
    const limits = {
      ...gpu.limits,
      maxComputeInvocationsPerWorkgroup: 1024,
      maxComputeWorkgroupSizeX: 1024,
      maxComputeWorkgroupStorageSize: 49_152,
    };
    const kernels = new Map<string, string>();
    for (const name of ["u32", "i32", "f32", "u64", "i64", "f64"]) {
      for (const payload of [0, 4, "index", "once"] as const) {
        for (const keyCount of [2, 10, 255, 256, 767, 768, 769, 1024, 1281, 2304, 2305, 4095, 4096]) {
          const some = payload === "once" ? { once: true } : { payload };
          const options = { descending: false, ...some };
          const { passes } = radixPlan(keyCount, elementType(name), options, { ...gpu, limits });
          expect(passes.length, `${keyCount} ${name}, ${payload}`).toBe(1);
          kernels.set(`${name}, ${payload}`, passes[0]!.program.kernel);
        }
      }
    }
    // Integers alone need not stay in order, and most of them do not overflow bins. Their kernel compiles
    // longer.
    const inBins = ["u32, 0", "i32, 0", "u64, 0", "i64, 0"];
    for (const [sort, kernel] of kernels) {
      expect(kernel, sort).toBe(inBins.includes(sort) ? "radix_one_workgroup" : "radix_local");
    }
  });

  it("sorts few keys in the longest digits for which the device has workgroup memory", async () => {
    const kept = new Set<string>();
    const bytesOf = async (keyCount: number, type: ElementType, traits: DeviceTraits) => {
      const [pass] = radixPlan(keyCount, type, { descending: false }, traits).passes;
      if (pass?.program.kernel !== "radix_one_workgroup") return undefined;
      kept.add(JSON.stringify(pass.program));
      return { bytes: await workgroupBytes(pass.program), digitBits: pass.program.constants.DIGIT_BITS! };
    };
    const groups: DeviceTraits["subgroupSize"][] = [8, 16, 32, 64].map((size) => ({ min: size, max: size }));
    for (const subgroupSize of [...groups, { min: 8, max: 32 }, { min: 64, max: 128 }]) {
      for (const name of ["u32", "i64"]) {
        for (const keyCount of [2, 768, 769, 1280, 1281, 2304, 2305, 4608, 4609, 9216]) {
          let storage = 131_072;
          let digitBits = Number.POSITIVE_INFINITY;
          // With a little less memory than a tile takes, the device takes shorter digits, or none of these
          // tiles.
          for (;;) {
            const limits = {
              ...gpu.limits,
              maxComputeInvocationsPerWorkgroup: 1024,
              maxComputeWorkgroupSizeX: 1024,
              maxComputeWorkgroupStorageSize: storage,
            };
            const found = await bytesOf(keyCount, elementType(name), { ...gpu, subgroupSize, limits });
            if (!found) break;
            const where = `${keyCount} ${name}, subgroups of ${JSON.stringify(subgroupSize)}, ${storage} bytes`;
            expect(found.bytes, where).toBeLessThanOrEqual(storage);
            expect(found.digitBits, where).toBeLessThanOrEqual(digitBits);
            digitBits = found.digitBits;
            storage = found.bytes - 1;
          }
        }
      }
    }
    expect(kept.size).toBeGreaterThan(50);
  });

  it("sorts by MSD in tiles that fit the device, and that segments can be expected to fit", async () => {
    const devices = fc.record({
      maxComputeInvocationsPerWorkgroup: fc.constantFrom(256, 512, 1024),
      maxComputeWorkgroupStorageSize: fc.constantFrom(16_384, 32_768, 49_152),
      // Half of them as many as are sorted by two levels with values.
      logKeys: fc
        .oneof(fc.integer({ min: 1000, max: 2800 }), fc.integer({ min: 2050, max: 2750 }))
        .map((hundredths) => hundredths / 100),
      subgroup: fc.constantFrom(8, 16, 32, 64),
      type: fc.constantFrom("u32", "u64", "f64"),
      payload: fc.constantFrom(0, 4, "index" as const),
    });
    const found = { alone: 0, valued: 0 };
    await fc.assert(
      fc.asyncProperty(devices, async ({ logKeys, subgroup, type, payload, ...some }) => {
        const { maxComputeInvocationsPerWorkgroup } = some;
        const keyCount = Math.floor(2 ** logKeys);
        const sizes = {
          maxComputeInvocationsPerWorkgroup,
          maxComputeWorkgroupSizeX: maxComputeInvocationsPerWorkgroup,
        };
        const subgroupSize = { min: subgroup, max: subgroup };
        const traits = { ...gpu, subgroupSize, limits: { ...gpu.limits, ...sizes, ...some } };
        const tuning = radixTuning(keyCount, elementType(type), traits, { payload });
        if (tuning.family !== "subgroup" || !tuning.msd) return;
        found[payload === 0 ? "alone" : "valued"]++;
        const { digitBits, second, workgroupSize, local, samples, maxDistinct } = tuning.msd;
        const words = elementType(type).words;
        const segments = 2 ** (digitBits + (second?.digitBits ?? 0));
        const digits = 2 ** Math.max(digitBits, second?.digitBits ?? 0);
        expect(workgroupSize % digits).toBe(0);
        const long = second?.long ?? local;
        expect(Math.max(workgroupSize, local.workgroupSize, long.workgroupSize)).toBeLessThanOrEqual(
          maxComputeInvocationsPerWorkgroup,
        );
        const tileOf = (tile: typeof local) => tile.workgroupSize * tile.keysPerInvocation;
        expect(tileOf(local)).toBeGreaterThan(keyCount / segments);
        expect(2 ** local.binBits).toBeGreaterThanOrEqual(2 * local.workgroupSize);
        if (payload !== 0 && second) {
          const positionBits = Math.ceil(Math.log2(tileOf(long)));
          expect(32 * words - Math.log2(segments) + positionBits).toBeLessThanOrEqual(32 * words);
        }
        const most = payload === 0 ? Math.min(local.workgroupSize, (samples ?? 0) / 8) : 0;
        expect(maxDistinct ?? 0).toBeLessThanOrEqual(most);
        const options = { descending: false, payload };
        const plan = radixPlan(keyCount, elementType(type), options, traits, tuning);
        expect(await mostWorkgroupBytes(plan)).toBeLessThanOrEqual(some.maxComputeWorkgroupStorageSize);
      }),
      { numRuns: 200 },
    );
    expect(Math.min(...Object.values(found))).toBeGreaterThan(0);
    const limits = {
      ...gpu.limits,
      maxComputeInvocationsPerWorkgroup: 1024,
      maxComputeWorkgroupSizeX: 1024,
      maxComputeWorkgroupStorageSize: 49_152,
    };
    const large = radixTuning(2 ** 25, u32, { ...gpu, limits }, {});
    expect(large).toHaveProperty("msd.maxDistinct", 256);
    // Above 2^20, integers of one word lose by a row whose fallback has no chunks of its scatter; above 2^21,
    // they lose by the others. Floats lose until so many of them are remapped that it pays.
    const msdOf = (keyCount: number, type: string, some: Partial<typeof limits> = {}, payload = 0) => {
      const traits = { ...gpu, limits: { ...limits, ...some } };
      const tuning = radixTuning(keyCount, elementType(type), traits, { payload });
      return tuning.family === "subgroup" ? tuning.msd : undefined;
    };
    for (const type of ["u32", "i32"]) {
      expect(msdOf(2 ** 21, type)).toMatchObject({ digitBits: 8, local: { workgroupSize: 1024 } });
      expect(msdOf(2 ** 21, type)).toMatchObject({ rangeSamples: 512 });
      expect(msdOf(2 ** 21, type)?.samples).toBeUndefined();
      for (const keyCount of [2 ** 21 + 1, 2 ** 22, 2 ** 23, 2 ** 24 - 1]) {
        expect(msdOf(keyCount, type)).toMatchObject({ samples: 4096, maxDistinct: 256 });
      }
      expect(msdOf(2 ** 21, type, { maxComputeWorkgroupStorageSize: 32_768 })).toBeUndefined();
    }
    for (const [type, from, payload] of [
      ["f32", 13 * 2 ** 20, 0],
      ["f64", 5 * 2 ** 19, 0],
      ["f64", 3 * 2 ** 19, 4],
    ] as const) {
      for (const keyCount of [2 ** 14, 2 ** 20, from - 1]) {
        expect(msdOf(keyCount, type, {}, payload)).toBeUndefined();
      }
      expect(msdOf(from, type, {}, payload)).toHaveProperty("second.remap");
    }
    for (const keyCount of [2 ** 20, 2 ** 24, 2 ** 26]) expect(msdOf(keyCount, "f32", {}, 4)).toBeUndefined();
    expect(msdOf(2 ** 26, "f64", {}, 4)).toHaveProperty("second.long", msdLocals[3072]);
    expect(msdOf(2 ** 26 + 1, "f64", {}, 4)).toBeUndefined();
    expect(msdOf(2 ** 21, "f64", { maxComputeWorkgroupStorageSize: 32_768 }, 4)).toBeUndefined();
    expect(msdOf(2 ** 20 - 1, "u64", {}, 4)).toBeUndefined();
    expect(msdOf(2 ** 20, "u64", {}, 4)).toHaveProperty("second.long");
    expect(msdOf(13 * 2 ** 20, "f32")).toHaveProperty("second.remap.samples", 2 ** 16);
    const many = radixTuning(2 ** 18, u32, gpu, { once: true });
    expect(many.family).toBe("subgroup");
    expect(many).not.toHaveProperty("msd");
  });

  it("sorts remapped floats with values on the CPU kernels, and those of one word by the stable passes", async () => {
    const tuning = smallRemap(32);
    const moving: Partial<SortOptions>[] = [
      { payload: "index" },
      { payload: 4, descending: true, keepInput: true },
      { payload: 8, descending: true, dropKeys: true },
    ];
    for (const some of moving) {
      const options = { descending: false, ...some };
      const kernels = (name: string, tuned = tuning) =>
        radixPlan(9000, elementType(name), options, nvidiaTraits, tuned).passes.map(
          ({ program }) => program.kernel,
        );
      expect(kernels("f64")).toContain("msd_local");
      expect(kernels("f32")).not.toContain("msd_local");
      const { remap: _, ...second } = tuning.msd!.second!;
      expect(kernels("f64", { ...tuning, msd: { ...tuning.msd!, second } })).not.toContain("msd_local");
      for (const dist of some.payload === 4 ? ["normal", "nan-laced"] : ["normal"]) {
        const type = elementType("f64");
        const keys = generateKeys(distribution(dist), type, 9000, 3);
        const output = await expectSorted(runOnCpu, { type, keys, options, traits: nvidiaTraits, tuning });
        expect(output.status![0], dist).toBe(dist === "normal" ? Status.REMAPPED : Status.FALLBACK);
      }
    }
  });

  it("moves decimals of which many are equal as whole numbers, unless the input is kept", async () => {
    const tuning = smallRemap(32);
    const type = elementType("f64");
    const keys = (generateKeys(distribution("unit"), type, 3000, 3) as Float64Array).map((key, i) =>
      i % 3 === 0 ? 0.07 : Math.floor(4000 * key) / 100,
    );
    for (const options of [
      { descending: false },
      { descending: true, payload: 4 },
      { descending: false, payload: "index", dropKeys: true },
    ] satisfies SortOptions[]) {
      const output = await expectSorted(runOnCpu, { type, keys, options, traits: nvidiaTraits, tuning });
      expect(output.status![0]).toBe(Status.DECIMALS);
    }
    const kept = { descending: false, keepInput: true };
    const one = { type, keys, options: kept, traits: nvidiaTraits, tuning };
    expect((await expectSorted(runOnCpu, one)).status![0]).toBe(Status.FALLBACK);
  });

  it("moves no whole numbers where keys differ in some bits alone, which are not those of the numbers", async () => {
    const type = elementType("f64");
    const keys = Float64Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? 7 : (i * 7919) % 4001));
    for (const varying of [
      { begin: 32, end: 63 },
      { begin: 41, end: 63 },
      { begin: 24, end: 64 },
    ]) {
      for (const payload of [0, "index"] as const) {
        const options = { descending: false, payload, varying };
        const one = { type, keys, options, traits: nvidiaTraits, tuning: smallRemap(32) };
        expect((await expectSorted(runOnCpu, one)).status![0]).not.toBe(Status.DECIMALS);
      }
    }
  });

  it("samples floats so that uniform keys are hardly ever expected not to fit", () => {
    /** The probability of more than `most` samples with a digit that has `mean` on average (Poisson). */
    const exceeds = (mean: number, most: number) => {
      let [term, sum] = [Math.exp(-mean), 0];
      for (let k = 0; k <= most; k++) {
        sum += term;
        term *= mean / (k + 1);
      }
      return 1 - sum;
    };
    for (const type of ["f32", "f64", "u64"]) {
      for (const keyCount of [2 ** 24, 2 ** 26, 2 ** 27, 175_000_000, 2 ** 28 - 1]) {
        const plan = radixPlan(keyCount, elementType(type), { descending: false }, nvidiaTraits);
        const sample = plan.passes.find(({ program }) => program.kernel === "msd_sample")!;
        const { topBits, longest } = readParams(
          "msd_sample",
          Uint32Array.from(sample.params as readonly number[]),
        );
        const digits = 2 ** topBits;
        expect(digits * exceeds(2048 / digits, longest), `${keyCount} ${type}`).toBeLessThan(0.02);
      }
    }
  });

  it("shortens tiles where a sort runs once, or where workgroup memory is small", () => {
    const tuned = (options: { once?: boolean }, maxComputeWorkgroupStorageSize: number) => {
      const traits = { ...gpu, limits: { ...gpu.limits, maxComputeWorkgroupStorageSize } };
      return radixTuning(2 ** 24, elementType("f32"), traits, options);
    };
    expect(tuned({}, 49_152)).toMatchObject({ columns: 528, keysPerInvocation: 32 });
    expect(tuned({ once: true }, 49_152)).toMatchObject({ columns: 528, keysPerInvocation: 8 });
    expect(tuned({}, 32_768)).toMatchObject({ columns: 528, keysPerInvocation: 22 });
  });

  it("does not use subgroups that are too narrow or missing", () => {
    const narrow = { ...gpu, subgroupSize: { min: 4, max: 4 } };
    expect(radixTuning(1e6, u32, narrow).family).toBe("workgroup");
    const found = { ...gpu, subgroupSize: { min: 4, max: 64 }, testedSubgroupSize: 4 };
    expect(radixTuning(1e6, u32, found).family).toBe("workgroup");
    expect(radixTuning(1e6, u32, { ...gpu, subgroups: false }).family).toBe("workgroup");
    expect(radixTuning(1e6, u32, { ...gpu, software: true }).family).toBe("serial");
    for (const size of [8, 16, 32, 64]) {
      const limits = { ...gpu.limits, maxComputeWorkgroupStorageSize: 32_768 };
      const traits = { ...gpu, limits, subgroupSize: { min: size, max: size } };
      expect(radixTuning(1e6, u32, traits).family, `subgroups of ${size}`).toBe("subgroup");
    }
  });

  it("takes the usual size of subgroups where a device reports a range, or the size that a test found", () => {
    const limits = { ...gpu.limits, maxComputeWorkgroupStorageSize: 32_768 };
    for (const [min, max, found, size] of [
      [32, 128, undefined, 32],
      [32, 64, undefined, 32],
      [8, 32, undefined, 32],
      [8, 16, undefined, 16],
      [4, 64, undefined, 32],
      [64, 128, undefined, 64],
      [128, 128, undefined, 64],
      [8, 32, 8, 8],
      [32, 64, 64, 64],
      [64, 128, 128, 64],
    ] as const) {
      const traits = {
        ...gpu,
        limits,
        lockstep: true,
        subgroupSize: { min, max },
        testedSubgroupSize: found,
      };
      const tuning = radixTuning(1e6, u32, traits);
      const expected = { family: "subgroup", subgroupSize: size, sizeVaries: true, lockstep: false };
      expect(tuning, `${min} to ${max}`).toMatchObject(expected);
    }
  });

  it("chooses bitonic only for few keys, on devices without usable subgroups", () => {
    const name = (keyCount: number, traits: DeviceTraits) =>
      chooseAlgorithm(keyCount, u32, { descending: false }, traits).name;
    expect(name(1e6, gpu)).toBe("radix");
    expect(name(100, gpu)).toBe("radix");
    expect(name(1e6, defaultTraits)).toBe("radix");
    expect(name(4097, { ...defaultTraits, software: true })).toBe("radix");
    expect(name(4096, { ...defaultTraits, software: true })).toBe("bitonic");
    expect(name(4096, defaultTraits)).toBe("bitonic");
  });
});
