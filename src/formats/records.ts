import { InputError } from "../core/errors.js";
import { shown } from "../core/names.js";
import type { Format } from "./format.js";
import { requireByteOrder, requireRecordKey, requireSkip, requireWhole } from "./options.js";
import { createItems, openRawItems } from "./raw.js";

/** Records of one length end to end. Each record is moved as a whole, to the place of its key. */
export const records: Format<"records"> = {
  name: "records",
  needsItemCount: false,

  async open(input, options) {
    if (options.recordBytes === undefined) {
      throw new InputError(`the length of a record in ${input.name} is not known`, {
        hint: "give the length of a record in bytes",
        options: ["recordBytes"],
      });
    }
    const bytes = requireWhole(options.recordBytes, "the length of a record", 1, "recordBytes");
    const { keys: named = [] } = options;
    if (!Array.isArray(named)) {
      throw new InputError(`the keys of a record are ${shown(named)}`, {
        hint: "pass an array of keys, such as [{ offset: 0, bytes: 10 }]",
        options: ["keys"],
      });
    }
    const keys = named.map((key) => requireRecordKey(key, bytes));
    if (keys.length === 0) keys.push({ offset: 0, bytes });
    const byteOrder = requireByteOrder(options.byteOrder);
    if (options.byteOrder !== undefined && !keys.some((key) => "type" in key)) {
      throw new InputError(
        `a byte order does not apply to the keys of ${input.name}: they are bytes, not numbers`,
        {
          hint: "leave it out, or name a key with the type of its number",
          options: ["byteOrder", "keys"],
        },
      );
    }
    const item = { kind: "record", bytes, keys, byteOrder } as const;
    return openRawItems(input, requireSkip(options), item, { format: "records", byteOrder });
  },

  async create(output, item, style) {
    return createItems(output, 0, item, style);
  },
};
