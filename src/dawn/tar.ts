/** A header takes a block, and a file whole ones. */
const BLOCK_BYTES = 512;

/**
 * The content of a file in a tar archive (POSIX.1-1988, ustar). Nothing but names, sizes and contents is read:
 * the caller knows the sum of the file. Long names and sizes are not found.
 *
 * @returns undefined if no file of the archive has this name.
 */
export function fileInTar(archive: Buffer, name: string): Buffer | undefined {
  for (let header = 0; header < archive.length; ) {
    const field = (offset: number, bytes: number) =>
      archive.toString("latin1", header + offset, header + offset + bytes).replace(/\0.*$/s, "");
    const bytes = Number.parseInt(field(124, 12), 8);
    if (!(bytes >= 0)) return undefined; // empty blocks end an archive
    const content = header + BLOCK_BYTES;
    if (field(0, 100) === name) return archive.subarray(content, content + bytes);
    header = content + Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return undefined;
}
