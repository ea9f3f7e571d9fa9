import { InputError } from "../errors.js";
import type { GPUAdapter, GPUFeatureName } from "../host_types.js";
import { shown } from "../names.js";
import { defaultLimits, type Limits } from "../plan/grid.js";

/** What to request of an adapter: a GPUDeviceDescriptor, to which you may add what else your app needs. */
export interface DeviceDescriptor {
  /** Those of "subgroups", "subgroup-size-control" and "timestamp-query" that the adapter has. */
  requiredFeatures: GPUFeatureName[];
  /** The adapter's values of the limits that gpusort depends on. */
  requiredLimits: Record<keyof Limits, number>;
}

/**
 * Kernels with subgroups, of a size that they choose, are the fastest; timestamps measure. They are strings, as
 * lib dom does not know all of these names.
 */
const usefulFeatures: readonly string[] = ["subgroups", "subgroup-size-control", "timestamp-query"];

/**
 * Tells what a device needs so that gpusort sorts fastest, and as many keys at once as the adapter allows: the
 * features that gpusort has a use for and the adapter has, and the adapter's limits. `adapter.requestDevice()`
 * without it gives a device without subgroups, and with the default limits, by which at most 128 MiB of keys
 * are in a binding. gpusort sorts on such a device too.
 *
 * @param adapter the adapter of which the device will be requested.
 * @returns a new descriptor, which the caller may change.
 * @throws InputError if there is no adapter, as where `requestAdapter()` gives null.
 *
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const device = await adapter.requestDevice(deviceDescriptor(adapter));
 */
export function deviceDescriptor(adapter: GPUAdapter): DeviceDescriptor {
  if (!adapter?.limits) {
    throw new InputError(`there is no adapter: it is ${shown(adapter)}`, {
      hint: 'where navigator.gpu.requestAdapter() gives null, sort by createSorter("cpu")',
    });
  }
  const limits = (Object.keys(defaultLimits) as (keyof Limits)[]).map((name) => [name, adapter.limits[name]]);
  return {
    requiredFeatures: usefulFeatures.filter((name) => adapter.features.has(name)) as GPUFeatureName[],
    requiredLimits: Object.fromEntries(limits) as DeviceDescriptor["requiredLimits"],
  };
}
