import { DeviceError } from "../core/errors.js";
import { createSorter as createSorterOn, sorterOn } from "../core/sorter/create.js";
import { Sorter } from "../core/sorter/sorter.js";
import { usableThreads } from "../threads/count.js";
import { cpuEngine } from "../threads/cpu_engine.js";
import { type OpenedDevice, openDevice } from "./adapter.js";
import { mayHaveGpu } from "./gpu_files.js";

/**
 * Creates a sorter on the caller's device, as `createSorter` of gpusort/core does; or on a device that the
 * sorter opens and owns, so that `sorter.destroy()` destroys it; or on the CPU.
 *
 * Open at most one device per process: create further sorters on the device of the first one
 * (`sorter.device`).
 *
 * @param deviceOrSelector a GPUDevice; or a selector: "auto", "gpu", "software", "cpu", or a part of an
 *   adapter's name. "auto" takes a GPU, or the CPU if there is none: no software adapter sorts as fast.
 *   `sorter.device` is undefined on the CPU.
 * @param options `threads` is the most threads that a sorter on the CPU uses, from 1 to 255. Default: as many
 *   as the process may use at a time.
 * @returns the sorter.
 * @throws DeviceError if no adapter matches the selector, or if the adapter does not open a device.
 * @throws InputError if the first argument is neither a string nor a GPUDevice, or if the number of threads is
 *   wrong.
 */
export async function createSorter(
  deviceOrSelector: GPUDevice | string = "auto",
  { threads }: { readonly threads?: number | undefined } = {},
): Promise<Sorter> {
  usableThreads(threads); // throws if it is wrong, whatever the device
  if (typeof deviceOrSelector !== "string") return createSorterOn(deviceOrSelector);
  const opened = deviceOrSelector === "auto" ? await openGpu() : await openDevice(deviceOrSelector);
  if (!opened) return new Sorter({ engine: cpuEngine(threads) });
  return sorterOn(opened.gpu, `${opened.adapter.name}, ${opened.adapter.driver}`);
}

/** @returns undefined if this machine has no GPU, or none that opens. */
async function openGpu(): Promise<OpenedDevice | undefined> {
  if (!mayHaveGpu()) return undefined;
  try {
    return await openDevice("gpu");
  } catch (error) {
    if (error instanceof DeviceError) return undefined;
    throw error;
  }
}
