import { elementType, elementTypes } from "../elements.js";
import { InputError } from "../errors.js";
import { drainSwapped, fillSwapped, swapBytes } from "./byte_order.js";
import {
  type ByteInput,
  type ByteOrder,
  type ByteOutput,
  type Format,
  type Item,
  type ItemInput,
  type ItemWriter,
  keyItem,
  type Style,
} from "./format.js";
import { atOnce, oneByOne } from "./in_order.js";
import { askedType, parseByteOrder, parseWhole, refuse } from "./options.js";

/** Keys end to end, after as many bytes as are to be skipped, and nothing else. */
export const raw: Format = {
  name: "raw",
  description: "keys end to end, and nothing else",
  extensions: elementTypes.map(({ name }) => name),
  countFirst: false,

  async open(input, options) {
    refuse("raw keys", options, "record", "key");
    const type = askedType(input.name, options) ?? elementType("u32");
    const byteOrder = parseByteOrder(options.byteOrder);
    const skip = options.skipBytes === undefined ? 0 : parseWhole(options.skipBytes, "--skip-bytes");
    return openItems(input, skip, keyItem(type), { format: "raw", byteOrder });
  },

  async create(output, item, style) {
    return createItems(output, 0, item, style);
  },
};

/**
 * Items end to end, from byte `skip` of an input to its end.
 *
 * @throws InputError if the length is not a whole number of items.
 */
export async function openItems(
  input: ByteInput,
  skip: number,
  item: Item,
  style: Style,
): Promise<ItemInput> {
  const { name, byteLength } = input;
  const swapped = swaps(item, style.byteOrder);
  if (byteLength !== undefined) {
    if (skip > byteLength) throw tooShort(name, byteLength, skip);
    checkWhole(name, byteLength, skip, item);
  } else await skipBytes(input, skip);
  const read = input.read?.bind(input);
  const source = read && {
    read: (into: Uint8Array<ArrayBuffer>, offset: number) =>
      swapped
        ? fillSwapped(into, item.bytes, (piece, from) => read(piece, skip + offset + from))
        : read(into, skip + offset),
  };
  const itemCount = byteLength === undefined ? undefined : (byteLength - skip) / item.bytes;
  const next = source && itemCount !== undefined ? cursor(source, itemCount * item.bytes) : streamed();
  return { name, item, itemCount, ...(source && { source }), next, style };

  function streamed() {
    let length = skip;
    return async (into: Uint8Array): Promise<number> => {
      const fits = into.subarray(0, into.length - (into.length % item.bytes));
      const bytes = await input.next(fits);
      length += bytes;
      if (bytes < fits.length) checkWhole(name, length, skip, item);
      if (swapped) swapBytes(fits.subarray(0, bytes), item.bytes);
      return bytes;
    };
  }
}

/** Items of a source, one after the other. */
export function cursor(
  source: { read(into: Uint8Array<ArrayBuffer>, offset: number): Promise<void> },
  bytes: number,
) {
  let at = 0;
  return async (into: Uint8Array): Promise<number> => {
    const length = Math.min(into.length, bytes - at);
    await source.read(into.subarray(0, length) as Uint8Array<ArrayBuffer>, at);
    at += length;
    return length;
  };
}

/** Writes items end to end, from byte `start` of the output on. */
export function createItems(output: ByteOutput, start: number, item: Item, style: Style): ItemWriter {
  const inOrder = output.seekable ? atOnce : oneByOne();
  const swapped = (from: Uint8Array, offset: number) =>
    drainSwapped(from, item.bytes, (piece, at) => output.write(piece, start + offset + at));
  return {
    write: swaps(item, style.byteOrder)
      ? (from, offset) => inOrder(() => swapped(from, offset))
      : (from, offset) => output.write(from, start + offset),
    finish: async () => {},
  };
}

/** Records are moved as they are; of keys, only what is not as the machine has it must be turned. */
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
  return new InputError(`${name} has ${counted(byteLength)}, fewer than the ${skip} to skip`, {
    hint: "skip fewer with --skip-bytes",
  });
}

function checkWhole(name: string, byteLength: number, skip: number, item: Item): void {
  const leftOver = (byteLength - skip) % item.bytes;
  if (leftOver === 0) return;
  const what = item.kind === "key" ? `${item.type.name} keys` : "records";
  const after = skip === 0 ? "" : ` after the ${skip} skipped`;
  throw new InputError(
    `${name} has ${counted(byteLength - skip)}${after}, which is no whole number of ${what} of ${counted(item.bytes)}: ` +
      `${leftOver} ${leftOver === 1 ? "byte is" : "bytes are"} left over`,
    {
      hint:
        item.kind === "key"
          ? "name the type of its keys with --type, skip a header with --skip-bytes, or cut the file"
          : "give the length of a record with --record, skip a header with --skip-bytes, or cut the file",
    },
  );
}

function counted(bytes: number): string {
  return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
}
