import type { DeviceKey } from "../core/engines/row_job.js";
import { QUOTE } from "../core/rows/reading.js";
import { settleAll } from "../core/settle_all.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import type { ItemSource } from "../core/streams/item_stream.js";
import { isMapped, keysOf } from "./order/order_words.js";
import type { RowComparison, RowOrder } from "./order/row_order.js";
import { type ReaderOptions, RowReader } from "./reader.js";
import { canReadAgain } from "./text.js";

/** Which rows are written. */
interface RowSelection {
  readonly argsort?: boolean | undefined;
  readonly merge?: boolean | undefined;
}

/** Why a device does not sort rows in such an order, to follow "as"; undefined if it does. */
export function unsuitedForDevice(order: RowOrder, selection: RowSelection): string | undefined {
  if (selection.argsort) return "their numbers are asked for";
  if (selection.merge) return "sorted inputs are merged";
  if (order.quotes && order.separator === QUOTE) return "a quote separates fields";
  for (const { begin, end, form, nullWords } of keysOf(order)) {
    if (form || nullWords) return "a key has numbers in a form of their own, or words for no value";
    const isField = begin.offset === 0 && end?.field === begin.field && end.bytes === undefined;
    if (order.quotes && !isField) return "a key is not a field that may be in quotes";
  }
  for (const { compare } of keysOf(order))
    if (isForCpu(compare)) return `a key is compared ${cpuOnly[compare]}`;
  return undefined;
}

/** Orders that no kernel of a device knows, to follow "compared". */
const cpuOnly = { natural: "in natural order", nocase: "without regard to case" } as const;

const isForCpu = (compare: RowComparison): compare is keyof typeof cpuOnly => compare in cpuOnly;

/** The keys of an order that `unsuitedForDevice` lets pass. */
export function deviceKeys(order: RowOrder): DeviceKey[] {
  return keysOf(order).map((key) => {
    const { compare, descending = false, invalid, required = false } = key;
    if (isForCpu(compare)) throw new RangeError(`no device compares keys ${cpuOnly[compare]}`);
    return {
      compare: compare === "number" ? "decimal" : compare,
      isMapped: isMapped(key),
      descending,
      isChecked: invalid !== undefined || (order.quotes && required),
    };
  });
}

/** The bytes that tell about how long rows are. */
const HEAD_BYTES = 1 << 16;

/** How many bytes a row has on average, about, by the first ones of the first input that has any. */
export async function meanRowBytes(
  inputs: readonly ByteInput[],
  { terminator }: Pick<RowOrder, "terminator">,
): Promise<number> {
  for (const input of inputs) {
    const head = await input.peek(HEAD_BYTES);
    if (head.length === 0) continue;
    const rows = head.reduce((count, byte) => count + Number(byte === terminator), 0);
    return head.length / Math.max(1, rows);
  }
  return 1;
}

/** The bytes of a read of a file. Several run at the same time. */
const READ_BYTES = 4 << 20;

/** A file that can be read in any order. */
type File = ByteInput & { readonly read: NonNullable<ByteInput["read"]>; readonly byteLength: number };

/** A part of the text of all inputs: bytes of a file, or what completes its last row. */
interface Part {
  /** Where it begins in the text, and where it ends. */
  readonly from: number;
  readonly end: number;
  readonly bytes: Uint8Array | undefined;
  readonly file: File;
  /** Where it begins in the file. */
  readonly offset: number;
}

/** The same text as that of a `RowReader`, of files that can be read in any order. */
export class RowSource implements ItemSource {
  readonly #parts: readonly Part[];
  /** What the output begins with: the header of the inputs, and a byte order mark. */
  readonly header: Uint8Array;
  readonly byteLength: number;

  private constructor(parts: readonly Part[], header: Uint8Array) {
    this.#parts = parts;
    this.header = header;
    this.byteLength = parts.at(-1)?.end ?? 0;
  }

  /**
   * Finds the parts of the text. It reads the begin and the last byte of each file.
   *
   * @throws InputError if the headers of the inputs differ.
   */
  static async open(files: readonly ByteInput[], options: ReaderOptions): Promise<RowSource | undefined> {
    if (!files.every(canReadAgain)) return undefined;
    const reader = new RowReader(files, options);
    const parts: Part[] = [];
    for (const file of files as readonly File[]) {
      const from = parts.at(-1)?.end ?? 0;
      const offset = Math.min(file.byteLength, await reader.begin(file, from));
      const end = from + file.byteLength - offset;
      if (end === from) continue;
      parts.push({ from, end, bytes: undefined, file, offset });
      const last = new Uint8Array(1);
      await file.read(last, file.byteLength - 1);
      if (last[0] === options.order.terminator) continue;
      const bytes = reader.terminator;
      parts.push({ from: end, end: end + bytes.length, bytes, file, offset: file.byteLength });
    }
    return new RowSource(parts, reader.header);
  }

  async read(into: Uint8Array, offset: number): Promise<void> {
    const end = offset + into.length;
    const reads: Promise<void>[] = [];
    for (const part of this.#parts) {
      const first = Math.max(offset, part.from);
      const last = Math.min(end, part.end);
      for (let at = first; at < last; at += READ_BYTES) {
        const after = Math.min(last, at + READ_BYTES);
        const own = into.subarray(at - offset, after - offset);
        if (part.bytes) own.set(part.bytes.subarray(at - part.from, after - part.from));
        else reads.push(part.file.read(own, part.offset + at - part.from));
      }
    }
    await settleAll(reads);
  }
}
