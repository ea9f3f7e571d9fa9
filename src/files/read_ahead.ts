import type { ByteInput } from "../core/streams/byte_stream.js";

/** About as much as a disk reads while an adapter opens. */
const MAX_BYTES = 256 << 20;
const PIECE_BYTES = 4 << 20;

/** Reads the start of the files into the system's cache, so that the disk works while an adapter opens. */
export function readAhead(files: readonly ByteInput[]): { stop: () => void } {
  let stopped = false;
  const run = async () => {
    const scratch = new Uint8Array(PIECE_BYTES);
    let left = MAX_BYTES;
    for (const file of files) {
      const { byteLength = 0 } = file;
      for (let at = 0; at < byteLength && file.read; at += PIECE_BYTES) {
        if (stopped || left <= 0) return;
        left -= PIECE_BYTES;
        await file.read(scratch.subarray(0, Math.min(PIECE_BYTES, byteLength - at)), at);
      }
    }
  };
  run().catch(() => {}); // the sort will read the same bytes and report the error
  return {
    stop: () => {
      stopped = true;
    },
  };
}
