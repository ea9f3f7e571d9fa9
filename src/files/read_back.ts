import { constants } from "node:fs";
import { crc32 } from "node:zlib";
import { VerifyError } from "../core/errors.js";
import type { FileSystem, OpenFile } from "./system.js";

/** A part of a file, and the CRC-32 of its bytes. */
export interface WrittenPiece {
  readonly offset: number;
  readonly length: number;
  readonly sum: number;
}

/** Remembers a sum of each piece that is written, so that the pieces can be told from damaged ones later. */
export class WrittenPieces {
  readonly #pieces = new Map<number, WrittenPiece>();

  /** Adds a piece. One at the same offset is forgotten, because its bytes are overwritten. */
  add(bytes: Uint8Array, offset: number): void {
    if (bytes.length === 0) return;
    this.#pieces.set(offset, { offset, length: bytes.length, sum: crc32(bytes) });
  }

  /** All pieces, from the start of the file to its end. */
  inOrder(): WrittenPiece[] {
    return [...this.#pieces.values()].sort((a, b) => a.offset - b.offset);
  }
}

/**
 * Reads a piece again, in parts of at most `most` bytes.
 *
 * @param read gives the bytes from an offset: as many as requested, or fewer at the end of the file.
 * @returns whether its bytes are those that were written.
 */
export async function isIntact(
  { offset, length, sum }: WrittenPiece,
  most: number,
  read: (offset: number, length: number) => Promise<Uint8Array>,
): Promise<boolean> {
  let actual = 0;
  for (let done = 0; done < length; ) {
    const part = await read(offset + done, Math.min(most, length - done));
    if (part.length === 0) return false;
    actual = crc32(part, actual);
    done += part.length;
  }
  return actual === sum;
}

const BLOCK_BYTES = 4 << 20;
const WASM_PAGE_BYTES = 64 << 10;

/**
 * Reads a file that was written and synced, and compares it with what was written: from the disk, past the
 * system's cache, where the file system allows that.
 *
 * @param name what the user calls the file.
 * @throws VerifyError if its bytes or its length differ; the system's error if it cannot be read.
 */
export async function readBack(
  name: string,
  path: string,
  length: number,
  pieces: WrittenPieces,
  files: FileSystem,
): Promise<void> {
  const { file, blocks } = await openBlocks(path, length, files);
  try {
    const { size } = await file.stat();
    if (Number(size) !== length) throw damaged(name, `it has ${size} bytes instead of ${length}`);
    const read = async (offset: number, most: number) => {
      const block = await blocks(Math.floor(offset / BLOCK_BYTES));
      const from = offset % BLOCK_BYTES;
      return block.subarray(from, from + most);
    };
    for (const piece of pieces.inOrder()) {
      if (await isIntact(piece, BLOCK_BYTES, read)) continue;
      const last = piece.offset + piece.length - 1;
      throw damaged(name, `bytes ${piece.offset} to ${last} have another checksum`);
    }
  } finally {
    await file.close().catch(() => {}); // it was only read
  }
}

/** Reads the block of a number. Its bytes are valid until the next call. */
type ReadBlock = (number: number) => Promise<Uint8Array>;

/** Opens a file past the cache if that is possible, which its first block shows. */
async function openBlocks(
  path: string,
  length: number,
  files: FileSystem,
): Promise<{ file: OpenFile; blocks: ReadBlock }> {
  const { O_RDONLY, O_DIRECT } = constants;
  const direct =
    O_DIRECT === undefined ? undefined : await files.open(path, O_RDONLY | O_DIRECT).catch(() => undefined);
  if (direct) {
    const blocks = blockReader(direct, length, pageAligned(BLOCK_BYTES));
    try {
      await blocks(0);
      return { file: direct, blocks };
    } catch (cause) {
      await direct.close();
      if ((cause as NodeJS.ErrnoException).code !== "EINVAL") throw cause;
    }
  }
  const file = await files.open(path, O_RDONLY);
  return { file, blocks: blockReader(file, length, new Uint8Array(BLOCK_BYTES)) };
}

/** Reads whole blocks, each once if they are requested in order. */
function blockReader(file: OpenFile, length: number, memory: Uint8Array): ReadBlock {
  let held = -1;
  let block = memory;
  return async (number) => {
    if (number === held) return block;
    held = -1;
    const start = number * BLOCK_BYTES;
    const expected = Math.min(BLOCK_BYTES, length - start);
    let filled = 0;
    while (filled < expected) {
      // Reading past the cache works only with memory of whole pages, so the length is that of a whole block.
      const bytesRead = await file.read(memory.subarray(filled), start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    held = number;
    block = memory.subarray(0, Math.min(filled, expected));
    return block;
  };
}

declare const WebAssembly: { Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer } };

/** Memory that begins at a page, as reading past the cache requires. A usual array begins anywhere. */
function pageAligned(bytes: number): Uint8Array {
  return new Uint8Array(new WebAssembly.Memory({ initial: bytes / WASM_PAGE_BYTES }).buffer);
}

function damaged(name: string, what: string): VerifyError {
  return new VerifyError(`${name} is not what was written to it: ${what}`, {
    hint: "the old output is untouched; check the disk, or name another output",
    options: ["output"],
  });
}
