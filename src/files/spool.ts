import type { OutputFile } from "./output.js";
import type { TemporaryFile } from "./temporary.js";

const PIECE_BYTES = 1 << 20;

/**
 * Makes an output that takes bytes at any offset from one that takes them only in order. The bytes are kept
 * in a temporary file, and are copied to the output when it is published.
 */
export function spoolOutput(output: OutputFile, temporary: TemporaryFile): OutputFile {
  let length = 0;
  return {
    name: output.name,
    seekable: true,
    async write(from, offset) {
      length = Math.max(length, offset + from.length);
      await temporary.write(from, offset);
    },
    async publish() {
      const piece = new Uint8Array(Math.min(PIECE_BYTES, length));
      for (let at = 0; at < length; at += piece.length) {
        const part = piece.subarray(0, length - at);
        await temporary.read(part, at);
        await output.write(part, at);
      }
      await temporary.close();
      await output.publish();
    },
    async discard() {
      await temporary.close().catch(() => {}); // it is closed already if publishing failed
      await output.discard();
    },
  };
}
