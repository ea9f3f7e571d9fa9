/** A file in memory that can be read and written at any offset. */
export function memoryFile() {
  let held = new Uint8Array(0);
  return {
    bytes: () => held,
    read: async (into: Uint8Array, offset: number) => into.set(held.subarray(offset, offset + into.length)),
    write: async (from: Uint8Array, offset: number) => {
      if (offset + from.length > held.length) {
        const grown = new Uint8Array(Math.max(offset + from.length, held.length));
        grown.set(held);
        held = grown;
      }
      held.set(from, offset);
    },
    end: async () => {},
    close: async () => {},
  };
}
