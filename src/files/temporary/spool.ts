import { VerifyError } from "../../core/errors.js";
import type { ByteStore } from "../../core/streams/byte_stream.js";
import type { OutputFile } from "../output_file.js";
import { isIntact, WrittenPieces } from "../read_back.js";

const PIECE_BYTES = 1 << 20;

/**
 * Makes an output that takes bytes at any offset from one that takes them only in order. The bytes are kept
 * in a temporary file, and are copied to the output when it is published. `publish` throws a VerifyError if
 * the temporary file returned other bytes than were written to it.
 */
export function spoolOutput(output: OutputFile, temporary: ByteStore): OutputFile {
  const pieces = new WrittenPieces();
  return {
    name: output.name,
    seekable: true,
    async write(from, offset) {
      const writing = temporary.write(from, offset);
      pieces.add(from, offset); // during the write
      await writing;
    },
    async publish(lastCheck) {
      const memory = new Uint8Array(PIECE_BYTES);
      const copy = async (offset: number, length: number) => {
        const part = memory.subarray(0, length);
        await temporary.read(part, offset);
        await output.write(part, offset);
        return part;
      };
      for (const piece of pieces.inOrder()) {
        if (!(await isIntact(piece, PIECE_BYTES, copy))) throw damaged(output.name);
      }
      await temporary.close();
      await output.publish(lastCheck);
    },
    async discard() {
      await temporary.close().catch(() => {}); // it is closed already if publishing failed
      await output.discard();
    },
  };
}

function damaged(name: string): VerifyError {
  return new VerifyError(`a temporary file changed the bytes for ${name}, which has got wrong ones`, {
    hint: "discard what was written; check the disk, or name another folder for temporary files",
    options: ["tempDir"],
  });
}
