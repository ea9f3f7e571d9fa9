/**
 * gpusort/core/gpu is gpusort/core for pages that always have a `GPUDevice`: its `createSorter` takes no "cpu",
 * so that a bundle holds nothing of what sorts on the CPU. gpusort/core/standalone has the same names in one
 * file, which only sorts: calls with `segments`, `top` or `unique` reject there with a LoadError.
 *
 * @module gpusort/core/gpu
 *
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const device = await adapter.requestDevice(deviceDescriptor(adapter));
 * const sorter = await createSorter(device);
 * const sorted = await sorter.sort(new Float32Array([3, 1, 2]));
 */
export type { Words32 } from "./bytes.js";
export { type DeviceDescriptor, deviceDescriptor } from "./device/descriptor.js";
export type { Supplied, SuppliedRange } from "./device/execute.js";
export type { Float16Keys, KeyArray, TypeName } from "./elements.js";
export {
  DeviceError,
  type ErrorDetails,
  GpusortError,
  InputError,
  KernelError,
  LoadError,
  type OptionName,
  VerifyError,
} from "./errors.js";
export type { KeyBits, Payload } from "./sort/key.js";
export type { TypedArray } from "./sorter/arrays.js";
export type { BufferRegion } from "./sorter/buffers.js";
export type { KeyedValues, LexsortCall, SortCall, UniqueCall, UniqueKeys } from "./sorter/calls.js";
export { createGpuSorter as createSorter } from "./sorter/create_on_gpu.js";
export type {
  BufferRequirement,
  SegmentsDescription,
  SortDescription,
  SortRequirements,
} from "./sorter/description.js";
export type { Ended, PreparedSort } from "./sorter/prepared.js";
export type { Sorter } from "./sorter/sorter.js";
export type { SortBuffers } from "./sorter/supplied_buffers.js";
