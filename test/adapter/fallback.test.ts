import { describe, expect, it } from "vitest";
import { elementType, type KeyArray } from "../../src/core/elements.js";
import type { SortOptions } from "../../src/core/sort/key.js";
import type { TogetherTuning } from "../../src/core/sort/msd_tuning.js";
import { radixPlan } from "../../src/core/sort/radix.js";
import type { SubgroupTuning } from "../../src/core/sort/radix_tuning.js";
import { distribution, generateKeys } from "../../src/testdata/distributions.js";
import { runFenced } from "../support/fenced.js";
import { distributions, randomKeys } from "../support/keys.js";
import { expectSorted } from "../support/radix_case.js";
import { smallMsd } from "../support/small_msd.js";
import { describeOnDevice, fewerOnLavapipe, opened, selector } from "./device.js";

const subgroupSize = opened?.gpu.traits.subgroupSize.min ?? 0;

/** The 16 digit values are added up by whole subgroups. */
const isRunnable = opened?.gpu.traits.subgroups === true && 16 % subgroupSize === 0;
if (opened && !isRunnable) {
  process.stderr.write(`SKIPPED: fallbacks in one dispatch on '${selector}': subgroups of ${subgroupSize}\n`);
  describe.runIf(false)("fallbacks in one dispatch", () => it("need subgroups of at most 16", () => {}));
}

const tile = 64;
const together: TogetherTuning = { workgroupSize: 32, keysPerInvocation: 2, workgroups: 5 };
type Name = "u32" | "i32" | "f32" | "u64" | "f64";
type Some = Partial<TogetherTuning> & { digitBits?: number };

if (isRunnable) {
  describeOnDevice(`a fallback that makes its moves together, on ${selector}`, ({ gpu }) => {
    const tuningOf = ({ digitBits = 4, ...some }: Some = {}): SubgroupTuning => {
      const base = smallMsd(subgroupSize, 5, { digitBits });
      return { ...base, msd: { ...base.msd!, countsAhead: false, together: { ...together, ...some } } };
    };
    /** Sorts and checks keys. Returns whether the segments fit, so that no fallback was needed. */
    const sort = async (name: Name, keys: KeyArray, options: Partial<SortOptions> = {}, some: Some = {}) => {
      const one = {
        type: elementType(name),
        keys,
        options: { descending: false, ...options },
        traits: gpu.traits,
        tuning: tuningOf(some),
      };
      const output = await expectSorted((plan, inputs) => runFenced(gpu, plan, inputs), one);
      return output.fits![0] === 1;
    };
    const few = (name: Name, count: number) => generateKeys(distribution("few"), elementType(name), count, 3);

    it("takes one dispatch, or two if the scatter does not make the first move", () => {
      const options = { descending: false };
      const kernels = (some: Some, payload: 0 | 4) =>
        radixPlan(1000, elementType("u32"), { ...options, payload }, gpu.traits, tuningOf(some)).passes.map(
          ({ program }) => program.kernel,
        );
      const msd = ["radix_count", "msd_scatter", "msd_local"];
      expect(kernels({}, 0)).toEqual([...msd, "radix_fallback"]);
      expect(kernels({ digitBits: 5 }, 0)).toEqual([...msd, "radix_scatter", "radix_fallback"]);
      expect(kernels({}, 4)).toEqual([...msd, "radix_scatter", "radix_fallback"]);
    });

    it("sorts keys whose segments do not fit, in any number of tiles", async () => {
      for (const name of fewerOnLavapipe<Name>(["u32", "f32", "u64"], ["u64"])) {
        for (const tiles of [1, 2, 4, 5, 6, 11]) {
          for (const more of [-1, 0, 1]) {
            const count = tiles * tile + more;
            if (count >= 60) expect(await sort(name, few(name, 16 * 160 + count))).toBe(false);
          }
        }
      }
    });

    it("sorts any distribution of any type in both directions", async () => {
      for (const name of fewerOnLavapipe<Name>(["u32", "i32", "f32", "u64", "f64"], ["f32"])) {
        for (const descending of [false, true]) {
          for (const make of Object.values(distributions)) {
            await sort(name, make(elementType(name), 3000), { descending });
          }
        }
      }
    });

    it("sorts all keys by one member, in chunks whose counts need more than 16 bits", async () => {
      const keys = few("u32", 66_000);
      const one = { workgroupSize: 64, keysPerInvocation: 4, workgroups: 1 };
      expect(await sort("u32", keys, {}, one)).toBe(false);
    });

    it("sorts whatever number of workgroups the device runs at a time", async () => {
      for (const workgroups of [1, 2, 3, 64]) {
        expect(await sort("u32", few("u32", 5000), {}, { workgroups })).toBe(false);
      }
    });

    if (selector === "llvmpipe") return;

    it("moves values and indices stably", async () => {
      for (const [name, options] of [
        ["u32", { payload: 4 }],
        ["u32", { payload: 12 }],
        ["i32", { payload: "index", descending: true, keepInput: true }],
        ["i32", { payload: "index", dropKeys: true }],
        ["u32", { payload: 4, bits: { begin: 3, end: 32 } }],
      ] as const) {
        for (const count of [2601, 3000, 5003])
          expect(await sort(name, few(name, count), options)).toBe(false);
      }
    });

    it("does nothing if the segments fit", async () => {
      for (const payload of [0, 4] as const) {
        expect(await sort("u32", randomKeys(elementType("u32"), 1500, 1), { payload })).toBe(true);
      }
    });
  });
}
