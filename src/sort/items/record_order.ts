import type { KeyArray } from "../../core/elements.js";
import type { RecordItem, RecordKey } from "../../core/items/item.js";
import type { PhaseClock } from "../../core/streams/phase_clock.js";
import type { Pause } from "../../core/streams/yield_to_event_loop.js";
import {
  type CompareRecords,
  type KeyField,
  type KeyPart,
  prefetch,
  recordComparator,
  splitField,
  withoutCommonPrefix,
} from "./record_keys.js";

export interface RecordOrderOptions {
  readonly item: RecordItem;
  readonly descending: boolean;
  /** Computes the stable order of the values of one field, in the direction of the sort. It is overwritten. */
  readonly argsort: (field: KeyField, keys: KeyArray) => Promise<Uint32Array>;
  readonly clock: PhaseClock;
  readonly pause: Pause;
}

/** Records that are equal in the key before `part`. They take the places from `start` to `end` - 1. */
interface Group {
  readonly start: number;
  readonly end: number;
  readonly part: KeyPart;
  /** How many times an engine has sorted these records. */
  readonly rounds: number;
}

/** Groups up to this size are sorted by comparisons. An engine takes about as long just to start. */
const SMALL_GROUP = 4096;

/** The most rounds of the engine. Keys that agree in more places are sorted by comparisons from there on. */
const MOST_ROUNDS = 4;

/** Groups up to this size are sorted where they are found. */
const FEW = 16;

/** Records that are handled between two pauses. */
const PER_TURN = 1024;

/**
 * Computes the stable order of records by their keys. An engine sorts them by the first fields of the key
 * that tell most of them apart. Records that are still equal form groups, which are sorted by the rest of the
 * key: large groups by the engine again, small ones by comparisons. What all records of a group have in
 * common is left out. So the time depends on the bytes that tell the records apart, not on the key's length.
 */
export async function recordOrder(
  records: Uint8Array,
  options: RecordOrderOptions,
): Promise<Uint32Array<ArrayBuffer>> {
  const { item, descending, clock, pause } = options;
  const order = new Uint32Array(records.length / item.bytes);
  for (let i = 0; i < order.length; i++) order[i] = i;
  const groups: Group[] = [{ start: 0, end: order.length, part: item.keys, rounds: 0 }];
  for (let group = groups.pop(); group; group = groups.pop()) {
    const { start, end, rounds } = group;
    if (end - start < 2) continue;
    const members = order.subarray(start, end);
    const part = await clock.time("sort", 0, () =>
      withoutCommonPrefix(records, item, group.part, members, pause),
    );
    if (part.length === 0) continue;
    if (rounds > 0 && (members.length <= SMALL_GROUP || rounds >= MOST_ROUNDS)) {
      const compare = inOrder(recordComparator(records, item, part), descending);
      await clock.time("sort", 0, () => sortIndices(members, compare, pause));
      continue;
    }
    const { fields, leading, rest } = await clock.time("sort", 0, async () =>
      leadingFields(records, item, part, members),
    );
    await sortByFields(records, members, fields, options);
    if (rest.length === 0) continue;
    const compareRest = inOrder(recordComparator(records, item, rest), descending);
    const compareLeading = recordComparator(records, item, leading);
    const first = { recordBytes: item.bytes, offset: leading[0]!.offset, bytes: 1 };
    const prefetchKey = (place: number) => prefetch(records, first, members, place);
    const ties = await clock.time("sort", 0, () =>
      sortFewTied(members, { prefetchKey, compareLeading, compareRest }, pause),
    );
    for (const tie of ties) {
      groups.push({ start: start + tie.start, end: start + tie.end, part: rest, rounds: rounds + 1 });
    }
  }
  return order;
}

/** Sorts records by some fields, stably, with one pass of the engine for each field from the last on. */
async function sortByFields(
  records: Uint8Array,
  members: Uint32Array,
  fields: readonly KeyField[],
  { argsort, clock }: RecordOrderOptions,
): Promise<void> {
  for (const field of fields.toReversed()) {
    const keys = new field.type.array(members.length);
    await clock.time("extract", 0, async () => field.extract(records, members, keys));
    const places = await argsort(field, keys);
    for (let i = 0; i < places.length; i++) places[i] = members[places[i]!]!;
    members.set(places);
  }
}

/** What is known of records that are sorted by some fields. */
interface TieTools {
  /** Prefetches where the keys begin of the records from a place on; called for each place. */
  readonly prefetchKey: (place: number) => void;
  /** Compares two records by these fields. */
  readonly compareLeading: CompareRecords;
  /** Compares two records by the rest of their keys. */
  readonly compareRest: CompareRecords;
}

/**
 * Finds the stretches of records that are equal in the fields sorted by so far. Short ones are sorted here.
 *
 * @returns the places of the long ones.
 */
async function sortFewTied(
  members: Uint32Array,
  { prefetchKey, compareLeading, compareRest }: TieTools,
  pause: Pause,
): Promise<{ start: number; end: number }[]> {
  const long: { start: number; end: number }[] = [];
  for (let start = 0, end = 1; end <= members.length; end++) {
    if (end % PER_TURN === 0) await pause();
    prefetchKey(end);
    if (end < members.length && compareLeading(members[end - 1]!, members[end]!) === 0) continue;
    if (end - start > FEW) long.push({ start, end });
    else if (end - start > 1) sortFew(members, start, end, compareRest);
    start = end;
  }
  return long;
}

/**
 * Makes the order of a part of the key total. Records that are equal so far are in the order of the input, so
 * where the part does not decide, their indices do.
 */
function inOrder(compare: CompareRecords, descending: boolean): CompareRecords {
  return descending ? (a, b) => compare(b, a) || a - b : (a, b) => compare(a, b) || a - b;
}

/** The beginning of a key, as fields and as keys, and the rest. */
interface LeadingFields {
  readonly fields: readonly KeyField[];
  readonly leading: readonly RecordKey[];
  readonly rest: KeyPart;
}

/** One pass of the engine is needed per field, so more do not pay. */
const MOST_FIELDS = 4;

/** The fewest records of a sample. */
const LEAST_SAMPLES = 512;

/**
 * The tied pairs that a sample is expected to have where each record is tied with one other. So it has more
 * records the more there are.
 */
const EXPECTED_PAIRS = 4;

/**
 * As long as a shorter prefix leaves a record tied with this many others more, on average, than the longest
 * prefix does, comparisons are cheaper than another field.
 */
const FEW_TIES = 1;

/**
 * Chooses the fields to sort records by before any others: as few as tell most records apart. A sample of the
 * records shows how many that are.
 *
 * @param part not empty.
 */
function leadingFields(
  records: Uint8Array,
  item: RecordItem,
  part: KeyPart,
  indices: Uint32Array,
): LeadingFields {
  const prefixes: LeadingFields[] = [];
  let fields: KeyField[] = [];
  let leading: RecordKey[] = [];
  for (let rest = part; rest.length > 0 && prefixes.length < MOST_FIELDS; ) {
    const split = splitField(item, rest);
    fields = [...fields, split.field];
    leading = [...leading, split.key];
    rest = split.rest;
    prefixes.push({ fields, leading, rest });
  }
  const longest = prefixes.at(-1)!;
  if (prefixes.length === 1) return longest;
  const ties = prefixes.map(expectedTies(records, item, longest, indices));
  const least = ties.at(-1)!;
  if (least > indices.length / 2) return longest; // where few records differ, each round would separate few
  return prefixes[ties.findIndex((count) => count <= least + FEW_TIES)]!;
}

/**
 * @returns a function that estimates, for a prefix of the key, with how many others a record is tied on
 *   average. It counts the tied pairs of a sample.
 */
function expectedTies(
  records: Uint8Array,
  item: RecordItem,
  longest: LeadingFields,
  indices: Uint32Array,
): (prefix: LeadingFields) => number {
  const forPairs = Math.ceil(Math.sqrt(2 * EXPECTED_PAIRS * indices.length));
  const count = Math.min(indices.length, Math.max(LEAST_SAMPLES, forPairs));
  const sample = Array.from({ length: count }, (_, i) => indices[Math.floor((i * indices.length) / count)]!);
  sample.sort(recordComparator(records, item, longest.leading));
  return ({ leading }) => {
    const compare = recordComparator(records, item, leading);
    let pairs = 0;
    for (let i = 1, tied = 0; i < count; i++) {
      tied = compare(sample[i - 1]!, sample[i]!) === 0 ? tied + 1 : 0;
      pairs += tied;
    }
    return (2 * pairs * indices.length) / count ** 2;
  };
}

/** Indices that are sorted without a pause: it takes some milliseconds. */
const BLOCK = 1024;

/**
 * Sorts indices by comparisons, in place. It is a merge sort, which can pause: blocks are sorted one by one,
 * then neighbours are merged until one is left. It takes n log n comparisons.
 *
 * @param compare never returns 0 for different indices.
 */
export async function sortIndices(
  indices: Uint32Array,
  compare: (a: number, b: number) => number,
  pause: Pause,
): Promise<void> {
  for (let start = 0; start < indices.length; start += BLOCK) {
    indices.subarray(start, start + BLOCK).sort(compare);
    await pause();
  }
  const scratch = new Uint32Array(indices.length > BLOCK ? indices.length : 0);
  let from: Uint32Array = indices;
  let into: Uint32Array = scratch;
  for (let width = BLOCK; width < indices.length; width *= 2) {
    for (let start = 0; start < indices.length; start += 2 * width) {
      await merge(from.subarray(start, start + 2 * width), width, into.subarray(start), compare, pause);
    }
    [from, into] = [into, from];
  }
  if (from !== indices) indices.set(from);
}

/** Merges the first `middle` elements of `from` with its others. */
async function merge(
  from: Uint32Array,
  middle: number,
  into: Uint32Array,
  compare: (a: number, b: number) => number,
  pause: Pause,
): Promise<void> {
  let left = 0;
  let right = middle;
  for (let at = 0; at < from.length; at++) {
    if (at % BLOCK === 0) await pause();
    const takesLeft = right >= from.length || (left < middle && compare(from[left]!, from[right]!) < 0);
    into[at] = takesLeft ? from[left++]! : from[right++]!;
  }
}

/** Sorts a few indices by comparisons, in place: those from `start` to `end` - 1. */
export function sortFew(
  indices: Uint32Array,
  start: number,
  end: number,
  compare: (a: number, b: number) => number,
): void {
  for (let next = start + 1; next < end; next++) {
    const index = indices[next]!;
    let at = next;
    for (; at > start && compare(indices[at - 1]!, index) > 0; at--) indices[at] = indices[at - 1]!;
    indices[at] = index;
  }
}
