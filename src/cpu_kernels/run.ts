import { type Binding, gridPlace, type Pass, type Plan, rangeOf, textureWords } from "../core/plan/plan.js";
import type { Contracts as PrimitiveContracts } from "../core/primitives/kernels.js";
import type { Contracts as RowContracts } from "../core/rows/kernels.js";
import type { Contracts as CoreContracts } from "../core/shaders/kernels.js";
import type { Contracts as DemoContracts } from "../demo_kernels/kernels.js";
import { bitonicLocal } from "./bitonic_local.js";
import { blur } from "./blur.js";
import { compactCount, compactMove, compactScan } from "./compact.js";
import type { CpuKernel } from "./cpu_kernel.js";
import { deviceCopy } from "./device_copy.js";
import { enumeration } from "./enumeration.js";
import { fillWhite } from "./fill_white.js";
import { selectKeep, selectSegments, selectStarts } from "./first_keys.js";
import { gather } from "./gather.js";
import { gridBarrierProbe } from "./grid_barrier_probe.js";
import { inspect, inspectFirst, inspectSegments } from "./inspect.js";
import { msdAlignedScatter, msdLocal, msdPlan, msdScan, msdScatter, radixOneWorkgroup } from "./msd.js";
import { msdRemapCount, msdRemapPlan } from "./msd_remap.js";
import { msdSample } from "./msd_sample.js";
import { neighbours } from "./neighbours.js";
import { occupancy } from "./occupancy.js";
import { particlesEmit, particlesGrid, particlesStep } from "./particles.js";
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
import { subgroupSizes } from "./subgroup_sizes.js";
import { textureAdd } from "./texture_add.js";
import { threadIds } from "./thread_ids.js";
import { transpose, transposeBlocks, transposeNaive } from "./transpose.js";
import { vecadd } from "./vecadd.js";
import { wavesDisturb, wavesEnergy, wavesFrame, wavesIndexed, wavesSampled } from "./waves.js";

type Kernel = keyof CoreContracts | keyof RowContracts | keyof PrimitiveContracts | keyof DemoContracts;

const cpuKernels: Record<Kernel, CpuKernel> = {
  bitonic_local: bitonicLocal,
  compact_count: compactCount,
  compact_move: compactMove,
  compact_register_move: compactMove,
  compact_scan: compactScan,
  counting_fill: countingFill,
  gather,
  device_copy: deviceCopy,
  blur,
  enumeration,
  fill_white: fillWhite,
  grid_barrier_probe: gridBarrierProbe,
  histogram_clear: histogramClear,
  histogram_count: histogramCount,
  inspect,
  inspect_first: inspectFirst,
  inspect_segments: inspectSegments,
  msd_aligned_scatter: msdAlignedScatter,
  msd_local: msdLocal,
  msd_plan: msdPlan,
  msd_sample: msdSample,
  msd_remap_count: msdRemapCount,
  msd_remap_plan: msdRemapPlan,
  msd_scan: msdScan,
  msd_scatter: msdScatter,
  neighbours,
  occupancy,
  particles_emit: particlesEmit,
  particles_grid: particlesGrid,
  particles_step: particlesStep,
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
  texture_add: textureAdd,
  thread_ids: threadIds,
  transpose,
  transpose_blocks: transposeBlocks,
  transpose_naive: transposeNaive,
  vecadd,
  waves_disturb: wavesDisturb,
  waves_energy: wavesEnergy,
  waves_frame: wavesFrame,
  waves_indexed: wavesIndexed,
  waves_sampled: wavesSampled,
};

/**
 * Runs a plan on the CPU, pass by pass.
 *
 * @param inputs the initial words of buffers and textures, by name; all others start as zeros. Not modified.
 * @returns the words of every buffer and texture of the plan after the last pass.
 * @throws RangeError if an input is longer than its buffer.
 */
export function runOnCpu(
  plan: Plan,
  inputs: Readonly<Record<string, Uint32Array>>,
): Record<string, Uint32Array<ArrayBuffer>> {
  const words: Record<string, Uint32Array<ArrayBuffer>> = {};
  const start = (name: string, length: number) => {
    words[name] = new Uint32Array(length);
    words[name].set(inputs[name] ?? []);
  };
  for (const [name, { bytes }] of Object.entries(plan.buffers)) start(name, bytes / 4);
  for (const [name, texture] of Object.entries(plan.textures ?? {})) start(name, textureWords(texture));
  for (const pass of plan.passes) runPass(plan, pass, words);
  return words;
}

function runPass(
  { buffers, textures = {} }: Plan,
  pass: Pass,
  words: Readonly<Record<string, Uint32Array>>,
): void {
  const { program, bindings, params } = pass;
  const view = (binding: Binding) => {
    if (typeof binding === "string" && !buffers[binding]) return words[binding] ?? new Uint32Array();
    const { buffer, offset, bytes } = rangeOf(binding, buffers);
    return words[buffer]!.subarray(offset / 4, (offset + bytes) / 4);
  };
  const place = gridPlace(pass);
  const [x, y, z] = place ? words[place.buffer]!.subarray(place.offset / 4) : pass.grid;
  cpuKernels[program.kernel as keyof typeof cpuKernels]({
    bindings: bindings.map(view),
    extents: bindings.map((binding) => (typeof binding === "string" ? textures[binding] : undefined)),
    params: "buffer" in params ? [...view(params)] : params,
    constants: program.constants,
    grid: [x!, y!, z!],
    variants: program.variants,
    keyBits: Number(program.variants.key ?? 32),
  });
}
