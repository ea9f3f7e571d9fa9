import { parseSize } from "../bench/sizes.js";
import { elementType, elementTypeOfPath } from "../elements.js";
import { InputError } from "../errors.js";
import { keyItem } from "../formats/format.js";
import { parseByteOrder, parseWhole } from "../formats/options.js";
import { formatOfPath } from "../formats/registry.js";
import { distribution, generate } from "../keys/generate.js";
import { openOutput } from "./outputs.js";
import { Progress } from "./progress.js";

export interface GenOptions {
  readonly output: string;
  readonly type?: string;
  readonly distribution: string;
  readonly seed: string;
  readonly offset: string;
  readonly total?: string;
  readonly to?: string;
  readonly byteOrder?: string;
  readonly record?: string;
  readonly force: boolean;
}

const PIECE_BYTES = 4 << 20;

/** `gpusort gen N -o FILE`: keys to test with. */
export async function gen(size: string, options: GenOptions): Promise<void> {
  const count = parseSize(size, "n");
  const offset = parseWhole(options.offset, "--offset");
  const total = options.total === undefined ? offset + count : parseWhole(options.total, "--total", 1);
  if (offset + count > total) {
    throw new InputError(`keys ${offset} to ${offset + count} are no part of --total ${total}`, {
      hint: "a part must end where the whole does, or before",
    });
  }
  const type = options.type
    ? elementType(options.type)
    : (elementTypeOfPath(options.output) ?? elementType("u32"));
  const bytes = options.record === undefined ? undefined : parseWhole(options.record, "--record", 1);
  const byteOrder = parseByteOrder(options.byteOrder);
  const item =
    bytes === undefined
      ? keyItem(type)
      : ({ kind: "record", bytes, keys: [{ offset: 0, bytes: Math.min(10, bytes) }], byteOrder } as const);
  const settings = {
    distribution: distribution(options.distribution, type),
    seed: parseWhole(options.seed, "--seed"),
    total,
  };
  const named = bytes === undefined ? formatOfPath(options.output)?.name : undefined;
  const style = { format: named ?? "raw", byteOrder };
  const { file, writer } = await openOutput(options.output, options.force, item, style, count, options);
  const progress = new Progress(process.stderr, true);
  progress.expect(count * item.bytes);
  try {
    const sink = progress.sink("writing", writer);
    const most = Math.max(1, Math.floor(PIECE_BYTES / item.bytes));
    // Two pieces: one is made while the other is written.
    const pieces = [0, 1].map(() => new Uint8Array(Math.min(most, count) * item.bytes));
    const written: Promise<void>[] = [];
    for (let done = 0, turn = 0; done < count; done += most, turn++) {
      await written[turn - 2];
      const piece = pieces[turn % 2]!.subarray(0, Math.min(most, count - done) * item.bytes);
      generate(piece, item, offset + done, settings);
      const writing = sink.write(piece, done * item.bytes);
      writing.catch(() => {}); // waited for two pieces on, or at the end
      written.push(writing);
      await new Promise(setImmediate);
    }
    await Promise.all(written);
    await writer.finish(count);
    await file.publish();
  } catch (error) {
    await file.discard();
    throw error;
  } finally {
    progress.end();
  }
}
