import { Gpu } from "../device/gpu.js";
import { GpuEngine } from "../engines/gpu.js";
import { provenTraits } from "../engines/lockstep.js";
import { InputError } from "../errors.js";
import { nameOf } from "./arrays.js";
import { Sorter } from "./sorter.js";

/**
 * A sorter on a device of the caller's, which stays the caller's: `sorter.destroy()` leaves it alone, and so do errors of the
 * caller's own work. Tries out once, in some milliseconds, which kernels the device can be trusted with.
 *
 * It takes the device as it was requested: with the feature "subgroups", and the adapter's limits rather than the default
 * ones, the sort is faster and takes more keys.
 *
 * @throws InputError if it is no device; DeviceError if it is lost.
 */
export async function createSorter(device: GPUDevice): Promise<Sorter> {
  if (typeof device?.createComputePipelineAsync !== "function") {
    throw new InputError(`cannot sort on ${typeof device === "string" ? `"${device}"` : nameOf(device)}`, {
      hint: "pass a GPUDevice; in Node, createSorter of 'gpusort' also opens one",
    });
  }
  const gpu = new Gpu(device, { shared: true });
  return sorterOn(gpu, device.adapterInfo?.description || device.label || "the device");
}

/** @param name of the device, for people. */
export async function sorterOn(gpu: Gpu, name: string): Promise<Sorter> {
  const traits = await provenTraits(gpu);
  return new Sorter({ engine: new GpuEngine(gpu, name, traits), gpu, traits });
}
