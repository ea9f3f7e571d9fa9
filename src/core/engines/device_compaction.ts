import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { runOnce } from "../device/run.js";
import { readback } from "../device/transfer.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import type { SortOptions } from "../sort/key.js";
import { type Compaction, compactFirsts } from "../sort/select/compact.js";
import type { SortJob } from "./engine.js";

/** Keys that were kept: the first `count` ones of a buffer. */
export interface KeptKeys {
  readonly keys: GPUBuffer;
  readonly count: number;
  /** The number of keys in the run of each of them, if that was asked for and any run has several. */
  readonly lengths?: GPUBuffer | undefined;
}

/**
 * Keeps the first of equal sorted keys on a device, and counts them if the task says so. The CPU reads back how
 * many keys are kept, to make room for just these.
 */
export class DeviceCompaction {
  readonly #gpu: Gpu;
  readonly #keyCount: number;
  readonly #compaction: Compaction;
  readonly #executions: Execution[] = [];

  constructor(
    gpu: Gpu,
    { keyCount, type, unique }: Pick<SortJob, "keyCount" | "type" | "unique">,
    options: SortOptions,
    traits: DeviceTraits,
  ) {
    this.#gpu = gpu;
    this.#keyCount = keyCount;
    this.#compaction = compactFirsts(keyCount, type, options, traits, unique === "counts");
  }

  /** Compiles the kernels, so that `run` finds them compiled. */
  async compile(): Promise<void> {
    const { count, move } = this.#compaction;
    const passes = [...count.passes, ...move(this.#keyCount).passes];
    await Promise.all(passes.map((pass) => this.#gpu.kernels.pipeline(pass.program)));
  }

  /**
   * Copies the keys that are kept to another buffer, unless all are.
   *
   * @param spare buffers to write to, as far as they are long enough and not that of the keys.
   * @returns the kept keys. They are valid until the next run.
   */
  async run(keys: GPUBuffer, spare: readonly GPUBuffer[]): Promise<KeptKeys> {
    this.destroy();
    const counted = await this.#execute(this.#compaction.count, { keys });
    const { total } = await readback(this.#gpu, counted, ["total"]);
    const count = total![0]!;
    if (count >= this.#keyCount) return { keys, count };
    const plan = this.#compaction.move(count);
    const bound: Record<string, GPUBuffer> = { keys, chunks: counted.buffers.chunks! };
    for (const [name, { bytes }] of Object.entries(plan.buffers)) {
      const isFree = (buffer: GPUBuffer) => buffer.size >= bytes && !Object.values(bound).includes(buffer);
      const unused = name in bound ? undefined : spare.find(isFree);
      if (unused) bound[name] = unused;
    }
    const { result, buffers } = await this.#execute(plan, bound);
    return { keys: result, count, lengths: buffers.lengths };
  }

  async #execute(plan: Plan, buffers: Readonly<Record<string, GPUBuffer>>): Promise<Execution> {
    const execution = await Execution.prepare(this.#gpu, plan, buffers);
    this.#executions.push(execution);
    await runOnce(this.#gpu, execution, {});
    return execution;
  }

  /** Destroys the kept keys. */
  destroy(): void {
    for (const execution of this.#executions.splice(0)) execution.destroy();
  }
}
