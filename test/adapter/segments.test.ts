import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { BufferUsage, MapMode } from "../../src/core/device/usage.js";
import { elementType, type TypeName } from "../../src/core/elements.js";
import { defaultLimits } from "../../src/core/plan/grid.js";
import { plannedSubgroups } from "../../src/core/plan/traits.js";
import type { SubgroupTuning, WorkgroupTuning } from "../../src/core/sort/radix/radix_tuning.js";
import {
  type SegmentsOptions,
  type SegmentsTuning,
  segmentsPlan,
  segmentsTuning,
} from "../../src/core/sort/segments/segments.js";
import { createSorter } from "../../src/core/sorter/create.js";
import { runFenced } from "../support/fenced.js";
import { distributions, wordsOfKeys } from "../support/keys.js";
import type { Runner } from "../support/radix_case.js";
import { anyOffsets, expectedOrder, expectSegmentsSorted, offsetsOf } from "../support/segments_case.js";
import { itSelectsOfSegments, itSortsSegments } from "../support/sorter_segments.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

describeOnDevice(`a segmented sort on ${selector}`, ({ gpu }) => {
  const { traits } = gpu;
  const run: Runner = (plan, inputs) => runFenced(gpu, plan, inputs);
  /** Not the device's own sizes: workgroups that have invocations to spare, and too few. */
  const small = {
    workgroupSize: 8,
    sortWorkgroupSize: 8,
    keysPerInvocation: 8,
    loadsAtOnce: 1,
    windowKeys: 18,
    shortKeys: 6,
  } as const;
  const large = {
    workgroupSize: 16,
    sortWorkgroupSize: 2,
    keysPerInvocation: 16,
    loadsAtOnce: 4,
    windowKeys: 75,
    shortKeys: 25,
  } as const;
  /** How longer segments are sorted: by all families of kernels, of which lavapipe compiles one for minutes. */
  const subgroup: SubgroupTuning = {
    family: "subgroup",
    digitBits: 6,
    workgroupSize: 64,
    subgroupSize: traits.subgroupSize.min,
    keysPerInvocation: 2,
    columns: 3,
    lockstep: false,
    fusedScan: false,
  };
  const local = (keysPerInvocation: number) => ({ workgroupSize: 64, keysPerInvocation });
  const workgroup: WorkgroupTuning = {
    family: "workgroup",
    digitBits: 4,
    workgroupSize: 8,
    keysPerInvocation: 3,
    columns: 5,
  };
  const lists = {
    radix: workgroup,
    chunkKeys: 48,
    groupChunks: 2,
    locals: [],
    mostWorkgroups: { small: 1, medium: 1, count: 1, scatter: 1 },
  };
  const subgroupLists = {
    radix: subgroup,
    chunkKeys: 128,
    groupChunks: 2,
    locals: [local(1), local(2)],
    mostWorkgroups: { small: 3, medium: 2, count: 2, scatter: 3 },
  };
  const lanes = {
    ...small,
    sortWorkgroupSize: 2 * traits.subgroupSize.min,
    subgroupSize: traits.subgroupSize.min,
    windowKeys: 150,
    shortKeys: 4 * traits.subgroupSize.min,
    lists: fewerOnLavapipe<NonNullable<SegmentsTuning["lists"]>>([lists], [subgroupLists])[0]!,
  } as const;
  const serial = {
    radix: {
      family: "serial",
      digitBits: 5,
      workgroupSize: traits.subgroupSize.min,
      columns: 3,
      minKeysPerChunk: 10,
    } as const,
    chunkKeys: 37,
    locals: [],
    mostWorkgroups: { small: 0, medium: 0, count: 2, scatter: 3 },
  };
  const serially = { ...small, lists: serial };
  const inMemory = { ...large, lists };
  const listing: Record<"serial" | "subgroup" | "workgroup" | "lanes", SegmentsTuning> = {
    serial: serially,
    subgroup: { ...small, lists: subgroupLists },
    workgroup: { ...small, lists },
    lanes,
  };
  /** Lavapipe compiles wide subgroups for minutes. */
  const able = {
    serial: true,
    workgroup: true,
    subgroup: traits.subgroups && traits.subgroupSize.min <= 8,
    lanes: traits.subgroups && !plannedSubgroups(traits).varies,
  };
  const tested = fewerOnLavapipe(["serial", "subgroup", "workgroup", "lanes"] as const, [
    "serial",
    "subgroup",
    "lanes",
  ]);
  const families = tested.filter((family) => able[family]);
  const inLanes = families.includes("lanes") ? [lanes] : [];

  const cases = [
    ["u8", [4]],
    ["i16", [0, 8]],
    ["u32", [0, "index"]],
    ["f32", [4, "index"]],
    ["u64", [0]],
  ] as const;
  it.each(fewerOnLavapipe(cases, [["f32", [4, "index"]]]))(
    "sorts segments of %s with values: %s",
    async (name, payloads) => {
      const type = elementType(name);
      const { windowKeys, shortKeys } = segmentsTuning(2 ** 16, type, { descending: false }, traits);
      const long = [
        0,
        shortKeys,
        shortKeys + 1,
        windowKeys,
        3 * windowKeys + 5,
        1,
        2,
        3,
        0,
        0,
        2 * windowKeys,
      ];
      const mixed = Array.from({ length: 200 }, (_, i) => (i * i) % 23);
      for (const payload of payloads) {
        for (const keepInput of fewerOnLavapipe([false, true], [false])) {
          const offsets = offsetsOf(keepInput ? long : [...mixed, ...long], 5);
          const keys = distributions[keepInput ? "few values" : "specials"]!(type, offsets.at(-1)! + 3);
          const options = { descending: type.bytes === 2, payload, keepInput };
          await expectSegmentsSorted(run, { type, keys, offsets, options, traits });
        }
      }
    },
  );

  it("sorts segments of any lengths with any sizes", async () => {
    // SwiftShader takes ten seconds to compile the sort of 16 keys of 64 bits by memory; lanes sort them below.
    const some = fewerOnLavapipe<[TypeName, SegmentsTuning]>(
      [
        ["f64", serially],
        ["u16", inMemory],
      ],
      [["u32", serially]],
    );
    const cases = fc.record({
      some: fc.constantFrom(...some),
      lengths: fc.array(fc.constantFrom(0, 0, 1, 2, 3, 6, 7, 8, 17, 18, 19, 25, 50, 80, 300), {
        maxLength: 40,
      }),
      outside: fc.nat(30),
      payload: fc.constantFrom(0, "index" as const),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ some: [name, tuning], lengths, outside, payload }) => {
        const type = elementType(name);
        const offsets = offsetsOf(lengths, outside);
        const keys = distributions.uniform!(type, offsets.at(-1)! + outside);
        const options = { descending: false, payload };
        await expectSegmentsSorted(run, { type, keys, offsets, options, traits, tuning });
      }),
      { numRuns: 25 },
    );
  });

  const listCases: [TypeName, SegmentsOptions][] = [
    ["u32", { descending: false }],
    ["f32", { descending: true, payload: 4 }],
    ["i16", { descending: true, payload: "index" }],
    ["u8", { descending: false, payload: 4 }],
    ["f64", { descending: false, payload: 8, keepInput: true, bits: { begin: 3, end: 40 } }],
    ["i32", { descending: false, payload: "index", bits: { begin: 4, end: 4 } }],
  ];
  // Lavapipe has the kernels of these for the grids of several rows.
  const someLists = fewerOnLavapipe(listCases, [["u32", { descending: false, payload: 4 }]]);
  it.each(families.flatMap((family) => someLists.map(([name, options]) => ({ family, name, options }))))(
    "sorts listed segments: $name, $family, $options",
    async ({ family, name, options }) => {
      const type = elementType(name);
      const tuning = listing[family];
      const short = Array.from({ length: 60 }, (_, i) => (i * i) % 23);
      const lengths = [
        [...short, 63, 64, 65, 127, 128, 129, 1, 1000, 5, 18, 19, 300, ...short, 2500, 7],
        [3000],
        [40, 40, 40, 40, 100, 100, 100],
        [256, 256, 47, 48, 49, 0, 95, 96, 97],
      ];
      for (const [i, some] of lengths.entries()) {
        const offsets = offsetsOf(some, 3 * i);
        const distribution = i % 2 === 0 ? "specials" : "few values";
        const keys = distributions[distribution]!(type, offsets.at(-1)! + 2);
        await expectSegmentsSorted(run, { type, keys, offsets, options, traits, tuning });
      }
    },
  );

  it.each(families.map((family) => [family, listing[family]] as const))(
    "sorts segments, the longest of which is known: by %s",
    async (_, tuning) => {
      const [[name, descending]] = fewerOnLavapipe([["f32", true]], [["u32", false]]) as [
        [TypeName, boolean],
      ];
      const type = elementType(name);
      const keys = distributions.specials!(type, 1000);
      for (const longest of [1, 6, 7, 64, 65, 128, 129, 500]) {
        const lengths = Array.from({ length: Math.floor(900 / (longest + 5)) }, () => [longest, 5]).flat();
        const options = { descending, payload: "index" as const, longest };
        await expectSegmentsSorted(run, {
          type,
          keys,
          offsets: offsetsOf(lengths, 9),
          options,
          traits,
          tuning,
        });
      }
    },
  );

  it.each(families.map((family) => [family, listing[family]] as const))(
    "sorts segments with grids of several rows: by %s",
    async (_, tuning) => {
      const type = elementType("u32");
      const limits = { ...defaultLimits, maxComputeWorkgroupsPerDimension: 30 };
      const lengths = [...Array.from({ length: 150 }, (_, i) => i % 14), 100, 65, 300, 1000, 20, 130];
      const offsets = offsetsOf(lengths);
      const keys = distributions.uniform!(type, offsets.at(-1)!);
      const options = { descending: false, payload: 4 };
      await expectSegmentsSorted(run, {
        type,
        keys,
        offsets,
        options,
        traits: { ...traits, limits },
        tuning,
      });
    },
  );

  it("sorts segments of lengths around every limit, among empty ones, wherever windows end", async () => {
    const type = elementType("u32");
    for (const tuning of [...fewerOnLavapipe([serially, inMemory], [serially]), ...inLanes]) {
      const { windowKeys, shortKeys, keysPerInvocation } = tuning;
      const limits = [2, shortKeys, windowKeys, windowKeys + shortKeys, 2 * windowKeys];
      for (let power = keysPerInvocation; power <= windowKeys; power *= 2) limits.push(power);
      const lengths = fc.oneof(
        fc.nat(3),
        fc.constantFrom(...limits.flatMap((limit) => [limit - 1, limit, limit + 1])),
      );
      // So many offsets in one window are searched in another way than few.
      const empty = fc.constantFrom(0, 0, 0, 1, 30, 5 * (windowKeys + shortKeys), 3000);
      const cases = fc.record({
        parts: fc.array(fc.tuple(lengths, empty), { minLength: 1, maxLength: 25 }),
        outside: fc.nat(2 * windowKeys),
        distribution: fc.constantFrom("uniform", "constant", "few values"),
      });
      await fc.assert(
        fc.asyncProperty(cases, async ({ parts, outside, distribution }) => {
          const offsets = offsetsOf(
            parts.flatMap(([length, empties]) => [length, ...new Array<number>(empties).fill(0)]),
            outside,
          );
          const keys = distributions[distribution]!(type, offsets.at(-1)! + outside);
          const options = { descending: false, payload: "index" as const };
          await expectSegmentsSorted(run, { type, keys, offsets, options, traits, tuning });
        }),
        { numRuns: 25 },
      );
    }
  });

  const types = ["u32", "f32", "u64", "i8"] as const;
  it.each(fewerOnLavapipe(types, ["f32"]))(
    "sorts short segments of every length by an invocation each: %s",
    async (name) => {
      const type = elementType(name);
      const tuning = { ...serially, windowKeys: 200, shortKeys: 300 };
      const lengths = Array.from({ length: 303 }, (_, i) => [i, (i * i) % 37, 1, 0]).flat();
      const offsets = offsetsOf(lengths, 7);
      const moved = [
        [0, false],
        ["index", true],
        [4, false],
      ] as const;
      for (const [payload, keepInput] of fewerOnLavapipe(moved, moved.slice(2))) {
        const keys = distributions[payload === 0 ? "specials" : "few values"]!(type, offsets.at(-1)! + 40);
        const options = { descending: payload === 4, payload, keepInput };
        await expectSegmentsSorted(run, { type, keys, offsets, options, traits, tuning });
      }
    },
  );

  // Each width, with any two of a case's words together. The order of f32 is that of u32 between two conversions.
  const inRegisters = (["i8", "f32", "u64"] as const).flatMap((name, n) =>
    ([8, 16] as const).map((keys, k) => [name, keys, (n + k) % 2 === 0 ? 0 : "index"] as const),
  );
  it.each(inLanes.flatMap(() => fewerOnLavapipe(inRegisters, inRegisters.slice(2, 3))))(
    "sorts short segments of every length in the registers of lanes: %s, %i a lane, with values: %s",
    async (name, keysPerInvocation, payload) => {
      const type = elementType(name);
      const { min } = traits.subgroupSize;
      // With few keys in registers, also segments that are merged from two runs.
      const shortKeys = (keysPerInvocation === 16 ? 1 : 2) * keysPerInvocation * min;
      const tuning = { ...lanes, keysPerInvocation, windowKeys: 500, shortKeys };
      const lengths = Array.from({ length: shortKeys + 3 }, (_, i) => [i, (i * i) % 37, 1, 2]).flat();
      const offsets = offsetsOf(lengths, 7);
      const keys = distributions[payload === 0 ? "specials" : "few values"]!(type, offsets.at(-1)! + 40);
      const options = { descending: keysPerInvocation === 8, payload };
      await expectSegmentsSorted(run, { type, keys, offsets, options, traits, tuning });
    },
  );

  it.each(families.map((family) => [family, listing[family]] as const))(
    "stores nothing outside of its buffers if offsets do not ascend or are past the keys, or segments too long: %s",
    async (_, tuning) => {
      const type = elementType("u32");
      const keyCount = 500;
      const keys = wordsOfKeys(distributions.uniform!(type, keyCount));
      // How long the longest segment is said to be.
      const promise = fc.constantFrom(undefined, undefined, 0, 6, 64, 100, 200);
      await fc.assert(
        fc.asyncProperty(anyOffsets(keyCount), promise, async (offsets, longest) => {
          const options = { descending: false, payload: 4, longest };
          const plan = segmentsPlan(
            { keyCount, segmentCount: offsets.length - 1 },
            type,
            options,
            traits,
            tuning,
          );
          // It throws if a word before or after any buffer has changed.
          await runFenced(gpu, plan, { keys, values: keys, segments: Uint32Array.from(offsets) });
        }),
        {
          numRuns: 40,
          // The segment of the window's last key ends before it begins.
          examples: [[[0, 45093805, 97, 1431655758, 0, 2 ** 31, 18, 2 ** 31, 1165043261], undefined]],
        },
      );
    },
  );
});

describeOnDevice(`a sorter of segments on ${selector}`, async ({ gpu: { device } }) => {
  const sorter = await createSorter(device);
  afterAll(() => sorter.destroy());

  itSortsSegments(sorter, fewerOnLavapipe(["i64"], ["f32"]), {
    "no keys": [0, 0],
    "short and long ones": [...Array.from({ length: 100 }, (_, i) => (i * i) % 29), 0, 700, 3],
  });

  itSelectsOfSegments(sorter, fewerOnLavapipe(["u16", "f32", "i64"], ["f32"]), {
    "short and long ones": [...Array.from({ length: 100 }, (_, i) => (i * i) % 29), 0, 700, 3],
    "long ones": [3000, 4000],
  });

  it("reads the segments from a buffer on the device, each time that it runs", async () => {
    const usage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
    const capacity = 3000;
    const description = { type: "u32", capacity, segments: { capacity: 5 }, payload: "index" } as const;
    await sorter.warm(description);
    const needs = sorter.requirements(description);
    expect(needs.segments?.bytes).toBe(24);
    const short = sorter.requirements({ ...description, segments: { capacity: 5, longest: 100 } });
    expect(short.dispatches).toBe(2);
    expect(short.scratchBytes).toBeLessThan(needs.scratchBytes);
    const make = (size: number, more = 0) => device.createBuffer({ size, usage: usage | more });
    const keys = make(needs.keys.bytes);
    const buffer = make(256 + needs.segments!.bytes);
    const scratch = Object.fromEntries(
      Object.entries(needs.scratch).map(([name, { bytes, usage: own }]) => [name, make(bytes, own)]),
    );
    const segments = { capacity: 5, offsets: { buffer, offset: 256 } };
    using sort = await sorter.prepare({ ...description, segments, keys, scratch });
    for (const offsets of [
      [0, 200, 200, 201, 500, 1000],
      [3, 10, 2900, 2900, 2900, 2900],
    ]) {
      const input = distributions.uniform!(elementType("u32"), capacity);
      device.queue.writeBuffer(keys, 0, wordsOfKeys(input));
      device.queue.writeBuffer(buffer, 256, Uint32Array.from(offsets));
      const readback = device.createBuffer({
        size: 4 * capacity,
        usage: BufferUsage.mapRead | BufferUsage.copyDestination,
      });
      const encoder = device.createCommandEncoder();
      sort.encode(encoder);
      const { buffer: indices, offset } = sort.values!;
      encoder.copyBufferToBuffer(indices, offset, readback, 0, 4 * capacity);
      device.queue.submit([encoder.finish()]);
      await readback.mapAsync(MapMode.read);
      const expected = expectedOrder(input, elementType("u32"), Uint32Array.from(offsets), {
        descending: false,
        payload: "index",
      });
      expect(new Uint32Array(readback.getMappedRange())).toEqual(expected);
    }
  });
});
