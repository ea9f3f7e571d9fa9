/**
 * Bytes in memory that is not shared. TypeScript writes `Uint8Array<ArrayBuffer>` since version 5.7; this is
 * the same to it, and the declarations also hold for versions before.
 */
export type Bytes = ReturnType<typeof Uint8Array.of>;

/** 32-bit words in memory that is not shared. */
export type Words32 = ReturnType<typeof Uint32Array.of>;

/** The byte order mark of UTF-8, which Windows programs write. */
export const UTF8_MARK: Uint8Array = Uint8Array.of(0xef, 0xbb, 0xbf);

export const beginsWithMark = (head: Uint8Array): boolean => UTF8_MARK.every((byte, i) => head[i] === byte);

/** The text without that mark. */
export const withoutMark = (text: Uint8Array): Uint8Array =>
  beginsWithMark(text) ? text.subarray(UTF8_MARK.length) : text;

/** The bytes of a view, which share its memory. */
export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** @returns the elements of `bytes` bytes at some indices, in the order of the indices, bit for bit. */
export function elementsAt(elements: Uint8Array, bytes: number, indices: Uint32Array): Bytes {
  const result = new Uint8Array(indices.length * bytes);
  const [from, into] = [unitsOf(elements, bytes), unitsOf(result, bytes)];
  const units = bytes / from.BYTES_PER_ELEMENT;
  for (let i = 0; i < indices.length; i++) {
    const first = indices[i]! * units;
    for (let unit = 0; unit < units; unit++) into[i * units + unit] = from[first + unit]!;
  }
  return result;
}

/** @returns a function that copies an element of `bytes` bytes from one place to another, bit for bit. */
export function copier(
  bytes: number,
  from: Uint8Array,
  into: Uint8Array,
): (at: number, place: number) => void {
  const words = Math.max(1, bytes / 4);
  const [source, target] = [unitsOf(from, bytes), unitsOf(into, bytes)];
  if (words === 1) {
    return (at, place) => {
      target[place] = source[at]!;
    };
  }
  return (at, place) => {
    for (let word = 0; word < words; word++) target[place * words + word] = source[at * words + word]!;
  };
}

/** Elements of `bytes` bytes as numbers: one each, or several of 32 bits. Unaligned bytes are copied. */
function unitsOf(bytes: Uint8Array, elementBytes: number): Uint8Array | Uint16Array | Uint32Array {
  if (elementBytes === 1) return bytes;
  const size = Math.min(4, elementBytes);
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % size === 0 ? bytes : bytes.slice();
  return size === 2
    ? new Uint16Array(buffer, byteOffset, byteLength / 2)
    : new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** The range from the lowest set bit of a number of two words to above the highest; empty if it is 0. */
export function rangeOfBits(low: number, high: number) {
  const lowest = (word: number) => 31 - Math.clz32(word & -word);
  if (low === 0 && high === 0) return { begin: 0, end: 0 };
  return {
    begin: low === 0 ? 32 + lowest(high) : lowest(low),
    end: high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high),
  };
}
