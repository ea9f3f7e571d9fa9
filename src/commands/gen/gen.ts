import { InputError } from "../../core/errors.js";
import { ProgressMeter } from "../../core/streams/progress.js";
import { crcSumText } from "../../graysort/valsort.js";
import { requireTypeOfName } from "../../sort/output_names.js";
import { openOutput } from "../../sort/outputs.js";
import { parseCount } from "../numbers.js";
import { outputOf } from "../output.js";
import { parseCompression, parseOutputFormat } from "../parse.js";
import { parseRecords, recordsNames } from "../records.js";
import { refuseBinaryOnTerminal } from "../terminal/binary_output.js";
import { ProgressLine } from "../terminal/progress_line.js";
import { writesTerminal } from "../terminal/terminal.js";
import { type GeneratedItems, generatedKeys, gensortRecords, type ItemArguments } from "./gen_items.js";

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
