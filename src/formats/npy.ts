import { elementType } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { keyItem } from "../core/items/item.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import type { Format, ItemInput } from "./format.js";
import {
  NPY_PREAMBLE_BYTES,
  type NpyHeader,
  npyHeader,
  npyHeaderBytes,
  readNpyHeader,
} from "./npy_header.js";
import { createItems, openRawItems } from "./raw.js";

/** NumPy's .npy files. The array has one dimension, a type that gpusort has, and either byte order. */
export const npy: Format<"npy"> = {
  name: "npy",
  needsItemCount: true,

  async open(input, options) {
    const preamble = await input.peek(NPY_PREAMBLE_BYTES);
    const header = readNpyHeader(input.name, await input.peek(npyHeaderBytes(input.name, preamble)));
    if (options.type !== undefined && elementType(options.type) !== header.type) {
      throw new InputError(`${input.name} holds ${header.type.name} keys, not ${options.type}`, {
        hint: "leave the type out: the file's header states it",
        options: ["type"],
      });
    }
    return openArray(input, header);
  },

  async create(output, item, style, itemCount) {
    if (item.kind === "record") {
      throw new InputError(`cannot write ${output.name} as .npy: that format holds numbers, not records`, {
        hint: "leave the output's format out, so that the records are written as they are",
        options: ["to"],
      });
    }
    const { npyVersion = 1, byteOrder } = style;
    const header = (count: number) => npyHeader(item.type, byteOrder, npyVersion, count);
    const dataOffset = header(0).length;
    const items = createItems(output, dataOffset, item, style);
    if (itemCount !== undefined) await output.write(header(itemCount), 0);
    let bytes = 0;
    return {
      write: async (from, offset) => {
        bytes = Math.max(bytes, offset + from.length);
        await items.write(from, offset);
      },
      end: async () => {
        const count = bytes / item.bytes;
        if (count !== itemCount) await output.write(header(count), 0);
      },
    };
  },
};

async function openArray(input: ByteInput, header: NpyHeader): Promise<ItemInput> {
  const { type, byteOrder, version, count, dataOffset } = header;
  const bytes = count * type.bytes;
  const end = dataOffset + bytes;
  const { name, byteLength } = input;
  if (!Number.isSafeInteger(end)) {
    throw new InputError(`${name} has a header that states ${count} elements, more than any file holds`, {
      hint: "save it again with np.save",
    });
  }
  const wrongLength = (length: number, isAll = true) =>
    new InputError(
      `${name} ${length < end ? "is cut short" : "holds more than its array"}: its header states ` +
        `${count} ${type.name} elements, ${bytes} bytes, but ${isAll ? "" : "at least "}` +
        `${length - dataOffset} bytes follow the header`,
      { hint: "copy it again, or save it again with np.save" },
    );
  const style = { format: "npy", byteOrder, npyVersion: version };
  if (byteLength !== undefined) {
    if (byteLength !== end) throw wrongLength(byteLength);
    return openRawItems(input, dataOffset, keyItem(type), style);
  }
  const items = await openRawItems(exactly(input, end, wrongLength), dataOffset, keyItem(type), style);
  return { ...items, itemCount: count };
}

const MOST_COUNTED_BYTES = 1 << 20;

/**
 * A stream that must end after `length` bytes. That it does is checked when they have been read, as the
 * reader may ask for no more.
 *
 * @param wrongLength makes the error for another length; `isAll` says whether the stream ends there.
 */
function exactly(
  input: ByteInput,
  length: number,
  wrongLength: (length: number, isAll: boolean) => InputError,
): ByteInput {
  let at = 0;
  return {
    name: input.name,
    byteLength: undefined,
    peek: (count) => input.peek(count),
    async next(into) {
      const asked = Math.min(into.length, length - at);
      const taken = await input.next(into.subarray(0, asked));
      at += taken;
      if (taken < asked) throw wrongLength(at, true);
      if (at === length) {
        const rest = await input.next(new Uint8Array(MOST_COUNTED_BYTES));
        if (rest > 0) throw wrongLength(length + rest, rest < MOST_COUNTED_BYTES);
      }
      return taken;
    },
  };
}
