import { elementType, elementTypeOfPath } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { keyItem } from "../core/items/item.js";
import { ProgressMeter } from "../core/streams/progress.js";
import { openOutput } from "../external/outputs.js";
import { formatOfPath } from "../formats/registry.js";
import { distribution } from "../testdata/distributions.js";
import { generate, recordKeyType } from "../testdata/generate.js";
import { refuseBinaryOnTerminal } from "./binary_output.js";
import { outputOf } from "./output.js";
import { parseByteOrder, parseFormat, parseWhole } from "./parse.js";
import { ProgressLine } from "./progress_line.js";
import { parseSize } from "./sizes.js";
import { writesTerminal } from "./terminal.js";

export interface GenArguments {
  readonly output: string;
  readonly type?: string;
  readonly dist: string;
  readonly seed: string;
  readonly offset: string;
  readonly total?: string;
  readonly to?: string;
  readonly byteOrder?: string;
  readonly record?: string;
  readonly force?: boolean | undefined;
}

const PIECE_BYTES = 4 << 20;

/** `gpusort gen N -o FILE`: writes test keys. */
export async function gen(size: string, typed: GenArguments): Promise<void> {
  refuseBinaryOnTerminal(typed.output, [], typed);
  const count = parseSize(size, "n");
  const offset = parseWhole(typed.offset, "--offset");
  const total = typed.total === undefined ? offset + count : parseWhole(typed.total, "--total", 1);
  if (offset + count > total) {
    throw new InputError(`--offset ${offset} plus ${count} keys is more than --total ${total}`, {
      hint: "give a larger --total, or ask for fewer keys",
    });
  }
  const type = typed.type ? elementType(typed.type) : (elementTypeOfPath(typed.output) ?? elementType("u32"));
  const bytes = typed.record === undefined ? undefined : parseWhole(typed.record, "--record", 1);
  const byteOrder = typed.byteOrder === undefined ? "little" : parseByteOrder(typed.byteOrder);
  const item =
    bytes === undefined
      ? keyItem(type)
      : ({ kind: "record", bytes, keys: [{ offset: 0, bytes: Math.min(10, bytes) }], byteOrder } as const);
  const settings = {
    distribution: distribution(typed.dist, [bytes === undefined ? type : recordKeyType]),
    seed: parseWhole(typed.seed, "--seed"),
    total,
  };
  const named = bytes === undefined ? formatOfPath(typed.output)?.name : undefined;
  const style = { format: named ?? "raw", byteOrder };
  const { file, sink: output } = await openOutput(outputOf(typed.output), item, style, count, {
    to: typed.to === undefined ? undefined : parseFormat(typed.to),
    replace: typed.force ? "force" : false,
  });
  const line = new ProgressLine(process.stderr, {
    wanted: true,
    sharesTerminal: writesTerminal(typed.output),
  });
  const progress = new ProgressMeter(line.update);
  progress.expect({ writing: count * item.bytes }, ["writing"]);
  try {
    const sink = progress.sink("writing", output);
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
