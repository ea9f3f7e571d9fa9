import type { ByteInput, ByteOutput, ItemInput } from "../../src/formats/format.js";

/** Bytes in memory as a file, or as a pipe that hands out a few at a time. */
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

/** Collects what is written: anywhere, or, as a pipe does, only where the last write ended. */
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

/** All items of an input, in turns of so many bytes. */
export async function allItems(input: ItemInput, turnBytes = 64): Promise<Uint8Array<ArrayBuffer>> {
  const turns: Uint8Array[] = [];
  for (;;) {
    const turn = new Uint8Array(turnBytes);
    const bytes = await input.next(turn);
    turns.push(turn.subarray(0, bytes));
    if (bytes + input.item.bytes <= turnBytes) break;
  }
  return new Uint8Array(Buffer.concat(turns));
}
