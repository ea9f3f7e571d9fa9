/// <reference types="@webgpu/types" />
/**
 * gpusort for any WebGPU device: nothing here needs Node, and nothing opens a device. Bring a `GPUDevice`: a `Sorter`
 * sorts typed arrays on it, and buffers within command encoders of your own. Below it are plans, for those who want to see
 * or change them.
 *
 * @example
 * const sorter = await createSorter(device);
 * const sorted = await sorter.sort(new Float32Array([3, 1, 2]));
 * const sort = await sorter.prepare({ type: "f32", capacity: 1_000_000, keys: yourBuffer });
 * sort.encode(yourEncoder); // once you submitted that, the keys are in sort.keys
 */
export { Execution, type Supplied, type SuppliedRange } from "./device/execute.js";
export { Gpu, type GpuOptions } from "./device/gpu.js";
export { KernelCache, shaderSource } from "./device/kernels.js";
export { runPlan } from "./device/run.js";
export { Staging, type TransferClock } from "./device/staging.js";
export { Timer } from "./device/timer.js";
export {
  type ElementType,
  elementType,
  elementTypeOfArray,
  elementTypes,
  type KeyArray,
  type KeyOrder,
  type TypeName,
} from "./elements.js";
export { DeviceError, GpusortError, InputError, KernelError, VerifyError } from "./errors.js";
export * from "./plan/grid.js";
export type { Binding, BufferRange, BufferSpec, Pass, Plan, Program } from "./plan/plan.js";
export { type DeviceTraits, defaultTraits } from "./plan/traits.js";
export { type Algorithm, algorithm, algorithms, capacity } from "./sort/algorithms.js";
export { type BitonicTuning, bitonicPlan, bitonicTuning } from "./sort/bitonic.js";
export {
  checkTotals,
  type Evidence,
  inspectPlan,
  readTotals,
  type Side,
  type Totals,
} from "./sort/inspect.js";
export type { Direction, KeyBits, Payload, SortOptions, SortPlan } from "./sort/key.js";
export { radixPlan } from "./sort/radix.js";
export {
  type LocalTuning,
  type RadixTuning,
  radixTuning,
  type SerialTuning,
  type SubgroupTuning,
  type WorkgroupTuning,
} from "./sort/radix_tuning.js";
export { trafficBytes } from "./sort/traffic.js";
export { transposePass } from "./sort/transpose.js";
export type { TypedArray } from "./sorter/arrays.js";
export type { BufferRegion } from "./sorter/buffers.js";
export { createSorter } from "./sorter/create.js";
export type { BufferRequirement, SortDescription, SortRequirements } from "./sorter/description.js";
export { PreparedSort } from "./sorter/prepared.js";
export { type KeyedValues, type SortBuffers, type SortCall, Sorter } from "./sorter/sorter.js";
