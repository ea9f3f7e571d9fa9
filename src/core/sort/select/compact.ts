import type { ElementType } from "../../elements.js";
import { type Binding, bufferBytes, type Pass, type Plan } from "../../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits, workgroupSums } from "../../plan/traits.js";
import { params, program } from "../../shaders/kernels.js";
import type { Program } from "../../shaders/program.js";
import { cutIntoWindowedChunks } from "../chunks.js";
import { type Direction, keyParts } from "../key.js";
import { packPasses } from "../radix/convert_and_gather.js";
import { placeBindings } from "../radix/radix_parts.js";
import { bindWindow, type Window, windowsOf, windowUnit } from "../windows.js";
import { type CompactTuning, compactTuning, vectorKeys } from "./compact_tuning.js";

/**
 * Copies the first of every run of equal keys to another buffer, without gaps and in their order:
 * reduce-then-scan, as in `radixPlan`. The keys are cut into chunks. A pass counts the keys that are kept of
 * each chunk and finds the first of them, a scan turns the counts into the places where the chunks' keys begin,
 * and a pass moves the keys. It reads the keys once, and again those between the first and the last that are
 * kept of each chunk, and writes those that are kept.
 */
export interface Compaction {
  /**
   * Counts: its result "total" is one word, the number of keys that are kept. It leaves the buffer "chunks".
   */
  readonly count: Plan;
  /**
   * Moves the keys, after `count` has run.
   *
   * @param kept the total of `count`.
   * @returns a plan that reads the buffers "keys" and "chunks". Its result has room for exactly the keys that
   *   are kept. With `counts`, its buffer "lengths" takes the number of keys in the run of each, a word.
   */
  readonly move: (kept: number) => Plan;
}

/** A pass binds this many bytes before its window, for the left neighbour of the window's first key. */
const LEAD_BYTES = 256;

/** Invocations of the one workgroup that scans the counts of chunks. */
const SCAN_SIZE = 1024;

/**
 * Keeps the first of every run of equal keys in the buffer "keys": all distinct keys, if they are in order.
 * All NaNs are equal, -0 and +0 are not.
 *
 * @param counts whether to count the keys of each run, too.
 */
export function compactFirsts(
  keyCount: number,
  type: ElementType,
  direction: Direction,
  traits: DeviceTraits,
  counts = false,
): Compaction {
  const job: FirstsJob = { keyCount, type, direction, traits, keys: "keys" };
  const keysBuffer = { bytes: bufferBytes(keyCount * type.bytes) };
  const chunksBuffer = { bytes: countedChunksBytes(job) };
  const move = (kept: number): Plan => {
    const buffers = {
      keys: keysBuffer,
      chunks: chunksBuffer,
      output: { bytes: bufferBytes(kept * 4 * type.words) },
      ...(counts ? { lengths: { bytes: bufferBytes(kept * 4) } } : {}),
    };
    const passes = moveFirstsPasses(job, kept, {
      chunks: "chunks",
      output: "output",
      lengths: counts ? "lengths" : undefined,
    });
    // Keys of 8 or 16 bits take a word each until they are packed.
    if (type.bytes >= 4) return { buffers, passes, result: "output" };
    const narrow = { keyCount: kept, type, options: direction, traits };
    return {
      buffers: { ...buffers, packed: { bytes: bufferBytes(kept * type.bytes) } },
      passes: [...passes, ...packPasses(narrow, "output", "packed")],
      result: "packed",
    };
  };
  return {
    count: {
      buffers: { keys: keysBuffer, chunks: chunksBuffer, total: { bytes: bufferBytes(4) } },
      passes: countFirstsPasses(job, "chunks", "total"),
      result: "total",
    },
    move,
  };
}

/** The keys of which the first of equal ones are kept. */
export interface FirstsJob {
  readonly keyCount: number;
  readonly type: ElementType;
  readonly direction: Direction;
  readonly traits: DeviceTraits;
  /** The buffer that holds the keys, in order. */
  readonly keys: string;
  /** The buffer that holds the number of keys, if only the device knows it. */
  readonly count?: string | undefined;
  /** The index of that word in the buffer; 0 by default. */
  readonly countAt?: number | undefined;
  /** Other than the best known one. */
  readonly tuning?: CompactTuning | undefined;
}

/** The bytes of the counts of all chunks. */
export function countedChunksBytes(job: FirstsJob): number {
  return bufferBytes(8 * (shapeOf(job).chunks + 1));
}

/**
 * Whether the workgroups that move keys can add up the counts of chunks themselves. Then no scan is needed, if
 * nobody asks for the number of keys before they are moved.
 */
export function sumsChunks(job: FirstsJob): boolean {
  const { tuning, windows } = shapeOf(job);
  return tuning.sumsChunks && windows.length === 1;
}

/**
 * Counts the keys that are kept.
 *
 * @param chunks takes the counts of each chunk.
 * @param total takes the number of all keys that are kept, one word. Without it, the move must add up the
 *   chunks.
 */
export function countFirstsPasses(job: FirstsJob, chunks: string, total?: string): Pass[] {
  const shape = shapeOf(job);
  const { variants, constants, count } = keysOf(job);
  const countPasses = shape.windows.map((window): Pass => {
    const { binding, lead } = withLead(job, window, shape.windows.length === 1);
    const { bindings, numbers } = placeBindings([binding, chunks, binding], [["COUNT", count]]);
    return {
      program: program("compact_count", {
        variants: {
          key: variants.key,
          key_vector: variants.key,
          same: variants.same,
          key_total: variants.key_total,
          subgroup_reduction: job.traits.subgroups ? "all" : undefined,
        },
        constants: {
          ORDER: constants.ORDER,
          ...(constants.KEY_BITS === undefined ? {} : { KEY_BITS: constants.KEY_BITS }),
          ...numbers,
          WORKGROUP_SIZE: shape.workgroupSize,
          LOADS: shape.tuning.countedVectors,
          VECTORS: 2,
          VECTOR_KEYS: vectorKeys(job.type),
        },
      }),
      bindings,
      params: params("compact_count", {
        ...windowParams(job, window, lead, shape.chunk),
        outputBegin: 0,
        outputKeys: 0,
      }),
      grid: gridOf(window, shape.chunk),
    };
  });
  if (total === undefined) return countPasses;
  const scanPass: Pass = {
    program: program("compact_scan", {
      constants: { WORKGROUP_SIZE: cooperativeWorkgroupSize(SCAN_SIZE, job.traits) },
    }),
    bindings: [chunks, total],
    params: params("compact_scan", { chunks: shape.chunks }),
    grid: [1, 1, 1],
  };
  return [...countPasses, scanPass];
}

/** The buffers of a move besides that of the keys. */
interface MoveBuffers {
  /** The counts of each chunk. */
  readonly chunks: string;
  /** Takes the kept keys, one word per key of 8 or 16 bits, in its ordered form. */
  readonly output: string;
  /** Takes the number of keys in the run of each of them; absent if they are not counted. */
  readonly lengths?: string | undefined;
  /** Takes the number of all keys that are kept, one word, if the count left it out. */
  readonly total?: string | undefined;
}

/**
 * Moves the keys that are kept, after they were counted.
 *
 * @param kept how many there are, or may be.
 */
export function moveFirstsPasses(
  job: FirstsJob,
  kept: number,
  { chunks, output, lengths, total }: MoveBuffers,
): Pass[] {
  const { type, traits } = job;
  const shape = shapeOf(job);
  const { count } = keysOf(job);
  const inRegisters = shape.tuning.move === "registers";
  const wordBytes = 4 * type.words;
  const outputs = windowsOf(kept, windowUnit(1), wordBytes, traits.limits.maxStorageBufferBindingSize);
  return shape.windows.flatMap((window) =>
    outputs.map((part): Pass => {
      const { binding, lead } = withLead(job, window, shape.windows.length === 1);
      const whole = outputs.length === 1;
      const { bindings, numbers } = placeBindings(
        [binding, bindWindow(output, part, wordBytes, whole), chunks, ...(inRegisters ? [binding] : [])],
        [
          ["LENGTHS", lengths === undefined ? [] : [bindWindow(lengths, part, 4, whole)]],
          ["COUNT", count],
          ["TOTAL", total === undefined ? [] : [total]],
        ],
      );
      return {
        program: moveProgram(job, numbers),
        bindings,
        params: params("compact_move", {
          ...windowParams(job, window, lead, shape.chunk),
          outputBegin: part.begin,
          outputKeys: part.count,
        }),
        grid: gridOf(window, shape.chunk),
      };
    }),
  );
}

/** The program of a move. @param numbers those of the optional bindings, which tell what it writes. */
function moveProgram(
  job: FirstsJob,
  numbers: Partial<Record<"LENGTHS" | "COUNT" | "TOTAL", number>> & { readonly PARAMS: number },
): Program {
  const { type, traits } = job;
  const { variants: ofKeys, constants: ofOrder } = keysOf(job);
  const { tuning, workgroupSize, keysPerInvocation } = shapeOf(job);
  const sum = workgroupSums(traits);
  const variants = {
    ...ofKeys,
    written_lengths: numbers.LENGTHS === undefined ? undefined : ("all" as const),
    workgroup_sum: sum.variant,
  };
  const constants = {
    ...ofOrder,
    ...numbers,
    ...sum.constants,
    RAW_OUTPUT: type.bytes < 4 ? 0 : 1,
    WORKGROUP_SIZE: workgroupSize,
    KEYS_PER_INVOCATION: keysPerInvocation,
  };
  if (tuning.move === "memory") {
    return program("compact_move", { variants, constants: { ...constants, LOADS: tuning.loads } });
  }
  return program("compact_register_move", {
    variants: {
      ...variants,
      key_vector: ofKeys.key,
      chunk_place: numbers.TOTAL === undefined ? "scanned" : "summed",
    },
    constants: {
      ...constants,
      VECTORS: 3,
      VECTOR_KEYS: vectorKeys(type),
      VECTORS_LOADED: keysPerInvocation / vectorKeys(type),
      ALIGNMENT: tuning.alignment,
    },
  });
}

function shapeOf({ keyCount, type, traits, tuning = compactTuning(type, traits) }: FirstsJob) {
  const { keysPerInvocation, maxChunks } = tuning;
  const cut = { leadBytes: LEAD_BYTES, keysPerInvocation, maxChunks };
  const shape = cutIntoWindowedChunks(keyCount, type.bytes, traits, cut);
  return { ...shape, tuning };
}

function keysOf({ type, direction, count }: FirstsJob) {
  const { variants, constants } = keyParts(type, direction);
  const keyTotal = count === undefined ? ("planned" as const) : ("counted" as const);
  return {
    variants: { ...variants, same: variants.order, key_total: keyTotal },
    constants,
    count: count === undefined ? [] : [count],
  };
}

const gridOf = ({ count }: Window, chunk: number) => [Math.max(1, Math.ceil(count / chunk)), 1, 1] as const;

/** Binds a window, and the keys before it if there are any. */
function withLead(
  { keys, type }: FirstsJob,
  window: Window,
  whole: boolean,
): { binding: Binding; lead: number } {
  const lead = window.begin === 0 ? 0 : LEAD_BYTES / type.bytes;
  const bound = { begin: window.begin - lead, count: window.count + lead };
  return { binding: bindWindow(keys, bound, type.bytes, whole), lead };
}

function windowParams(
  { countAt = 0, keyCount: allKeys }: FirstsJob,
  { begin, count }: Window,
  lead: number,
  chunk: number,
) {
  return { keyCount: count, begin, lead, chunk, firstChunk: begin / chunk, allKeys, countAt };
}
