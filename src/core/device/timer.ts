import type { GPUCommandEncoder } from "../host_types.js";
import type { Gpu } from "./gpu.js";
import { BufferUsage, MapMode } from "./usage.js";

const BYTES = 16; // two 64-bit timestamps

/** Measures a compute pass on the GPU's own clock, with timestamp queries. */
export class Timer {
  readonly #gpu: Gpu;
  readonly #queries: GPUQuerySet;
  readonly #resolved: GPUBuffer;
  readonly #readback: GPUBuffer;

  private constructor(gpu: Gpu, queries: GPUQuerySet, resolved: GPUBuffer, readback: GPUBuffer) {
    this.#gpu = gpu;
    this.#queries = queries;
    this.#resolved = resolved;
    this.#readback = readback;
  }

  /**
   * Creates a timer.
   *
   * @param gpu the device of the passes to measure.
   * @returns the timer; undefined if the device has no timestamp queries.
   * @throws DeviceError if the device fails or runs out of memory.
   */
  static async create(gpu: Gpu): Promise<Timer | undefined> {
    if (!gpu.hasTimestamps) return undefined;
    return gpu.checked("creating a timer", () => {
      const { device } = gpu;
      return new Timer(
        gpu,
        device.createQuerySet({ type: "timestamp", count: 2 }),
        device.createBuffer({ size: BYTES, usage: BufferUsage.queryResolve | BufferUsage.copySource }),
        device.createBuffer({ size: BYTES, usage: BufferUsage.mapRead | BufferUsage.copyDestination }),
      );
    });
  }

  /** The descriptor to pass to `beginComputePass` for the pass to measure. */
  get passDescriptor(): NonNullable<Parameters<GPUCommandEncoder["beginComputePass"]>[0]> {
    return {
      timestampWrites: { querySet: this.#queries, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
    };
  }

  /**
   * Encodes the readback of the timestamps. To be called after the end of the measured pass, on the same
   * encoder.
   */
  resolve(encoder: GPUCommandEncoder): void {
    encoder.resolveQuerySet(this.#queries, 0, 2, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#readback, 0, BYTES);
  }

  /**
   * Waits for the submitted pass to finish.
   *
   * @returns milliseconds from the beginning of the pass to its end.
   * @throws DeviceError if the device fails.
   */
  async readMs(): Promise<number> {
    await this.#gpu.settle(this.#readback.mapAsync(MapMode.read), "reading the timestamps");
    const [begin = 0n, end = 0n] = new BigUint64Array(this.#readback.getMappedRange());
    this.#readback.unmap();
    return Number(end - begin) / 1e6;
  }

  /** Destroys the query set and the buffers of the timer. */
  destroy(): void {
    this.#queries.destroy();
    this.#resolved.destroy();
    this.#readback.destroy();
  }
}
