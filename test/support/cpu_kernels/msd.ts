import { readParams } from "../../../src/core/shaders/kernels.js";
import { constant, type Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import { type Bits, type KeyOps, keyOps } from "../../../src/demos/cpu/order.js";
import { normalization } from "./key_range.js";
import { distinctKeys, isLowCardinality } from "./low_cardinality.js";
import { statusIfFit } from "./msd_sample.js";
import {
  boundAs,
  compare,
  comparedOf,
  digitFrom,
  digitPass,
  isSkipped,
  keyAccess,
  listedChunks,
  valuesOf,
} from "./radix.js";
import { movesKeys, Status } from "./status.js";

/*
 * The CPU versions of wgsl/msd/. The order of keys within a segment is undefined until the local sort,
 * so tests compare only what the whole sort gives.
 */

/** The CPU version of wgsl/msd/msd_scatter.wgsl. */
export function msdScatter(dispatch: Dispatch): void {
  const [input, output, counts, starts, status] = dispatch.bindings as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const before = statusIfFit(dispatch, status);
  if (!movesKeys(before)) {
    status[0] = before;
    return;
  }
  const { ops, digits, columns, dispatched, range, digitOf } = digitPass(dispatch, 1);
  const { movedAt, putOrdered } = keyAccess(dispatch, ops);
  const { valueAt, putValue } = valuesOf(dispatch);
  const numbered = dispatch.variants.element === "numbered";
  const totals = Array.from({ length: digits }, (_, digit) => {
    let total = 0;
    for (let column = 0; column < columns; column++) total += counts[column * digits + digit]!;
    return total >>> 0; // a word, as on a device
  });
  let start = 0;
  starts.fill(0);
  totals.forEach((total, digit) => {
    starts[digit] = start;
    start += total;
  });
  starts[digits] = start;
  const { segmentKeys } = readParams("msd_scatter", dispatch.params);
  status[0] = totals.every((total) => total <= segmentKeys) ? Status.FITS : Status.FALLBACK;
  if (status[0] === Status.FALLBACK) {
    if (dispatch.variants.first_fallback_move === "here") moveLowest(dispatch);
    return;
  }
  const next = starts.slice();
  for (const column of dispatched) {
    const [begin, end] = range(column);
    for (let i = begin; i < end; i++) {
      const moved = movedAt(input, i);
      const place = next[digitOf(moved)]!++;
      if (numbered) output.set([Number(moved), i], 2 * place);
      else putOrdered(output, place, moved);
      putValue(i, valueAt(i, i));
    }
  }
}

/** Moves the keys by their lowest digit; see wgsl/msd/msd_scatter.wgsl. */
function moveLowest(dispatch: Dispatch): void {
  const [input, output] = dispatch.bindings as [Uint32Array, Uint32Array];
  const counts = boundAs(dispatch, "LOWEST");
  const { shift } = readParams("msd_scatter", dispatch.params);
  const { ops, digits, columns, dispatched, range } = digitPass(dispatch, 1);
  const { orderedAt, putOrdered } = keyAccess(dispatch, ops);
  const digitOf = digitFrom(dispatch, ops, shift, constant(dispatch, "MASK"));
  const next = Array<number>(digits).fill(0);
  for (let digit = 1; digit < digits; digit++) {
    next[digit] = next[digit - 1]!;
    for (let column = 0; column < columns; column++) next[digit]! += counts[column * digits + digit - 1]!;
  }
  for (const column of dispatched) {
    const [begin, end] = range(column);
    for (let i = begin; i < end; i++) {
      const ordered = orderedAt(input, i);
      putOrdered(output, next[digitOf(ordered)]!++, ordered);
    }
  }
}

/** The CPU version of wgsl/msd/msd_plan.wgsl. */
export function msdPlan(dispatch: Dispatch): void {
  const { bindings, params } = dispatch;
  const [totals, starts, firstChunks, list, status] = bindings as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const { segments, chunk, segmentKeys } = readParams("msd_plan", params);
  if (dispatch.variants.clears_groups === "yes") {
    boundAs(dispatch, "GROUPS").fill(0);
    status.fill(0, 1, 3);
  }
  if (dispatch.variants.lists_long === "yes") boundAs(dispatch, "LONG_SEGMENTS")[0] = 0;
  const before = statusIfFit(dispatch, status);
  const allFit =
    before === Status.EQUAL_SEGMENTS || totals.subarray(0, segments).every((total) => total <= segmentKeys);
  status[0] = allFit || !movesKeys(before) ? before : Status.FALLBACK;
  let start = 0;
  let chunks = 0;
  for (let segment = 0; segment < segments; segment++) {
    const end = start + totals[segment]!;
    starts[segment] = start;
    firstChunks[segment] = chunks;
    for (let begin = start; movesKeys(status[0]!) && begin < end; begin += chunk) {
      list.set([begin, Math.min(begin + chunk, end), segment], 1 + 3 * chunks++);
    }
    start = end;
  }
  firstChunks[segments] = chunks;
  list[0] = chunks;
}

/** The CPU version of wgsl/msd/msd_scan.wgsl. */
export function msdScan(dispatch: Dispatch): void {
  const [counts, firstChunks, starts, segmentStarts, status] = dispatch.bindings as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const { keyCount, digits, segmentKeys, longest } = readParams("msd_scan", dispatch.params);
  const longSegments =
    dispatch.variants.lists_long === "yes" ? boundAs(dispatch, "LONG_SEGMENTS") : undefined;
  const mustFit = status[0] !== Status.EQUAL_SEGMENTS;
  for (let segment = 0; segment < dispatch.grid[0]; segment++) {
    let start = starts[segment]!;
    for (let digit = 0; digit < digits; digit++) {
      let sum = 0;
      for (let chunk = firstChunks[segment]!; chunk < firstChunks[segment + 1]!; chunk++) {
        const count = counts[chunk * digits + digit]!;
        counts[chunk * digits + digit] = sum;
        sum += count;
      }
      if (mustFit && sum > longest) status[0] = Status.FALLBACK;
      else if (longSegments && sum > segmentKeys && sum <= longest)
        longSegments[++longSegments[0]!] = segment * digits + digit;
      segmentStarts[segment * digits + digit] = start;
      start += sum;
    }
  }
  segmentStarts[dispatch.grid[0] * digits] = keyCount;
}

/** The CPU version of wgsl/msd/msd_aligned_scatter.wgsl. */
export function msdAlignedScatter(dispatch: Dispatch): void {
  if (isSkipped(dispatch)) return;
  const [input, output, counts, starts] = dispatch.bindings as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const { ops, digits, columns, dispatched, range, digitOf } = digitPass(dispatch, 1);
  const { movedAt, putOrdered } = keyAccess(dispatch, ops);
  const listed = listedChunks(dispatch);
  for (const chunk of dispatched) {
    const next = Array.from({ length: digits }, (_, digit) =>
      listed
        ? starts[listed.segment(chunk) * digits + digit]! + counts[chunk * digits + digit]!
        : starts[digit]! + counts[digit * columns + chunk]!,
    );
    const [begin, end] = range(chunk);
    for (let i = begin; i < end; i++) {
      const moved = movedAt(input, i);
      putOrdered(output, next[digitOf(moved)]!++, moved);
    }
  }
}

/** The CPU version of wgsl/msd/msd_local.wgsl. */
export function msdLocal(dispatch: Dispatch): void {
  if (isLowCardinality(dispatch)) {
    fillDistinct(dispatch);
    return;
  }
  if (isSkipped(dispatch) || boundAs(dispatch, "STATUS")[0] === Status.EQUAL_SEGMENTS) return;
  const { segments } = readParams("msd_local", dispatch.params);
  const [starts, output] = dispatch.bindings as [Uint32Array, Uint32Array];
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  const writesKeys = dispatch.variants.written_keys === "all";
  const rawOutput = constant(dispatch, "RAW_OUTPUT") === 1;
  const { denormalized } = normalization(dispatch, dispatch.keyBits);
  const entryAt = segmentEntries(dispatch, ops, output);
  const order = itemOrder(dispatch, ops);
  const [values, target] = localValues(dispatch);
  const tile = constant(dispatch, "WORKGROUP_SIZE") * constant(dispatch, "KEYS_PER_INVOCATION");
  for (const segment of segmentNumbers(dispatch, segments)) {
    const begin = starts[segment]!;
    const count = starts[segment + 1]! - begin;
    if (count > tile) continue;
    const entries = Array.from({ length: count }, (_, i) => entryAt(begin + i));
    const moved = entries.map(({ index }) => values?.[index] ?? index);
    const sorted = entries.map((_, i) => i).sort((a, b) => order(entries[a]!, entries[b]!));
    sorted.forEach((from, i) => {
      const { key } = entries[from]!;
      const ordered = denormalized(key);
      if (writesKeys) ops.write(output, begin + i, rawOutput ? ops.fromOrdered(ordered) : ordered);
      if (target) target[begin + i] = moved[from]!;
    });
  }
}

/** The CPU version of wgsl/msd/radix_one_workgroup.wgsl. */
export function radixOneWorkgroup(dispatch: Dispatch): void {
  const { keyCount } = readParams("radix_one_workgroup", dispatch.params);
  const [input, output] = dispatch.bindings as [Uint32Array, Uint32Array];
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  const rawInput = constant(dispatch, "RAW_INPUT") === 1;
  const rawOutput = constant(dispatch, "RAW_OUTPUT") === 1;
  const orderedAt = (at: number) => (rawInput ? ops.toOrdered(ops.read(input, at)) : ops.read(input, at));
  const keys = Array.from({ length: keyCount }, (_, i) => orderedAt(i)).sort(compare);
  keys.forEach((key, i) => {
    ops.write(output, i, rawOutput ? ops.fromOrdered(key) : key);
  });
}

/** The numbers of the segments to sort; see wgsl/msd/msd_local.wgsl. */
function segmentNumbers(dispatch: Dispatch, count: number): Iterable<number> {
  if (dispatch.variants.segment !== "long") return Array.from({ length: count }, (_, i) => i);
  const list = boundAs(dispatch, "LONG_SEGMENTS");
  return list.subarray(1, 1 + list[0]!);
}

/** Writes the keys from the count of each value; see wgsl/msd/low_cardinality.wgsl. */
function fillDistinct(dispatch: Dispatch): void {
  const distinct = distinctKeys(dispatch)!;
  const output = dispatch.bindings[1]!;
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  const rawOutput = constant(dispatch, "RAW_OUTPUT") === 1;
  let at = 0;
  distinct.keys().forEach((ordered, number) => {
    const key = rawOutput ? ops.fromOrdered(ordered) : ordered;
    for (let i = 0; i < distinct.totals[number]!; i++) ops.write(output, at++, key);
  });
}

/** A key in its ordered form, and its index in the input or its place before the local sort. */
interface Entry {
  readonly key: Bits;
  readonly index: number;
}

/** Where a local sort finds keys; see wgsl/msd/msd_local.wgsl. */
function segmentEntries(dispatch: Dispatch, ops: KeyOps, output: Uint32Array): (at: number) => Entry {
  const { segment_input } = dispatch.variants;
  const input = segment_input === "in_place" ? output : dispatch.bindings[constant(dispatch, "INPUT")]!;
  if (segment_input === "numbered") return (at) => ({ key: input[2 * at]!, index: input[2 * at + 1]! });
  const asOrdered = keyOps(dispatch.keyBits, {});
  const rawInput = dispatch.constants.RAW_INPUT === 1;
  return (at) => ({
    key: rawInput ? ops.toOrdered(ops.read(input, at)) : asOrdered.read(input, at),
    index: at,
  });
}

/** The order of a segment's keys; see wgsl/msd/local_item.wgsl. */
function itemOrder(dispatch: Dispatch, ops: KeyOps): (a: Entry, b: Entry) => number {
  const { local_item, normalization: kind } = dispatch.variants;
  if (local_item === "key") return (a, b) => compare(a.key, b.key);
  if (local_item === "key_and_position") return (a, b) => compare(a.key, b.key) || a.index - b.index;
  const { maskLow, maskHigh } = readParams("msd_local", dispatch.params);
  const isWhole = kind !== undefined || (local_item === "index" && constant(dispatch, "ALL_BITS") === 1);
  const formOf = comparedOf(dispatch);
  const compared = (key: Bits) => {
    const form = formOf(key);
    return isWhole ? form : ops.of((ops.word(form, 0) & maskLow) >>> 0, (ops.word(form, 1) & maskHigh) >>> 0);
  };
  return (a, b) => compare(compared(a.key), compared(b.key)) || a.index - b.index;
}

/** What moves with the keys of a local sort, by index, and where to; see wgsl/msd/local_item.wgsl. */
function localValues(dispatch: Dispatch): (Uint32Array | undefined)[] {
  const { local_values } = dispatch.variants;
  if (local_values === undefined) return [];
  const target = boundAs(dispatch, "OUTPUT_VALUES");
  if (local_values === "index") return [undefined, target];
  return [local_values === "in_place" ? target : boundAs(dispatch, "VALUES"), target];
}
