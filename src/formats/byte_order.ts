/** Reverses the bytes of each element, in place. An element has `bytes` bytes: 1, 2, 4 or 8. */
export function swapBytes(elements: Uint8Array, bytes: number): void {
  const buffer = Buffer.from(elements.buffer, elements.byteOffset, elements.byteLength);
  if (bytes === 2) buffer.swap16();
  else if (bytes === 4) buffer.swap32();
  else if (bytes === 8) buffer.swap64();
}

/** Pieces fit in the processor's cache, because bytes may go to or come from memory that is slow to read. */
const PIECE_BYTES = 1 << 20;

/** Fills `into` with the bytes from `fill`, the bytes of each element reversed. It never reads `into`. */
export async function fillSwapped(
  into: Uint8Array,
  elementBytes: number,
  fill: (piece: Uint8Array, from: number) => Promise<void>,
): Promise<void> {
  await inPieces(into.length, async (scratch, from) => {
    const piece = scratch.subarray(0, Math.min(PIECE_BYTES, into.length - from));
    await fill(piece, from);
    swapBytes(piece, elementBytes);
    into.set(piece, from);
  });
}

/** Passes the bytes of `from` to `drain`, the bytes of each element reversed. It never changes `from`. */
export async function drainSwapped(
  from: Uint8Array,
  elementBytes: number,
  drain: (piece: Uint8Array, at: number) => Promise<void>,
): Promise<void> {
  await inPieces(from.length, async (scratch, at) => {
    const piece = scratch.subarray(0, Math.min(PIECE_BYTES, from.length - at));
    piece.set(from.subarray(at, at + piece.length));
    swapBytes(piece, elementBytes);
    await drain(piece, at);
  });
}

/** Scratch buffers to be used again. */
const idle: Uint8Array[] = [];

async function inPieces(
  length: number,
  move: (scratch: Uint8Array, at: number) => Promise<void>,
): Promise<void> {
  const scratch = idle.pop() ?? new Uint8Array(PIECE_BYTES);
  try {
    for (let at = 0; at < length; at += PIECE_BYTES) await move(scratch, at);
  } finally {
    idle.push(scratch);
  }
}
