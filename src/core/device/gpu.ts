import { DeviceError, GpusortError } from "../errors.js";
import type { GPUAdapterInfo, GPUBuffer, GPUCommandEncoder, GPUDevice } from "../host_types.js";
import type { Limits } from "../plan/grid.js";
import { type DeviceTraits, defaultTraits, plannedSubgroups } from "../plan/traits.js";
import { KernelCache } from "./kernels.js";

/** The options of a `Gpu`. */
export interface GpuOptions {
  /**
   * Whether the device belongs to the caller. The `Gpu` then ignores errors of the caller's own calls, and it
   * does not destroy the device. The default is false.
   */
  readonly shared?: boolean;
}

/**
 * A WebGPU device with its error handling. WebGPU reports errors late and not to the calls that caused them.
 * `Gpu` turns all of them into rejected promises, so that data of a failed device is never used as a result.
 * It also runs in browsers.
 */
export class Gpu {
  /** The device. Unless it is shared, an error of any call on it makes this `Gpu` fail. */
  readonly device: GPUDevice;
  /** The compiled kernels of the device. */
  readonly kernels: KernelCache;
  /**
   * What the device reports about itself. If it lets kernels choose the size of their subgroups, all kernels
   * choose one size, and `subgroupSize` is that.
   */
  readonly traits: DeviceTraits;
  /** Whether the device has timestamp queries. */
  readonly hasTimestamps: boolean;
  #failure: DeviceError | undefined;
  /** Rejects what `settle` waits for. */
  readonly #waiting = new Set<(failure: DeviceError) => void>();
  readonly #shared: boolean;
  #isKept = false;
  /** Settles when a shared device has reported on everything that was submitted. */
  #verdicts = Promise.resolve();

  /**
   * @param device the device, which is not used by anything else unless `shared` is true.
   * @param options whether the device is shared.
   */
  constructor(device: GPUDevice, { shared = false }: GpuOptions = {}) {
    this.device = device;
    this.#shared = shared;
    const subgroups = device.features.has("subgroups");
    const traits = { ...adapterTraits(device.limits, device.adapterInfo ?? {}), subgroups };
    const { size, varies } = plannedSubgroups(traits);
    const pinned = varies && device.features.has("subgroup-size-control") ? size : undefined;
    this.kernels = new KernelCache(device, pinned);
    this.traits = pinned ? { ...traits, subgroupSize: { min: pinned, max: pinned } } : traits;
    this.hasTimestamps = device.features.has("timestamp-query");
    if (!shared) {
      device.onuncapturederror = ({ error }) =>
        this.#fail(new DeviceError(`the device reported an error: ${firstLine(error)}`));
    }
    device.lost.then((info) => {
      if (shared || info.reason !== "destroyed") {
        const own = shared ? { hint: "create another device, and a sorter on it", options: [] } : {};
        this.#fail(new DeviceError(`the device was lost: ${firstLine(info)}`, own));
      }
    });
  }

  /**
   * Waits for a promise of the device, or until the device fails, whichever is first. Then the promise has a
   * second to end too: Dawn's binding to Node crashes if a buffer is destroyed while it is being mapped.
   *
   * @param promise what the device answers, such as that of `mapAsync`.
   * @param doing what the promise does, for messages, such as "reading the result".
   * @returns the value of the promise.
   * @throws DeviceError if the device has failed, or if the promise rejects. A GpusortError of the promise is
   *   rethrown unchanged.
   */
  async settle<T>(promise: Promise<T>, doing: string): Promise<T> {
    // Each call has its own, for a promise that lives as long as the device keeps the result of every race.
    let fail!: (failure: DeviceError) => void;
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    if (this.#failure) fail(this.#failure);
    this.#waiting.add(fail);
    let value: T;
    try {
      value = await Promise.race([promise, failed]);
      await Promise.race([this.#verdicts, failed]);
    } catch (cause) {
      await ended(promise);
      if (this.#failure) throw this.#failure;
      if (cause instanceof GpusortError) throw cause;
      throw new DeviceError(`${doing} failed: ${firstLine(cause)}`, { cause });
    } finally {
      this.#waiting.delete(fail);
    }
    if (this.#failure) throw this.#failure;
    return value;
  }

  #fail(failure: DeviceError): void {
    this.#failure ??= failure;
    for (const fail of this.#waiting) fail(this.#failure);
  }

  /**
   * Runs calls that create or encode, and waits until the device has validated them.
   *
   * @param doing what the calls do, for messages, such as "creating a timer".
   * @param calls makes them before it returns.
   * @returns the result of `calls`.
   * @throws DeviceError if the calls are invalid, if memory runs out, or if the device has failed.
   */
  async checked<T>(doing: string, calls: () => T): Promise<T> {
    const { value, thrown, errors } = this.#scoped(calls);
    const [outOfMemory, internal, validation] = await this.settle(errors, doing);
    if (outOfMemory) {
      throw new DeviceError(`${doing} failed: the device is out of memory`, {
        hint: "sort less at a time, free device memory, or sort on the CPU",
        options: ["memoryBytes", "device"],
        cause: outOfMemory,
        outOfMemory: true,
      });
    }
    const error = internal ?? validation ?? thrown;
    if (error) throw new DeviceError(`${doing} failed: ${firstLine(error)}`, { cause: error });
    return value as T;
  }

  /** Runs calls within error scopes, which catch the errors of these calls only. */
  #scoped<T>(calls: () => T) {
    const filters = ["validation", "internal", "out-of-memory"] as const;
    for (const filter of filters) this.device.pushErrorScope(filter);
    let value: T | undefined;
    let thrown: unknown;
    try {
      value = calls();
    } catch (error) {
      thrown = error;
    }
    return { value, thrown, errors: Promise.all(filters.map(() => this.device.popErrorScope())) };
  }

  /**
   * Makes a buffer.
   *
   * @param label the name of the buffer, also for messages.
   * @param size its length in bytes.
   * @param usage its GPUBufferUsage flags.
   * @param mapped whether it is mapped at creation.
   * @throws DeviceError if the device rejects it or runs out of memory.
   */
  buffer(label: string, size: number, usage: number, mapped = false): Promise<GPUBuffer> {
    return this.checked(`allocating ${size} bytes of device memory for ${label}`, () =>
      this.device.createBuffer({ label, size, usage, mappedAtCreation: mapped }),
    );
  }

  /** Submits the commands of an encoder. If the device rejects them, the next `settle` throws. */
  submit(encoder: GPUCommandEncoder): void {
    const submit = () => this.device.queue.submit([encoder.finish()]);
    if (!this.#shared) {
      submit();
      return;
    }
    const { thrown, errors } = this.#scoped(submit);
    const verdict = errors.then(
      (all) => {
        const error = thrown ?? all.find((one) => one !== null);
        if (error) {
          const message = `the device rejected the submitted commands: ${firstLine(error)}`;
          this.#fail(new DeviceError(message, { cause: error }));
        }
      },
      () => {}, // the device was lost, which `device.lost` reports
    );
    this.#verdicts = this.#verdicts.then(() => verdict);
  }

  /**
   * Waits until the device has finished all submitted work.
   *
   * @param doing what the work is, for messages.
   * @throws DeviceError if the device fails.
   */
  async idle(doing: string): Promise<void> {
    await this.settle(this.device.queue.onSubmittedWorkDone(), doing);
  }

  /**
   * Lets `destroy` leave the device and its kernels as they are. For a process that ends soon: the system then
   * frees the device in less time than `destroy` takes.
   */
  keepUntilExit(): void {
    this.#isKept = true;
  }

  /** Destroys the device, unless it is shared or kept. */
  destroy(): void {
    if (this.#isKept) return;
    this.kernels.clear(); // the device, which reports its loss to this object, keeps it as long as it lives
    if (!this.#shared) this.device.destroy();
  }
}

/**
 * Derives traits from an adapter's limits and info. It does not know the features, so `subgroups` is false.
 */
export function adapterTraits(limits: Limits, info: Partial<GPUAdapterInfo>): DeviceTraits {
  const { min, max } = defaultTraits.subgroupSize;
  return {
    ...defaultTraits,
    limits,
    subgroupSize: { min: info.subgroupMinSize || min, max: info.subgroupMaxSize || max },
    software: info.isFallbackAdapter ?? false,
  };
}

/** How long a device that has failed gets to answer, in milliseconds. */
const LAST_ANSWER_MS = 1000;

async function ended(promise: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, LAST_ANSWER_MS);
  });
  await Promise.race([promise.catch(() => {}), limit]);
  clearTimeout(timer);
}

function firstLine(error: unknown): string {
  const { message } = error as { message?: string };
  return (message || String(error)).split("\n")[0]!;
}
