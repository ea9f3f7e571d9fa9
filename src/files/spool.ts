import type { OutputFile } from "./output.js";
import type { TemporaryFile } from "./temporary.js";

const PIECE_BYTES = 1 << 20;

/**
 * An output that takes bytes in order only, made to take them in any: they are kept in a temporary file and handed on
 * when all are there.
 */
export function spooled(output: OutputFile, temporary: TemporaryFile): OutputFile {
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
      await temporary.close().catch(() => {}); // closed already if publishing failed
      await output.discard();
    },
  };
}
