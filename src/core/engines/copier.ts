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
