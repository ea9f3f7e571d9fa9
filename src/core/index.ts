/**
 * gpusort/core sorts on any WebGPU device. It does not depend on Node, and it does not open devices: the
 * caller passes a `GPUDevice`. A `Sorter` on that device sorts typed arrays, and it sorts keys in GPU buffers
 * within the caller's command encoders. The plans that a sorter runs are exported too, for callers who want
 * to inspect or change them.
 *
 * @module gpusort/core
 *
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const device = await adapter.requestDevice(deviceDescriptor(adapter));
 * const sorter = await createSorter(device);
 * const sorted = await sorter.sort(new Float32Array([3, 1, 2]));
 * const sort = await sorter.prepare({ type: "f32", capacity: 1_000_000, keys: yourBuffer });
 * sort.encode(yourEncoder); // once you have submitted its commands, the sorted keys are in sort.keys
 */
export type { Words32 } from "./bytes.js";
export { type DeviceDescriptor, deviceDescriptor } from "./device/descriptor.js";
export { Execution, type Supplied, type SuppliedRange } from "./device/execute.js";
export { Gpu, type GpuOptions } from "./device/gpu.js";
export { KernelCache } from "./device/kernels.js";
export { runPlan } from "./device/run.js";
export { Staging, type TransferClock } from "./device/staging.js";
export { Timer } from "./device/timer.js";
export {
  type BigArray,
  type ElementType,
  elementType,
  elementTypeOfArray,
  elementTypes,
  type Float16Keys,
  type KeyArray,
  type KeyArrayConstructor,
  type KeyOrder,
  type NumberArray,
  type TypeName,
} from "./elements.js";
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
export {
  defaultLimits,
  floorPowerOfTwo,
  type Grid,
  gridToCover,
  idleInvocations,
  indexBits,
  type Limits,
  linearGrid,
  supportsWorkgroup,
  workgroupSize1d,
  workgroupSize2d,
} from "./plan/grid.js";
export type {
  Binding,
  BufferRange,
  BufferSpec,
  GridPlace,
  Pass,
  Plan,
  SamplerSpec,
  TextureSpec,
  Words,
} from "./plan/plan.js";
export { type DeviceTraits, defaultTraits } from "./plan/traits.js";
export { shaderSource } from "./shaders/linked.js";
export type { BindingKind, Program, TextureFormat } from "./shaders/program.js";
export { type Algorithm, algorithm, algorithms } from "./sort/algorithms.js";
export { type BitonicTuning, bitonicPlan, bitonicTuning } from "./sort/bitonic.js";
export { checkTotals, type Evidence, type Totals } from "./sort/evidence.js";
export { type InspectOptions, inspectPlan, readTotals, type Side } from "./sort/inspect.js";
export type { Bound, Direction, KeyBits, Payload, SortOptions, SortPlan } from "./sort/key.js";
export type {
  FallbackTuning,
  LevelTuning,
  MsdTuning,
  RemapTuning,
  SegmentTuning,
} from "./sort/msd/msd_tuning.js";
export type { OneWorkgroupTuning } from "./sort/radix/one_workgroup_tuning.js";
export { radixPlan, radixTuning } from "./sort/radix/radix.js";
export type {
  LocalTuning,
  RadixTuning,
  SerialTuning,
  SubgroupTuning,
  TunedOptions,
  WorkgroupTuning,
} from "./sort/radix/radix_tuning.js";
export { trafficBytes } from "./sort/traffic.js";
export {
  type BlockTuning,
  type KeyMatrix,
  type TileTuning,
  type TransposeTuning,
  transposePass,
} from "./sort/transpose.js";
export { compact, exclusiveScan, histogram, type ScannedArray } from "./sorter/array_scans.js";
export type { TypedArray } from "./sorter/arrays.js";
export type { BufferRegion } from "./sorter/buffers.js";
export type { KeyedValues, LexsortCall, SortCall, UniqueCall, UniqueKeys } from "./sorter/calls.js";
export {
  type CompactionDescription,
  PreparedCompaction,
  prepareCompaction,
} from "./sorter/compaction.js";
export { createSorter } from "./sorter/create.js";
export type {
  BufferRequirement,
  SegmentsDescription,
  SortDescription,
  SortRequirements,
} from "./sorter/description.js";
export { type HistogramDescription, PreparedHistogram, prepareHistogram } from "./sorter/histogram.js";
export type { ElementCount } from "./sorter/prepare_work.js";
export type { Ended } from "./sorter/prepared.js";
export { PreparedSort, PreparedWork } from "./sorter/prepared.js";
export { PreparedScan, prepareScan, type ScanDescription } from "./sorter/scan.js";
export { Sorter } from "./sorter/sorter.js";
export type { SortBuffers } from "./sorter/supplied_buffers.js";
