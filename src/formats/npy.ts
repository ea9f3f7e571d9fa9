import { elementType } from "../elements.js";
import { InputError } from "../errors.js";
import { type ByteInput, type Format, type ItemInput, keyItem } from "./format.js";
import {
  NPY_PREAMBLE_BYTES,
  type NpyHeader,
  npyHeader,
  npyHeaderBytes,
  npyMagic,
  readNpyHeader,
} from "./npy_header.js";
import { refuse } from "./options.js";
import { createItems, openItems } from "./raw.js";

/** NumPy's files of one array: one dimension, numbers of a type that gpusort has, in either byte order. */
export const npy: Format = {
  name: "npy",
  description: "NumPy's .npy: one dimension of numbers",
  extensions: ["npy"],
  magic: npyMagic,
  countFirst: true,

  async open(input, options) {
    refuse(".npy files, which say it themselves", options, "byteOrder", "skipBytes", "record", "key");
    const preamble = await input.peek(NPY_PREAMBLE_BYTES);
    const header = readNpyHeader(input.name, await input.peek(npyHeaderBytes(input.name, preamble)));
    if (options.type !== undefined && elementType(options.type) !== header.type) {
      throw new InputError(`${input.name} holds ${header.type.name} keys, not ${options.type}`, {
        hint: "leave --type out: the file's header tells it",
      });
    }
    return openArray(input, header);
  },

  async create(output, item, style, itemCount) {
    if (item.kind === "record") {
      throw new InputError("records cannot be written as .npy", {
        hint: "leave --to out, or name another output",
      });
    }
    const { npyVersion = 1, byteOrder } = style;
    const header = (count: number) => npyHeader(item.type, byteOrder, npyVersion, count);
    const dataOffset = header(0).length;
    const items = createItems(output, dataOffset, item, style);
    if (itemCount !== undefined) await output.write(header(itemCount), 0);
    return {
      write: items.write,
      finish: async (count) => {
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
    throw new InputError(`${name} says that it has ${count} elements`, {
      hint: "save it again with np.save",
    });
  }
  const checkLength = (length: number) => {
    if (length === dataOffset + bytes) return;
    const which = length < dataOffset + bytes ? "is cut" : "holds more than its array";
    throw new InputError(
      `${name} ${which}: its header says ${count} ${type.name} elements, ${bytes} bytes, and ${length - dataOffset} follow`,
      { hint: "save it again with np.save" },
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
