import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { runOnce } from "../device/run.js";
import { readback } from "../device/transfer.js";
import { VerifyError } from "../errors.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { compactUpTo } from "../sort/compact.js";
import { checkTotals, inspectPlan, readTotals, type Totals } from "../sort/inspect.js";
import type { Bound } from "../sort/key.js";
import { radixPlan } from "../sort/radix.js";
import { radixTuning } from "../sort/radix_tuning.js";
import {
  boundOf,
  isSelected,
  nextSelection,
  noneSelected,
  type Selection,
  selectPlan,
} from "../sort/select.js";
import { MOST_CANDIDATES } from "../sort/select_tuning.js";
import type { PhaseClock } from "../streams/phase_clock.js";
import { DeviceCompaction } from "./device_compaction.js";
import type { SortJob } from "./engine.js";
import type { WantedKeys } from "./wanted.js";

/** The last ordered form of all. */
const NO_BOUND: Bound = [0xffff_ffff, 0xffff_ffff];

/**
 * Finds the first keys of a buffer without sorting all of them, and without changing them. It counts the keys by
 * their topmost digits until it knows a bound that few keys besides the sought ones do not exceed. It copies
 * the keys up to that bound, and sorts only these. The CPU reads back the counts of each digit.
 */
export class DeviceSelection {
  readonly #gpu: Gpu;
  readonly #job: SortJob;
  readonly #head: number;
  readonly #traits: DeviceTraits;
  readonly #made: { destroy(): void }[] = [];

  constructor(gpu: Gpu, job: SortJob, head: number, traits: DeviceTraits) {
    this.#gpu = gpu;
    this.#job = job;
    this.#head = head;
    this.#traits = traits;
  }

  /** Compiles all kernels, so that `run` finds them compiled. */
  async compile(): Promise<void> {
    const { keyCount, type, verify } = this.#job;
    const { kernels } = this.#gpu;
    const plans = [
      this.#countPlan(noneSelected(keyCount, type)),
      this.#sortPlan(MOST_CANDIDATES),
      ...(verify ? [this.#inspectionPlan(keyCount, NO_BOUND)] : []),
    ];
    const programs = plans.flatMap(({ passes }) => passes.map(({ program }) => program));
    await Promise.all([
      ...programs.map((program) => kernels.pipeline(program)),
      this.#compaction(NO_BOUND).compile(),
    ]);
  }

  /**
   * @param keys all keys.
   * @param device its name, for messages.
   * @returns the first keys, valid until `destroy`; undefined if so many keys are equal that too many would be
   *   sorted.
   * @throws VerifyError if the job is verified and these are not the first keys.
   */
  async run(clock: PhaseClock, keys: GPUBuffer, device: string): Promise<WantedKeys | undefined> {
    const found = await clock.time("sort", 0, async () => {
      const selection = await this.#select(keys);
      return selection && this.#sortUpTo(keys, boundOf(selection));
    });
    if (!found) return undefined;
    const { sorted, count, bound } = found;
    const head = this.#head;
    if (count < head) throw new VerifyError(`${device} selected ${count} of ${head} keys`);
    if (!this.#job.verify) return { keys: sorted, count: head, totals: undefined };
    // All keys up to the bound must be there, and in order. The first of them are then the first of all keys.
    const totals = await clock.time("verify", 0, async () => {
      const before = await this.#inspect(keys, this.#job.keyCount, bound);
      const after = await this.#inspect(sorted, count, NO_BOUND);
      checkTotals(count, before, after, device);
      return this.#inspect(sorted, head, NO_BOUND);
    });
    return { keys: sorted, count: head, totals };
  }

  async #select(keys: GPUBuffer): Promise<Selection | undefined> {
    let selection = noneSelected(this.#job.keyCount, this.#job.type);
    let isDone: boolean | undefined = false;
    while (isDone === false) {
      const { totals } = await this.#read(this.#countPlan(selection), { keys });
      selection = nextSelection(selection, totals!, this.#head);
      isDone = isSelected(selection);
    }
    return isDone ? selection : undefined;
  }

  async #sortUpTo(keys: GPUBuffer, bound: Bound) {
    const kept = await this.#own(this.#compaction(bound)).run(keys);
    const sort = await this.#execute(this.#sortPlan(kept.count), { keys: kept.keys });
    return { sorted: sort.result, count: kept.count, bound };
  }

  async #inspect(keys: GPUBuffer, count: number, bound: Bound): Promise<Totals> {
    return readTotals((await this.#read(this.#inspectionPlan(count, bound), { keys })).totals!);
  }

  #countPlan(selection: Selection): Plan {
    const { keyCount, type } = this.#job;
    return selectPlan(keyCount, type, this.#job, this.#traits, selection);
  }

  #compaction(bound: Bound): DeviceCompaction {
    const { keyCount, type } = this.#job;
    const compaction = compactUpTo(keyCount, type, this.#job, this.#traits, bound);
    return new DeviceCompaction(this.#gpu, keyCount, compaction);
  }

  /** The tuning is the same for any number of keys, so that the kernels are known before that is. */
  #sortPlan(count: number): Plan {
    const { type, descending } = this.#job;
    const options = { descending, once: true };
    const tuning = radixTuning(MOST_CANDIDATES, type, this.#traits, options);
    return radixPlan(count, type, options, this.#traits, tuning);
  }

  #inspectionPlan(count: number, upTo: Bound): Plan {
    const { type, descending } = this.#job;
    return inspectPlan(count, type, { descending, upTo }, this.#traits);
  }

  /** Runs a plan and reads its result back. */
  async #read(plan: Plan, given: Readonly<Record<string, GPUBuffer>>) {
    return readback(this.#gpu, await this.#execute(plan, given), [plan.result]);
  }

  async #execute(plan: Plan, given: Readonly<Record<string, GPUBuffer>>): Promise<Execution> {
    const execution = this.#own(await Execution.prepare(this.#gpu, plan, given));
    await runOnce(this.#gpu, execution, {});
    return execution;
  }

  #own<T extends { destroy(): void }>(made: T): T {
    this.#made.push(made);
    return made;
  }

  destroy(): void {
    for (const made of this.#made.splice(0)) made.destroy();
  }
}
