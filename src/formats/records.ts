import { elementType } from "../elements.js";
import { InputError } from "../errors.js";
import type { Format, RecordKey } from "./format.js";
import { parseByteOrder, parseWhole, refuse } from "./options.js";
import { createItems, openItems } from "./raw.js";

/** Records of one length end to end, each moved as a whole to where its key belongs. */
export const records: Format = {
  name: "records",
  description: "records of --record bytes, sorted by their --key",
  extensions: [],
  countFirst: false,

  async open(input, options) {
    refuse("records, whose types are those of their keys", options, "type");
    if (options.record === undefined) {
      throw new InputError("records have a length", { hint: "give it in bytes with --record" });
    }
    const bytes = parseWhole(options.record, "--record", 1);
    const keys = (options.key ?? []).map((key) => parseRecordKey(key, bytes));
    if (keys.length === 0) keys.push({ offset: 0, bytes });
    const byteOrder = parseByteOrder(options.byteOrder);
    const skip = options.skipBytes === undefined ? 0 : parseWhole(options.skipBytes, "--skip-bytes");
    const item = { kind: "record", bytes, keys, byteOrder } as const;
    return openItems(input, skip, item, { format: "records", byteOrder });
  },

  async create(output, item, style) {
    return createItems(output, 0, item, style);
  },
};

/**
 * OFFSET:BYTES for bytes compared as unsigned numbers, first to last; OFFSET:TYPE for a number.
 *
 * @throws InputError if it is neither, or if it does not lie in the record.
 */
export function parseRecordKey(text: string, recordBytes: number): RecordKey {
  const [, offsetText, bytesText, typeName] = /^(\d+):(?:(\d+)|([a-z]\w*))$/.exec(text) ?? [];
  if (offsetText === undefined) {
    throw new InputError(`--key '${text}' is no key of a record`, {
      hint: "write OFFSET:BYTES, as in 0:10, or OFFSET:TYPE, as in 8:f64",
    });
  }
  const offset = Number(offsetText);
  const key =
    typeName === undefined ? { offset, bytes: Number(bytesText) } : { offset, type: elementType(typeName) };
  const length = "type" in key ? key.type.bytes : key.bytes;
  if (length === 0 || offset + length > recordBytes) {
    throw new InputError(`--key ${text} does not lie in a record of ${recordBytes} bytes`, {
      hint: `offsets count from 0; it must end at byte ${recordBytes} at the latest`,
    });
  }
  return key;
}
