import { type Grid, linearGrid } from "../plan/grid.js";
import type { Binding, BufferSpec, Pass } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { params, program } from "../shaders/kernels.js";
import { UNREAD_PARAMETERS } from "../sort/radix/radix_parts.js";

/** Bytes that kernels may read beyond the end of a text. */
const TEXT_PADDING = 8;

const VECTOR_BYTES = 16;

/** Positions in a text have 31 bits. */
export const MAX_DEVICE_TEXT_BYTES = 2 ** 31 - 2 ** 16;

/** The buffer of a text. */
export function textBuffer(bytes: number): BufferSpec {
  return { bytes: Math.ceil((bytes + TEXT_PADDING) / VECTOR_BYTES) * VECTOR_BYTES };
}

/** A buffer of words, of the length of at least one element of any type. */
export function wordsBuffer(words: number): BufferSpec {
  return { bytes: Math.max(VECTOR_BYTES, 4 * words) };
}

/** How the work is divided among workgroups. */
export interface Chunks {
  readonly workgroupSize: number;
  readonly perInvocation: number;
  /** Chunks, each of which a workgroup owns. */
  readonly count: number;
  readonly grid: Grid;
}

/**
 * Divides `count` elements among workgroups. A software adapter switches stacks at every barrier, so each of
 * its invocations does more between two of them.
 *
 * @param perInvocation elements of an invocation, on hardware and on a software adapter.
 */
export function chunksOf(
  count: number,
  [onHardware, onSoftware]: readonly [number, number],
  traits: DeviceTraits,
): Chunks {
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const perInvocation = traits.software ? onSoftware : onHardware;
  const chunks = Math.max(1, Math.ceil(count / (workgroupSize * perInvocation)));
  return { workgroupSize, perInvocation, count: chunks, grid: linearGrid(chunks, traits.limits) };
}

/**
 * Plans one dispatch that replaces counts by their exclusive prefix sums, and writes their total. A workgroup
 * scans a row of counts.
 *
 * @param columns the counts of a row.
 * @param rows the rows, which follow each other in `counts`; each has a word in `totals`.
 */
export function scanCountsPass(
  counts: Binding,
  totals: Binding,
  columns: number,
  traits: DeviceTraits,
  rows = 1,
): Pass {
  return {
    program: program("radix_scan", {
      variants: {},
      constants: { WORKGROUP_SIZE: cooperativeWorkgroupSize(256, traits), PARAMS: 2 },
    }),
    bindings: [counts, totals],
    params: params("radix_scan", {
      columns,
      keyCount: 0,
      shift: 0,
      chunk: 0,
      firstColumn: 0,
      inputBegin: 0,
      outputBegin: 0,
      outputKeys: 0,
      extraShift: 0,
      segmentKeys: 0,
      ...UNREAD_PARAMETERS,
    }),
    grid: [rows, 1, 1],
  };
}
