import { openDevice } from "../device/adapter.js";
import { CpuEngine } from "../engines/cpu.js";
import { createSorter as createSorterOn, sorterOn } from "./create.js";
import { Sorter } from "./sorter.js";

/**
 * A sorter on a device of the caller's, as in gpusort/core, or on one that it opens and owns.
 *
 * @param deviceOrSelector a GPUDevice; or auto, gpu, software, cpu, or a part of an adapter's name. "auto" takes the best
 *   adapter there is, and the CPU where there is none (`sorter.device` is then undefined). One device a process: a second
 *   sorter is better made of the first one's device.
 * @throws DeviceError if there is no such adapter; InputError if it is no device.
 */
export async function createSorter(deviceOrSelector: GPUDevice | string = "auto"): Promise<Sorter> {
  if (typeof deviceOrSelector !== "string") return createSorterOn(deviceOrSelector);
  const opened = await openDevice(deviceOrSelector);
  if (!opened) return new Sorter({ engine: new CpuEngine() });
  return sorterOn(opened.gpu, `${opened.adapter.name}, ${opened.adapter.driver}`);
}
