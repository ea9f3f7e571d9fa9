import type { KeyArray } from "../../core/elements.js";
import type { RecordItem } from "../../core/items/item.js";
import type { PhaseClock } from "../../core/streams/phase_clock.js";
import type { Pause } from "../../core/streams/yield_to_event_loop.js";
import { type CompareRecords, recordComparator, withoutCommonPrefix } from "./compare_records.js";
import { sortFew, sortIndices } from "./index_sort.js";
import type { KeyField, KeyPart } from "./key_fields.js";
import { leadingFields } from "./leading_fields.js";

export interface RecordOrderOptions {
  readonly item: RecordItem;
  readonly descending: boolean;
  /** Computes the stable order of the values of one field, in the direction of the sort. */
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
    const { fields, leading, rest } = leadingFields(records, item, part, members);
    await sortByFields(records, members, fields, options);
    if (rest.length === 0) continue;
    const compare = inOrder(recordComparator(records, item, rest), descending);
    const isTied = recordComparator(records, item, leading);
    const ties = await clock.time("sort", 0, () => sortFewTied(members, isTied, compare, pause));
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
    members.set(places.map((place) => members[place]!));
  }
}

/**
 * Finds the stretches of records that are equal in the fields sorted by so far. Short ones are sorted here.
 *
 * @returns the places of the long ones.
 */
async function sortFewTied(
  members: Uint32Array,
  compareLeading: CompareRecords,
  compareRest: CompareRecords,
  pause: Pause,
): Promise<{ start: number; end: number }[]> {
  const long: { start: number; end: number }[] = [];
  for (let start = 0, end = 1; start < members.length; start = end++) {
    while (end < members.length && compareLeading(members[end - 1]!, members[end]!) === 0) {
      if (end++ % PER_TURN === 0) await pause();
    }
    if (end - start > FEW) long.push({ start, end });
    else if (end - start > 1) sortFew(members, start, end, compareRest);
    if (start % PER_TURN === 0) await pause();
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
