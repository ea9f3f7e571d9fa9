import type { BigIntStats } from "node:fs";
import type { ByteInput } from "../core/streams/byte_stream.js";

/** An open input: a file, which can be read in any order, or a stream, which can be read once in order. */
export interface InputFile extends ByteInput {
  /** What the system said about the file or the pipe when it was opened. Absent if it is a stream of Node. */
  readonly stats?: BigIntStats | undefined;
  /** @throws InputError if the file was written to since it was opened. A pipe is not checked. */
  checkUnchanged(): Promise<void>;
  /** Closes the file, or ends the stream if it has more. Call it once, after the last read. */
  close(): Promise<void>;
}
