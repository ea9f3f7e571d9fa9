import { POWERS_BYTES, powersOfTen } from "../../core/cpu/powers_of_ten.js";
import { orderNumbers } from "../../core/cpu/sort/work.js";
import { foldTable, mapOf, nullTable, TABLE_BYTES } from "./key_tables.js";
import type { KernelKey, KernelOrder, RowComparison, RowKey, RowOrder } from "./row_order.js";

/** The values of assembly/rows/order.ts. */
const NONE = 0xffff_ffff;
const KEYS_AT = 32;
const KEY_BYTES = 56;

/** Of a map for a device: a word of it that says that the byte is left out. */
const LEFT_OUT = 256;
const MAP_WORDS = 256;
const Ending = { row: 0, separator: 1, blank: 2, quotes: 3, elsewhere: 4 } as const;
interface Comparison {
  /** Its value in assembly/rows/order.ts. */
  readonly code: number;
  /** What a key holds. The words of text are those of a string, and end with how many bytes they hold. */
  readonly holds: "text" | "number" | "month" | "date";
}
/** In the order in which messages name them. */
export const comparisons: Record<RowComparison, Comparison> = {
  bytes: { code: 0, holds: "text" },
  number: { code: 6, holds: "number" },
  decimal: { code: 1, holds: "number" },
  human: { code: 2, holds: "number" },
  float: { code: 3, holds: "number" },
  month: { code: 4, holds: "month" },
  date: { code: 5, holds: "date" },
  natural: { code: 8, holds: "text" },
  nocase: { code: 9, holds: "text" },
};
const STORED = 7;
const invalids = { first: 1, last: 2, error: 3 } as const;
/** Added to these. */
const GUESSED = 4;

/** The lowest byte of a word of a string that goes on: see assembly/rows/words.ts. */
export const MORE_BYTES = 8n;

const TAB = 9;
const LINE_FEED = 10;
const SPACE = 32;
const POINT = 46;

const wholeRow: RowKey = { begin: { field: 0, offset: 0 }, compare: "bytes" };

/** The keys of an order: the whole row, if it names none. */
export function keysOf(order: RowOrder): readonly RowKey[];
export function keysOf(order: KernelOrder): readonly KernelKey[];
export function keysOf({ keys }: KernelOrder): readonly KernelKey[] {
  return keys.length === 0 ? [wholeRow] : keys;
}

/**
 * How many keys have to be found in each row, or read as something else than its bytes. None, if rows are
 * compared from their first byte on.
 */
export function parsedKeyCount({ keys }: RowOrder): number {
  return keys.filter((key) => !isRow(key)).length;
}

/** Whether a key is the row itself, byte by byte. */
function isRow({ begin, end, compare, foldCase = false, ignore }: RowKey): boolean {
  const isWhole = begin.field === 0 && begin.offset === 0 && !begin.skipBlanks && end === undefined;
  return isWhole && compare === "bytes" && !foldCase && ignore === undefined;
}

/** Whether the words of a key are those of a string. */
export const isString = ({ compare }: Pick<KernelKey, "compare">) =>
  compare !== "stored" && comparisons[compare].holds === "text";

/** Bytes that `writeOrder` takes. */
export function orderBytes(order: KernelOrder): number {
  const keys = keysOf(order);
  const folded = isFolded(keys) ? foldTable().length : 0;
  return KEYS_AT + keys.length * (KEY_BYTES + TABLE_BYTES) + POWERS_BYTES + folded + 16;
}

/** Where things are that an order for the kernels refers to. */
export interface OrderPlaces {
  /** The address of the order itself. */
  readonly order: number;
  readonly text: number;
  readonly starts: number;
  readonly unique: boolean;
}

/** Writes an order for the kernels: see assembly/rows/order.ts. */
export function writeOrder({ buffer }: WebAssembly.Memory, order: KernelOrder, at: OrderPlaces): void {
  const keys = keysOf(order);
  const tables = at.order + KEYS_AT + keys.length * KEY_BYTES;
  const powers = Math.ceil((tables + keys.length * TABLE_BYTES) / 16) * 16;
  const folded = powers + POWERS_BYTES;
  new Uint32Array(buffer, at.order).set([...headWords(order), at.text, at.starts, powers, Number(at.unique)]);
  for (const [i, key] of keys.entries()) {
    const tableAt = tables + i * TABLE_BYTES;
    const [map, nulls] = [mapOf(key), nullTable(key)];
    const table = map ?? nulls; // no key has both
    if (table) new Uint8Array(buffer, tableAt).set(table);
    const keyAt = at.order + KEYS_AT + i * KEY_BYTES;
    const words = keyWords(key, order, key.compare === "nocase" ? folded : map ? tableAt : 0);
    new Uint32Array(buffer, keyAt).set([...words, nulls ? tableAt : 0, formOf(key)]);
  }
  if (isFolded(keys)) new Uint8Array(buffer, folded).set(foldTable());
  if (hasFloats(keys)) {
    new BigUint64Array(buffer, powers).set(powersOfTen());
  }
}

const isFolded = (keys: readonly KernelKey[]) => keys.some(({ compare }) => compare === "nocase");

const hasFloats = (keys: readonly KernelKey[]) => keys.some(({ compare }) => compare === "float");

/** How rows are told apart. */
function headWords(order: KernelOrder): number[] {
  const { terminator = NONE, separator = NONE, quotes } = order;
  return [terminator, separator, Number(quotes), keysOf(order).length];
}

/**
 * The order for a device, which has no addresses: the same words, but the places of tables are those of words.
 * See wgsl/rows/row_order.wgsl.
 */
export function deviceOrder(order: RowOrder): Uint32Array<ArrayBuffer> {
  const keys = keysOf(order);
  const maps = keys.some(mapOf) ? keys.map(deviceMap) : [];
  const mapsAt = (KEYS_AT + keys.length * KEY_BYTES) / 4;
  const powersAt = mapsAt + maps.length * MAP_WORDS;
  const powers = hasFloats(keys) ? new Uint32Array(powersOfTen().buffer) : new Uint32Array(0);
  const words = new Uint32Array(powersAt + powers.length);
  words.set([...headWords(order), 0, 0, powersAt]);
  words.set(powers, powersAt);
  for (const [i, key] of keys.entries()) {
    const at = mapsAt + i * MAP_WORDS;
    if (maps[i]) words.set(maps[i], at);
    words.set(keyWords(deviceKey(key), order, maps[i] ? at : 0), (KEYS_AT + i * KEY_BYTES) / 4);
  }
  return words;
}

/** A device reads decimal numbers only, and leaves rows with others to the CPU. */
function deviceKey(key: RowKey): RowKey {
  return key.compare === "number" ? { ...key, compare: "decimal" } : key;
}

/** Whether a key is compared byte by byte, but not all bytes stand for themselves. */
export const isMapped = (key: RowKey) => key.compare === "bytes" && mapOf(key) !== undefined;

/** The map of a key for a device: a word for each byte. All keys of an order have one, or none. */
function deviceMap(key: RowKey): Uint32Array {
  const table = mapOf(key);
  if (!table) return Uint32Array.from({ length: MAP_WORDS }, (_, byte) => byte);
  return Uint32Array.from({ length: MAP_WORDS }, (_, byte) => (table[256 + byte] ? LEFT_OUT : table[byte]!));
}

function keyWords(key: KernelKey, order: KernelOrder, table: number): number[] {
  const { begin, end, compare, descending, invalid, guessed = false, required } = key;
  return [
    begin.field,
    begin.offset,
    Number(begin.skipBlanks ?? false),
    endingOf(key, order),
    end?.field ?? 0,
    end?.bytes ?? NONE,
    Number(end?.skipBlanks ?? false),
    compare === "stored" ? STORED : comparisons[compare].code,
    table,
    Number(descending ?? false),
    invalid === undefined ? 0 : invalids[invalid] + (guessed ? GUESSED : 0),
    Number(required ?? false),
  ];
}

/** The form of numbers: see assembly/rows/numbers.ts; and of stored ones: see assembly/rows/words.ts. */
function formOf(key: KernelKey): number {
  if (key.compare === "stored") {
    const { type, byteOrder } = key.stored;
    return type.bytes | (orderNumbers[type.order] << 8) | (Number(byteOrder === "big") << 16);
  }
  const { form } = key;
  const { point = POINT, thousands = 0 } = form ?? {};
  return point === POINT && thousands === 0 ? 0 : point | (thousands << 8);
}

/** Whether each further word of a key means to look for the key from the begin of its row, as in refine.ts. */
export const isFoundAnew = (key: KernelKey, order: KernelOrder) =>
  key.compare !== "bytes" || endingOf(key, order) === Ending.elsewhere;

/** How a kernel finds the end of a key. A key that ends with its field is looked through only once. */
function endingOf({ begin, end }: KernelKey, { separator, quotes }: KernelOrder): number {
  if (!end) return Ending.row;
  if (quotes) return Ending.quotes;
  // Blanks that are skipped may be separators, and bytes that are skipped may lie beyond the field.
  const skipsSeparators =
    begin.skipBlanks && (separator === TAB || separator === SPACE || separator === LINE_FEED);
  const isField = end.field === begin.field && end.bytes === undefined && begin.offset === 0;
  if (!isField || skipsSeparators) return Ending.elsewhere;
  return separator === undefined ? Ending.blank : Ending.separator;
}
