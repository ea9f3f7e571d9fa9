import { lazyModule } from "../lazy_module.js";
import type { DeviceTraits } from "../plan/traits.js";
import type { Algorithm } from "../sort/algorithms.js";
import { isBitonicFastest } from "../sort/limits.js";
import { planRadix } from "../sort/radix/radix_plan.js";
import { lsdTuning, subgroupsFit } from "../sort/radix/radix_tuning.js";
import { type PlannedSort, type Plans, planSort, type SortDescription } from "./description.js";

/** The fields of a description whose plans not every page needs. */
type PlanFields = { readonly [field in "segments" | "top" | "unique"]?: unknown };

/**
 * Plans the sorts of a device. A page loads at once what every device needs; with the planner, what this device
 * needs for sorts of all keys; and what plans segments, first keys or distinct keys, with the first of them.
 *
 * `requirements` cannot wait, so it throws for those until they are loaded: a formula for their scratch would
 * be a second plan. The plans by the most significant digit are 6 kB that could wait for a sort which takes
 * them, but then `requirements` would throw for plain sorts too.
 */
export class Planner {
  readonly traits: DeviceTraits;
  #plans: Plans;

  private constructor(traits: DeviceTraits, plans: Plans) {
    this.traits = traits;
    this.#plans = plans;
  }

  /** @throws LoadError if what plans the sorts of this device does not load. */
  static async open(traits: DeviceTraits): Promise<Planner> {
    return new Planner(traits, { sort: await loadSort(traits) });
  }

  /** @returns the planner, with what plans all sorts of the device: `requirements` needs no `warm` then. */
  static async openFull(traits: DeviceTraits): Promise<Planner> {
    const planner = await Planner.open(traits);
    await planner.load({ segments: true, top: true });
    await planner.load({ top: true, unique: true });
    return planner;
  }

  /**
   * Loads what plans a sort, if it is not loaded yet.
   *
   * @throws LoadError if it does not load.
   */
  async load({ segments, top, unique }: PlanFields): Promise<void> {
    const isOfSegments = segments !== undefined;
    const isOfFirst = top !== undefined;
    if (isOfSegments) await this.#load("segments", "segments", () => import("../sort/segments/segments.js"));
    if (isOfSegments && isOfFirst) {
      const load = () => import("../sort/select/top_segments.js");
      await this.#load("topSegments", "first keys of segments", load);
    } else if (isOfFirst) await this.#load("select", "first keys", () => import("../sort/select/select.js"));
    if (unique) await this.#load("unique", "distinct keys", () => import("../sort/select/unique.js"));
  }

  async #load<Name extends keyof Plans>(name: Name, what: string, load: () => Promise<Plans[Name]>) {
    if (this.#plans[name]) return;
    const loaded = await lazyModule(`the plans of ${what}`, load);
    this.#plans = { ...this.#plans, [name]: loaded };
  }

  /** @throws InputError as `planSort` does. */
  plan(description: SortDescription): PlannedSort {
    return planSort(description, this.traits, this.#plans);
  }
}

/** The kernels that sort most significant digit first need subgroups; the bitonic sort pays without them. */
async function loadSort(traits: DeviceTraits): Promise<Algorithm["plan"]> {
  if (subgroupsFit(traits)) {
    const { radixPlan } = await lazyModule("the sort by subgroups", () => import("../sort/radix/radix.js"));
    return radixPlan;
  }
  const { bitonicPlan } = await lazyModule("the bitonic sort", () => import("../sort/bitonic.js"));
  return (keyCount, type, options, device) =>
    isBitonicFastest(keyCount, type, options, device)
      ? bitonicPlan(keyCount, type, options, device)
      : planRadix(keyCount, type, options, device, { tuning: lsdTuning(keyCount, type, device, options) });
}
