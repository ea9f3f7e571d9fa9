import { createSorter as createSorterOn, sorterOn } from "../core/sorter/create.js";
import { Sorter } from "../core/sorter/sorter.js";
import { cpuEngine } from "../threads/cpu_engine.js";
import { openDevice } from "./adapter.js";

/**
 * Creates a sorter on the caller's device, as `createSorter` of gpusort/core does; or on a device that the
 * sorter opens and owns, so that `sorter.destroy()` destroys it.
 *
 * Open at most one device per process: create further sorters on the device of the first one
 * (`sorter.device`).
 *
 * @param deviceOrSelector a GPUDevice; or a selector: "auto", "gpu", "software", "cpu", or a part of an
 *   adapter's name. "auto" takes the best adapter, or the CPU if there is no adapter; `sorter.device` is
 *   undefined on the CPU.
 * @returns the sorter.
 * @throws DeviceError if no adapter matches the selector, or if the adapter does not open a device.
 * @throws InputError if the argument is neither a string nor a GPUDevice.
 */
export async function createSorter(deviceOrSelector: GPUDevice | string = "auto"): Promise<Sorter> {
  if (typeof deviceOrSelector !== "string") return createSorterOn(deviceOrSelector);
  const opened = await openDevice(deviceOrSelector);
  if (!opened) return new Sorter({ engine: cpuEngine() });
  return sorterOn(opened.gpu, `${opened.adapter.name}, ${opened.adapter.driver}`);
}
