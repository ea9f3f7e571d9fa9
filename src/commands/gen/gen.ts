import { elementType } from "../../core/elements.js";
import { InputError } from "../../core/errors.js";
import { type ByteOrder, type Item, keyItem } from "../../core/items/item.js";
import { ProgressMeter } from "../../core/streams/progress.js";
import { Gensort } from "../../graysort/gensort.js";
import { type GensortName, graysortRecord } from "../../graysort/record.js";
import { crcSumText } from "../../graysort/valsort.js";
import { kindOfPath, typeOfPath } from "../../kinds/names.js";
import { requireTypeOfName } from "../../sort/output_names.js";
import { openOutput } from "../../sort/outputs.js";
import { distribution } from "../../testdata/distributions.js";
import { generate, recordKeyType } from "../../testdata/generate.js";
import { parseCount } from "../numbers.js";
import { outputOf } from "../output.js";
import {
  parseByteOrder,
  parseCompression,
  parseOutputFormat,
  parseRecordBytes,
  parseRecords,
  recordsNames,
} from "../parse.js";
import { refuseBinaryOnTerminal } from "../terminal/binary_output.js";
import { ProgressLine } from "../terminal/status_line.js";
import { writesTerminal } from "../terminal/terminal.js";

export interface GenArguments extends ItemArguments {
  readonly offset: string;
  readonly total?: string;
  readonly compress?: string;
  readonly records?: string;
  readonly checksum?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** The most keys of a file: a 64-bit key has two words, and words have numbers below 2^53. */
const MOST_KEYS = 2 ** 52;

/** `gpusort gen N -o FILE`: writes test keys. */
export async function gen(size: string, args: GenArguments): Promise<void> {
  const kind = args.records === undefined ? undefined : parseRecords(args.records, recordsNames.gen);
  refuseBinaryOnTerminal(args.output, kind === "gensort-ascii" ? "text" : args.to, args.compress);
  const { count, offset, total } = partOf(size, args);
  const items = kind ? gensortRecords(kind, args, count) : generatedKeys(args, count, total);
  const sum = await write(items, args, count, offset);
  if (args.checksum) process.stderr.write(`${crcSumText(sum)}\n`);
}

/** Writes `count` items from `offset` on. @returns the sum of their checksums, if it is asked for. */
async function write(
  items: GeneratedItems,
  args: GenArguments,
  count: number,
  offset: number,
): Promise<bigint> {
  const { item, format, byteOrder } = items;
  const options = {
    to: args.to === undefined ? undefined : parseOutputFormat(args.to, ["numbers", "records"]),
    compress: args.compress === undefined ? undefined : parseCompression(args.compress),
    replace: args.force ? ("force" as const) : false,
  };
  requireTypeOfName(args.output, item, { format, byteOrder }, options);
  const output = outputOf(args.output);
  const { file, sink } = await openOutput(
    output,
    { item, like: { format, byteOrder }, itemCount: count },
    options,
  );
  const line = new ProgressLine(process.stderr, {
    enabled: !args.quiet,
    sharesTerminal: writesTerminal(args.output),
  });
  const progress = new ProgressMeter(line.update);
  progress.expect({ writing: count * item.bytes }, ["writing"]);
  let sum = 0n;
  try {
    const watched = progress.sink("writing", sink);
    const most = items.pieces[0].length / item.bytes;
    const written: Promise<void>[] = [];
    for (let done = 0, turn = 0; done < count; done += most, turn++) {
      await written[turn - 2];
      const piece = items.pieces[turn % 2]!.subarray(0, Math.min(most, count - done) * item.bytes);
      items.fill(piece, offset + done);
      const writing = watched.write(piece, done * item.bytes);
      writing.catch(() => {}); // awaited two pieces later, or at the end
      written.push(writing);
      if (args.checksum) sum += items.checksum!(piece);
      await new Promise(setImmediate);
    }
    await Promise.all(written);
    await watched.end();
    await file.publish();
    return sum;
  } catch (error) {
    await file.discard();
    throw error;
  } finally {
    line.end();
  }
}

/** Which keys to make. @throws InputError if they are not among the first 2^52, or not within the total. */
function partOf(size: string, args: GenArguments): { count: number; offset: number; total: number } {
  const range = { most: MOST_KEYS };
  const count = parseCount(size, "n", range);
  const offset = parseCount(args.offset, "--offset", { ...range, least: 0 });
  const total = args.total === undefined ? offset + count : parseCount(args.total, "--total", range);
  if (offset + count > MOST_KEYS) {
    throw new InputError(
      `--offset ${offset} plus ${count} keys is more than the 2^52 keys of the longest file`,
      {
        hint: `give an --offset of at most ${MOST_KEYS - count}`,
      },
    );
  }
  if (offset + count > total) {
    throw new InputError(`--offset ${offset} plus ${count} keys is more than --total ${total}`, {
      hint: "give a larger --total, or ask for fewer keys",
    });
  }
  return { count, offset, total };
}

interface ItemArguments {
  readonly output: string;
  readonly type?: string;
  readonly dist: string;
  readonly seed: string;
  readonly to?: string;
  readonly byteOrder?: string;
  readonly record?: string;
}

/** What `gpusort gen` makes. */
interface GeneratedItems {
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
function generatedKeys(args: ItemArguments, count: number, total: number): GeneratedItems {
  if (args.dist === "skewed") {
    throw new InputError("--dist skewed is a distribution of gensort's records alone", {
      hint: "write --records gensort too, or take another distribution, such as zipf",
    });
  }
  const type = elementType(args.type ?? typeOfPath(args.output)?.name ?? "u32");
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
function gensortRecords(kind: GensortName, { dist }: ItemArguments, count: number): GeneratedItems {
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
