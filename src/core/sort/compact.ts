import type { ElementType } from "../elements.js";
import { type Binding, bufferBytes, type Pass, type Plan } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { params, program } from "../shaders/kernels.js";
import { type Bound, type Direction, keyParts } from "./key.js";
import { packPasses } from "./radix_ends.js";
import { scanCountsPass } from "./scan_counts.js";
import { bindWindow, type Window, windowsOf, windowUnit } from "./windows.js";

/**
 * Copies keys that are kept to another buffer, without gaps and in their order: reduce-then-scan, as in
 * `radixPlan`. The keys are cut into chunks. A pass counts the keys that are kept of each chunk, a scan turns
 * the counts into the places where the chunks' keys begin, and a pass moves the keys. It reads the keys twice
 * and writes those that are kept.
 */
export interface Compaction {
  /** Counts: its result "total" is one word, the number of keys that are kept. It leaves the buffer "counts". */
  readonly count: Plan;
  /**
   * Moves the keys, after `count` has run.
   *
   * @param kept what `count` found.
   * @returns a plan that reads the buffers "keys" and "counts". Its result has room for exactly the keys that
   *   are kept.
   */
  readonly move: (kept: number) => Plan;
}

/**
 * Few enough chunks that one workgroup scans their counts in no noticeable time, and enough to keep any device
 * busy.
 */
const MAX_CHUNKS = { hardware: 2048, software: 64 };

/**
 * Consecutive keys of an invocation. A software adapter switches stacks at every barrier, so each of its
 * invocations does more between two of them.
 */
const KEYS_PER_INVOCATION = { hardware: 8, software: 256 };

/** A pass binds so many bytes before its window, for the left neighbour of the window's first key. */
const LEAD_BYTES = 256;

/**
 * Keeps the first of every run of equal keys in the buffer "keys": all distinct keys, if they are in order.
 * All NaNs are equal, -0 and +0 are not.
 */
export function compactFirsts(
  keyCount: number,
  type: ElementType,
  direction: Direction,
  traits: DeviceTraits,
): Compaction {
  return compact(keyCount, type, direction, traits, undefined);
}

/** Keeps the keys in the buffer "keys" whose ordered form is at most a bound, in their order. */
export function compactUpTo(
  keyCount: number,
  type: ElementType,
  direction: Direction,
  traits: DeviceTraits,
  bound: Bound,
): Compaction {
  return compact(keyCount, type, direction, traits, bound);
}

function compact(
  keyCount: number,
  type: ElementType,
  direction: Direction,
  traits: DeviceTraits,
  bound: Bound | undefined,
): Compaction {
  const shape = shapeOf(keyCount, type, traits);
  const { windows, chunk, chunks, workgroupSize, keysPerInvocation } = shape;
  const key = keyParts(type, direction);
  const variants = { ...key.variants, same: key.variants.order };
  const constants = { ...key.constants, BOUNDED: bound ? 1 : 0, WORKGROUP_SIZE: workgroupSize };
  const keysBuffer = { bytes: bufferBytes(keyCount * type.bytes) };
  const countsBuffer = { bytes: bufferBytes(chunks * 4) };
  const grid = ({ count }: Window) => [Math.max(1, Math.ceil(count / chunk)), 1, 1] as const;

  const countPasses = windows.map((window): Pass => {
    const { binding, lead } = withLead(window, type, windows.length === 1);
    return {
      program: program("compact_count", {
        variants,
        constants: { ...constants, PARAMS: 2 },
      }),
      bindings: [binding, "counts"],
      params: params("compact_count", {
        ...windowParams(window, lead, chunk, bound),
        outputBegin: 0,
        outputKeys: 0,
      }),
      grid: grid(window),
    };
  });

  const move = (moved: number): Plan => {
    // Keys of 8 or 16 bits take a word each until they are packed.
    const isNarrow = type.bytes < 4;
    const wordBytes = 4 * type.words;
    const outputs = windowsOf(moved, windowUnit(1), wordBytes, traits.limits.maxStorageBufferBindingSize);
    const passes = windows.flatMap((window) =>
      outputs.map((output): Pass => {
        const { binding, lead } = withLead(window, type, windows.length === 1);
        return {
          program: program("compact_move", {
            variants,
            constants: {
              ...constants,
              RAW_OUTPUT: isNarrow ? 0 : 1,
              KEYS_PER_INVOCATION: keysPerInvocation,
              PARAMS: 3,
            },
          }),
          bindings: [binding, bindWindow("output", output, wordBytes, outputs.length === 1), "counts"],
          params: params("compact_move", {
            ...windowParams(window, lead, chunk, bound),
            outputBegin: output.begin,
            outputKeys: output.count,
          }),
          grid: grid(window),
        };
      }),
    );
    const buffers = {
      keys: keysBuffer,
      counts: countsBuffer,
      output: { bytes: bufferBytes(moved * wordBytes) },
    };
    if (!isNarrow) return { buffers, passes, result: "output" };
    const narrow = { keyCount: moved, type, options: direction, traits };
    return {
      buffers: { ...buffers, packed: { bytes: bufferBytes(moved * type.bytes) } },
      passes: [...passes, ...packPasses(narrow, "output", "packed")],
      result: "packed",
    };
  };
  return {
    count: {
      buffers: { keys: keysBuffer, counts: countsBuffer, total: { bytes: bufferBytes(4) } },
      passes: [...countPasses, scanCountsPass("counts", "total", chunks, traits)],
      result: "total",
    },
    move,
  };
}

/** How the keys are cut into chunks and windows. Every window but the last holds whole chunks. */
function shapeOf(keyCount: number, type: ElementType, traits: DeviceTraits) {
  const kind = traits.software ? "software" : "hardware";
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const keysPerInvocation = KEYS_PER_INVOCATION[kind];
  const maxBytes = traits.limits.maxStorageBufferBindingSize - LEAD_BYTES;
  const unit = windowUnit(workgroupSize * keysPerInvocation);
  const wanted = Math.max(1, Math.ceil(keyCount / MAX_CHUNKS[kind] / unit));
  const fitting = Math.max(1, Math.floor(maxBytes / type.bytes / unit));
  const chunk = Math.min(wanted, fitting) * unit;
  const chunks = Math.max(1, Math.ceil(keyCount / chunk));
  const windows = windowsOf(keyCount, chunk, type.bytes, maxBytes);
  return { workgroupSize, keysPerInvocation, chunk, chunks, windows };
}

/** Binds a window, and the keys before it if there are any. */
function withLead(window: Window, type: ElementType, whole: boolean): { binding: Binding; lead: number } {
  const lead = window.begin === 0 ? 0 : LEAD_BYTES / type.bytes;
  const bound = { begin: window.begin - lead, count: window.count + lead };
  return { binding: bindWindow("keys", bound, type.bytes, whole), lead };
}

function windowParams({ begin, count }: Window, lead: number, chunk: number, bound: Bound = [0, 0]) {
  const [boundLow, boundHigh] = bound;
  return { keyCount: count, begin, lead, chunk, firstChunk: begin / chunk, boundLow, boundHigh };
}
