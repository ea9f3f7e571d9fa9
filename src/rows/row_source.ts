import { settleAll } from "../core/settle_all.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import type { ItemSource } from "../core/streams/item_stream.js";
import { type ReaderOptions, RowReader } from "./reader.js";

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
    if (!files.every(isFile)) return undefined;
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

function isFile(input: ByteInput): boolean {
  return input.read !== undefined && input.byteLength !== undefined;
}
