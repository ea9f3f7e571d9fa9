import type { ElementType } from "../../elements.js";
import { floorPowerOfTwo, linearGrid } from "../../plan/grid.js";
import { arrayBytes, type BufferSpec, type Pass } from "../../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../../plan/traits.js";
import { params, program } from "../../shaders/kernels.js";
import { allBits, comparedParts, keyParts, type SegmentCounts, showsTies, type TopOptions } from "../key.js";
import { placeBindings } from "../radix/radix_parts.js";
import { FIRST_GROUPS, LEAST_PART, MOST_ROOM, PARTS_PER_TOP } from "./select_tuning.js";

/** The buffers of what is selected of parts of segments. */
const PART_KEYS = "part_keys";
const PART_VALUES = "part_values";

/** What is selected from. */
export interface FirstJob extends SegmentCounts {
  /** The keys of a usual segment. */
  readonly usual: number;
  readonly type: ElementType;
  readonly options: TopOptions;
  readonly traits: DeviceTraits;
  /** The buffers of the result. The values are bound if there is a payload. */
  readonly keys: string;
  readonly values: string;
  /**
   * Where segments are and where their keys go: "listed" in the buffers "segments" and "starts". Otherwise all
   * keys are one segment, as many as are "planned" or "counted", and the buffer "selection" tells what is
   * selected.
   */
  readonly source: "listed" | "planned" | "counted";
}

/** The keys that a workgroup can sort in its memory. Undefined if those to select do not fit. */
export function sortingRoom(
  type: ElementType,
  options: TopOptions,
  traits: DeviceTraits,
): number | undefined {
  const { maxComputeWorkgroupStorageSize } = traits.limits;
  // The counters, their sums by groups, a sum per invocation, and single words.
  const other = 4 * (256 * copiesOf(traits) + 16 + mostInvocations(traits) + 16);
  const bytes = 4 * (type.words + (showsTies(options) ? 1 : 0));
  const most = Math.min(MOST_ROOM, floorPowerOfTwo((maxComputeWorkgroupStorageSize - other) / bytes));
  return options.top > most ? undefined : most;
}

/** Copies of each counter of a digit. Software adapters never wait for a counter. */
function copiesOf({ software, limits }: DeviceTraits): number {
  return software ? 1 : limits.maxComputeWorkgroupStorageSize >= 2 ** 15 ? 8 : 2;
}

function mostInvocations(traits: DeviceTraits): number {
  const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } = traits.limits;
  const most = Math.min(1024, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX);
  return cooperativeWorkgroupSize(floorPowerOfTwo(most), traits);
}

/** Keys that an invocation reads, if there are many. More invocations hide the memory's latency. */
const KEYS_PER_INVOCATION = 4;

/** Keys that an invocation copies at once, in the order of the input. An H200 takes 8% longer with 4. */
const COPIED_AT_ONCE = { hardware: 8, software: 64 };

function workgroupFor(keys: number, traits: DeviceTraits): number {
  const enough = 2 ** Math.ceil(Math.log2(Math.max(64, keys / KEYS_PER_INVOCATION)));
  return Math.min(mostInvocations(traits), enough);
}

/**
 * How segments are cut into parts, so that few long ones keep a device busy: into a power of two, or as many as
 * FIRST_GROUPS allows. An H200 took longer for 64 segments in 5 parts each than in 4, as a few workgroups ran
 * when most had ended.
 */
function partsOf({ segmentCount, usual, options, traits }: FirstJob) {
  const groups = FIRST_GROUPS[traits.software ? "software" : "hardware"];
  const least = Math.max(LEAST_PART, PARTS_PER_TOP * options.top);
  const most = Math.ceil(groups / Math.max(1, segmentCount));
  const cut = Math.max(1, Math.min(most, 2 ** Math.round(Math.log2(usual / least))));
  return { cut, leastPart: Math.min(least, Math.ceil(usual / cut)) };
}

/**
 * Selects the first keys of segments, a workgroup each, and sorts them if they fit its memory
 * (wgsl/select/select_segments.wgsl). Long segments are cut into parts first, and what is selected of these is
 * selected from once more. It needs no subgroups, and no two workgroups wait for each other.
 *
 * A workgroup selects by radix, from the most significant digit down (after A. Alabi, J. D. Blanchard, B.
 * Gordon and R. Steinbach, "Fast k-selection algorithms for graphics processing units", 2012), until the keys
 * that may be selected fit its memory. It reads its keys once per digit of 8 bits and once more, after the
 * first time from a cache.
 */
export function firstPasses(job: FirstJob): Pass[] {
  const { segmentCount, usual, options } = job;
  if (segmentCount === 0 || job.keyCount === 0 || options.top === 0) return [];
  const { cut } = partsOf(job);
  if (cut === 1) return [firstPass(job, { from: "keys", to: "result", keys: usual })];
  return [
    firstPass(job, { from: "keys", to: "parts", keys: Math.ceil(usual / cut) }),
    firstPass(job, { from: "parts", to: "result", keys: cut * options.top }),
  ];
}

/** @param step.keys what a workgroup usually selects from. */
function firstPass(
  job: FirstJob,
  { from, to, keys }: { from: "keys" | "parts"; to: "parts" | "result"; keys: number },
): Pass {
  const { type, options, traits, source, segmentCount } = job;
  const { payload = 0 } = options;
  const { cut, leastPart } = partsOf(job);
  const key = keyParts(type, options);
  const compared = comparedParts(type, options);
  const room = sortingRoom(type, options, traits);
  const [output, outputValues] = to === "parts" ? [PART_KEYS, PART_VALUES] : [job.keys, job.values];
  const [input, inputValues] = from === "parts" ? [PART_KEYS, PART_VALUES] : ["keys", "values"];
  const moved = payload === 0 ? undefined : from === "keys" && payload !== 4 ? "index" : "word";
  const place = to === "parts" ? "parts" : source === "listed" ? "starts" : "selection";
  const { bindings, numbers } = placeBindings(
    [input, output],
    [
      ["SOURCE", source === "listed" ? ["segments"] : source === "counted" ? ["count"] : []],
      ["STARTS", place === "starts" ? ["starts"] : []],
      ["SELECTION", place === "selection" ? ["selection"] : []],
      ["VALUES", moved === undefined ? [] : [outputValues, ...(moved === "word" ? [inputValues] : [])]],
    ],
  );
  const parts = to === "parts" ? cut : 1;
  const { begin, end } = options.bits ?? allBits(type);
  return {
    program: program("select_segments", {
      variants: {
        ...key.variants,
        ...compared.variants,
        selected_from: "segment",
        first_source: source,
        first_output: place,
        moved_values: moved,
      },
      constants: {
        ...key.constants,
        ...compared.constants,
        ...numbers,
        WORKGROUP_SIZE: workgroupFor(keys, traits),
        KEYS_PER_INVOCATION: COPIED_AT_ONCE[traits.software ? "software" : "hardware"],
        ROOM: room ?? 1,
        // Keys that fit the memory are not counted.
        COPIES: keys <= (room ?? 0) ? 1 : copiesOf(traits),
        SORTS: room === undefined ? 0 : 1,
        STABLE: showsTies(options) ? 1 : 0,
      },
    }),
    bindings,
    params: params("select_segments", {
      keyCount: job.keyCount,
      segments: segmentCount,
      top: options.top,
      bitsBegin: begin,
      bitsEnd: end,
      countAt: options.countAt ?? 0,
      cut,
      leastPart,
      parts,
      joins: from === "parts" ? 1 : 0,
    }),
    grid: linearGrid(parts * segmentCount, traits.limits),
  };
}

/** The buffers that `firstPasses` needs besides those of its input and its result. */
export function firstBuffers(job: FirstJob): Record<string, BufferSpec> {
  const { cut } = partsOf(job);
  if (cut === 1) return {};
  const count = job.segmentCount * cut * job.options.top;
  return {
    [PART_KEYS]: { bytes: arrayBytes(count, job.type.bytes) },
    ...(job.options.payload ? { [PART_VALUES]: { bytes: arrayBytes(count, 4) } } : {}),
  };
}
