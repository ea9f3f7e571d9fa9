import { InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";
import type { ReadLimits } from "./format.js";

/** No array of Node 20 holds more. */
const MOST_BYTES = 2 ** 32 - 1;
const PIECE = 1 << 24;

/** Reads a whole input into memory. @throws InputError if it is too large. */
export async function readWhole(input: InputFile, limits: ReadLimits): Promise<Uint8Array<ArrayBuffer>> {
  const { byteLength } = input;
  if (byteLength !== undefined) {
    if (byteLength > MOST_BYTES) throw tooLarge(input.name);
    limits.require(byteLength);
    const bytes = new Uint8Array(byteLength);
    for (let at = 0; at < byteLength; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      if (input.read) await input.read(piece, at);
      else await input.next(piece);
    }
    return bytes;
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let count = PIECE; count === PIECE; ) {
    const piece = new Uint8Array(PIECE);
    count = await input.next(piece);
    pieces.push(piece.subarray(0, count));
    length += count;
    if (length > MOST_BYTES) throw tooLarge(input.name);
    limits.require(length);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function tooLarge(name: string): InputError {
  return new InputError(`${name} is too large: gpusort reads at most 4 GiB of such a file`, {
    hint: "split it, and sort the parts",
  });
}

/** Runs what reads a file. Any error that is not ours says that the file is damaged. */
export async function readingFrom<T>(name: string, what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
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
