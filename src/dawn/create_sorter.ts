import { DeviceError, InputError } from "../core/errors.js";
import type { GPUDevice } from "../core/host_types.js";
import { requireKnown, shown } from "../core/names.js";
import { createSorter as createSorterOn } from "../core/sorter/create.js";
import { sorterOn } from "../core/sorter/create_on_gpu.js";
import { Sorter } from "../core/sorter/sorter.js";
import { usableThreads } from "../threads/count.js";
import { cpuEngine } from "../threads/cpu_engine.js";
import { type FailureListener, type OpenedDevice, openDevice, openGpu } from "./adapter.js";
import { mayHaveGpu } from "./gpu_files.js";

/** The options of `createSorter` of gpusort. */
export interface CreateOptions {
  /**
   * The most threads that a sorter on the CPU uses, from 1 to 255. Default: as many as the process may use at
   * a time.
   */
  readonly threads?: number | undefined;
  /**
   * Is told why "auto" takes the CPU though this machine may have a GPU: Dawn does not load, or the GPU does
   * not open. Default: nobody is told; the sorter's name is then "CPU".
   */
  readonly onFailure?: FailureListener | undefined;
}

/**
 * Creates a sorter on the caller's device, as `createSorter` of gpusort/core does; or on a device that the
 * sorter opens and owns, so that `sorter.destroy()` destroys it; or on the CPU.
 *
 * Open at most one device per process: create further sorters on the device of the first one
 * (`sorter.device`).
 *
 * @param deviceOrSelector a GPUDevice; or a selector: "auto", "gpu", "software", "cpu", or another one as in
 *   `chooseAdapter`. "auto" takes a GPU, or the CPU if there is none: no software adapter sorts as fast.
 *   `sorter.device` is undefined on the CPU.
 * @param options the number of threads, and who is told that a GPU was not taken.
 * @returns the sorter.
 * @throws DeviceError if no adapter matches the selector, or if the adapter does not open a device.
 * @throws InputError if the first argument is neither a string nor a GPUDevice, or if an option is
 *   unknown or wrong.
 */
export async function createSorter(
  deviceOrSelector: GPUDevice | string = "auto",
  options: CreateOptions = {},
): Promise<Sorter> {
  requireKnown("createSorter", options, ["threads", "onFailure"]);
  const { threads, onFailure = () => {} } = options;
  if (typeof onFailure !== "function") {
    throw new InputError(`onFailure is ${shown(onFailure)}`, { hint: "pass a function" });
  }
  usableThreads(threads); // throws if it is wrong, whatever the device
  if (typeof deviceOrSelector !== "string") return createSorterOn(deviceOrSelector);
  const opened =
    deviceOrSelector === "auto" ? await openGpuOrNone(onFailure) : await openDevice(deviceOrSelector);
  if (!opened) return new Sorter({ engine: cpuEngine(threads) });
  return sorterOn(opened.gpu, `${opened.adapter.name}, ${opened.adapter.driver}`);
}

/** @returns undefined if this machine has no GPU, or none that opens. */
async function openGpuOrNone(onFailure: FailureListener): Promise<OpenedDevice | undefined> {
  if (!mayHaveGpu()) return undefined;
  try {
    return await openGpu();
  } catch (error) {
    const [problem] = (error as Error).message.split("\n");
    onFailure(error instanceof DeviceError ? error : new DeviceError(problem!, { cause: error }));
    return undefined;
  }
}
