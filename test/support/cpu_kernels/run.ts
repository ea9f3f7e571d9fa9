import type { Plan } from "../../../src/core/plan/plan.js";
import type { Contracts as PrimitiveContracts } from "../../../src/core/primitives/kernels.js";
import type { Contracts as RowContracts } from "../../../src/core/rows/kernels.js";
import { type Contracts as CoreContracts, readParams } from "../../../src/core/shaders/kernels.js";
import type { Contracts as DemoContracts } from "../../../src/demo_kernels/kernels.js";
import {
  type CpuKernel,
  constant,
  type Dispatch,
  runOnCpu as runPlanOnCpu,
} from "../../../src/demos/cpu/cpu_kernel.js";
import { demoCpuKernels } from "../../../src/demos/cpu/kernels.js";
import { compactCount, compactMove, compactScan } from "./compact.js";
import { selectKeep, selectSegments, selectStarts } from "./first_keys.js";
import { gridBarrierProbe } from "./grid_barrier_probe.js";
import { inspect, inspectFirst, inspectSegments } from "./inspect.js";
import { msdAlignedScatter, msdLocal, msdPlan, msdScan, msdScatter, radixOneWorkgroup } from "./msd.js";
import { msdRemapCount, msdRemapPlan } from "./msd_remap.js";
import { msdSample } from "./msd_sample.js";
import { histogramClear, histogramCount, scanCompact, scanReduce, scanWrite } from "./primitives.js";
import {
  countingFill,
  radixClear,
  radixConvert,
  radixCount,
  radixFallback,
  radixIndices,
  radixLocal,
  radixPack,
  radixPlanOnDevice,
  radixScan,
  radixScatter,
  radixSerialCount,
  radixSerialScatter,
  segmentsSerialScan,
} from "./radix.js";
import {
  rowsCompare,
  rowsCount,
  rowsDistinct,
  rowsFind,
  rowsGather,
  rowsInspect,
  rowsLongest,
  rowsMeasure,
  rowsPlace,
  rowsPrefix,
  rowsQuotes,
  rowsTieCount,
  rowsTieGroups,
  rowsTieMove,
  rowsTieOrder,
  rowsWords,
} from "./rows.js";
import { segmentsLocal, segmentsPlan, segmentsSerialSort, segmentsSort } from "./segments.js";
import {
  selectAppend,
  selectChunks,
  selectClose,
  selectCount,
  selectMove,
  selectNext,
  selectRefine,
  selectSample,
  selectScan,
} from "./select.js";

/** The CPU version of wgsl/radix/subgroup_sizes.wgsl: the CPU has no subgroups, and none is too narrow. */
function subgroupSizes(dispatch: Dispatch): void {
  dispatch.bindings[1]!.fill(constant(dispatch, "SUBGROUP_SIZE"), 0, dispatch.grid[0]);
}

/** The CPU version of wgsl/radix/gather.wgsl. */
function gather({ bindings, params }: Dispatch): void {
  const [indices, values, gathered] = bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { words, indexCount, valueBegin, valueCount } = readParams("gather", params);
  for (let i = 0; i < indexCount; i++) {
    const value = indices[i]! - valueBegin;
    if (value < 0 || value >= valueCount) continue;
    for (let word = 0; word < words; word++) gathered[i * words + word] = values[value * words + word]!;
  }
}

/** The CPU version of wgsl/enumeration/enumeration.wgsl. */
function enumeration({ bindings }: Dispatch): void {
  const [keys, order] = bindings as [Uint32Array, Uint32Array];
  const count = keys[0]!;
  const [low, high] = [(i: number) => keys[2 * i + 2]!, (i: number) => keys[2 * i + 3]!];
  for (let own = 0; own < count; own++) {
    let place = 0;
    for (let i = 0; i < count; i++) {
      const difference = high(i) - high(own) || low(i) - low(own) || i - own;
      if (difference < 0) place++;
    }
    order[place] = own;
  }
}

type Kernel = keyof CoreContracts | keyof RowContracts | keyof PrimitiveContracts | keyof DemoContracts;

const cpuKernels: Record<Kernel, CpuKernel> = {
  ...demoCpuKernels,
  compact_count: compactCount,
  compact_move: compactMove,
  compact_register_move: compactMove,
  compact_scan: compactScan,
  counting_fill: countingFill,
  gather,
  enumeration,
  grid_barrier_probe: gridBarrierProbe,
  histogram_clear: histogramClear,
  histogram_count: histogramCount,
  inspect,
  inspect_first: inspectFirst,
  inspect_segments: inspectSegments,
  msd_aligned_scatter: msdAlignedScatter,
  msd_count: radixCount,
  msd_local: msdLocal,
  msd_plan: msdPlan,
  msd_sample: msdSample,
  msd_remap_count: msdRemapCount,
  msd_remap_plan: msdRemapPlan,
  msd_scan: msdScan,
  msd_scatter: msdScatter,
  radix_one_workgroup: radixOneWorkgroup,
  radix_clear: radixClear,
  radix_convert: radixConvert,
  radix_count: radixCount,
  radix_fallback: radixFallback,
  radix_indices: radixIndices,
  radix_local: radixLocal,
  radix_pack: radixPack,
  radix_scan: radixScan,
  radix_scatter: radixScatter,
  radix_serial_count: radixSerialCount,
  radix_serial_scan: radixScan,
  radix_serial_scatter: radixSerialScatter,
  radix_plan_on_device: radixPlanOnDevice,
  radix_workgroup_scatter: radixScatter,
  rows_compare: rowsCompare,
  rows_count: rowsCount,
  rows_distinct: rowsDistinct,
  rows_find: rowsFind,
  rows_gather: rowsGather,
  rows_inspect: rowsInspect,
  rows_longest: rowsLongest,
  rows_measure: rowsMeasure,
  rows_place: rowsPlace,
  rows_prefix: rowsPrefix,
  rows_quotes: rowsQuotes,
  rows_tie_count: rowsTieCount,
  rows_tie_groups: rowsTieGroups,
  rows_tie_move: rowsTieMove,
  rows_tie_order: rowsTieOrder,
  rows_words: rowsWords,
  scan_compact: scanCompact,
  scan_reduce: scanReduce,
  scan_write: scanWrite,
  segments_local: segmentsLocal,
  segments_plan: segmentsPlan,
  segments_serial_scan: segmentsSerialScan,
  segments_serial_sort: segmentsSerialSort,
  segments_sort: segmentsSort,
  select_append: selectAppend,
  select_chunks: selectChunks,
  select_close: selectClose,
  select_count: selectCount,
  select_keep: selectKeep,
  subgroup_sizes: subgroupSizes,
  select_move: selectMove,
  select_next: selectNext,
  select_refine: selectRefine,
  select_sample: selectSample,
  select_scan: selectScan,
  select_segments: selectSegments,
  select_starts: selectStarts,
};

/** Runs any plan on the CPU: see src/demos/cpu/cpu_kernel.ts. */
export const runOnCpu = (plan: Plan, inputs: Readonly<Record<string, Uint32Array>>) =>
  runPlanOnCpu(cpuKernels, plan, inputs);
