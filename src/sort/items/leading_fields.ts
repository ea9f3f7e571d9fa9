import type { RecordItem, RecordKey } from "../../core/items/item.js";
import { recordComparator } from "./compare_records.js";
import { type KeyField, type KeyPart, splitField } from "./key_fields.js";

/** The beginning of a key, as fields and as keys, and the rest. */
interface LeadingFields {
  readonly fields: readonly KeyField[];
  readonly leading: readonly RecordKey[];
  readonly rest: KeyPart;
}

/** One pass of the engine is needed per field, so more do not pay. */
const MOST_FIELDS = 4;

const SAMPLES = 512;

/** Where no more than one record in this number is still tied, comparisons are cheaper than another field. */
const FEW_TIES = 16;

/**
 * Chooses the fields to sort records by before any others: as few as tell most records apart. A sample of the
 * records shows how many that are.
 *
 * @param part not empty.
 */
export function leadingFields(
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
  const ties = prefixes.map(sampledTies(records, item, longest, indices));
  const least = ties.at(-1)!;
  return prefixes[ties.findIndex((count) => count <= least + SAMPLES / FEW_TIES)]!;
}

/** @returns a function that counts the records of a sample that a prefix of the key does not tell apart. */
function sampledTies(
  records: Uint8Array,
  item: RecordItem,
  longest: LeadingFields,
  indices: Uint32Array,
): (prefix: LeadingFields) => number {
  const count = Math.min(SAMPLES, indices.length);
  const sample = Array.from({ length: count }, (_, i) => indices[Math.floor((i * indices.length) / count)]!);
  sample.sort(recordComparator(records, item, longest.leading));
  return ({ leading }) => {
    const compare = recordComparator(records, item, leading);
    return sample.filter((index, i) => i > 0 && compare(sample[i - 1]!, index) === 0).length;
  };
}
