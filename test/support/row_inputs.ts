import type { ByteInput } from "../../src/core/streams/byte_stream.js";

/** An input in memory: a file that is read in any order, or a stream that is read once. */
export function rowInput(text: Uint8Array, { name = "in.txt", isStream = false } = {}): ByteInput {
  let next = 0;
  return {
    name,
    byteLength: isStream ? undefined : text.length,
    peek: async (count) => text.slice(0, count),
    ...(!isStream && {
      read: async (into: Uint8Array, offset: number) => {
        into.set(text.subarray(offset, offset + into.length));
      },
    }),
    next: async (into) => {
      const some = text.subarray(next, next + into.length);
      into.set(some);
      next += some.length;
      return some.length;
    },
  };
}
