import { describe, expect, it } from "vitest";
import { Gpu } from "../../../src/core/device/gpu.js";
import { type ElementType, elementType, elementTypes } from "../../../src/core/elements.js";
import { GpuEngine } from "../../../src/core/engines/gpu.js";
import { VerifyError } from "../../../src/core/errors.js";
import { deviceCopyPlan } from "../../../src/core/plan/device_copy.js";
import type { Plan } from "../../../src/core/plan/plan.js";
import { type DeviceTraits, defaultTraits } from "../../../src/core/plan/traits.js";
import { compactionPlan } from "../../../src/core/primitives/compaction_plan.js";
import { histogramPlan } from "../../../src/core/primitives/histogram_plan.js";
import { library as primitiveLibrary } from "../../../src/core/primitives/kernels.js";
import { scanPlan } from "../../../src/core/primitives/scan_plan.js";
import { library } from "../../../src/core/shaders/kernels.generated.js";
import { familyOf } from "../../../src/core/shaders/linked.js";
import type { Program } from "../../../src/core/shaders/program.js";
import { algorithms } from "../../../src/core/sort/algorithms.js";
import { gridBarrierPlan, subgroupSizesPlan } from "../../../src/core/sort/device_probes.js";
import { enumerationPlan } from "../../../src/core/sort/enumeration.js";
import { inspectFirstPlan, inspectPlan, inspectSegmentsPlan } from "../../../src/core/sort/inspect.js";
import { isPlain, type SortOptions } from "../../../src/core/sort/key.js";
import { radixPlan, radixTuning } from "../../../src/core/sort/radix/radix.js";
import { segmentsPlan } from "../../../src/core/sort/segments/segments.js";
import { compactFirsts } from "../../../src/core/sort/select/compact.js";
import { selectPlan } from "../../../src/core/sort/select/select.js";
import { topSegmentsPlan } from "../../../src/core/sort/select/top_segments.js";
import { withUnique } from "../../../src/core/sort/select/unique.js";
import { library as demoLibrary } from "../../../src/demo_kernels/kernels.js";
import type { Experiment } from "../../../src/demos/demo.js";
import { requireAgreement, runExperiment } from "../../../src/demos/run_experiment.js";
import { buildDemo, smallDemos } from "../../support/demos.js";
import { deviceWithSubgroups, nullAdapter } from "../../support/null_backend.js";

// Dawn's null backend validates WGSL and bindings without a driver, but computes nothing.
const adapter = await nullAdapter();
const device = await deviceWithSubgroups(adapter);
const gpu = new Gpu(device);
gpu.kernels.add(demoLibrary);
gpu.kernels.add(primitiveLibrary);

/** Devices that differ in everything that plans depend on. */
const traits: Record<string, DeviceTraits> = {
  "the default limits": defaultTraits,
  "a GPU": {
    limits: adapter.limits,
    subgroupSize: { min: 32, max: 32 },
    software: false,
    subgroups: true,
    lockstep: true,
  },
  "a GPU of wide subgroups": {
    limits: adapter.limits,
    subgroupSize: { min: 64, max: 64 },
    software: false,
    subgroups: true,
    lockstep: false,
  },
  "a GPU of narrow subgroups": {
    limits: adapter.limits,
    subgroupSize: { min: 8, max: 8 },
    software: false,
    subgroups: true,
    lockstep: false,
  },
  "a GPU whose driver chooses the size of subgroups": {
    limits: adapter.limits,
    subgroupSize: { min: 8, max: 32 },
    software: false,
    subgroups: true,
    lockstep: false,
  },
  "a GPU whose driver chooses wide subgroups": {
    limits: adapter.limits,
    subgroupSize: { min: 64, max: 128 },
    software: false,
    subgroups: true,
    lockstep: false,
  },
  "a software adapter": { ...defaultTraits, subgroupSize: { min: 4, max: 4 }, software: true },
};

/** All options of a sort. */
const optionSets: Record<string, Omit<SortOptions, "descending">> = {
  "keys alone": {},
  "keys alone, once": { once: true },
  "some bits": { bits: { begin: 3, end: 7 } },
  "values of a word": { payload: 4 },
  "values of three words": { payload: 12 },
  indices: { payload: "index" },
  "values of a word without keys": { payload: 4, dropKeys: true },
  "indices without keys": { payload: "index", dropKeys: true },
  "indices, once": { payload: "index", once: true },
  "keys that are kept": { keepInput: true },
  "keys that the device counts": { counted: true },
};

function compactionPlans(type: ElementType, options: SortOptions, device: DeviceTraits): Plan[] {
  if (!isPlain(options)) return [];
  const { count, move } = compactFirsts(1000, type, options, device);
  const { move: moveCounted } = compactFirsts(1000, type, options, device, true);
  const inspections = [undefined, "all", "first"] as const;
  return [
    ...[count, move(10), moveCounted(10)],
    ...inspections.map((counting) => inspectPlan(1000, type, { ...options, unique: true, counting }, device)),
  ];
}

function selectionPlans(type: ElementType, options: SortOptions, device: DeviceTraits): Plan[] {
  const { payload, bits, counted } = options;
  const sort = () => radixPlan(1000, type, options, device);
  return [
    ...(type.bytes >= 4
      ? [1000, 2 ** 16].map((n) => selectPlan(n, type, { ...options, top: 10 }, device))
      : []),
    ...(payload || bits
      ? []
      : [withUnique(sort(), { keyCount: 1000, type, options, traits: device, counts: counted === true })]),
  ];
}

function segmentPlans(type: ElementType, options: SortOptions, device: DeviceTraits): Plan[] {
  if (options.counted) return [];
  return [
    segmentsPlan({ keyCount: 5000, segmentCount: 10 }, type, options, device),
    segmentsPlan({ keyCount: 50, segmentCount: 10 }, type, options, device),
    inspectSegmentsPlan({ keyCount: 5000, segmentCount: 10 }, type, options, device),
    // Selected by a workgroup each, from parts of long ones, to be sorted apart, and sorted as a whole.
    ...(
      [
        [5000, 10, 20],
        [2 ** 17, 2, 20],
        [2 ** 17, 2, 6000],
        [5000, 1000, 2],
      ] as const
    ).map(([keys, segments, top]) =>
      topSegmentsPlan({ keyCount: keys, segmentCount: segments }, type, { ...options, top }, device),
    ),
    inspectFirstPlan({ keyCount: 5000, segmentCount: 10, firstCount: 50 }, type, options, device),
  ];
}

/** Scans, compactions and histograms, of several chunks. */
function primitivePlans(device: DeviceTraits): Plan[] {
  return [false, true].flatMap((counted) => {
    const job = { capacity: 10_000, traits: device, counted };
    const bits = { begin: 0, end: 32 };
    return [
      scanPlan({ ...job, type: "u32", apart: counted }),
      scanPlan({ ...job, type: "f32", apart: !counted }),
      compactionPlan({ ...job, valueBytes: 8, indices: counted }),
      compactionPlan({ ...job, valueBytes: 0, indices: true }),
      histogramPlan({ ...job, bits, bins: 1000 }),
      histogramPlan({ ...job, bits, bins: 10_000 }),
    ];
  });
}

const msd = {
  digitBits: 6,
  workgroupSize: 128,
  keysPerInvocation: 3,
  columns: 20,
  local: { workgroupSize: 64, keysPerInvocation: 3, binBits: 8 },
} as const;

const fallback = { workgroupSize: 64, keysPerInvocation: 2, workgroups: 8, spinLimit: 32 } as const;
const second = { digitBits: 6, tilesPerChunk: 2 } as const;
const oneWorkgroup = { ...msd.local, keysPerInvocation: 9, rankBits: 6, maxBinKeys: 16 } as const;

/** Sorts by MSD that this device can run, and their keys. The table has such sorts only for other numbers. */
const sortsByMsd = [
  [2 ** 16, { fusedScan: true, columns: msd.columns, msd }],
  [2 ** 16, { fusedScan: false, msd: { ...msd, samples: 256, maxDistinct: 32 } }],
  [2 ** 16, { fusedScan: false, msd: { ...msd, second } }],
  [2 ** 16, { fusedScan: false, msd: { ...msd, second, samples: 256, maxDistinct: 32 } }],
  [2 ** 16, { fusedScan: false, msd: { ...msd, second, local: { ...msd.local, keysPerInvocation: 5 } } }],
  [500, { oneWorkgroup }],
  [2 ** 16, { fusedScan: true, columns: msd.columns, digitBits: 6, msd: { ...msd, fallback } }],
] as const;

/**
 * On each device, each type takes every other set of options, and on another device the others, in one
 * direction, which changes nothing but how keys are compared. Each type takes both directions on each device, and
 * so does each set of options.
 */
function plansFor(device: DeviceTraits): Plan[] {
  const turn = Object.values(traits).indexOf(device);
  const sorts = elementTypes.flatMap((type, t) =>
    Object.values(optionSets).flatMap((set, o) => {
      const place = turn + t + o;
      if (place % 2 === 1) return [];
      const options = { ...set, descending: place % 4 === 2 };
      const able = algorithms.filter(({ plainOnly }) => !plainOnly || (isPlain(options) && type.bytes >= 4));
      return [
        ...able.flatMap(({ plan }) => [1000, 2 ** 16, 2 ** 21].map((n) => plan(n, type, options, device))),
        inspectPlan(1000, type, options, device, "input"),
        inspectPlan(1000, type, options, device, "result"),
        inspectPlan(1000, type, { ...options, upTo: [1, 1] }, device),
        ...compactionPlans(type, options, device),
        ...selectionPlans(type, options, device),
        ...segmentPlans(type, options, device),
      ];
    }),
  );
  const deep = ["u32", "f64", "i32", "i64"].map(elementType).flatMap((type) => {
    const tuning = radixTuning(2 ** 16, type, device);
    if (tuning.family !== "subgroup") return [];
    const plans = (sorts: readonly (typeof sortsByMsd)[number][], some: Partial<SortOptions> = {}) =>
      sorts.map(([n, settings]) =>
        radixPlan(n, type, { descending: true, ...some }, device, { ...tuning, ...settings }),
      );
    const [oneLevel, , twoLevels, sampled] = sortsByMsd;
    const inOneDispatch = sortsByMsd.at(-1)!;
    if (type.order === "signed") return plans([twoLevels, inOneDispatch]);
    if (type.words === 2) return plans(sortsByMsd);
    return [
      ...plans(sortsByMsd),
      ...plans([oneLevel, sampled, inOneDispatch], { payload: 4 }),
      ...plans([oneLevel], { payload: "index" }),
      ...plans([twoLevels], { payload: 4, bits: { begin: 1, end: 32 } }),
      ...plans([oneLevel, sampled], { payload: 4, dropKeys: true }),
    ];
  });
  const spreads = ["f32", "f64"].map(elementType).flatMap((type) => {
    const tuning = radixTuning(2 ** 16, type, device);
    if (tuning.family !== "subgroup") return [];
    const long = { workgroupSize: 64, keysPerInvocation: 5, binBits: 8 } as const;
    const remap = { samples: 2 ** 12, rows: 4 };
    const remapping = { ...msd, samples: 256, second: { ...second, long, remap } };
    const settings = { ...tuning, fusedScan: false, msd: remapping };
    const payloads = type.words === 2 ? [0, 4] : [0];
    return payloads.map((payload) =>
      radixPlan(2 ** 16, type, { descending: true, payload }, device, settings),
    );
  });
  const experiments = smallDemos.flatMap(([name, texts]) => buildDemo(name, device, texts).experiments);
  const sizes = device.subgroups ? [subgroupSizesPlan(), gridBarrierPlan()] : [];
  return [
    ...sorts,
    ...deep,
    ...spreads,
    ...sizes,
    ...primitivePlans(device),
    enumerationPlan(device),
    deviceCopyPlan(2 ** 20, device),
    ...experiments.map(({ plan }) => plan),
  ];
}

const programs = new Map<DeviceTraits, Program[]>();

/** The programs of all plans for a device, each once. */
function programsFor(device: DeviceTraits): Program[] {
  const known = programs.get(device);
  if (known) return known;
  const all = plansFor(device).flatMap(({ passes }) => passes.map(({ program }) => program));
  const each = [...new Map(all.map((program) => [JSON.stringify(program), program])).values()];
  programs.set(device, each);
  return each;
}

/**
 * What a program shows when it compiles: each two variants that its kernel has together, the places of its
 * variants, its bindings, each constant with its value, and the order of keys with the modules that have it.
 */
function featuresOf({ kernel, variants, constants, layout = [] }: Program): string[] {
  const { ORDER, DESCENDING, ...others } = constants;
  const { order, same } = variants;
  const parts = Object.entries(variants)
    .sort()
    .map(([slot, is]) => `${slot}/${is}`);
  const slots = Object.keys(variants).sort();
  return [
    ...parts.flatMap((one, i) => parts.slice(i).map((other) => `${one} ${other}`)),
    `${slots}`,
    `layout ${layout}`,
    `order ${order} ${same} ${ORDER} ${DESCENDING}`,
    ...Object.entries(others).map(([name, value]) => `${name} ${value}`),
  ].map((feature) => `${kernel} ${feature}`);
}

/** The programs to compile for each device: none of which other programs show all that it shows. */
const newPrograms = (() => {
  const all = Object.values(traits).flatMap((device) =>
    programsFor(device).map((program) => ({ device, program, features: featuresOf(program) })),
  );
  const showing = new Map<string, number>();
  for (const feature of all.flatMap(({ features }) => features))
    showing.set(feature, (showing.get(feature) ?? 0) + 1);
  // Those that unroll many keys are left out first, as they compile long.
  const unrolled = ({ constants }: Program) => constants.KEYS_PER_INVOCATION ?? 0;
  return all
    .sort((a, b) => unrolled(b.program) - unrolled(a.program) || a.features.length - b.features.length)
    .filter(({ features }) => {
      if (features.some((feature) => showing.get(feature) === 1)) return true;
      for (const feature of features) showing.set(feature, showing.get(feature)! - 1);
      return false;
    });
})();

describe("a device that computes nothing", () => {
  it("fails the check of a sort, and nothing is written to the sink", async () => {
    const engine = new GpuEngine(gpu, "null");
    let written = 0;
    const job = {
      type: elementTypes[0]!,
      keyCount: 1000,
      descending: false,
      algorithm: "auto",
      verify: true,
    };
    const sink = {
      write: async (from: Uint8Array) => {
        written += from.length;
      },
      end: async () => {},
    };
    await expect(engine.sort(job, { read: async (into) => void into.fill(7) }, sink)).rejects.toThrow(
      VerifyError,
    );
    expect(written).toBe(0);
  });

  it("fails the check of a demo, unless the demo is meant to show the differences", async () => {
    const [right, racy] = buildDemo("barrier", defaultTraits, { count: "1000" }).experiments;
    const checkOf = async (experiment: Experiment) => {
      const outcome = await runExperiment(gpu, experiment, { timed: false });
      expect(outcome.differences?.wrong).toBeGreaterThan(0);
      return () => requireAgreement("demo barrier", experiment, outcome);
    };
    expect(await checkOf(right!)).toThrow(VerifyError);
    expect(await checkOf(right!)).toThrow(
      /^demo barrier, with the barrier: .* words are wrong; output: word 0 is /,
    );
    expect(await checkOf(racy!)).not.toThrow();
  });
});

describe("every kernel", () => {
  for (const [name, device] of Object.entries(traits)) {
    it(`compiles without a driver as planned for ${name}`, async () => {
      for (const one of newPrograms.filter((one) => one.device === device))
        expect(await gpu.kernels.pipeline(one.program)).toBeDefined();
    });
  }

  it("and every variant is compiled by these tests", async () => {
    const programs = Object.values(traits).flatMap(programsFor);
    const libraries = [library, primitiveLibrary];
    const kernels = [...libraries, demoLibrary].flatMap((one) => Object.keys(one.kernels));
    expect(new Set(programs.map((program) => program.kernel))).toEqual(new Set(kernels));
    const families = await Promise.all(
      libraries.flatMap((one) => Object.keys(one.kernels).map((name) => familyOf(one, name))),
    );
    const units = families.flatMap(({ kernels, modules }) => Object.values({ ...kernels, ...modules }));
    const conditions = units.flatMap(({ sections }) => sections.flatMap(({ when = [] }) => when));
    const variants = conditions.flatMap(
      ({ slot, is }) => is?.map((name) => `${slot}/${name}`) ?? `${slot}/-`,
    );
    const isKnown = new Set(variants);
    const slots = [...new Set(conditions.map(({ slot }) => slot))];
    const named = programs.flatMap((program) =>
      slots.map((slot) => `${slot}/${program.variants[slot] ?? "-"}`),
    );
    // Windows need buffers over the binding limit, which these plans do not have. test/adapter tests them.
    const untested = ["input_window/window"];
    const tested = new Set(named.filter((name) => isKnown.has(name)));
    expect(tested).toEqual(new Set(variants.filter((name) => !untested.includes(name))));
  });
});
