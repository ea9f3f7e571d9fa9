import { elementType, type TypeName } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import type { ByteOrder } from "../core/items/item.js";
import type { OpenInputsOptions } from "../external/inputs.js";
import { machineMemoryBytes } from "../external/memory.js";
import type { RecordKeyOption } from "../formats/format.js";
import { type FormatName, format } from "../formats/registry.js";

/** The options about the inputs, as typed on the command line. */
export interface InputArguments {
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly byteOrder?: string | undefined;
  readonly skipBytes?: string | undefined;
  readonly record?: string | undefined;
  readonly key?: readonly string[] | undefined;
  readonly blankLines?: string | undefined;
  readonly header?: boolean | undefined;
  readonly textOverflow?: string | undefined;
}

/** @throws InputError that names the invalid option. */
export function parseInputArguments(typed: InputArguments): OpenInputsOptions {
  const { type, byteOrder, skipBytes, record, key } = typed;
  return {
    format: typed.format === undefined ? undefined : parseFormat(typed.format),
    type: type === undefined ? undefined : parseType(type),
    byteOrder: byteOrder === undefined ? undefined : parseByteOrder(byteOrder),
    skipBytes: skipBytes === undefined ? undefined : parseWhole(skipBytes, "--skip-bytes"),
    recordBytes: record === undefined ? undefined : parseWhole(record, "--record", 1),
    keys: key?.map(parseRecordKey),
    // The text format checks these.
    blankLines: typed.blankLines as OpenInputsOptions["blankLines"],
    header: typed.header,
    textOverflow: typed.textOverflow as OpenInputsOptions["textOverflow"],
  };
}

/** @throws InputError if there is no such type. */
function parseType(text: string): TypeName {
  return elementType(text).name;
}

/** @throws InputError if there is no such format. */
export function parseFormat(text: string): FormatName {
  return format(text).name as FormatName;
}

/** @throws InputError unless the text is "little" or "big". */
export function parseByteOrder(text: string): ByteOrder {
  if (text === "little" || text === "big") return text;
  throw new InputError(`--byte-order '${text}' is not a byte order`, { hint: "use little or big" });
}

/** Reads `--verify LEVEL` and `--no-verify`. @throws InputError if the level is unknown. */
export function parseVerify(level: string | boolean | undefined): boolean | "full" | undefined {
  if (typeof level !== "string" || level === "full") return level;
  throw new InputError(`--verify '${level}' is not a level`, { hint: "use --verify=full, or --no-verify" });
}

/** @throws InputError that names the option, unless the text is a whole number of at least `least`. */
export function parseWhole(text: string, option: string, least = 0): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new InputError(`${option} '${text}' is not a whole number of at least ${least}`, {
    hint: `write it with digits only, as in ${option} ${Math.max(least, 100)}`,
  });
}

/**
 * Reads the key of a record: OFFSET:BYTES for bytes that are compared one by one as unsigned numbers, the
 * first byte first, or OFFSET:TYPE for a number.
 *
 * @throws InputError if the text is neither.
 */
export function parseRecordKey(text: string): RecordKeyOption {
  const [, offset, bytes, type] = /^(\d+):(?:(\d+)|([a-z]\w*))$/.exec(text) ?? [];
  if (offset === undefined) {
    throw new InputError(`--key '${text}' is not a key of a record`, {
      hint: "write OFFSET:BYTES, as in 0:10, or OFFSET:TYPE, as in 8:f64",
    });
  }
  return type === undefined
    ? { offset: Number(offset), bytes: Number(bytes) }
    : { offset: Number(offset), type: parseType(type) };
}

const memoryUnits: Record<string, number> = {
  b: 1,
  "": 2 ** 10,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
  T: 2 ** 40,
};

/**
 * Reads an amount of memory in the notation of sort(1). A plain number is in kibibytes. The suffixes b, K, M,
 * G and T are bytes and their binary multiples, and % is a share of this machine's memory.
 *
 * @returns bytes.
 * @throws InputError if the text is not one of these, or less than one byte.
 */
export function parseMemory(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([bKMGT%]?)$/i.exec(text) ?? [];
  const scale =
    unit === "%" ? machineMemoryBytes() / 100 : (memoryUnits[unit ?? ""] ?? memoryUnits[unit!.toUpperCase()]);
  const bytes = Math.floor(Number(number) * scale!);
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes;
  throw new InputError(`--memory '${text}' is not an amount of memory`, {
    hint: "write it like 512M, 2G or 50%; a plain number is in kibibytes",
  });
}
