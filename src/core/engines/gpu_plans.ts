import { InputError } from "../errors.js";
import { lazyModule } from "../lazy_module.js";
import type { DeviceTraits } from "../plan/traits.js";
import { algorithm, chooseAlgorithm, requireSupported } from "../sort/algorithms.js";
import type { Totals } from "../sort/evidence.js";
import { MAX_KEYS, type SortOptions, type SortPlan } from "../sort/key.js";
import { fits } from "../sort/limits.js";
import type { SortJob } from "./engine.js";

/** Plans the jobs of a GPU. */
export class GpuPlans {
  readonly #device: string;
  readonly #traits: DeviceTraits;

  /** @param device the name of the device, for messages. */
  constructor(device: string, traits: DeviceTraits) {
    this.#device = device;
    this.#traits = traits;
  }

  algorithmFor(job: SortJob): string {
    const { name } = algorithm(job.algorithm);
    return name === "auto"
      ? chooseAlgorithm(job.keyCount, job.type, optionsOf(job), this.#traits).name
      : name;
  }

  capacity(job: SortJob): number {
    return algorithm(job.algorithm).capacity(job.type, optionsOf(job), this.#traits);
  }

  /** @throws InputError if the algorithm does not support the job, or if it has too many keys. */
  async plan(job: SortJob, options: SortOptions): Promise<SortPlan> {
    const chosen = algorithm(job.algorithm);
    requireSupported(chosen, job.type, options);
    if (job.keyCount > MAX_KEYS) throw this.#tooMany(job);
    const isSelected = options.top !== undefined && this.algorithmFor(job) === "radix";
    const plan = isSelected
      ? (await plansOfFirstKeys()).firstKeysPlan(chosen.plan, job.keyCount, job.type, options, this.#traits)
      : chosen.plan(job.keyCount, job.type, options, this.#traits);
    if (!fits(plan, this.#traits)) throw this.#tooMany(job);
    return plan;
  }

  /**
   * Plans a sort of keys that differ in only some of their bits.
   *
   * @param plan the plan of a sort by all bits.
   * @param totals what an inspection of the keys showed.
   * @returns undefined if that saves no pass.
   */
  shorter(
    job: SortJob,
    options: SortOptions,
    plan: SortPlan,
    { varying }: Pick<Totals, "varying">,
  ): SortPlan | undefined {
    if (this.algorithmFor(job) !== "radix") return undefined;
    const narrowed = algorithm("radix").plan(
      job.keyCount,
      job.type,
      { ...options, top: undefined, varying },
      this.#traits,
    );
    return narrowed.passes.length < plan.passes.length ? narrowed : undefined;
  }

  #tooMany(job: SortJob): InputError {
    const { keyCount, type } = job;
    return new InputError(
      `${this.#device} sorts at most ${this.capacity(job)} ${type.name} keys at once, not ${keyCount}`,
      { hint: "sort them in parts, or on the CPU", options: ["device"] },
    );
  }
}

export const plansOfFirstKeys = () =>
  lazyModule("the plans of first keys", () => import("../sort/select/select.js"));

/** With `unique`, all keys are sorted, and then counted. */
export function optionsOf({ descending, bits, payloadBytes, unique, head, unsorted }: SortJob): SortOptions {
  return { descending, bits, payload: payloadBytes, ...(unique ? {} : { top: head, unsorted }) };
}
