import { type ElementType, elementType } from "../core/elements.js";
import { InputError, type OptionName } from "../core/errors.js";
import type { ByteOrder, RecordKey } from "../core/items/item.js";
import { requireKnown, shown } from "../core/names.js";
import { typeOfPath } from "../kinds/names.js";
import type { InputOptions, RecordKeyOption } from "./format.js";
import type { TextOverflow } from "./text/numbers.js";

/** The type in the options, else the type that the file's extension names, else undefined. */
export function chosenType(name: string, { type }: InputOptions): ElementType | undefined {
  return type === undefined ? typeOfPath(name) : elementType(type);
}

/** Checks a byte order. @throws InputError unless it is "little" or "big". */
export function requireByteOrder(byteOrder: ByteOrder = "little"): ByteOrder {
  if (byteOrder === "little" || byteOrder === "big") return byteOrder;
  throw new InputError(`unknown byte order '${byteOrder}'`, {
    hint: "use little or big",
    options: ["byteOrder"],
  });
}

/** Checks a number. @throws InputError unless it is a whole number of at least `minimum`. */
export function requireWhole(value: number, what: string, minimum: number, option: OptionName): number {
  if (Number.isSafeInteger(value) && value >= minimum) return value;
  throw new InputError(`${what} cannot be ${shown(value)}`, {
    hint: `give a whole number of at least ${minimum}`,
    options: [option],
  });
}

/** The number of bytes to skip. @throws InputError unless it is a whole number of at least 0. */
export function requireSkip({ skipBytes = 0 }: InputOptions): number {
  return requireWhole(skipBytes, "the number of bytes to skip", 0, "skipBytes");
}

/**
 * Checks a record key.
 *
 * @throws InputError if it does not lie within `recordBytes` bytes, or if its type is unknown.
 */
export function requireRecordKey(key: RecordKeyOption, recordBytes: number): RecordKey {
  if (typeof key !== "object" || key === null) {
    throw new InputError(`the record key ${key} is not an object`, {
      hint: 'pass { offset: 0, bytes: 10 } or { offset: 8, type: "u64" }',
      options: ["keys"],
    });
  }
  requireKnown(`the record key ${recordKeyText(key)}`, key, ["offset", "type" in key ? "type" : "bytes"]);
  const { offset } = key;
  const checked = "type" in key ? { offset, type: elementType(key.type) } : { offset, bytes: key.bytes };
  const bytes = "type" in checked ? checked.type.bytes : checked.bytes;
  const isWhole = Number.isSafeInteger(offset) && Number.isSafeInteger(bytes);
  if (isWhole && offset >= 0 && bytes > 0 && offset + bytes <= recordBytes) return checked;
  throw new InputError(`the key ${recordKeyText(key)} does not lie in a record of ${recordBytes} bytes`, {
    hint: `a key starts at byte 0 or later, has at least 1 byte, and ends at byte ${recordBytes} or before`,
    options: ["keys"],
  });
}

/** A key as text: "OFFSET:BYTES" or "OFFSET:TYPE". */
export function recordKeyText(key: RecordKeyOption): string {
  return `${key.offset}:${"type" in key ? key.type : key.bytes}`;
}

/** The checked options of a text input. */
export interface KeyTextOptions {
  readonly type: ElementType;
  readonly skipsBlankLines: boolean;
  readonly header: boolean;
  readonly overflow: TextOverflow;
}

/** Checks the options of text. @throws InputError if one is wrong. */
export function requireTextOptions(options: InputOptions, type: ElementType): KeyTextOptions {
  const { blankLines = "error", header = false, textOverflow = "error" } = options;
  requireOneOf(blankLines, ["error", "skip"], "what to do with blank lines", "blankLines");
  requireOneOf(header, [true, false], "whether there is a header line", "header");
  requireOneOf(textOverflow, ["error", "inf"], "what to do with numbers that are too large", "textOverflow");
  if (textOverflow === "inf" && type.order !== "float") {
    throw new InputError(`numbers that are too large for ${type.name} cannot become inf: it has none`, {
      hint: "name a float type",
      options: ["type", "textOverflow"],
    });
  }
  return { type, skipsBlankLines: blankLines === "skip", header, overflow: textOverflow };
}

function requireOneOf<T>(value: T, choices: readonly T[], what: string, option: OptionName): void {
  if (choices.includes(value)) return;
  throw new InputError(`${what} cannot be '${value}'`, {
    hint: `use ${choices.join(" or ")}`,
    options: [option],
  });
}
