import type { Kernel } from "./program.js";

/** A memory, and a buffer that threads copy into it or out of it. */
export interface CopyWork {
  readonly memory: WebAssembly.Memory;
  readonly buffer: SharedArrayBuffer;
}

/** The places of the two kernels of `sharedCopies`. */
export const Copy = { in: 0, out: 1 } as const;

/**
 * The kernels that copy bytes from a buffer into a memory, and back. Their words are the address in the
 * memory, the offset in the buffer in two halves, the lower one first, and the number of bytes.
 */
export function sharedCopies({ memory, buffer }: CopyWork): Kernel[] {
  const inMemory = (at = 0, bytes = 0) => new Uint8Array(memory.buffer, at >>> 0, bytes);
  const inBuffer = (low = 0, high = 0, bytes = 0) =>
    new Uint8Array(buffer, (low >>> 0) + high * 2 ** 32, bytes);
  return [
    (at, low, high, bytes) => inMemory(at, bytes).set(inBuffer(low, high, bytes)),
    (at, low, high, bytes) => inBuffer(low, high, bytes).set(inMemory(at, bytes)),
  ];
}
