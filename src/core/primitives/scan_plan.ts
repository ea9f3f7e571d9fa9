import { arrayBytes, type Binding, bufferBytes, type Pass, type Plan } from "../plan/plan.js";
import { type DeviceTraits, workgroupSums } from "../plan/traits.js";
import { cutIntoWindowedChunks } from "../sort/chunks.js";
import { placeBindings } from "../sort/radix/radix_parts.js";
import { bindWindow, type Window } from "../sort/windows.js";
import { params, program } from "./kernels.js";

/*
 * A scan and a compaction by flags go over their elements in chunks: reduce-then-scan (D. Merrill and A.
 * Grimshaw, "Parallel Scan for Stream Architectures", 2009). One dispatch adds up each chunk. In the next one,
 * the workgroup of a chunk adds up the sums of all chunks before it, of which there are at most some thousand,
 * and then scans its own. So no workgroup waits for another one, and there are two dispatches for each window
 * of the buffers, whatever the number of elements; a single chunk takes one.
 */

/** The buffers that hold the sums of chunks and of all elements. */
export const CHUNK_SUMS = "chunk_sums";
export const TOTAL = "total";

/** What goes over elements in chunks. */
export interface ChunkedJob {
  /** Elements at most, which is what they are unless the device reads their number. */
  readonly capacity: number;
  readonly traits: DeviceTraits;
  /** Whether the device reads the number of elements from the buffer "count". */
  readonly counted?: boolean | undefined;
  /** The index of that word in what is bound of its buffer; 0 by default. */
  readonly countAt?: number | undefined;
  /** The index of the total in what is bound of the buffer "total"; 0 by default. */
  readonly totalAt?: number | undefined;
  /** Other than the best known one. */
  readonly tuning?: ChunkTuning | undefined;
}

/** How elements are cut. It changes the speed, and the order in which f32 are added. */
export interface ChunkTuning {
  /** Consecutive elements of an invocation in a tile. */
  readonly perInvocation?: number;
  /** Chunks, at most, as long as they can be bound. */
  readonly maxChunks?: number;
}

/** Consecutive elements of an invocation in a tile. On hardware odd, for the banks of workgroup memory. */
export interface Tiles {
  readonly hardware: number;
  readonly software: number;
}

/** Loads that hide the memory's latency while a chunk is added up. */
const LOADS = 8;

/** On an H200, twice as many chunks as those of other plans take 1 to 4% less time. */
const MAX_CHUNKS = 4096;

/** @param elementBytes the longest of what is bound of an element. */
export function chunkShape({ capacity, traits, tuning = {} }: ChunkedJob, tiles: Tiles, elementBytes = 4) {
  const { perInvocation = traits.software ? tiles.software : tiles.hardware } = tuning;
  const { maxChunks = traits.software ? undefined : MAX_CHUNKS } = tuning;
  return cutIntoWindowedChunks(capacity, elementBytes, traits, {
    keysPerInvocation: perInvocation,
    maxChunks,
  });
}

export type ChunkShape = ReturnType<typeof chunkShape>;

/** The buffers of a job besides those of its elements. */
export function chunkBuffers({ counted, countAt = 0, totalAt = 0 }: ChunkedJob, { chunks }: ChunkShape) {
  return {
    [CHUNK_SUMS]: { bytes: bufferBytes(4 * chunks) },
    [TOTAL]: { bytes: 4 * (totalAt + 1) },
    ...(counted ? { count: { bytes: 4 * (countAt + 1) } } : {}),
  };
}

/** What the programs of a job have in common. */
export function chunkParts({ counted, traits }: ChunkedJob, { workgroupSize }: ChunkShape) {
  const sums = workgroupSums(traits);
  return {
    variants: { key_total: counted ? "counted" : "planned", sum_scan: sums.variant } as const,
    constants: { ...sums.constants, WORKGROUP_SIZE: workgroupSize },
    count: counted ? ["count"] : [],
  };
}

/** @returns the part of `buffer` that is bound for a window of the elements. */
export function bindElements(buffer: string, window: Window, { windows }: ChunkShape, bytes = 4): Binding {
  return bindWindow(buffer, window, bytes, windows.length === 1);
}

/** The passes that add up chunks; none if there is one chunk, as nothing comes after it. */
export function reducePasses(
  job: ChunkedJob,
  shape: ChunkShape,
  elements: string,
  summand: "u32" | "f32" | "flag",
): Pass[] {
  if (shape.chunks === 1) return [];
  const { variants, constants, count } = chunkParts(job, shape);
  return shape.windows.map((window): Pass => {
    const { bindings, numbers } = placeBindings(
      [bindElements(elements, window, shape), CHUNK_SUMS],
      [["COUNT", count]],
    );
    return {
      program: program("scan_reduce", {
        variants: { ...variants, summand },
        constants: { ...constants, ...numbers, LOADS },
      }),
      bindings,
      params: params("scan_reduce", windowParams(job, shape, window)),
      grid: chunkGrid(shape, window),
    };
  });
}

/** @param output the window of a compaction's output. */
export function windowParams(
  { countAt = 0, totalAt = 0 }: ChunkedJob,
  { chunk, chunks }: ChunkShape,
  { begin, count }: Window,
  output: Window = { begin: 0, count: 0 },
) {
  return {
    elementCount: count,
    begin,
    chunk,
    firstChunk: begin / chunk,
    chunks,
    countAt,
    totalAt,
    outputBegin: output.begin,
    outputCount: output.count,
  };
}

export function chunkGrid({ chunk }: ChunkShape, { count }: Window) {
  return [Math.max(1, Math.ceil(count / chunk)), 1, 1] as const;
}

/** The types of numbers that are added up. */
export type ScanType = "u32" | "f32";

/** A scan of the buffer "values". */
export interface ScanJob extends ChunkedJob {
  readonly type: ScanType;
  /** Whether the sums go to the buffer "output" instead of replacing the values. */
  readonly apart?: boolean | undefined;
}

const TILES = { hardware: 7, software: 32 };

/**
 * Plans a scan: the result holds for each value the sum of all values before it, and "total" the sum of all.
 */
export function scanPlan(job: ScanJob): Plan {
  const { capacity, type, apart } = job;
  const shape = chunkShape(job, TILES);
  const { variants, constants, count } = chunkParts(job, shape);
  const elements = { bytes: arrayBytes(capacity, 4) };
  const writes = shape.windows.map((window): Pass => {
    const { bindings, numbers } = placeBindings(
      [bindElements("values", window, shape), CHUNK_SUMS, TOTAL],
      [
        ["OUTPUT", apart ? [bindElements("output", window, shape)] : []],
        ["COUNT", count],
      ],
    );
    return {
      program: program("scan_write", {
        variants: { ...variants, summand: type, scan_output: apart ? "apart" : "in_place" },
        constants: { ...constants, ...numbers, ELEMENTS_PER_INVOCATION: shape.keysPerInvocation },
      }),
      bindings,
      params: params("scan_write", windowParams(job, shape, window)),
      grid: chunkGrid(shape, window),
    };
  });
  return {
    buffers: { values: elements, ...(apart ? { output: elements } : {}), ...chunkBuffers(job, shape) },
    passes: [...reducePasses(job, shape, "values", type), ...writes],
    result: apart ? "output" : "values",
  };
}
