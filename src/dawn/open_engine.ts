import type { Engine } from "../core/engines/engine.js";
import type { DeviceError } from "../core/errors.js";
import { requireKnown } from "../core/names.js";
import { packageToInstall } from "../optional_packages.js";
import { cpuEngine } from "../threads/cpu_engine.js";
import type { OpenDevice, OpenedDevice } from "./adapter.js";

/** An engine and the device that it runs on. */
export interface OpenedEngine {
  /** What sorts. Close it in the end, which also destroys its device or ends its threads. */
  readonly engine: Engine;
  /** One line for the user if the engine is not the one that the selector asked for; otherwise undefined. */
  readonly notice: string | undefined;
  /**
   * Whether the engine runs on hardware with its own memory and processors, and not on this machine's CPU.
   */
  readonly hardware: boolean;
  /** The device that the engine runs on; undefined for the CPU engine. */
  readonly device: OpenedDevice | undefined;
}

/** The options of `openEngine`. */
export interface EngineOptions {
  /** Opens the device, instead of the function `openDevice`. */
  readonly openDevice?: OpenDevice | undefined;
  /** The most threads that the CPU engine uses. Default: as many as the process may use at a time. */
  readonly threads?: number | undefined;
}

/**
 * Opens an engine on a device, or on the CPU.
 *
 * @param selector as in `chooseAdapter`, such as "auto", "gpu", "uuid:GPU-8f3c" or a part of a name.
 * @returns the engine. For "cpu", and for "auto" if no adapter works, it is the CPU engine.
 * @throws DeviceError if no adapter matches the selector, or if the adapter does not open a device;
 *   InputError if the selector is no string, or if an option is wrong or unknown.
 */
export async function openEngine(selector: string, options: EngineOptions = {}): Promise<OpenedEngine> {
  requireKnown("openEngine", options, ["openDevice", "threads"]);
  const { openDevice, threads } = options;
  const onCpu = (notice?: string) => ({
    engine: cpuEngine(threads),
    notice,
    device: undefined,
    hardware: false,
  });
  if (selector === "cpu") return onCpu();
  const failures: DeviceError[] = [];
  const open = openDevice ?? (await import("./adapter.js")).openDevice;
  const opened = await open(selector, (failure) => failures.push(failure));
  if (!opened) return onCpu(onCpuBecause(failures));
  const { gpu, adapter } = opened;
  // A sort on the CPU loads nothing of this.
  const { GpuEngine } = await import("../core/engines/gpu.js");
  const { testedTraits } = await import("./tested_traits.js");
  const engine = new GpuEngine(gpu, `${adapter.name}, ${adapter.driver}`, await testedTraits(gpu, adapter));
  return { engine, notice: undefined, device: opened, hardware: !adapter.software };
}

/** An adapter that failed says more than that there is none. */
function onCpuBecause([failure]: readonly DeviceError[]): string {
  if (failure) return `${failure.message}, so this runs on the CPU`;
  return [
    "no GPU adapter was found, so this runs on the CPU",
    `to use an adapter, install a GPU driver or the npm package ${packageToInstall("@sparticuz/chromium")}`,
  ].join("; ");
}
