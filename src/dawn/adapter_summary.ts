import type { DeviceTraits } from "../core/plan/traits.js";
import type { GpuIdentity } from "./host_gpus.js";

/**
 * What is known about an adapter before it is opened. It has an identity if it is known which of this machine's
 * GPUs it is; on Linux only.
 */
export interface AdapterSummary
  extends Omit<DeviceTraits, "lockstep" | "parallelProgress">,
    Partial<GpuIdentity> {
  /** Its number in the list of `listAdapters`, by which a selector can choose it. */
  readonly number?: number | undefined;
  /** The adapter's name in Dawn. A selector can choose an adapter by its name. */
  readonly name: string;
  /** The graphics API behind the adapter, by Dawn's name for it; empty if it is not known. */
  readonly backend: string;
  /** The maker, as WebGPU names it: "nvidia", say; empty if it is not known. */
  readonly vendor: string;
  /** The kind of processor, as WebGPU names it: "hopper", say; empty if it is not known. */
  readonly architecture: string;
  /** The driver's description of itself. */
  readonly driver: string;
  /** "system" for a driver of the system, "embedded" for the driver of an npm package. */
  readonly origin: "system" | "embedded";
  /** The names of its WebGPU features, sorted. */
  readonly features: readonly string[];
}
