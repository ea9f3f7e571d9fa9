import type { InputFile } from "./input_file.js";
import type { TemporaryFile } from "./temporary.js";

const PIECE_BYTES = 1 << 20;

/**
 * Makes an input that can be read in any order of one that can only be read in order, by copying it to a
 * temporary file, which it closes with the input.
 */
export async function spoolInput(input: InputFile, temporary: TemporaryFile): Promise<InputFile> {
  const piece = new Uint8Array(PIECE_BYTES);
  let byteLength = 0;
  for (let count = PIECE_BYTES; count === PIECE_BYTES; byteLength += count) {
    count = await input.next(piece);
    await temporary.write(piece.subarray(0, count), byteLength);
  }
  let next = 0;
  return {
    name: input.name,
    stats: input.stats,
    byteLength,
    read: (into, offset) => temporary.read(into, offset),
    async peek(count) {
      const head = new Uint8Array(Math.min(count, byteLength));
      await temporary.read(head, 0);
      return head;
    },
    async next(into) {
      const some = into.subarray(0, byteLength - next);
      await temporary.read(some, next);
      next += some.length;
      return some.length;
    },
    checkUnchanged: () => input.checkUnchanged(),
    async close() {
      await temporary.close();
      await input.close();
    },
  };
}
