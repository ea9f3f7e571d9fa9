import { it } from "vitest";
import { type ElementType, elementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import { defaultLimits, type Limits } from "../../src/core/plan/grid.js";
import type { SortOptions } from "../../src/core/sort/key.js";
import type { RadixTuning, SubgroupTuning } from "../../src/core/sort/radix/radix_tuning.js";
import { runFenced } from "../support/fenced.js";
import { distributions, keysOfQuarters } from "../support/keys.js";
import { expectSorted } from "../support/radix_case.js";
import { describeOnDevice, fewerOnLavapipe, opened, selector } from "./device.js";

const traits = opened?.gpu.traits;
const subgroupSize = traits?.subgroupSize.min ?? 0;
/** Lavapipe takes up to 40 s for a kernel whose subgroups have 16 invocations. */
const compilesSlowly = traits?.software === true && subgroupSize > 8;

/**
 * Tunings that no device uses, so that few keys fill several tiles and chunks. Digits of 6 bits need
 * workgroups of 64, which lavapipe compiles in a third of the time of workgroups of 256.
 */
const subgroup = (some: Partial<SubgroupTuning>): SubgroupTuning => ({
  family: "subgroup",
  digitBits: 6,
  workgroupSize: 64,
  subgroupSize,
  keysPerInvocation: 2,
  columns: 3,
  lockstep: false,
  fusedScan: false,
  ...some,
});
const local = { workgroupSize: 64, keysPerInvocation: 2 };

interface Family {
  readonly name: string;
  readonly tuning: RadixTuning;
  /**
   * Sizes around the ends of an invocation's keys, of a tile, of a chunk and of all chunks, and a larger
   * size.
   */
  readonly sizes: readonly number[];
  /** The types whose kernels are worth the time to compile them, each with a direction. */
  readonly types: readonly (readonly [type: string, descending: boolean])[];
  /** The types that are also sorted with values. */
  readonly valued: readonly string[];
  /** Floats and directions in which NaNs of both signs are sorted with values. */
  readonly nans: readonly (readonly [type: "f32" | "f64", descending: boolean])[];
  /** Whether to skip the tests of options, since another row tests them with nearly the same kernels. */
  readonly brief?: boolean;
  /** Whether narrower subgroups suffice, since other rows rank keys by the same kernels. */
  readonly narrowOnly?: boolean;
}

const threeTypes: Family["types"] = [
  ["u32", true],
  ["f64", true],
  ["i16", true],
];
const allTypes: Family["types"] = elementTypes.flatMap(({ name }) =>
  [false, true].map((descending) => [name, descending] as const),
);
/** Each type in one direction, each width and each order in both: the kernels of another family take all. */
const turns: Family["types"] = elementTypes.map(({ name }) => [
  name,
  !["u8", "u16", "i32", "f32", "u64"].includes(name),
]);
const allFloats: Family["nans"] = (["f32", "f64"] as const).flatMap((type) =>
  [false, true].map((descending) => [type, descending] as const),
);

const families: readonly Family[] = [
  {
    name: "serial",
    tuning: { family: "serial", digitBits: 8, workgroupSize: 4, columns: 7, minKeysPerChunk: 10 },
    sizes: [0, 1, 2, 9, 10, 11, 39, 40, 41, 69, 70, 71, 280, 281, 1000],
    types: fewerOnLavapipe(allTypes, threeTypes),
    valued: ["u32", "f64", "i16"],
    nans: fewerOnLavapipe(allFloats, [
      ["f32", false],
      ["f64", true],
    ]),
  },
  {
    name: "workgroup",
    // Digits of 4 bits, since on a software adapter the barriers of a scan by 256 invocations take most of
    // the time.
    tuning: { family: "workgroup", digitBits: 4, workgroupSize: 8, keysPerInvocation: 3, columns: 5 },
    sizes: [0, 1, 2, 23, 24, 25, 119, 120, 121, 300],
    types: turns,
    valued: ["u32", "f64", "i16"],
    nans: allFloats,
  },
  {
    name: "workgroup, of 128",
    tuning: { family: "workgroup", digitBits: 8, workgroupSize: 128, keysPerInvocation: 5, columns: 3 },
    sizes: [2, 127, 128, 129, 639, 640, 641, 1920, 1921, 2000],
    types: [
      ["u8", false],
      ["u32", true],
    ],
    valued: [],
    nans: [],
    brief: true,
  },
  {
    name: "subgroup",
    tuning: subgroup({}),
    sizes: [0, 1, 2, 63, 64, 65, 127, 128, 129, 383, 384, 385, 5000],
    types: fewerOnLavapipe(
      [
        ["u32", true],
        ["f32", false],
        ["i64", true],
        ["i16", true],
      ],
      [
        ["i64", true],
        ["i16", true],
      ],
    ),
    valued: fewerOnLavapipe(["u32", "i64"], ["i64"]),
    nans: [["f32", false]],
    narrowOnly: true, // wider ones rank keys so in workgroups of 256, below
  },
  {
    name: "subgroup, chunks in several groups",
    tuning: subgroup({ columns: 70 }),
    // Around one group of chunks, two of them, and chunks of several tiles.
    sizes: [32 * 128, 33 * 128, 33 * 128 + 1, 66 * 128, 66 * 128 + 1, 70 * 128, 70 * 128 + 1, 20_000],
    types: [["i32", false]],
    valued: ["i32"],
    nans: [],
    brief: true,
    narrowOnly: true,
  },
  {
    name: "subgroup, in lockstep, scan fused, few keys local",
    tuning: subgroup({ lockstep: true, fusedScan: true, local }),
    sizes: [0, 1, 2, 63, 64, 65, 127, 128, 129, 383, 384, 385, 4000],
    // The first one stands for all of them where kernels take long to compile: see `oneOfEach`.
    types: [
      ["u32", true],
      ["f64", true],
      ["i8", true],
    ],
    valued: ["u32"],
    nans: fewerOnLavapipe([["f64", true]], []),
  },
  {
    name: "subgroup, MSD",
    tuning: subgroup({
      fusedScan: true,
      msd: {
        digitBits: 5,
        workgroupSize: 64,
        keysPerInvocation: 2,
        columns: 3,
        local: { workgroupSize: 64, keysPerInvocation: 3, binBits: 8 },
      },
    }),
    sizes: [2, 63, 64, 65, 127, 128, 129, 383, 384, 385, 4000],
    // On SwiftShader, msd.test.ts sorts u32 keys so, in workgroups of 32.
    types: fewerOnLavapipe(
      [
        ["f32", false],
        ["u32", true],
        ["f64", true],
      ],
      [
        ["f32", false],
        ["f64", true],
      ],
    ),
    valued: [],
    nans: [],
    brief: true,
    narrowOnly: true,
  },
  {
    name: "subgroup, MSD of two levels",
    tuning: subgroup({
      msd: {
        digitBits: 5,
        workgroupSize: 64,
        keysPerInvocation: 3,
        columns: 3,
        second: { digitBits: 5, tilesPerChunk: 1 },
        local: { workgroupSize: 32, keysPerInvocation: 3, binBits: 6 },
      },
    }),
    sizes: [2, 191, 192, 193, 575, 576, 577, 1153, 20_000],
    // On SwiftShader, msd.test.ts sorts f64 keys so, in workgroups of 32.
    types: fewerOnLavapipe(
      [
        ["u32", true],
        ["f64", true],
      ],
      [["u32", true]],
    ),
    valued: [],
    nans: [],
    brief: true,
  },
  {
    name: "subgroup, of 256",
    tuning: subgroup({ digitBits: subgroupSize >= 16 ? 8 : 6, workgroupSize: 256 }),
    sizes: [2, 255, 256, 257, 511, 512, 513, 1535, 1536, 1537, 5000],
    types: [["u32", true]],
    valued: [],
    nans: [],
    brief: true,
  },
];

/**
 * Each subgroup has its own counters in workgroup memory, in addition to 4 KiB of keys and 2 KiB of other
 * data.
 */
const subgroupsRun =
  traits?.subgroups === true &&
  subgroupSize >= 8 &&
  (256 / subgroupSize) * (subgroupSize >= 16 ? 256 : 64) * 4 + 6144 <=
    traits.limits.maxComputeWorkgroupStorageSize;
if (opened && !subgroupsRun) {
  process.stderr.write(
    `SKIPPED: radix of the subgroup family on '${selector}': subgroups of ${subgroupSize} are too narrow\n`,
  );
}

/**
 * The workgroup family uses no optional features, so one adapter suffices. Lavapipe needs up to a minute per
 * kernel.
 */
const workgroupsRun = selector === "swiftshader";
if (opened && !workgroupsRun) {
  process.stderr.write(
    `SKIPPED: radix of the workgroup family on '${selector}': SwiftShader tests it in less time\n`,
  );
}

/** Copies limits to a plain object. A device's own object has getters, which a spread does not copy. */
function limitsOf(limits: Limits): Limits {
  const names = Object.keys(defaultLimits) as (keyof Limits)[];
  return Object.fromEntries(names.map((name) => [name, limits[name]])) as unknown as Limits;
}

/**
 * What is tested where each kernel takes long to compile: narrower subgroups run the same code. Values move by
 * the ranks of their keys, whether those are found in lockstep or not. So they move only in lockstep, where few
 * keys are sorted locally too, and as indices, with whole sorts alone.
 */
const oneOfEach = (family: Family): Family => ({
  ...family,
  types: family.types.slice(0, 1),
  valued: family.tuning.family === "subgroup" && family.tuning.lockstep ? family.valued.slice(0, 1) : [],
  nans: [],
  brief: true,
});
if (compilesSlowly) {
  process.stderr.write(
    `SKIPPED: most types, and options, in subgroups of ${subgroupSize}: '${selector}' compiles too slowly\n`,
  );
}

for (const { name, tuning, sizes, types, valued, nans, brief } of compilesSlowly
  ? families.filter(({ narrowOnly }) => !narrowOnly).map(oneOfEach)
  : families) {
  if (opened && tuning.family === "subgroup" && !subgroupsRun) continue; // reported above
  if (opened && tuning.family === "workgroup" && !workgroupsRun) continue;
  if (compilesSlowly && tuning.family === "serial") continue; // it uses no subgroups
  describeOnDevice(`radix of the ${name} family on ${selector}`, ({ gpu }) => {
    const sort = (
      type: ElementType,
      [distribution, size]: readonly [string, number],
      options: SortOptions,
      more: { bindable?: number; count?: number } = {},
    ) => sortKeys(type, distributions[distribution]!(type, size), options, more);
    /** Sorts and checks the result. All buffers are between fences: see runFenced. */
    const sortKeys = (
      type: ElementType,
      keys: KeyArray,
      options: SortOptions,
      more: { bindable?: number; count?: number } = {},
    ) => {
      const { bindable = gpu.traits.limits.maxStorageBufferBindingSize, ...rest } = more;
      const limits = { ...limitsOf(gpu.traits.limits), maxStorageBufferBindingSize: bindable };
      const one = { type, keys, options, traits: { ...gpu.traits, limits }, tuning, ...rest };
      return expectSorted((plan, inputs) => runFenced(gpu, plan, inputs), one);
    };
    const largest = sizes.at(-1)!;

    for (const [typeName, descending] of types) {
      const type = elementType(typeName);
      // The end of a tile does not depend on the type, so only one type and direction per width is tested at
      // all sizes.
      const every = ["u32", "i16", "i64", "f64"].includes(typeName) && descending;
      it(`sorts ${typeName}, ${descending ? "descending" : "ascending"}`, async () => {
        for (const size of every ? sizes : [sizes.at(-2)!, largest]) {
          await sort(type, ["uniform", size], { descending });
        }
        for (const distribution of ["few values", "specials", "all ones and zeros"]) {
          await sort(type, [distribution, largest], { descending });
        }
      });
    }

    for (const typeName of valued) {
      const type = elementType(typeName);
      const descending = types.find(([one]) => one === typeName)![1];
      for (const payload of compilesSlowly ? (["index"] as const) : (["index", 4, 12] as const)) {
        const what = payload === "index" ? "indices" : `values of ${payload} bytes`;
        it(`moves ${what} with ${typeName} keys, stably`, async () => {
          for (const size of sizes) await sort(type, ["few values", size], { descending, payload });
          if (compilesSlowly) return;
          await sort(type, ["few values", largest], { descending, payload, once: true });
          await sort(type, ["few values", largest], { descending, payload, dropKeys: true });
          for (const keepInput of [false, true]) {
            for (const distribution of ["uniform", "all ones", "all ones and zeros"]) {
              await sort(type, [distribution, largest], { descending, payload, keepInput });
            }
          }
        });
      }
    }

    it("sorts keys that differ in some of their digits only", async () => {
      // Quarters are whole bytes.
      const [typeName, descending] = types.find(([name]) => elementType(name).bytes >= 4)!;
      const type = elementType(typeName);
      for (const quarters of [0b0001, 0b1000, 0b0110, 0b1001]) {
        await sortKeys(type, keysOfQuarters(type, largest, quarters), { descending });
      }
    });

    for (const [typeName, descending] of nans) {
      it(`keeps the order of ${typeName} NaNs, ${descending ? "descending" : "ascending"}`, async () => {
        for (const payload of ["index", 4, 12] as const) {
          for (const size of [70, largest]) {
            await sort(elementType(typeName), ["specials", size], { descending, payload });
          }
        }
      });
    }

    it("keeps the input if the options say so", async () => {
      for (const [typeName, descending] of types.slice(0, 2)) {
        await sort(elementType(typeName), ["uniform", largest], { descending, keepInput: true });
        await sort(elementType(typeName), ["uniform", 2], { descending, keepInput: true });
      }
    });

    if (brief) return;

    for (const typeName of valued) {
      it(`sorts ${typeName} keys by some of their bits, stably`, async () => {
        const type = elementType(typeName);
        const descending = types.find(([one]) => one === typeName)![1];
        const width = 8 * type.bytes;
        // Only whole digits and digits of one bit: each other width would need its own kernels.
        const digit = tuning.digitBits;
        const ranges = [
          [0, 1],
          [3, 4 + digit],
          [5, 6 + 2 * digit],
          [width - 1 - digit, width],
          [7, 7],
          [width, width],
        ] as const;
        for (const [begin, end] of ranges.filter((range) => range[1] <= width)) {
          for (const size of [70, largest]) {
            await sort(type, ["uniform", size], { descending, payload: "index", bits: { begin, end } });
          }
        }
      });
    }

    // Descending, as other tests sort u32 keys: then many of the kernels are compiled already.
    it("reads the number of keys from a buffer, and changes no key beyond it", async () => {
      const counts = [0, 1, 2, 24, 25, 70, 71, 128, 129, largest - 1, largest, largest + 1, 2 ** 32 - 1];
      for (const capacity of [71, largest]) {
        for (const count of counts) {
          await sort(
            elementType("u32"),
            ["uniform", capacity],
            { descending: true, counted: true },
            { count },
          );
        }
      }
      const options = { descending: true, counted: true, payload: 4, keepInput: true } as const;
      const none = { begin: 3, end: 3 };
      await sort(elementType(valued[0]!), ["few values", largest], { ...options, bits: none }, { count: 70 });
      for (const count of [70, 500]) {
        await sort(elementType(valued[0]!), ["few values", largest], options, { count });
      }
    });

    it("binds buffers over the binding limit in windows", async () => {
      const bindable = 8192;
      for (const typeName of tuning.family === "subgroup" ? ["u32"] : ["u32", "f64", "u8"]) {
        for (const payload of ["index", 8] as const) {
          const options = { descending: false, payload, once: payload === "index" };
          for (const distribution of ["few values", "specials"]) {
            await sort(elementType(typeName), [distribution, 4501], options, { bindable });
          }
        }
      }
      await sort(elementType("u8"), ["uniform", 9001], { descending: true }, { bindable });
    });
  });
}
