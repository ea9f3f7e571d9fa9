import { readParams } from "../core/shaders/kernels.js";
import { constant, type Dispatch, workgroupCount } from "./cpu_kernel.js";
import { type Bits, comparedForm, type KeyOps, keyOps } from "./order.js";
import { boundAs } from "./radix.js";

/* The CPU versions of wgsl/segments_*.wgsl. */

/** A segment, or the keys before the first one or after the last one, which are not sorted. */
interface Segment {
  readonly begin: number;
  readonly end: number;
  readonly sorted: boolean;
}

/** The segments and windows of a pass; see wgsl/shared/segments.wgsl. */
function segmentsOf(dispatch: Dispatch) {
  const [offsets] = dispatch.bindings as [Uint32Array];
  const own = readParams("segments_merge", dispatch.params);
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
    levelsOf: (segment: Segment) => {
      if (!segment.sorted || isShort(segment)) return 0;
      const last = Math.floor((segment.end - 1) / windowKeys);
      return 32 - Math.clz32(Math.floor(segment.begin / windowKeys) ^ last);
    },
  };
}

type Segments = ReturnType<typeof segmentsOf>;

/** The segments at both ends of a window; see wgsl/shared/segments_ends.wgsl. */
function endsOf({ windowKeys, keyCount, segmentAt }: Segments, ends: Uint32Array, window: number) {
  const numbers = [ends[4 * window]!, ends[4 * window + 1]!] as const;
  const begin = window * windowKeys;
  const end = Math.min(begin + windowKeys, keyCount);
  return { numbers, begin, end, first: segmentAt(begin, numbers[0]), last: segmentAt(end - 1, numbers[1]) };
}

/** How the keys and values are kept between passes; see wgsl/shared/segments_keys.wgsl and segments_values/. */
function buffersOf(dispatch: Dispatch, { maskLow, maskHigh }: Segments) {
  const { bindings, constants, variants, keyBits } = dispatch;
  const ops = keyOps(keyBits, constants);
  const stored = keyOps(Math.max(32, keyBits), {});
  const raw = constant(dispatch, "RAW_KEYS") === 1;
  const keys = bindings.slice(2, 4) as [Uint32Array, Uint32Array];
  const values = bindings.slice(constants.VALUES) as [Uint32Array, Uint32Array];
  const compared = comparedForm(variants.compared, constants);
  const formOf = (ordered: Bits) => {
    const form = compared(ordered);
    return ops.of((ops.word(form, 0) & maskLow) >>> 0, (ops.word(form, 1) & maskHigh) >>> 0);
  };
  return {
    ops,
    orderedIn: (at: number, odd: 0 | 1) => {
      const key = stored.read(keys[odd], at);
      return raw ? ops.toOrdered(key) : key;
    },
    putOrdered: (at: number, odd: 0 | 1, ordered: Bits) =>
      stored.write(keys[odd], at, raw ? ops.fromOrdered(ordered) : ordered),
    goesBefore: (a: Bits, b: Bits) => formOf(a) < formOf(b),
    valueAt: (at: number, odd: 0 | 1) => (variants.segments_values === "word" ? values[odd][at]! : at),
    putValue: (at: number, odd: 0 | 1, value: number) => {
      if (variants.segments_values !== "none") values[odd][at] = value;
    },
  };
}

/** Where the keys come from; see wgsl/shared/segments_input/. */
function inputOf(
  { bindings, constants, variants }: Dispatch,
  ops: KeyOps,
  orderedIn: (at: number, odd: 0 | 1) => Bits,
): (at: number) => Bits {
  if (variants.segments_input === "in_place") return (at) => orderedIn(at, 0);
  const input = bindings[constants.INPUT!]!;
  return (at) => ops.toOrdered(ops.read(input, at));
}

const parity = (number: number) => (number % 2) as 0 | 1;

/** The CPU version of wgsl/segments_plan.wgsl. */
export function segmentsPlan(dispatch: Dispatch): void {
  const [, ends] = dispatch.bindings as [Uint32Array, Uint32Array];
  const start = dispatch.variants.segments_start;
  const segments = segmentsOf(dispatch);
  const { windows, windowKeys, keyCount, levels, rows, offsetsUpTo, isShort, levelsOf } = segments;
  if (start === "lists") {
    boundAs(dispatch, "START").fill(0, 0, HEAD_WORDS);
    dispatch.bindings[constant(dispatch, "START") + 1]!.fill(0);
  }
  if (start === "grids")
    for (let level = 0; level < levels; level++) boundAs(dispatch, "START").set([0, rows, 1], 3 * level);
  for (let window = 0; window < windows; window++) {
    const position = window * windowKeys;
    const number = offsetsUpTo(position);
    const lastPosition = Math.min(position + windowKeys, keyCount) - 1;
    ends.set([number, offsetsUpTo(lastPosition, number)], 4 * window);
    const { first, last, ...own } = endsOf(segments, ends, window);
    let begin = first.begin < own.begin && isShort(first) ? Math.min(first.end, own.end) : own.begin;
    let end = last.begin >= own.begin && isShort(last) ? last.end : own.end;
    if (levels === 0) {
      if (levelsOf(first) > 0) begin = Math.min(first.end, own.end);
      if (levelsOf(last) > 0 && last.begin >= own.begin) end = Math.max(last.begin, begin);
    }
    ends.set([begin, end], 4 * window + 2);
  }
}

/** The CPU version of wgsl/segments_sort.wgsl. */
export function segmentsSort(dispatch: Dispatch): void {
  const { bindings } = dispatch;
  const segments = segmentsOf(dispatch);
  const { ops, orderedIn, putOrdered, goesBefore, valueAt, putValue } = buffersOf(dispatch, segments);
  const { windows, columns, isShort, levelsOf, offsetsUpTo, segmentAt, segmentOf } = segments;
  const merges = constant(dispatch, "MERGES") === 1;
  const sortsAll = dispatch.variants.segments_sorter === "memory";
  const [, ends] = bindings as [Uint32Array, Uint32Array];
  const inputAt = inputOf(dispatch, ops, orderedIn);
  const list = listerOf(dispatch, segments);
  for (let window = 0; window < Math.min(windows, workgroupCount(dispatch.grid)); window++) {
    const { numbers, first, last, ...own } = endsOf(segments, ends, window);
    const [begin, end] = [ends[4 * window + 2]!, ends[4 * window + 3]!];
    const levels = [levelsOf(first), levelsOf(last)] as const;
    if (merges && last.begin >= own.begin)
      for (let level = 0; level < levels[1]; level++) boundAs(dispatch, "GRIDS")[3 * level] = columns;
    for (let number = Math.max(1, numbers[0]); list && number <= numbers[1]; number++) {
      const segment = segmentOf(number - 1);
      const isOurs = segment.begin >= own.begin && segment.begin < own.end;
      const isLong = segment.sorted && segment.end > segment.begin && !isShort(segment);
      if (isOurs && isLong && (!sortsAll || levelsOf(segment) > 0)) list(number - 1, segment);
    }
    const items = Array.from({ length: Math.max(0, end - begin) }, (_, slot) => {
      const at = begin + slot;
      const segment = segmentAt(at, offsetsUpTo(at, ...numbers));
      const isSorted = segment.sorted && (sortsAll || isShort(segment));
      return {
        at,
        start: isSorted ? Math.max(segment.begin, begin) : at,
        key: inputAt(at),
        value: valueAt(at, 0),
      };
    });
    items.sort((a, b) => {
      if (a.start !== b.start) return a.at - b.at;
      return goesBefore(a.key, b.key) ? -1 : goesBefore(b.key, a.key) ? 1 : a.at - b.at;
    });
    items.forEach(({ key, value }, slot) => {
      const at = begin + slot;
      const level = !merges ? 0 : at < first.end ? levels[0] : at >= last.begin ? levels[1] : 0;
      const odd = parity(level);
      putOrdered(at, odd, key);
      putValue(at, odd, value);
    });
  }
}

/** The CPU version of wgsl/segments_merge.wgsl. */
export function segmentsMerge(dispatch: Dispatch): void {
  const segments = segmentsOf(dispatch);
  const { orderedIn, putOrdered, goesBefore, valueAt, putValue } = buffersOf(dispatch, segments);
  const { windows, windowKeys, level, levelsOf } = segments;
  const ends = dispatch.bindings[1]!;

  const mergePart = (segment: Segment, window: number, own: { begin: number; end: number }) => {
    const half = 2 ** level;
    const block = Math.floor(window / (2 * half)) * 2 * half;
    const begin = Math.max(segment.begin, block * windowKeys);
    const end = Math.min(segment.end, (block + 2 * half) * windowKeys);
    const middle = Math.min(Math.max((block + half) * windowKeys, begin), end);
    const odd = parity(levelsOf(segment) - level);
    const to = parity(odd + 1);
    const first = Math.max(segment.begin, own.begin);
    const count = Math.min(segment.end, own.end) - first;
    const before = first - begin;
    let low = Math.max(0, before - (end - middle));
    let high = Math.min(before, middle - begin);
    while (low < high) {
      const half = (low + high) >>> 1;
      const right = orderedIn(middle + before - 1 - half, odd);
      if (goesBefore(right, orderedIn(begin + half, odd))) high = half;
      else low = half + 1;
    }
    let a = begin + low;
    let b = middle + before - low;
    for (let i = 0; i < count; i++) {
      const takesB = b < end && (a >= middle || goesBefore(orderedIn(b, odd), orderedIn(a, odd)));
      const from = takesB ? b++ : a++;
      putOrdered(first + i, to, orderedIn(from, odd));
      putValue(first + i, to, valueAt(from, odd));
    }
  };

  for (let window = 0; window < Math.min(windows, workgroupCount(dispatch.grid)); window++) {
    const { first, last, ...own } = endsOf(segments, ends, window);
    if (levelsOf(first) > level) mergePart(first, window, own);
    if (last.begin > own.begin && levelsOf(last) > level) mergePart(last, window, own);
  }
}

/** Words before the first chunk in the lists, and of a chunk: see wgsl/shared/segments_lister/lists.wgsl. */
const HEAD_WORDS = 4;
const CHUNK_WORDS = 4;

/** Lists a long segment; see wgsl/shared/segments_lister/. */
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

/** The CPU version of wgsl/segments_local.wgsl. */
export function segmentsLocal(dispatch: Dispatch): void {
  const [offsets, lists] = dispatch.bindings as [Uint32Array, Uint32Array];
  const segments = segmentsOf(dispatch);
  const { ops, orderedIn, putOrdered, goesBefore, valueAt, putValue } = buffersOf(dispatch, segments);
  const inputAt = inputOf(dispatch, ops, orderedIn);
  const { keyCount, chunks, small, medium } = segments;
  const list = constant(dispatch, "LIST");
  const listed = Math.min(lists[list]!, list === 1 ? small : medium);
  const numbers = HEAD_WORDS + CHUNK_WORDS * chunks + (list === 2 ? small : 0);
  for (const number of lists.subarray(numbers, numbers + listed)) {
    const begin = offsets[number]!;
    const end = Math.min(offsets[number + 1]!, keyCount);
    const items = Array.from({ length: end - begin }, (_, slot) => ({
      key: inputAt(begin + slot),
      value: valueAt(begin + slot, 0),
    }));
    items.sort((a, b) => (goesBefore(a.key, b.key) ? -1 : goesBefore(b.key, a.key) ? 1 : 0));
    items.forEach(({ key, value }, slot) => {
      putOrdered(begin + slot, 0, key);
      putValue(begin + slot, 0, value);
    });
  }
}
