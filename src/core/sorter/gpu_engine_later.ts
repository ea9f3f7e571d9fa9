import type { Gpu } from "../device/gpu.js";
import type { Engine, SortJob } from "../engines/engine.js";
import type { GpuEngine } from "../engines/gpu.js";
import { InputError } from "../errors.js";
import { lazyModule } from "../lazy_module.js";
import type { DeviceTraits } from "../plan/traits.js";
import { MOST_ENUMERATED } from "../sort/limits.js";

/** What a sorter needs of an engine, to sort arrays. */
export type ArrayEngine = Pick<
  Engine,
  "device" | "sort" | "argsort" | "sortSync" | "orderInMemory" | "close"
>;

/** A GPU engine whose code is loaded by its first sort, because a page that only prepares sorts needs none. */
export class GpuEngineLater implements ArrayEngine {
  readonly device: string;
  readonly #gpu: Gpu;
  readonly #traits: DeviceTraits;
  #engine: GpuEngine | undefined;
  #isClosed = false;

  /** @param device the name of the device for messages and reports. */
  constructor(gpu: Gpu, device: string, traits: DeviceTraits) {
    this.#gpu = gpu;
    this.#traits = traits;
    this.device = device;
  }

  async sort(...call: Parameters<Engine["sort"]>): ReturnType<Engine["sort"]> {
    return (await this.#loaded()).sort(...call);
  }

  async argsort(...call: Parameters<Engine["argsort"]>): ReturnType<Engine["argsort"]> {
    return (await this.#loaded()).argsort(...call);
  }

  orderInMemory(job: SortJob, keys: Uint8Array): Promise<Uint32Array> | undefined {
    if (job.keyCount > MOST_ENUMERATED) return undefined;
    return this.#orderInMemory(job, keys.slice()); // the caller may change its keys while the code is loaded
  }

  async #orderInMemory(job: SortJob, keys: Uint8Array): Promise<Uint32Array> {
    return (await this.#loaded()).orderInMemory(job, keys)!;
  }

  async #loaded(): Promise<GpuEngine> {
    const { GpuEngine } = await lazyModule("the sort of arrays", () => import("../engines/gpu.js"));
    if (this.#isClosed) throw new InputError("the sorter was destroyed", { hint: "create a new sorter" });
    this.#engine ??= new GpuEngine(this.#gpu, this.device, this.#traits);
    return this.#engine;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#engine) this.#engine.close();
    else this.#gpu.destroy();
  }
}
