import type { ByteInput, ByteOutput } from "../../src/core/streams/byte_stream.js";
import type { ItemInput } from "../../src/formats/format.js";

/** Bytes in memory as a file, or as a pipe, which has no length and cannot be read at an offset. */
export function byteInput(name: string, bytes: Uint8Array, pipe = false): ByteInput {
  let at = 0;
  return {
    name,
    byteLength: pipe ? undefined : bytes.length,
    peek: async (count) => bytes.subarray(at, at + count),
    ...(!pipe && {
      read: async (into: Uint8Array, offset: number) =>
        into.set(bytes.subarray(offset, offset + into.length)),
    }),
    next: async (into) => {
      const some = bytes.subarray(at, at + into.length);
      into.set(some);
      at += some.length;
      return some.length;
    },
  };
}

/** Collects written bytes: at any offset if `seekable`, else always at the end, as a pipe does. */
export function byteOutput(seekable: boolean): ByteOutput & { bytes(): Uint8Array } {
  let held = new Uint8Array(0);
  return {
    name: "output",
    seekable,
    bytes: () => held,
    write: async (from, offset) => {
      const at = seekable ? offset : held.length;
      const grown = new Uint8Array(Math.max(held.length, at + from.length));
      grown.set(held);
      grown.set(from, at);
      held = grown;
    },
  };
}

/** Reads all items of an input, `turnBytes` at a time. */
export async function allItems(input: ItemInput, turnBytes = 64): Promise<Uint8Array<ArrayBuffer>> {
  const turns: Uint8Array[] = [];
  const turn = new Uint8Array(turnBytes);
  for (;;) {
    const bytes = await input.next(turn);
    turns.push(turn.slice(0, bytes));
    if (bytes + input.item.bytes <= turnBytes) break;
  }
  return new Uint8Array(Buffer.concat(turns));
}
