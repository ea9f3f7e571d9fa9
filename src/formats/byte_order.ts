/** Reverses the bytes of every element of `bytes` bytes, in place. */
export function swapBytes(elements: Uint8Array, bytes: number): void {
  const buffer = Buffer.from(elements.buffer, elements.byteOffset, elements.byteLength);
  if (bytes === 2) buffer.swap16();
  else if (bytes === 4) buffer.swap32();
  else if (bytes === 8) buffer.swap64();
}

/** Bytes that stay in a processor's cache while they are turned: a window may be memory that is slow to read. */
const PIECE_BYTES = 1 << 20;

/** Hands on what `fill` gives with each element's bytes reversed, without reading back from `into`. */
export async function fillSwapped(
  into: Uint8Array,
  elementBytes: number,
  fill: (piece: Uint8Array, from: number) => Promise<void>,
): Promise<void> {
  await inTurn(into.length, async (scratch, from) => {
    const piece = scratch.subarray(0, Math.min(PIECE_BYTES, into.length - from));
    await fill(piece, from);
    swapBytes(piece, elementBytes);
    into.set(piece, from);
  });
}

/** Hands `from` on with each element's bytes reversed, and leaves it as it is. */
export async function drainSwapped(
  from: Uint8Array,
  elementBytes: number,
  drain: (piece: Uint8Array, at: number) => Promise<void>,
): Promise<void> {
  await inTurn(from.length, async (scratch, at) => {
    const piece = scratch.subarray(0, Math.min(PIECE_BYTES, from.length - at));
    piece.set(from.subarray(at, at + piece.length));
    swapBytes(piece, elementBytes);
    await drain(piece, at);
  });
}

const idle: Uint8Array[] = [];

async function inTurn(
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
