import {
  type Compression,
  compressionNames,
  fileCompressions,
  type OutputCompression,
} from "../core/compression.js";
import { elementType, elementTypes, type TypeName } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import type { ByteOrder } from "../core/items/item.js";
import { nameHint, nearestName, ownProperty } from "../core/names.js";
import type { RecordKeyOption } from "../formats/format.js";
import { gensortNames } from "../graysort/record.js";
import { type Kind, kindNamed, kindNames } from "../kinds/names.js";
import type { OpenInputsOptions } from "../sort/inputs.js";
import { machineMemoryBytes } from "../sort/memory.js";
import { type OutputContent, unknownOutputFormat } from "../sort/output_formats.js";
import { type CountRange, parseCount } from "./numbers.js";

/** The options about the inputs, as the command line has them. */
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
export function parseInputArguments(args: InputArguments): OpenInputsOptions {
  const { type, byteOrder, skipBytes, record, key } = args;
  return {
    format: args.format === undefined ? undefined : kindNamed(args.format),
    type: type === undefined ? undefined : parseType(type),
    byteOrder: byteOrder === undefined ? undefined : parseByteOrder(byteOrder),
    skipBytes: skipBytes === undefined ? undefined : parseCount(skipBytes, "--skip-bytes", { least: 0 }),
    recordBytes: record === undefined ? undefined : parseRecordBytes(record),
    keys: key?.map(parseRecordKey),
    // The text format checks these.
    blankLines: args.blankLines as OpenInputsOptions["blankLines"],
    header: args.header,
    textOverflow: args.textOverflow as OpenInputsOptions["textOverflow"],
  };
}

/** @throws InputError if there is no such type. */
const parseType = (text: string): TypeName => elementType(text).name;

/**
 * Reads `--to`. Whether the inputs can be written so is known once they are open.
 *
 * @param contents what the command may write. Default: anything.
 * @throws InputError if there is no such format.
 */
export function parseOutputFormat(
  text: string,
  contents: readonly OutputContent[] = ["numbers", "records", "lines", "a table"],
): Kind {
  const kind = kindNames.find((name) => name === text);
  if (kind) return kind;
  throw unknownOutputFormat(text, contents);
}

/** What each word of `--compress` means. */
const compressions: Readonly<Record<string, Compression | "none">> = Object.fromEntries(
  fileCompressions.flatMap((one) => [[one, one], ...(one === "none" ? [] : [[compressionNames[one], one]])]),
);

/** Reads `--compress`. @throws InputError if there is no such compression. */
export function parseCompression(text: string): Compression | "none" {
  const compression = ownProperty(compressions, text);
  if (compression !== undefined) return compression;
  throw notCompression(text);
}

/** Reads `--compress` of what may be the codec of a Parquet file. @throws as `parseCompression` does. */
export function parseCodec(text: string): OutputCompression {
  const codec = text === "snappy" ? text : ownProperty(compressions, text);
  if (codec !== undefined) return codec;
  throw notCompression(text, "snappy");
}

/** @param codec what columns of Parquet can have besides. */
function notCompression(text: string, ...codec: readonly string[]): InputError {
  const names = Object.keys(compressions);
  const nearest = nearestName(text, [...names, ...codec]) ?? null;
  const hint = nameHint(text, [...names, ...codec.map((name) => `${name} (of Parquet)`)], nearest);
  return new InputError(`--compress '${text}' is not a compression`, { hint });
}

/** @throws InputError unless the text is "little" or "big". */
export function parseByteOrder(text: string): ByteOrder {
  if (text === "little" || text === "big") return text;
  const nearest = /^(le|little.*)$/i.test(text) ? "little" : /^(be|big.*)$/i.test(text) ? "big" : undefined;
  throw new InputError(`--byte-order '${text}' is not a byte order`, {
    hint: nameHint(text, ["little", "big"], nearest),
  });
}

/** Reads `--verify LEVEL` and `--no-verify`. @throws InputError if the level is unknown. */
export function parseVerify(level: string | boolean | undefined): boolean | "full" | undefined {
  if (typeof level !== "string" || level === "full") return level;
  throw new InputError(`--verify '${level}' is not a level`, {
    hint: "use --verify=full, or --no-verify",
  });
}

/**
 * Reads the key of a record: OFFSET:BYTES for bytes that are compared one by one as unsigned numbers, the
 * first byte first, or OFFSET:TYPE for a number.
 *
 * @throws InputError if the text is neither.
 */
export function parseRecordKey(text: string): RecordKeyOption {
  const [, offset, bytes, type] = /^(\d[^:]*):(?:(\d.*)|([a-z]\w*))$/.exec(text) ?? [];
  if (offset === undefined) throw notRecordKey(text);
  if (type !== undefined && !elementTypes.some(({ name }) => name === type)) {
    throw notRecordKey(text, `there is no type ${type}`);
  }
  const at = parseCount(offset, "--key: the offset", { least: 0 });
  return bytes === undefined
    ? { offset: at, type: parseType(type!) }
    : { offset: at, bytes: parseCount(bytes, "--key: the number of bytes") };
}

/** The error of a key that is no record's. */
export function notRecordKey(text: string, why?: string): InputError {
  return new InputError(`--key '${text}' is not a key of a record${why === undefined ? "" : `: ${why}`}`, {
    hint: "write OFFSET:BYTES, as in 0:10, or OFFSET:TYPE, as in 8:f64; OFFSET counts bytes from 0",
  });
}

const memoryUnits: Record<string, number> = {
  b: 1,
  "": 2 ** 10,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
};

/**
 * Reads an amount of memory in the notation of sort(1). A plain number is in kibibytes. The suffixes b, K, M,
 * G and T are bytes and their binary multiples (Ki, Mi, Gi and Ti are the same), and % is a share of this
 * machine's memory.
 *
 * @returns bytes.
 * @throws InputError if the text is not one of these, or less than one byte.
 */
export function parseMemory(text: string, option = "--memory"): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(%|b|(?:[KMGT]i?)?)$/i.exec(text) ?? [];
  const scale = unit === "%" ? machineMemoryBytes() / 100 : memoryUnits[(unit ?? "").toLowerCase()[0] ?? ""];
  const bytes = Math.floor(Number(number) * scale!);
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes;
  throw new InputError(`${option} '${text}' is not an amount of memory`, {
    hint: "write it like 512M, 2G or 50%; K, M, G and T are powers of 1024, and a plain number is in KiB",
  });
}

/** The values of `--records` by command: programs of the sort benchmark, which make or check its records. */
export const recordsNames = { gen: gensortNames, verify: ["valsort"] } as const;

const ofSortBenchmark = /^(gen|val|gray|tera)sort/i;

/** Reads the value of `--records`. @throws InputError if the command has no such records. */
export function parseRecords<Name extends string>(text: string, names: readonly Name[]): Name {
  if ((names as readonly string[]).includes(text)) return text as Name;
  if (/^\d/.test(text)) {
    throw new InputError(`--records '${text}' is a number`, {
      hint: `for records of so many bytes, write --record ${text}; --records takes a name, such as ${names[0]}`,
    });
  }
  const nearest = nearestName(text, names) ?? (ofSortBenchmark.test(text) ? names[0] : undefined);
  throw new InputError(`--records '${text}' is unknown`, { hint: nameHint(text, names, nearest) });
}

/** Reads the value of `--record`. @throws InputError unless it is a whole number in the range. */
export function parseRecordBytes(text: string, range?: CountRange): number {
  if (!ofSortBenchmark.test(text)) return parseCount(text, "--record", range);
  throw new InputError(`--record '${text}' is not a number of bytes`, {
    hint: [
      "records of the sort benchmark have 100 bytes: write --record 100;",
      "gpusort gen --records gensort makes them, and gpusort verify --records valsort checks them",
    ].join(" "),
  });
}
