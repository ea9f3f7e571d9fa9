/**
 * gpusort for Node: all of gpusort/core, and functions that open adapters with Dawn, sort files, and fall
 * back to the CPU.
 *
 * @module gpusort
 */

export type { Estimate } from "./auto/estimate.js";
export type { DeviceChoice } from "./auto/open.js";
export type { Bytes } from "./core/bytes.js";
export type { Engine, GpuClock, SortJob, SortReport, ValueStreams } from "./core/engines/engine.js";
export * from "./core/index.js";
export type { ByteOrder } from "./core/items/item.js";
export type { ItemSink, ItemSource } from "./core/streams/item_stream.js";
export type { Interval, Phase, PhaseName } from "./core/streams/phase_clock.js";
export type { ProgressListener, ProgressState } from "./core/streams/progress.js";
export {
  type FailureListener,
  listAdapters,
  type OpenDevice,
  type OpenedDevice,
  openDevice,
} from "./dawn/adapter.js";
export type { AdapterSummary } from "./dawn/choose_adapter.js";
export { chooseAdapter } from "./dawn/choose_adapter.js";
// Replaces the createSorter of core: this one can also open the device.
export { type CreateOptions, createSorter } from "./dawn/create_sorter.js";
export type { GpuIdentity } from "./dawn/host_gpus.js";
export { type EngineOptions, type OpenedEngine, openEngine } from "./dawn/open_engine.js";
export type { ShaderCache } from "./dawn/shader_cache.js";
export type { InputFile } from "./files/input_file.js";
export type { OutputFile } from "./files/output_file.js";
export type { RecordKeyOption } from "./formats/format.js";
export type { SortColumn } from "./formats/sort_column.js";
export type { Kind } from "./kinds/names.js";
export type {
  IgnoredBytes,
  InvalidPlace,
  KeyBegin,
  KeyEnd,
  NumberForm,
  RowComparison,
  RowKey,
  RowOrder,
} from "./rows/order/row_order.js";
export type { SortInput } from "./sort/inputs.js";
export type { SortOutput } from "./sort/outputs.js";
export type { Misfits } from "./sort/rows/misfits.js";
export { type SortSummary, sortFile } from "./sort/sort_file.js";
export type { SortDecision, SortFileOptions } from "./sort/sort_options.js";
export type { ItemStrategy, OutputSelection, RowStrategy, Strategy, TableStrategy } from "./sort/strategy.js";
