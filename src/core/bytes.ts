/**
 * Bytes in memory that is not shared. TypeScript writes `Uint8Array<ArrayBuffer>` since version 5.7; this is
 * the same to it, and the declarations also hold for versions before.
 */
export type Bytes = ReturnType<typeof Uint8Array.of>;

/** 32-bit words in memory that is not shared. */
export type Words32 = ReturnType<typeof Uint32Array.of>;

/** The bytes of a view, which share its memory. */
export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
