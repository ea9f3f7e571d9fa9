/** gpusort in Node: all of gpusort/core, and what opens adapters, sorts on them or on the CPU, and handles files. */
export * from "./core.js";
export {
  type AdapterSummary,
  chooseAdapter,
  listAdapters,
  type OpenedDevice,
  openDevice,
} from "./device/adapter.js";
export { CpuEngine } from "./engines/cpu.js";
export type { Engine, GpuClock, KeySink, KeySource, SortJob, SortReport } from "./engines/engine.js";
export {
  chunkItemsWithin,
  type ExternalOptions,
  type ExternalReport,
  type ItemStream,
  mergeExternally,
  type RunStore,
  sortExternally,
} from "./engines/external.js";
export { GpuEngine } from "./engines/gpu.js";
export type { ItemSorter, SortWish } from "./engines/item_sorter.js";
export { provenTraits } from "./engines/lockstep.js";
export { type OpenedEngine, openEngine } from "./engines/open.js";
export type { Phase, PhaseName } from "./engines/phases.js";
export { itemSorter } from "./engines/sorters.js";
export { type InputFile, openInput } from "./files/input.js";
export { createOutput, type OutputFile } from "./files/output.js";
export type * from "./formats/format.js";
export { detect, format, formatOfPath, formats } from "./formats/registry.js";
export { type Choice, type OpenedFastest, openFastest, type Task } from "./profile/open.js";
// In Node it also opens the device, and so takes the place of core's.
export { createSorter } from "./sorter/open.js";
