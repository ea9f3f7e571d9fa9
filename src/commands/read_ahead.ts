import type { ByteInput } from "../formats/format.js";

/** About what a disk reads while an adapter opens. */
const MOST_BYTES = 256 << 20;
const PIECE_BYTES = 4 << 20;

/**
 * Reads the beginning of files for nothing but that the system has it at hand afterwards: a disk need not wait until
 * an adapter is open. What is in memory already is read in no time.
 */
export function readAhead(files: readonly ByteInput[]): { stop: () => void } {
  let stopped = false;
  const run = async () => {
    const scratch = new Uint8Array(PIECE_BYTES);
    let left = MOST_BYTES;
    for (const file of files) {
      const { byteLength = 0 } = file;
      for (let at = 0; at < byteLength && file.read; at += PIECE_BYTES) {
        if (stopped || left <= 0) return;
        left -= PIECE_BYTES;
        await file.read(scratch.subarray(0, Math.min(PIECE_BYTES, byteLength - at)), at);
      }
    }
  };
  run().catch(() => {}); // what cannot be read is told when it is read in earnest
  return {
    stop: () => {
      stopped = true;
    },
  };
}
