import type { Gpu } from "../device/gpu.js";
import { Staging, stagingBytes } from "../device/staging.js";
import { DeviceError } from "../errors.js";
import type { DeviceTraits } from "../plan/traits.js";
import { library as primitives } from "../primitives/kernels.js";
import { library } from "../rows/kernels.js";
import { moveRowsPlan } from "../rows/move.js";
import { MAX_DEVICE_TEXT_BYTES } from "../rows/shape.js";
import { fits } from "../sort/limits.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import { TooMuchMemory } from "./device_steps.js";
import { type DeviceRows, type DeviceRowsResult, RowFallback } from "./row_job.js";
import { GUESSED_ROW } from "./row_plans.js";
import { RowRun } from "./row_run.js";

/**
 * Sorts rows of text on a GPU. The text is uploaded while it is read. The device finds the rows, reads a word
 * of 64 bits from each key, and sorts the words with the numbers of their rows. Rows whose words are equal
 * are sorted by further words, as often as needed. It moves the rows to their places and checks them there,
 * and the text is read back while it is written.
 *
 * Before it writes anything, it leaves to the CPU what it cannot do or what would take long: quotes where no
 * field begins, very long rows, and keys with very many equal words; and rows that are in error, as it cannot
 * name them.
 */
export class GpuRows {
  /** The name of the device, for messages and reports. */
  readonly device: string;
  readonly #gpu: Gpu;
  readonly #traits: DeviceTraits;
  readonly #staging: Staging;

  constructor(gpu: Gpu, device: string, traits = gpu.traits) {
    gpu.kernels.add(library);
    gpu.kernels.add(primitives); // of a compaction
    this.#gpu = gpu;
    this.#traits = traits;
    this.#staging = new Staging(gpu);
    this.device = device;
  }

  /** Whether the device can hold a text of `bytes` bytes in buffers that it can bind. */
  holds(bytes: number): boolean {
    if (bytes > MAX_DEVICE_TEXT_BYTES) return false;
    return fits(moveRowsPlan(bytes, Math.ceil(bytes / GUESSED_ROW), this.#traits), this.#traits);
  }

  /**
   * The least device memory that a text of `bytes` bytes takes: twice the text, and the windows through which
   * it is moved. How much a sort takes besides depends on its rows; `DeviceRows.memoryBytes` bounds it.
   */
  leastMemory(bytes: number): number {
    return 2 * bytes + stagingBytes(bytes);
  }

  /**
   * Sorts the rows of a source, or says why the CPU is to sort them.
   *
   * @param source is read once, in any order.
   * @param sink gets the rows in order, and is ended.
   * @throws DeviceError if the device fails; VerifyError if the result is wrong; the errors of the source and
   *   the sink.
   */
  async sort(job: DeviceRows, source: ItemSource, sink: ItemSink): Promise<DeviceRowsResult> {
    const run = new RowRun(this.#gpu, this.device, this.#traits, this.#staging, job);
    try {
      return await run.sort(source, sink);
    } catch (error) {
      if (error instanceof RowFallback) return { fallback: error.message };
      this.#staging.destroy(); // its windows may be in any state
      if (error instanceof TooMuchMemory) return { fallback: "a device takes more memory for them" };
      const isFull = error instanceof DeviceError && error.outOfMemory && !run.writes;
      if (isFull) return { fallback: "the device has too little memory for them" };
      throw error;
    } finally {
      run.destroy();
    }
  }

  close(): void {
    this.#staging.destroy();
    this.#gpu.destroy();
  }
}
