import { readParams } from "../../../src/core/shaders/kernels.js";
import { constant, type Dispatch, workgroupCount } from "../../../src/demos/cpu/cpu_kernel.js";
import { type Bits, type KeyOps, keyOps } from "../../../src/demos/cpu/order.js";
import { comparedForm } from "./nans.js";
import { boundAs } from "./radix.js";

/* The CPU versions of wgsl/segments/. */

/** A segment, or the keys before the first one or after the last one, which are not sorted. */
interface Segment {
  readonly begin: number;
  readonly end: number;
  readonly sorted: boolean;
}

/** The segments and windows of a pass; see wgsl/segments/segments.wgsl. */
function segmentsOf(dispatch: Dispatch) {
  const [offsets] = dispatch.bindings as [Uint32Array];
  const own = readParams("segments_plan", dispatch.params);
  const { keyCount, segments } = own;
  const windowKeys = constant(dispatch, "WINDOW_KEYS");
  const shortKeys = constant(dispatch, "SHORT_KEYS");
  const offsetAt = (i: number) => Math.min(offsets[i]!, keyCount);
  const isShort = ({ begin, end, sorted }: Segment) => sorted && end - begin <= shortKeys;
  return {
    ...own,
    windowKeys,
    isShort,
    segmentOf: (number: number): Segment => {
      const sorted = number < segments;
      return { begin: offsetAt(number), end: sorted ? offsetAt(number + 1) : keyCount, sorted };
    },
    offsetsUpTo: (position: number, least = 0, most = segments + 1) => {
      let [low, high] = [least, most];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (offsetAt(middle) <= position) low = middle + 1;
        else high = middle;
      }
      return low;
    },
    segmentAt: (position: number, number: number): Segment => ({
      begin: number > 0 ? Math.min(offsetAt(number - 1), position) : 0,
      end: number <= segments ? Math.max(offsetAt(number), position + 1) : keyCount,
      sorted: number > 0 && number <= segments,
    }),
    isAcross: (segment: Segment) => {
      if (!segment.sorted || isShort(segment)) return false;
      return Math.floor(segment.begin / windowKeys) !== Math.floor((segment.end - 1) / windowKeys);
    },
  };
}

type Segments = ReturnType<typeof segmentsOf>;

/** The segments at both ends of a window; see wgsl/segments/segments_ends.wgsl. */
function endsOf({ windowKeys, keyCount, segmentAt }: Segments, ends: Uint32Array, window: number) {
  const numbers = [ends[4 * window]!, ends[4 * window + 1]!] as const;
  const begin = window * windowKeys;
  const end = Math.min(begin + windowKeys, keyCount);
  return { numbers, begin, end, first: segmentAt(begin, numbers[0]), last: segmentAt(end - 1, numbers[1]) };
}

/** The keys and values in the even buffers; see wgsl/segments/segments_keys.wgsl and segments_values/. */
function buffersOf(dispatch: Dispatch, { maskLow, maskHigh }: Segments) {
  const { bindings, constants, variants, keyBits } = dispatch;
  const ops = keyOps(keyBits, constants);
  const stored = keyOps(Math.max(32, keyBits), {});
  const raw = constant(dispatch, "RAW_KEYS") === 1;
  const keys = bindings[2]!;
  const values = bindings[constants.VALUES ?? 0]!;
  const compared = comparedForm(variants.compared, constants);
  const formOf = (ordered: Bits) => {
    const form = compared(ordered);
    return ops.of((ops.word(form, 0) & maskLow) >>> 0, (ops.word(form, 1) & maskHigh) >>> 0);
  };
  return {
    ops,
    orderedAt: (at: number) => {
      const key = stored.read(keys, at);
      return raw ? ops.toOrdered(key) : key;
    },
    putOrdered: (at: number, ordered: Bits) =>
      stored.write(keys, at, raw ? ops.fromOrdered(ordered) : ordered),
    goesBefore: (a: Bits, b: Bits) => formOf(a) < formOf(b),
    valueAt: (at: number) => (variants.segments_values === "word" ? values[at]! : at),
    putValue: (at: number, value: number) => {
      if (variants.segments_values !== undefined) values[at] = value;
    },
  };
}

/** Where the keys come from; see wgsl/segments/segments_keys.wgsl. */
function inputOf(
  { bindings, constants, variants }: Dispatch,
  ops: KeyOps,
  orderedAt: (at: number) => Bits,
): (at: number) => Bits {
  if (variants.segments_input === "in_place") return orderedAt;
  const input = bindings[constants.INPUT!]!;
  return (at) => ops.toOrdered(ops.read(input, at));
}

/** The CPU version of wgsl/segments/segments_plan.wgsl. */
export function segmentsPlan(dispatch: Dispatch): void {
  const [, ends] = dispatch.bindings as [Uint32Array, Uint32Array];
  const start = dispatch.variants.segments_start;
  const segments = segmentsOf(dispatch);
  const { windows, windowKeys, keyCount, offsetsUpTo, isShort, isAcross } = segments;
  if (start !== undefined) boundAs(dispatch, "START").fill(0, 0, HEAD_WORDS);
  if (start === "lists_and_groups") dispatch.bindings[constant(dispatch, "START") + 1]!.fill(0);
  for (let window = 0; window < windows; window++) {
    const position = window * windowKeys;
    const number = offsetsUpTo(position);
    const lastPosition = Math.min(position + windowKeys, keyCount) - 1;
    ends.set([number, offsetsUpTo(lastPosition, number)], 4 * window);
    const { first, last, ...own } = endsOf(segments, ends, window);
    let begin = first.begin < own.begin && isShort(first) ? Math.min(first.end, own.end) : own.begin;
    let end = last.begin >= own.begin && isShort(last) ? last.end : own.end;
    if (isAcross(first)) begin = Math.min(first.end, own.end);
    if (isAcross(last) && last.begin >= own.begin) end = Math.max(last.begin, begin);
    ends.set([begin, end], 4 * window + 2);
  }
}

/** The CPU version of wgsl/segments/segments_sort.wgsl. */
export function segmentsSort(dispatch: Dispatch): void {
  const { bindings } = dispatch;
  const segments = segmentsOf(dispatch);
  const { ops, orderedAt, putOrdered, goesBefore, valueAt, putValue } = buffersOf(dispatch, segments);
  const { windows, isShort, isAcross, offsetsUpTo, segmentAt, segmentOf } = segments;
  const sortsAll = dispatch.variants.segments_sorter === "memory";
  const [, ends] = bindings as [Uint32Array, Uint32Array];
  const inputAt = inputOf(dispatch, ops, orderedAt);
  const list = listerOf(dispatch, segments);
  for (let window = 0; window < Math.min(windows, workgroupCount(dispatch.grid)); window++) {
    const { numbers, ...own } = endsOf(segments, ends, window);
    const [begin, end] = [ends[4 * window + 2]!, ends[4 * window + 3]!];
    for (let number = Math.max(1, numbers[0]); list && number <= numbers[1]; number++) {
      const segment = segmentOf(number - 1);
      const isOurs = segment.begin >= own.begin && segment.begin < own.end;
      const isLong = segment.sorted && segment.end > segment.begin && !isShort(segment);
      if (isOurs && isLong && (!sortsAll || isAcross(segment))) list(number - 1, segment);
    }
    const items = Array.from({ length: Math.max(0, end - begin) }, (_, slot) => {
      const at = begin + slot;
      const segment = segmentAt(at, offsetsUpTo(at, ...numbers));
      const isSorted = segment.sorted && (sortsAll || isShort(segment));
      return {
        at,
        start: isSorted ? Math.max(segment.begin, begin) : at,
        key: inputAt(at),
        value: valueAt(at),
      };
    });
    items.sort((a, b) => {
      if (a.start !== b.start) return a.at - b.at;
      return goesBefore(a.key, b.key) ? -1 : goesBefore(b.key, a.key) ? 1 : a.at - b.at;
    });
    items.forEach(({ key, value }, slot) => {
      putOrdered(begin + slot, key);
      putValue(begin + slot, value);
    });
  }
}

/** Words before the first chunk in the lists, and of a chunk: see wgsl/segments/segments_lister.wgsl. */
const HEAD_WORDS = 4;
const CHUNK_WORDS = 4;

/** Lists a long segment; see wgsl/segments/segments_lister.wgsl. */
function listerOf(dispatch: Dispatch, { chunk, chunks, small, medium }: Segments) {
  if (dispatch.variants.segments_lister !== "lists") return undefined;
  const lists = boundAs(dispatch, "LISTS");
  const smallKeys = constant(dispatch, "SMALL_KEYS");
  const mediumKeys = constant(dispatch, "MEDIUM_KEYS");
  const capacities = [chunks, small, medium] as const;
  return (number: number, { begin, end }: Segment) => {
    const length = end - begin;
    const list = length <= smallKeys ? 1 : length <= mediumKeys ? 2 : 0;
    const count = list === 0 ? Math.ceil(length / chunk) : 1;
    const first = lists[list]!;
    if (first + count > capacities[list]) return;
    lists[list] = first + count;
    if (list === 0) {
      lists[3] = first + count;
      for (let j = 0; j < count; j++) {
        const from = begin + j * chunk;
        lists.set([from, Math.min(from + chunk, end), first, count], HEAD_WORDS + CHUNK_WORDS * (first + j));
      }
    } else {
      lists[HEAD_WORDS + CHUNK_WORDS * chunks + (list === 2 ? small : 0) + first] = number;
    }
  };
}

/** Sorts one segment at a time, into the even buffers. */
function segmentSorter(dispatch: Dispatch, segments: Segments): (begin: number, end: number) => void {
  const { ops, orderedAt, putOrdered, goesBefore, valueAt, putValue } = buffersOf(dispatch, segments);
  const inputAt = inputOf(dispatch, ops, orderedAt);
  return (begin, end) => {
    const items = Array.from({ length: end - begin }, (_, slot) => ({
      key: inputAt(begin + slot),
      value: valueAt(begin + slot),
    }));
    items.sort((a, b) => (goesBefore(a.key, b.key) ? -1 : goesBefore(b.key, a.key) ? 1 : 0));
    items.forEach(({ key, value }, slot) => {
      putOrdered(begin + slot, key);
      putValue(begin + slot, value);
    });
  };
}

/** The CPU version of wgsl/segments/segments_local.wgsl. */
export function segmentsLocal(dispatch: Dispatch): void {
  const [offsets, lists] = dispatch.bindings as [Uint32Array, Uint32Array];
  const segments = segmentsOf(dispatch);
  const { keyCount, chunks, small, medium } = segments;
  const sort = segmentSorter(dispatch, segments);
  const list = constant(dispatch, "LIST");
  const listed = Math.min(lists[list]!, list === 1 ? small : medium);
  const numbers = HEAD_WORDS + CHUNK_WORDS * chunks + (list === 2 ? small : 0);
  for (const number of lists.subarray(numbers, numbers + listed))
    sort(offsets[number]!, Math.min(offsets[number + 1]!, keyCount));
}

/** The CPU version of wgsl/segments/segments_serial_sort.wgsl. */
export function segmentsSerialSort(dispatch: Dispatch): void {
  const ends = dispatch.bindings[1]!;
  const segments = segmentsOf(dispatch);
  const sort = segmentSorter(dispatch, segments);
  const list = listerOf(dispatch, segments);
  const { windows, windowKeys, isShort, segmentOf } = segments;
  // Keys before the first segment and after the last one stay where they are.
  for (let at = 0; at < segments.keyCount; at++)
    if (at < segmentOf(0).begin || at >= segmentOf(segments.segments).begin) sort(at, at + 1);
  for (let window = 0; window < windows; window++) {
    const [first, last] = [ends[4 * window]!, ends[4 * window + 1]!];
    for (let number = Math.max(1, first); number <= Math.min(last, segments.segments); number++) {
      const segment = segmentOf(number - 1);
      const at = segment.begin - window * windowKeys;
      if (at < 0 || at >= windowKeys || segment.end <= segment.begin) continue;
      if (isShort(segment)) sort(segment.begin, segment.end);
      else list?.(number - 1, segment);
    }
  }
}
