import { elementType } from "../../core/elements.js";
import { InputError } from "../../core/errors.js";
import { type ByteOrder, type Item, keyItem } from "../../core/items/item.js";
import { Gensort } from "../../graysort/gensort.js";
import { type GensortName, graysortRecord } from "../../graysort/record.js";
import { kindOfPath, typeOfPath } from "../../kinds/names.js";
import { distribution } from "../../testdata/distributions.js";
import { generate, recordKeyType } from "../../testdata/generate.js";
import { parseCount } from "../numbers.js";
import { parseByteOrder, parseOutputFormat } from "../parse.js";
import { parseRecordBytes } from "../records.js";

export interface ItemArguments {
  readonly output: string;
  readonly type?: string;
  readonly dist: string;
  readonly seed: string;
  readonly to?: string;
  readonly byteOrder?: string;
  readonly record?: string;
}

/** What `gpusort gen` makes. */
export interface GeneratedItems {
  readonly item: Item;
  readonly format: string;
  readonly byteOrder: ByteOrder;
  /** Memory for some items: one piece is filled while the other is written. */
  readonly pieces: readonly [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
  /** Fills the begin of a piece with items. @param first the place of the first of them among all items. */
  fill(piece: Uint8Array, first: number): void;
  /** A checksum of the items in a piece. The checksums of all pieces add up. Absent if there is none. */
  checksum?(piece: Uint8Array): bigint;
}

const PIECE_BYTES = 4 << 20;

/** The longest record: two of them are kept in memory. */
const MOST_RECORD_BYTES = 2 ** 30;

/** Keys of a distribution, or records with such keys. @throws InputError for arguments that do not fit. */
export function generatedKeys(args: ItemArguments, count: number, total: number): GeneratedItems {
  if (args.dist === "skewed") {
    throw new InputError("--dist skewed is a distribution of gensort's records alone", {
      hint: "write --records gensort too, or take another distribution, such as zipf",
    });
  }
  const type = args.type ? elementType(args.type) : (typeOfPath(args.output) ?? elementType("u32"));
  const bytes =
    args.record === undefined ? undefined : parseRecordBytes(args.record, { most: MOST_RECORD_BYTES });
  const style = styleOf(args);
  const { byteOrder } = style;
  const item =
    bytes === undefined
      ? keyItem(type)
      : ({ kind: "record", bytes, keys: [{ offset: 0, bytes: Math.min(10, bytes) }], byteOrder } as const);
  const settings = {
    distribution: distribution(args.dist, [bytes === undefined ? type : recordKeyType]),
    seed: parseCount(args.seed, "--seed", { least: 0, most: 2 ** 32 - 1 }),
    total,
  };
  const pieceBytes = itemsOfPiece(item, count) * item.bytes;
  return {
    item,
    ...style,
    pieces: [new Uint8Array(pieceBytes), new Uint8Array(pieceBytes)],
    fill: (piece, first) => generate(piece, item, first, settings),
  };
}

/** Records of the sort benchmark. @throws InputError if gensort has no such distribution. */
export function gensortRecords(kind: GensortName, { dist }: ItemArguments, count: number): GeneratedItems {
  if (dist !== "uniform" && dist !== "skewed") {
    throw new InputError(`--dist ${dist} cannot be used with --records ${kind}`, {
      hint: "gensort's keys are uniform, or skewed: leave --dist out, or write --dist skewed",
    });
  }
  const pieceRecords = itemsOfPiece(graysortRecord, count);
  const records = new Gensort({ kind, skewed: dist === "skewed", pieceRecords });
  return {
    item: graysortRecord,
    format: "raw",
    byteOrder: "little",
    pieces: records.pieces,
    fill: (piece, first) => records.fill(piece, first),
    checksum: (piece) => records.crcSum(piece),
  };
}

const itemsOfPiece = ({ bytes }: Item, count: number) =>
  Math.min(count, Math.max(1, Math.floor(PIECE_BYTES / bytes)));

/** How the file is laid out. @throws InputError for a byte order of a format that has none. */
function styleOf({ output, to, byteOrder, record }: ItemArguments): { format: string; byteOrder: ByteOrder } {
  const named = record === undefined ? kindOfPath(output)?.kind : undefined;
  const format = to === undefined ? (named ?? "raw") : parseOutputFormat(to, ["numbers", "records"]);
  if (byteOrder !== undefined && format === "text") {
    throw new InputError("--byte-order has no effect on text", {
      hint: "leave it out, or name another format",
    });
  }
  return { format, byteOrder: byteOrder === undefined ? "little" : parseByteOrder(byteOrder) };
}
