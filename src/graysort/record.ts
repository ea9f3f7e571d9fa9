import type { RecordItem } from "../core/items/item.js";

/** A record of the sort benchmark (sortbenchmark.org): 100 bytes, of which the first ten are its key. */
export const graysortRecord = {
  kind: "record",
  bytes: 100,
  keys: [{ offset: 0, bytes: 10 }],
  byteOrder: "little",
} as const satisfies RecordItem;

/** The records that gensort makes: of any bytes, or lines of text (gensort -a). */
export const gensortNames = ["gensort", "gensort-ascii"] as const;
export type GensortName = (typeof gensortNames)[number];
