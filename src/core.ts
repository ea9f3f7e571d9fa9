/// <reference types="@webgpu/types" />
/**
 * gpusort for any WebGPU device: nothing here needs Node, and nothing opens a device. Bring a `GPUDevice`, plan a
 * sort, prepare the plan on the device, and encode it into a command encoder of your own.
 *
 * @example
 * const gpu = new Gpu(device);
 * const plan = algorithm("auto").plan(keyCount, elementType("f32"), { descending: false }, gpu.traits);
 * const sort = await Execution.prepare(gpu, plan, { keys: yourBuffer }); // of plan.buffers.keys.bytes bytes
 * sort.encode(yourEncoder); // afterwards the keys are in sort.result
 */
export { Execution, type Supplied, type SuppliedRange } from "./device/execute.js";
export { Gpu } from "./device/gpu.js";
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
export { transposePass } from "./sort/transpose.js";
