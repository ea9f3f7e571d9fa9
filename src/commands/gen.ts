import { elementType, elementTypeOfPath } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { type ByteOrder, keyItem } from "../core/items/item.js";
import { ProgressMeter } from "../core/streams/progress.js";
import { openOutput, requireTypeOfName } from "../external/outputs.js";
import { formatOfPath } from "../formats/registry.js";
import { distribution } from "../testdata/distributions.js";
import { generate, recordKeyType } from "../testdata/generate.js";
import { refuseBinaryOnTerminal } from "./binary_output.js";
import { parseCount } from "./numbers.js";
import { outputOf } from "./output.js";
import { parseByteOrder, parseCompression, parseFormat } from "./parse.js";
import { ProgressLine } from "./progress_line.js";
import { writesTerminal } from "./terminal.js";

export interface GenArguments {
  readonly output: string;
  readonly type?: string;
  readonly dist: string;
  readonly seed: string;
  readonly offset: string;
  readonly total?: string;
  readonly to?: string;
  readonly compress?: string;
  readonly byteOrder?: string;
  readonly record?: string;
  readonly force?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

const PIECE_BYTES = 4 << 20;

/** The most keys of a file: a 64-bit key has two words, and words have numbers below 2^53. */
const MOST_KEYS = 2 ** 52;
/** The longest record: two of them are kept in memory. */
const MOST_RECORD_BYTES = 2 ** 30;

/** `gpusort gen N -o FILE`: writes test keys. */
export async function gen(size: string, typed: GenArguments): Promise<void> {
  refuseBinaryOnTerminal(typed.output, typed.to, typed.compress);
  const { count, offset, total } = partOf(size, typed);
  const type = typed.type ? elementType(typed.type) : (elementTypeOfPath(typed.output) ?? elementType("u32"));
  const bytes =
    typed.record === undefined
      ? undefined
      : parseCount(typed.record, "--record", { most: MOST_RECORD_BYTES });
  const { format, byteOrder } = styleOf(typed);
  const item =
    bytes === undefined
      ? keyItem(type)
      : ({ kind: "record", bytes, keys: [{ offset: 0, bytes: Math.min(10, bytes) }], byteOrder } as const);
  const settings = {
    distribution: distribution(typed.dist, [bytes === undefined ? type : recordKeyType]),
    seed: parseCount(typed.seed, "--seed", { least: 0, most: 2 ** 32 - 1 }),
    total,
  };
  const options = {
    to: typed.to === undefined ? undefined : parseFormat(typed.to),
    compress: typed.compress === undefined ? undefined : parseCompression(typed.compress),
    replace: typed.force ? ("force" as const) : false,
  };
  requireTypeOfName(typed.output, item, { format, byteOrder }, options);
  const output = outputOf(typed.output);
  const { file, sink: items } = await openOutput(output, item, { format, byteOrder }, count, options);
  const line = new ProgressLine(process.stderr, {
    wanted: !typed.quiet,
    sharesTerminal: writesTerminal(typed.output),
  });
  const progress = new ProgressMeter(line.update);
  progress.expect({ writing: count * item.bytes }, ["writing"]);
  try {
    const sink = progress.sink("writing", items);
    const most = Math.max(1, Math.floor(PIECE_BYTES / item.bytes));
    // Two pieces take turns: one is filled while the other is written.
    const pieces = [0, 1].map(() => new Uint8Array(Math.min(most, count) * item.bytes));
    const written: Promise<void>[] = [];
    for (let done = 0, turn = 0; done < count; done += most, turn++) {
      await written[turn - 2];
      const piece = pieces[turn % 2]!.subarray(0, Math.min(most, count - done) * item.bytes);
      generate(piece, item, offset + done, settings);
      const writing = sink.write(piece, done * item.bytes);
      writing.catch(() => {}); // awaited two pieces later, or at the end
      written.push(writing);
      await new Promise(setImmediate);
    }
    await Promise.all(written);
    await sink.end();
    await file.publish();
  } catch (error) {
    await file.discard();
    throw error;
  } finally {
    line.end();
  }
}

/** Which keys to make. @throws InputError if they are not among the first 2^52, or not within the total. */
function partOf(size: string, typed: GenArguments): { count: number; offset: number; total: number } {
  const range = { most: MOST_KEYS };
  const count = parseCount(size, "n", range);
  const offset = parseCount(typed.offset, "--offset", { ...range, least: 0 });
  const total = typed.total === undefined ? offset + count : parseCount(typed.total, "--total", range);
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

/** How the file is laid out. @throws InputError for a byte order of a format that has none. */
function styleOf({ output, to, byteOrder, record }: GenArguments): { format: string; byteOrder: ByteOrder } {
  const named = record === undefined ? formatOfPath(output)?.name : undefined;
  const format = to === undefined ? (named ?? "raw") : parseFormat(to);
  if (byteOrder !== undefined && format === "text") {
    throw new InputError("--byte-order has no effect on text", {
      hint: "leave it out, or name another format",
    });
  }
  return { format, byteOrder: byteOrder === undefined ? "little" : parseByteOrder(byteOrder) };
}
