import { elementType } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { type ByteOrder, type Item, keyItem } from "../core/items/item.js";
import type { ByteInput, ByteOutput } from "../core/streams/byte_stream.js";
import { type ItemSink, sequential } from "../core/streams/item_stream.js";
import { type SerialQueue, serialQueue } from "../core/streams/serial_queue.js";
import { beginsAsText } from "../kinds/content.js";
import type { Format, ItemInput, Style } from "./format.js";
import { chosenType, requireByteOrder, requireSkip } from "./options.js";

/** Keys end to end, without a header (except one that is skipped). */
export const raw: Format<"raw"> = {
  name: "raw",
  needsItemCount: false,

  async open(input, options) {
    const type = chosenType(input.name, options) ?? elementType("u32");
    const byteOrder = requireByteOrder(options.byteOrder);
    return openRawItems(input, requireSkip(options), keyItem(type), { format: "raw", byteOrder });
  },

  async create(output, item, style) {
    return createItems(output, 0, item, style);
  },
};

/**
 * Reads items end to end, from byte `skip` of an input to its end.
 *
 * @throws InputError if the input has fewer than `skip` bytes, or if the rest is not a whole number of items.
 *   For an input of unknown length, the latter error comes when its end is read.
 */
export async function openRawItems(
  input: ByteInput,
  skip: number,
  item: Item,
  style: Style,
): Promise<ItemInput> {
  const { name, byteLength } = input;
  const swapped = swaps(item, style.byteOrder);
  // A file of whole items needs no look at its head, which a job would take at each of many runs.
  const isWhole = byteLength !== undefined && byteLength >= skip && (byteLength - skip) % item.bytes === 0;
  const looksLikeText = !isWhole && (await beginsAsText(input));
  const checkWhole = (length: number) => requireWholeItems(name, length, skip, item, looksLikeText);
  if (byteLength !== undefined) {
    if (skip > byteLength) throw tooShort(name, byteLength, skip);
    checkWhole(byteLength);
  } else await skipBytes(input, skip);
  const read = input.read?.bind(input);
  const source = read && {
    read: (into: Uint8Array<ArrayBuffer>, offset: number) =>
      swapped
        ? fillSwapped(into, item.bytes, (piece, from) => read(piece, skip + offset + from))
        : read(into, skip + offset),
  };
  const itemCount = byteLength === undefined ? undefined : (byteLength - skip) / item.bytes;
  const next = source && itemCount !== undefined ? sequential(source, itemCount * item.bytes) : streamed();
  return { name, item, itemCount, ...(source && { source }), next, style };

  function streamed() {
    let length = skip;
    return async (into: Uint8Array): Promise<number> => {
      const fits = into.subarray(0, into.length - (into.length % item.bytes));
      const bytes = await input.next(fits);
      length += bytes;
      if (bytes < fits.length) checkWhole(length);
      if (swapped) swapBytes(fits.subarray(0, bytes), item.bytes);
      return bytes;
    };
  }
}

/** Makes a sink that writes items end to end, beginning at byte `start` of the output. */
export function createItems(output: ByteOutput, start: number, item: Item, style: Style): ItemSink {
  const inTurn: SerialQueue = output.seekable ? (work) => work() : serialQueue("stop");
  const swapped = (from: Uint8Array, offset: number) =>
    drainSwapped(from, item.bytes, (piece, at) => output.write(piece, start + offset + at));
  return {
    write: swaps(item, style.byteOrder)
      ? (from, offset) => inTurn(() => swapped(from, offset))
      : (from, offset) => output.write(from, start + offset),
    end: async () => {},
  };
}

/** Whether bytes must be swapped: only those of big-endian keys. Records are never changed. */
function swaps(item: Item, byteOrder: ByteOrder): boolean {
  return item.kind === "key" && byteOrder === "big" && item.bytes > 1;
}

async function skipBytes(input: ByteInput, count: number): Promise<void> {
  const scratch = new Uint8Array(Math.min(count, 1 << 20));
  for (let skipped = 0; skipped < count; ) {
    const bytes = await input.next(scratch.subarray(0, count - skipped));
    if (bytes === 0) throw tooShort(input.name, skipped, count);
    skipped += bytes;
  }
}

function tooShort(name: string, byteLength: number, skip: number): InputError {
  return new InputError(`${name} has ${counted(byteLength)}, fewer than the ${skip} bytes to skip`, {
    hint: "skip fewer bytes",
    options: ["skipBytes"],
  });
}

function requireWholeItems(
  name: string,
  byteLength: number,
  skip: number,
  item: Item,
  looksLikeText: boolean,
): void {
  const leftOver = (byteLength - skip) % item.bytes;
  if (leftOver === 0) return;
  const what = item.kind === "key" ? `${item.type.name} keys` : "records";
  const after = skip === 0 ? "" : ` after the ${skip} skipped`;
  const missing = item.kind === "key" ? "type of its keys" : "length of a record";
  const message =
    `${name} has ${counted(byteLength - skip)}${after}, which is not a whole number of ${what} ` +
    `of ${counted(item.bytes)}: ${leftOver} ${leftOver === 1 ? "byte is" : "bytes are"} left over`;
  if (looksLikeText && item.kind === "key") {
    throw new InputError(`${message}; it looks like text`, {
      hint: "name the format text, if it has one number on every line, or lines",
      options: ["format"],
    });
  }
  throw new InputError(message, {
    hint: `give the ${missing}, skip its header, or remove the bytes left over`,
    options: [item.kind === "key" ? "type" : "recordBytes", "skipBytes"],
  });
}

function counted(bytes: number): string {
  return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
}

/** Reverses the bytes of each element, in place. An element has `bytes` bytes: 1, 2, 4 or 8. */
function swapBytes(elements: Uint8Array, bytes: number): void {
  const buffer = Buffer.from(elements.buffer, elements.byteOffset, elements.byteLength);
  if (bytes === 2) buffer.swap16();
  else if (bytes === 4) buffer.swap32();
  else if (bytes === 8) buffer.swap64();
}

/** Pieces fit in the processor's cache, because bytes may go to or come from memory that is slow to read. */
const PIECE_BYTES = 1 << 20;

/** Fills `into` with the bytes from `fill`, the bytes of each element reversed. It never reads `into`. */
async function fillSwapped(
  into: Uint8Array,
  elementBytes: number,
  fill: (piece: Uint8Array, from: number) => Promise<void>,
): Promise<void> {
  await inPieces(into.length, async (scratch, from) => {
    const piece = scratch.subarray(0, Math.min(PIECE_BYTES, into.length - from));
    await fill(piece, from);
    swapBytes(piece, elementBytes);
    into.set(piece, from);
  });
}

/** Passes the bytes of `from` to `drain`, the bytes of each element reversed. It never changes `from`. */
async function drainSwapped(
  from: Uint8Array,
  elementBytes: number,
  drain: (piece: Uint8Array, at: number) => Promise<void>,
): Promise<void> {
  await inPieces(from.length, async (scratch, at) => {
    const piece = scratch.subarray(0, Math.min(PIECE_BYTES, from.length - at));
    piece.set(from.subarray(at, at + piece.length));
    swapBytes(piece, elementBytes);
    await drain(piece, at);
  });
}

/** Scratch buffers to be used again. */
const idle: Uint8Array[] = [];

async function inPieces(
  length: number,
  move: (scratch: Uint8Array, at: number) => Promise<void>,
): Promise<void> {
  const scratch = idle.pop() ?? new Uint8Array(PIECE_BYTES);
  try {
    for (let at = 0; at < length; at += PIECE_BYTES) await move(scratch, at);
  } finally {
    idle.push(scratch);
  }
}
