/** A file in memory that can be read and written at any offset. */
export function memoryFile() {
  // It has room for more: to copy all for each write makes V8 collect garbage often.
  let held = new Uint8Array(0);
  let length = 0;
  return {
    bytes: () => held.slice(0, length),
    read: async (into: Uint8Array, offset: number) =>
      into.set(held.subarray(offset, Math.min(offset + into.length, length))),
    write: async (from: Uint8Array, offset: number) => {
      length = Math.max(length, offset + from.length);
      if (length > held.length) {
        const grown = new Uint8Array(2 * length);
        grown.set(held);
        held = grown;
      }
      held.set(from, offset);
    },
    end: async () => {},
    close: async () => {},
  };
}
