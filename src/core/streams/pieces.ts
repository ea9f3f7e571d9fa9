import type { ItemStream } from "./item_stream.js";

const PIECE_BYTES = 8 << 20;

/**
 * Yields the items of a stream in pieces. All pieces share one buffer, so a piece is valid until the next is
 * requested.
 */
export async function* pieces(
  { next, itemCount }: ItemStream,
  itemBytes: number,
): AsyncGenerator<Uint8Array> {
  if (itemCount === 0) return;
  const buffer = new Uint8Array(Math.max(1, Math.floor(PIECE_BYTES / itemBytes)) * itemBytes);
  for (;;) {
    const bytes = await next(buffer);
    if (bytes > 0) yield buffer.subarray(0, bytes);
    if (bytes < buffer.length) return;
  }
}
