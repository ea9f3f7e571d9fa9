import { spawnSync } from "node:child_process";
import * as zlib from "node:zlib";
import type { Compression } from "../../src/core/compression.js";
import type { InputFile } from "../../src/files/input_file.js";
import { iterableInput } from "../../src/files/stream_input.js";
import { type Needs, needs } from "./needs.js";

const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Uint8Array, options: object) => Buffer };

/** Whether Node's zlib has zstd here. */
export const nodeHasZstd = zstdCompressSync !== undefined;

/** How tests that need zstd in Node are declared. */
export const withNodeZstd = needs(nodeHasZstd, "zstd in Node's zlib");

/** Compresses by Node's zlib, with a checksum. */
export function pack(compression: Compression, bytes: Uint8Array): Buffer {
  const { ZSTD_c_checksumFlag = 0 } = zlib.constants as { ZSTD_c_checksumFlag?: number };
  if (compression === "gz") return zlib.gzipSync(bytes);
  return zstdCompressSync!(bytes, { params: { [ZSTD_c_checksumFlag]: 1 } });
}

/** A program of the system, which may lack it, and how tests that need it are declared. */
export interface Program extends Needs {
  run(args: readonly string[], input: Uint8Array): Buffer;
}

/** @param name - Such as "gzip". */
export function program(name: string): Program {
  return {
    ...needs(!spawnSync(name, ["--version"]).error, name),
    run: (args, input) => {
      const { status, stdout, stderr } = spawnSync(name, args, { input, maxBuffer: 1 << 28 });
      if (status !== 0) throw new Error(`${name} ${args.join(" ")}: ${stderr}`);
      return stdout;
    },
  };
}

/** A stream of some bytes, which arrive in pieces of at most `most` bytes. */
export function inPieces(name: string, bytes: Uint8Array, most = 1 << 16): InputFile {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += most) yield bytes.subarray(at, at + most);
  }
  return iterableInput(pieces(), name);
}

/** All bytes of an input, which is closed. */
export async function allBytes(input: InputFile, turnBytes = 100_000): Promise<Buffer> {
  try {
    const turns: Uint8Array[] = [];
    for (;;) {
      const turn = new Uint8Array(turnBytes);
      const length = await input.next(turn);
      turns.push(turn.subarray(0, length));
      if (length < turnBytes) return Buffer.concat(turns);
    }
  } finally {
    await input.close();
  }
}
