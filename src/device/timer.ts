import type { Gpu } from "./gpu.js";
import { BufferUsage, MapMode } from "./usage.js";

const BYTES = 16; // two 64-bit timestamps

/** Times compute passes on the GPU's own clock, by timestamp queries. */
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

  /** @returns undefined where the device has no timestamp queries. */
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

  /** For `beginComputePass`. */
  get passDescriptor(): GPUComputePassDescriptor {
    return {
      timestampWrites: { querySet: this.#queries, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
    };
  }

  /** To be encoded after the timed pass, in the same encoder. */
  resolve(encoder: GPUCommandEncoder): void {
    encoder.resolveQuerySet(this.#queries, 0, 2, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#readback, 0, BYTES);
  }

  /** Milliseconds from the pass's beginning to its end, once its work is done. */
  async readMs(): Promise<number> {
    await this.#gpu.settle(this.#readback.mapAsync(MapMode.read), "reading the timestamps");
    const [begin = 0n, end = 0n] = new BigUint64Array(this.#readback.getMappedRange());
    this.#readback.unmap();
    return Number(end - begin) / 1e6;
  }

  destroy(): void {
    this.#queries.destroy();
    this.#resolved.destroy();
    this.#readback.destroy();
  }
}
