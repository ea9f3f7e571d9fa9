import { type FileSystem, nodeFiles, type OpenFile } from "../../src/files/system.js";

export type Operation = "read" | "write" | "sync" | "stat" | "chown" | "chmod" | "close";

/**
 * Decides what happens at the n-th operation of a file system, counted from 0: an error, or at most `most`
 * bytes are read or written, or a bit of the byte at index `flip` changes on its way to the disk. Undefined
 * lets it succeed.
 */
export type Fault = (
  operation: Operation,
  n: number,
) => { error?: string; most?: number; flip?: number } | undefined;

/** Node's files with injected faults: errors of a disk, or fewer bytes than requested. */
export function faultyFiles(fault: Fault): FileSystem & { readonly operations: Operation[] } {
  const operations: Operation[] = [];
  const happens = (operation: Operation) => {
    const what = fault(operation, operations.push(operation) - 1);
    if (what?.error) {
      const message = `${what.error}: injected, ${operation}`;
      throw Object.assign(new Error(message), { code: what.error, syscall: operation });
    }
    return { most: what?.most ?? Number.POSITIVE_INFINITY, flip: what?.flip };
  };
  const damaged = (bytes: Uint8Array, at: number | undefined) =>
    at === undefined ? bytes : bytes.map((byte, i) => (i === at ? byte ^ 4 : byte));
  const wrap = (file: OpenFile): OpenFile => ({
    read: async (into, position) => file.read(into.subarray(0, happens("read").most), position),
    write: async (from, position) => {
      const { most, flip } = happens("write");
      return file.write(damaged(from.subarray(0, most), flip), position);
    },
    writeZeros: (length, position) => file.writeZeros(Math.min(length, happens("write").most), position),
    truncate: (length) => file.truncate(length),
    sync: async () => {
      happens("sync");
      await file.sync();
    },
    stat: async () => {
      happens("stat");
      return file.stat();
    },
    chown: async (uid, gid) => {
      happens("chown");
      await file.chown(uid, gid);
    },
    chmod: async (mode) => {
      happens("chmod");
      await file.chmod(mode);
    },
    close: async () => {
      await file.close();
      happens("close");
    },
  });
  return { operations, open: async (path, flags, mode) => wrap(await nodeFiles.open(path, flags, mode)) };
}
