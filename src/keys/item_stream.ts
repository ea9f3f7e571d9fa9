import type { ItemInput } from "../formats/format.js";

const PIECE_BYTES = 8 << 20;

/** The items of an input, some at a time, in one buffer: what is yielded holds until the next is asked for. */
export async function* pieces({ item, next }: ItemInput): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(Math.max(1, Math.floor(PIECE_BYTES / item.bytes)) * item.bytes);
  for (;;) {
    const bytes = await next(buffer);
    if (bytes > 0) yield buffer.subarray(0, bytes);
    if (bytes < buffer.length) return;
  }
}
