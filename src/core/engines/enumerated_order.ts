import type { Words32 } from "../bytes.js";
import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { BufferUsage, MapMode } from "../device/usage.js";
import type { DeviceTraits } from "../plan/traits.js";
import { checkOrder, ENUMERATED_BYTES, enumerationPlan } from "../sort/enumeration.js";

/**
 * Finds the order of at most MOST_ENUMERATED keys on a device, by an enumeration sort: one kernel for all types
 * and directions, one small set of buffers, one submission. The result is checked on the CPU, which has the
 * keys.
 */
export class EnumeratedOrder {
  readonly #gpu: Gpu;
  readonly #traits: DeviceTraits;
  #prepared: Promise<Prepared> | undefined;

  constructor(gpu: Gpu, traits: DeviceTraits) {
    this.#gpu = gpu;
    this.#traits = traits;
  }

  /**
   * @param pairs the keys, as `comparedWords` returns them.
   * @param device its name, for messages.
   * @returns the indices of the keys in their order.
   * @throws DeviceError if the device fails; KernelError; VerifyError if the result is wrong.
   */
  async order(pairs: Words32, device: string): Promise<Uint32Array> {
    this.#prepared ??= this.#prepare();
    const { sort, readback } = await this.#prepared;
    this.#gpu.device.queue.writeBuffer(sort.buffers.keys!, 0, pairs);
    const encoder = this.#gpu.device.createCommandEncoder();
    // A device that computes nothing must not return the order of the last keys.
    encoder.clearBuffer(sort.result);
    sort.encode(encoder);
    const bytes = Math.max(4, 4 * pairs[0]!);
    encoder.copyBufferToBuffer(sort.result, 0, readback, 0, bytes);
    this.#gpu.submit(encoder);
    await this.#gpu.settle(readback.mapAsync(MapMode.read, 0, bytes), "reading the result");
    const order = new Uint32Array(readback.getMappedRange(0, bytes)).slice(0, pairs[0]!);
    readback.unmap();
    checkOrder(pairs, order, device);
    return order;
  }

  async #prepare(): Promise<Prepared> {
    const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
    const sort = await Execution.prepare(this.#gpu, enumerationPlan(this.#traits));
    try {
      return { sort, readback: await this.#gpu.buffer("readback of an order", ENUMERATED_BYTES, usage) };
    } catch (error) {
      sort.destroy();
      throw error;
    }
  }

  /** Frees the buffers. The next call makes them again. */
  destroy(): void {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    prepared?.then(
      ({ sort, readback }) => {
        sort.destroy();
        readback.destroy();
      },
      () => {}, // nothing was made
    );
  }
}

interface Prepared {
  readonly sort: Execution;
  readonly readback: GPUBuffer;
}
