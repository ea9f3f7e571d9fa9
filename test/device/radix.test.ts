import { expect, it } from "vitest";
import { runPlanBuffers } from "../../src/device/run.js";
import { type ElementType, elementTypes, type KeyArray } from "../../src/elements.js";
import type { SortOptions } from "../../src/sort/key.js";
import { radixPlan } from "../../src/sort/radix.js";
import type { RadixTuning, SubgroupTuning } from "../../src/sort/radix_tuning.js";
import { difference, distributions, expectedIndices, wordsOfKeys } from "../support/keys.js";
import { describeOnDevice, opened, selector } from "./device.js";

const traits = opened?.gpu.traits;
const subgroupSize = traits?.subgroupSize.min ?? 0;
const digitBits = subgroupSize >= 16 ? 8 : 6;

/** Tunings that no table has, so that tiles, chunks and workgroups end where they like. A tile is 512 keys, or 21 and 24. */
const subgroup = (some: Partial<SubgroupTuning>): RadixTuning => ({
  family: "subgroup",
  digitBits,
  workgroupSize: 256,
  subgroupSize,
  tileKeys: 2,
  columns: 3,
  lockstep: false,
  fusedScan: false,
  ...some,
});
const families: { name: string; tuning: RadixTuning }[] = [
  { name: "serial", tuning: { family: "serial", digitBits: 8, workgroupSize: 4, columns: 7, leastKeys: 10 } },
  {
    name: "workgroup",
    tuning: { family: "workgroup", digitBits: 8, workgroupSize: 8, tileKeys: 3, columns: 5 },
  },
  {
    name: "workgroup, of 128",
    tuning: { family: "workgroup", digitBits: 8, workgroupSize: 128, tileKeys: 5, columns: 3 },
  },
  { name: "subgroup", tuning: subgroup({}) },
  { name: "subgroup in lockstep", tuning: subgroup({ lockstep: true }) },
  { name: "subgroup, scan fused", tuning: subgroup({ fusedScan: true }) },
  // Skewed keys do not fit their tiles of 256 keys, and uniform ones do.
  {
    name: "subgroup, few keys local",
    tuning: subgroup({ fusedScan: true, local: { workgroupSize: 256, tileKeys: 1 } }),
  },
];

/** A subgroup has counters of its own, beside 6 KiB of keys and values. */
const subgroupsRun =
  traits?.subgroups === true &&
  subgroupSize >= 8 &&
  (256 / subgroupSize) * 2 ** digitBits * 4 + 8192 <= traits.limits.maxComputeWorkgroupStorageSize;
if (opened && !subgroupsRun) {
  process.stderr.write(
    `SKIPPED: radix of the subgroup family on '${selector}': its subgroups of ${subgroupSize} are too narrow\n`,
  );
}

/** Every key width, order and direction; a driver may take seconds for each of the unrolled kernels. */
const everyType = elementTypes.flatMap((type) => [false, true].map((descending) => ({ type, descending })));
const someTypes = everyType.filter(({ type, descending }) =>
  ["u32 false", "f32 true", "i64 false", "f64 true", "u16 true", "i8 false"].includes(
    `${type.name} ${descending}`,
  ),
);

for (const { name, tuning } of families) {
  if (opened && tuning.family === "subgroup" && !subgroupsRun) continue; // said above
  describeOnDevice(`radix of the ${name} family on ${selector}`, ({ gpu }) => {
    const sort = async (
      keys: KeyArray,
      type: ElementType,
      options: SortOptions,
      more: Record<string, Uint32Array<ArrayBuffer>> = {},
    ) => {
      const plan = radixPlan(keys.length, type, options, gpu.traits, tuning);
      const inputs = { keys: wordsOfKeys(keys), ...more };
      const output = await runPlanBuffers(gpu, plan, inputs, [
        plan.result,
        ...(plan.values ? [plan.values] : []),
      ]);
      return {
        keys: new type.array(output[plan.result]!.buffer as ArrayBuffer, 0, keys.length) as KeyArray,
        values: plan.values === undefined ? undefined : output[plan.values]!,
      };
    };

    // Three chunks of one tile are 1536 keys, and the local sort's tile is 256.
    const sizes = [2, 70, 71, 255, 256, 257, 511, 512, 513, 1536, 1537, 5000];
    for (const { type, descending } of tuning.family === "subgroup" ? someTypes : everyType) {
      it(`sorts ${type.name}, ${descending ? "descending" : "ascending"}`, async () => {
        for (const size of sizes) {
          for (const [distribution, make] of Object.entries(distributions)) {
            const keys = make(type, size);
            const sorted = await sort(keys, type, { descending });
            expect(difference(keys, sorted.keys, descending), `${size} ${distribution}`).toBeUndefined();
          }
        }
      });
    }

    for (const typeName of ["u32", "f64", "i16"]) {
      const type = elementTypes.find((one) => one.name === typeName)!;
      for (const payload of ["index", 4, 12] as const) {
        it(`moves ${payload === "index" ? "indices" : `values of ${payload} bytes`} with ${typeName}, stably`, async () => {
          for (const size of [1, 71, 257, 513, 5000]) {
            for (const distribution of ["uniform", "few values", "all ones and zeros"]) {
              for (const keepInput of [false, true]) {
                const keys = distributions[distribution]!(type, size);
                const words = payload === "index" ? 1 : payload / 4;
                const values = new Uint32Array(size * words).map((_, i) => i);
                const options = { descending: size % 2 === 0, payload, keepInput };
                const sorted = await sort(keys, type, options, payload === "index" ? {} : { values });
                const order = expectedIndices(keys, type, options);
                const expected = [...order].flatMap((index) =>
                  Array.from({ length: words }, (_, word) => index * words + word),
                );
                expect([...sorted.values!.subarray(0, size * words)], `${size} ${distribution}`).toEqual(
                  expected,
                );
                expect(difference(keys, sorted.keys, options.descending)).toBeUndefined();
              }
            }
          }
        });
      }

      it(`sorts ${typeName} by some of their bits, stably`, async () => {
        const width = 8 * type.bytes;
        for (const [begin, end] of [
          [0, 1],
          [3, 12],
          [5, width],
          [0, width - 3],
          [width - 9, width],
          [7, 7],
        ] as const) {
          for (const size of [70, 513, 3000]) {
            const keys = distributions.uniform!(type, size);
            const options = { descending: false, payload: "index", bits: { begin, end } } as const;
            const { values } = await sort(keys, type, options);
            expect([...values!.subarray(0, size)], `bits ${begin} to ${end}`).toEqual([
              ...expectedIndices(keys, type, options),
            ]);
          }
        }
      });
    }

    it("takes the number of keys from a buffer, and touches none beyond it", async () => {
      const type = elementTypes.find((one) => one.name === "f32")!;
      for (const capacity of [600, 5000]) {
        for (const count of [0, 1, 71, 255, 512, 600, 4999, 2 ** 32 - 1]) {
          const keys = distributions.uniform!(type, capacity);
          const most = Math.min(count, capacity);
          const counts = new Uint32Array([count]);
          const sorted = await sort(keys, type, { descending: false, counted: true }, { count: counts });
          const expected = [keys.slice(0, most), sorted.keys.slice(0, most)] as const;
          expect(difference(...expected, false), `${count} of ${capacity}`).toBeUndefined();
        }
      }
    });

    it("binds what is too long in windows", async () => {
      const limits = { ...gpu.traits.limits, maxStorageBufferBindingSize: 4096 * 4 };
      for (const typeName of ["u32", "f64", "u8"]) {
        const type = elementTypes.find((one) => one.name === typeName)!;
        for (const payload of ["index", 8] as const) {
          const size = 9001;
          const keys = distributions["few values"]!(type, size);
          const options = { descending: false, payload };
          const plan = radixPlan(size, type, options, { ...gpu.traits, limits }, tuning);
          const values = new Uint32Array(size * 2).map((_, i) => i >> 1);
          const inputs = { keys: wordsOfKeys(keys), ...(payload === 8 ? { values } : {}) };
          const output = await runPlanBuffers(gpu, plan, inputs, [plan.values!]);
          const words = payload === 8 ? 2 : 1;
          const order = [...output[plan.values!]!.subarray(0, size * words)].filter(
            (_, i) => i % words === 0,
          );
          expect(order, `${typeName} ${payload}`).toEqual([...expectedIndices(keys, type, options)]);
        }
      }
    });
  });
}
