import { crc32 } from "node:zlib";

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
