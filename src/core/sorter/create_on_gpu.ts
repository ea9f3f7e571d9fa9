import { Gpu } from "../device/gpu.js";
import { InputError } from "../errors.js";
import type { GPUDevice } from "../host_types.js";
import { lazyModule } from "../lazy_module.js";
import { shown } from "../names.js";
import type { DeviceTraits } from "../plan/traits.js";
import { subgroupsFit } from "../sort/radix/radix_tuning.js";
import { GpuEngineLater } from "./gpu_engine_later.js";
import { Planner } from "./planner.js";
import { Sorter } from "./sorter.js";

/**
 * Creates a sorter on the caller's device, as the `createSorter` of `gpusort/core` does. The caller keeps the
 * device: `sorter.destroy()` does not destroy it, and errors in the caller's own GPU work do not make the
 * sorter fail. Nothing here loads what sorts on the CPU.
 *
 * If gpusort has kernels for the subgroups of the device, this first sorts test keys with them, which takes
 * some milliseconds. The sorter uses only the kernels that pass this test.
 *
 * @param device the device to sort on, requested by `deviceDescriptor(adapter)` to be fast. A lost device is
 *   not detected here: calls of the sorter then throw DeviceError.
 * @returns the sorter.
 * @throws InputError if `device` is not a GPUDevice.
 * @throws LoadError if a part of gpusort that this device needs does not load.
 */
export async function createGpuSorter(device: GPUDevice): Promise<Sorter> {
  if (typeof device?.createComputePipelineAsync !== "function") {
    throw new InputError(`cannot sort on ${shown(device)}`, {
      hint: 'pass a GPUDevice, or "cpu" to the createSorter of "gpusort/core"; that of "gpusort" opens one',
    });
  }
  const gpu = new Gpu(device, { shared: true });
  return sorterOn(gpu, device.adapterInfo?.description || device.label || "the device");
}

/** @param name the name of the device for messages and reports. */
export async function sorterOn(gpu: Gpu, name: string): Promise<Sorter> {
  const traits = subgroupsFit(gpu.traits) ? await testedTraits(gpu) : gpu.traits;
  const planner = await Planner.open(traits);
  return new Sorter({ engine: new GpuEngineLater(gpu, name, traits), gpu, planner });
}

/** The test is loaded only where there are subgroups to test. */
async function testedTraits(gpu: Gpu): Promise<DeviceTraits> {
  const { provenTraits } = await lazyModule("the test of subgroups", () => import("../engines/lockstep.js"));
  return provenTraits(gpu);
}
