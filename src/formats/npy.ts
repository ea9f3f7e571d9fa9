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
  npyMagic,
  readNpyHeader,
} from "./npy_header.js";
import { refuseOptions } from "./options.js";
import { createItems, openItems } from "./raw.js";

/** NumPy's .npy files. The array has one dimension, a type that gpusort has, and either byte order. */
export const npy: Format<"npy"> = {
  name: "npy",
  extensions: ["npy"],
  magic: npyMagic,
  needsItemCount: true,

  async open(input, options) {
    refuseOptions(
      input.name,
      "a .npy file, whose header describes the array",
      options,
      "byteOrder",
      "skipBytes",
      "recordBytes",
      "keys",
    );
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
  const { name, byteLength } = input;
  const bytes = count * type.bytes;
  if (!Number.isSafeInteger(dataOffset + bytes)) {
    throw new InputError(`${name} has a header that states ${count} elements, more than any file holds`, {
      hint: "save it again with np.save",
    });
  }
  const checkLength = (length: number) => {
    if (length === dataOffset + bytes) return;
    const what = length < dataOffset + bytes ? "is cut short" : "holds more than its array";
    throw new InputError(
      `${name} ${what}: its header states ${count} ${type.name} elements, ${bytes} bytes, ` +
        `but ${length - dataOffset} bytes follow the header`,
      { hint: "copy it again, or save it again with np.save" },
    );
  };
  if (byteLength !== undefined) checkLength(byteLength);
  const style = { format: "npy", byteOrder, npyVersion: version };
  const items = await openItems(input, dataOffset, keyItem(type), style);
  if (byteLength !== undefined) return items;
  let length = dataOffset;
  const next = async (into: Uint8Array) => {
    const fits = into.length - (into.length % type.bytes);
    const taken = await items.next(into);
    length += taken;
    if (taken < fits) checkLength(length);
    return taken;
  };
  return { ...items, itemCount: count, next };
}
