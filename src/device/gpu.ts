import { DeviceError, GpusortError } from "../errors.js";
import type { Limits } from "../plan/grid.js";
import { type DeviceTraits, defaultTraits } from "../plan/traits.js";
import { KernelCache } from "./kernels.js";

export interface GpuOptions {
  /** Whether the device is somebody else's, whose errors are not ours, and who will destroy it. */
  readonly shared?: boolean;
}

/**
 * A WebGPU device together with everything that may go wrong with it. WebGPU reports errors late and aside
 * from the calls that caused them; here they all come back as a rejected promise, so that nothing computed
 * by a device that failed is ever taken for a result. Browser-safe.
 */
export class Gpu {
  readonly device: GPUDevice;
  readonly kernels: KernelCache;
  readonly traits: DeviceTraits;
  readonly hasTimestamps: boolean;
  #failure: DeviceError | undefined;
  readonly #failed: Promise<never>;
  readonly #fail: (failure: DeviceError) => void;
  readonly #shared: boolean;
  /** What became of all that was submitted to a shared device. */
  #verdicts: Promise<unknown> = Promise.resolve();

  constructor(device: GPUDevice, { shared = false }: GpuOptions = {}) {
    this.device = device;
    this.#shared = shared;
    this.kernels = new KernelCache(device);
    this.traits = traitsOf(device);
    this.hasTimestamps = device.features.has("timestamp-query");
    let reject!: (failure: DeviceError) => void;
    this.#failed = new Promise((_, rejectFailed) => {
      reject = rejectFailed;
    });
    this.#failed.catch(() => {}); // whoever waits in `settle` hears of it; nobody waiting is no crash
    this.#fail = (failure) => {
      this.#failure ??= failure;
      reject(this.#failure);
    };
    if (!shared) {
      device.onuncapturederror = ({ error }) =>
        this.#fail(new DeviceError(`the device reported an error: ${firstLine(error)}`));
    }
    device.lost.then((info) => {
      if (shared || info.reason !== "destroyed") {
        this.#fail(new DeviceError(`the device was lost: ${firstLine(info)}`));
      }
    });
  }

  /** Waits for a promise of the device's, or for the device to fail, whichever is first. @throws DeviceError */
  async settle<T>(promise: Promise<T>, doing: string): Promise<T> {
    let value: T;
    try {
      value = await Promise.race([promise, this.#failed]);
      await Promise.race([this.#verdicts, this.#failed]);
    } catch (cause) {
      if (this.#failure) throw this.#failure;
      if (cause instanceof GpusortError) throw cause;
      throw new DeviceError(`${doing} failed: ${firstLine(cause)}`, { cause });
    }
    if (this.#failure) throw this.#failure;
    return value;
  }

  /**
   * Runs calls that create or encode, and waits for the device's verdict on them.
   * @throws DeviceError where they were invalid or memory ran out.
   */
  async checked<T>(doing: string, calls: () => T): Promise<T> {
    const { value, thrown, errors } = this.#scoped(calls);
    const [outOfMemory, internal, validation] = await this.settle(errors, doing);
    if (outOfMemory) {
      throw new DeviceError(`${doing} failed: the device is out of memory`, {
        hint: "sort less at a time, as with --memory, free device memory, or use --device cpu",
        cause: outOfMemory,
        outOfMemory: true,
      });
    }
    const error = internal ?? validation ?? thrown;
    if (error) throw new DeviceError(`${doing} failed: ${firstLine(error)}`, { cause: error });
    return value as T;
  }

  /** Runs calls within error scopes of their own. */
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

  buffer(label: string, size: number, usage: number, mapped = false): Promise<GPUBuffer> {
    return this.checked(`allocating ${size} bytes of device memory for ${label}`, () =>
      this.device.createBuffer({ label, size, usage, mappedAtCreation: mapped }),
    );
  }

  /** What the device says against it, the next thing waited for throws. */
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
        if (error)
          this.#fail(new DeviceError(`the device refused work: ${firstLine(error)}`, { cause: error }));
      },
      () => {}, // the device was lost, which is heard of elsewhere
    );
    this.#verdicts = Promise.all([this.#verdicts, verdict]);
  }

  /** All submitted work is done. */
  async idle(doing: string): Promise<void> {
    await this.settle(this.device.queue.onSubmittedWorkDone(), doing);
  }

  /** Destroys the device, unless it is somebody else's. */
  destroy(): void {
    if (!this.#shared) this.device.destroy();
  }
}

/** From what a device says of itself. */
function traitsOf({ limits, features, adapterInfo }: GPUDevice): DeviceTraits {
  return { ...adapterTraits(limits, adapterInfo ?? {}), subgroups: features.has("subgroups") };
}

/** From what an adapter says of itself: of a device that has all its features. */
export function adapterTraits(limits: Limits, info: Partial<GPUAdapterInfo>): DeviceTraits {
  const { min, max } = defaultTraits.subgroupSize;
  return {
    ...defaultTraits,
    limits,
    subgroupSize: { min: info.subgroupMinSize || min, max: info.subgroupMaxSize || max },
    software: info.isFallbackAdapter ?? false,
  };
}

function firstLine(error: unknown): string {
  const { message } = error as { message?: string };
  return (message || String(error)).split("\n")[0]!;
}
