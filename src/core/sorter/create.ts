import type { GPUDevice } from "../host_types.js";
import { lazyModule } from "../lazy_module.js";
import { requireKnown } from "../names.js";
import { createGpuSorter } from "./create_on_gpu.js";
import { Sorter } from "./sorter.js";

/**
 * Creates a sorter on the caller's device. The caller keeps the device: `sorter.destroy()` does not destroy
 * it, and errors in the caller's own GPU work do not make the sorter fail.
 *
 * If gpusort has kernels for the subgroups of the device, this first sorts test keys with them, which takes
 * some milliseconds. The sorter uses only the kernels that pass this test.
 *
 * To sort faster and to sort more keys at once, request the device by `deviceDescriptor(adapter)`: with
 * subgroups and the limits of its adapter, instead of no features and the default limits.
 *
 * @param device the device to sort on; or "cpu" where there is none, which sorts typed arrays by a radix sort
 *   in WebAssembly. A lost device is not detected here: calls of the sorter then throw DeviceError.
 * @param options the number of threads.
 * @param options.threads the most threads that a sorter on the CPU uses, from 1 to 255. Default: as many as the
 *   browser has cores, and at most 16. They are Web Workers, which a cross-origin isolated page has. Elsewhere,
 *   and if they do not start, the sorter uses the calling thread.
 * @returns the sorter.
 * @throws InputError if `device` is neither a GPUDevice nor "cpu", or if an option is unknown or wrong.
 * @throws LoadError if a part of gpusort that this device needs does not load.
 *
 * @example
 * const adapter = await navigator.gpu?.requestAdapter();
 * const device = adapter && (await adapter.requestDevice(deviceDescriptor(adapter)));
 * const sorter = await createSorter(device ?? "cpu");
 */
export async function createSorter(
  device: GPUDevice | "cpu",
  options: { readonly threads?: number | undefined } = {},
): Promise<Sorter> {
  requireKnown("createSorter", options, ["threads"]);
  if (device === "cpu") {
    // Loaded now, so that a page that has a GPU need not load it.
    const { cpuEngineInPage } = await lazyModule(
      "the sort on the CPU",
      () => import("../engines/cpu_in_page.js"),
    );
    return new Sorter({ engine: cpuEngineInPage(options.threads) });
  }
  return createGpuSorter(device);
}
