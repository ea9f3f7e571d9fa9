import { GpusortError, InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";

/** A system reads at most so many bytes at a time. */
const PIECE = 1 << 24;

/** Reads the next bytes. @returns undefined if there are fewer. */
export type ByteReader = (count: number) => Promise<Uint8Array<ArrayBuffer> | undefined>;

/** Reads an input from its start to its end. */
export function inOrder(input: InputFile): ByteReader {
  return async (count) => {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      if ((await input.next(piece)) < piece.length) return undefined;
    }
    return bytes;
  };
}

/**
 * Reads an input from an offset on.
 *
 * @param input one that can be read in any order.
 */
export function readerAt(input: InputFile, offset: number): ByteReader {
  let next = offset;
  return async (count) => {
    if (next + count > input.byteLength!) return undefined;
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count; at += PIECE) {
      await input.read!(bytes.subarray(at, at + PIECE), next + at);
    }
    next += count;
    return bytes;
  };
}

/** Runs what reads a file. Any error that is not ours says that the file is damaged. */
export async function readingFrom<T>(name: string, what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof GpusortError) throw cause;
    throw damaged(name, what, cause);
  }
}

/** @param what the format, with its article. */
export function damaged(name: string, what: string, cause: unknown): InputError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new InputError(`${name} cannot be read as ${what}: ${reason || "it is damaged"}`, {
    hint: "the file is damaged, cut short, or uses what gpusort does not read; write it anew",
    cause,
  });
}
