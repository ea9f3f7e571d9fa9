import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { Timer } from "../device/timer.js";
import { deviceCopyPlan } from "../plan/device_copy.js";

/** More than any cache holds, so that it is the memory that is measured, and little enough for any adapter. */
const BYTES = { hardware: 1 << 28, software: 1 << 25 };

/**
 * A copy within the device's memory: how fast its memory is at this moment, and so what a sort could reach at best;
 * and work whose time is known, to see by whether the device is awake and as fast as before.
 */
export class CopyProbe {
  /** Bytes that a run reads, and writes. */
  readonly bytes: number;
  readonly #gpu: Gpu;
  readonly #execution: Execution;
  readonly #timer: Timer | undefined;

  private constructor(gpu: Gpu, bytes: number, execution: Execution, timer: Timer | undefined) {
    this.#gpu = gpu;
    this.bytes = bytes;
    this.#execution = execution;
    this.#timer = timer;
  }

  /**
   * @param wanted bytes, a power of two; fewer where no buffer holds as many. By default more than a cache holds.
   * @throws DeviceError where there is no memory for it; KernelError
   */
  static async create(
    gpu: Gpu,
    wanted = gpu.traits.software ? BYTES.software : BYTES.hardware,
  ): Promise<CopyProbe> {
    const { traits } = gpu;
    const most = Math.min(traits.limits.maxStorageBufferBindingSize, traits.limits.maxBufferSize);
    const bytes = Math.min(wanted, 2 ** Math.floor(Math.log2(most)));
    const execution = await Execution.prepare(gpu, deviceCopyPlan(bytes, traits));
    return new CopyProbe(gpu, bytes, execution, await Timer.create(gpu));
  }

  /**
   * Copies `repeats` times untimed and once timed, in one submission.
   *
   * @returns the seconds of the last, by timestamp queries or else the wall clock, of which it is the mean.
   */
  async run(repeats = 0): Promise<number> {
    const begin = performance.now();
    const encoder = this.#gpu.device.createCommandEncoder();
    for (let i = 0; i < repeats; i++) this.#execution.encode(encoder);
    this.#execution.encode(encoder, this.#timer);
    this.#timer?.resolve(encoder);
    this.#gpu.submit(encoder);
    if (this.#timer) return (await this.#timer.readMs()) / 1000;
    await this.#gpu.idle("copying");
    return (performance.now() - begin) / 1000 / (repeats + 1);
  }

  destroy(): void {
    this.#execution.destroy();
    this.#timer?.destroy();
  }
}
