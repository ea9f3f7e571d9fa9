import { Execution } from "../core/device/execute.js";
import type { Gpu } from "../core/device/gpu.js";
import { Timer } from "../core/device/timer.js";
import { deviceCopyPlan } from "../core/plan/device_copy.js";

/** Larger than any cache, so that the copy measures the memory, and small enough for any adapter. */
const BYTES = { hardware: 1 << 28, software: 1 << 25 };

/**
 * Times a copy within the device's memory. Its speed is that of the memory at this moment, and so an upper
 * bound for the speed of a sort. Since its usual time is known, it also shows whether the device is awake and
 * as fast as before.
 */
export class CopyProbe {
  /** The number of bytes that one copy reads. It writes as many. */
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
   * @param mostBytes bytes to copy, a power of two; fewer are copied if no buffer can hold that many. The
   * default is larger than any cache.
   * @throws DeviceError if the device has not enough memory; KernelError if the copy kernel does not compile.
   */
  static async create(
    gpu: Gpu,
    mostBytes = gpu.traits.software ? BYTES.software : BYTES.hardware,
  ): Promise<CopyProbe> {
    const { traits } = gpu;
    const maxBytes = Math.min(traits.limits.maxStorageBufferBindingSize, traits.limits.maxBufferSize);
    const bytes = Math.min(mostBytes, 2 ** Math.floor(Math.log2(maxBytes)));
    const execution = await Execution.prepare(gpu, deviceCopyPlan(bytes, traits));
    return new CopyProbe(gpu, bytes, execution, await Timer.create(gpu));
  }

  /**
   * Copies `repeats` times and then once more, in one submission.
   *
   * @returns the seconds of the last copy by timestamp queries; without them, the mean of all copies by the
   * wall clock.
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
