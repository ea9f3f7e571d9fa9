import type { BigIntStats } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError } from "../core/errors.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { ownDescriptor, positionOf, statDescriptor } from "./descriptor.js";
import { type DescriptorPool, inputPool, type ReadFile } from "./descriptor_pool.js";
import { requireName, unreadable } from "./errors.js";
import type { InputFile } from "./input_file.js";
import { generatedInput, streamOf } from "./stream_input.js";
import { descriptorFile, type FileSystem, nodeFiles, type OpenFile, readFully } from "./system.js";

/**
 * Opens a file, or a stream by its path (a named pipe, a terminal, a device). A path of a descriptor of this
 * process, such as /dev/stdin or /dev/fd/3, is read from the position of that descriptor.
 *
 * A file need not stay open: there may be more inputs than descriptors (see `DescriptorPool`).
 *
 * @throws InputError if there is no such file, if it is a directory, or if it may not be read.
 */
export async function openInput(
  path: string,
  files: FileSystem = nodeFiles,
  pool: DescriptorPool = inputPool,
): Promise<InputFile> {
  requireName(path, "input");
  const descriptor = await ownDescriptor(path);
  if (descriptor !== undefined) return openDescriptor(descriptor, path);
  return openOwnInput(path, files, pool);
}

/** Opens a file that gpusort wrote, which is no descriptor of this process. @throws as `openInput` does. */
export async function openOwnInput(
  path: string,
  files: FileSystem = nodeFiles,
  pool: DescriptorPool = inputPool,
): Promise<InputFile> {
  const file = await files.open(path, "r").catch((cause) => Promise.reject(unreadable(path, cause)));
  return inputOf(path, file, 0, (file, stats) =>
    pool.adopt(file, async () => {
      const again = await files.open(path, "r").catch((cause: NodeJS.ErrnoException) => {
        throw cause.code === "ENOENT" ? changed(path, "removed") : unreadable(path, cause);
      });
      try {
        await requireUnchanged(path, again, stats);
        return again;
      } catch (error) {
        await again.close().catch(() => {});
        throw error;
      }
    }),
  );
}

/** The name of standard input. */
export const STANDARD_INPUT = "standard input";

/**
 * Opens standard input: as a file if it is one and Linux shows that it is at its start, else as a stream.
 *
 * @throws InputError if it is closed, or a directory.
 */
export function openStandardInput(): Promise<InputFile> {
  return openDescriptor(0, STANDARD_INPUT);
}

async function openDescriptor(descriptor: number, name: string): Promise<InputFile> {
  if (!statDescriptor(descriptor)) {
    throw new InputError(`cannot read ${name}: it is closed`, {
      hint: "redirect it from a file or a pipe, or name a file",
    });
  }
  return inputOf(name, descriptorFile(descriptor), positionOf(descriptor));
}

/**
 * @param position where the file is read from; undefined if that is not known.
 * @param share lets a regular file be closed while it is not read.
 */
async function inputOf(
  name: string,
  file: OpenFile,
  position: number | undefined,
  share: (file: OpenFile, stats: BigIntStats) => Promise<ReadFile> = async () => file,
): Promise<InputFile> {
  try {
    const stats = await settledStat(file);
    if (stats.isDirectory()) {
      throw new InputError(`${name} is a directory`, { hint: "name a file in it" });
    }
    if (!stats.isFile()) return streamOf(name, file, { stats });
    if (!(await hasTrueLength(file, stats))) return generatedInput(name, file, stats);
    if (position === 0) return new RegularInput(name, await share(file, stats), stats);
    return streamOf(name, file, { stats, check: () => requireUnchanged(name, file, stats) });
  } catch (cause) {
    await file.close().catch(() => {});
    throw unreadable(name, cause as NodeJS.ErrnoException);
  }
}

/** Usual systems count time in shorter ticks. Some old file systems count whole seconds. */
const TICK_MS = 20;

/** Waits, if necessary, until another write to the file would change its modification time. */
async function settledStat(file: OpenFile): Promise<BigIntStats> {
  const MOST_WAITS = 3; // for a file that is written to all the time
  for (let waits = 0; ; waits++) {
    const stats = await file.stat();
    const age = Date.now() - Number(stats.mtimeNs / 1_000_000n);
    if (!stats.isFile() || Math.abs(age) > TICK_MS || waits === MOST_WAITS) return stats;
    await sleep(TICK_MS + 1 - age);
  }
}

/** Whether a file is as long as the system says. Files in /proc and /sys are not: they are made when read. */
async function hasTrueLength(file: OpenFile, { size, blocks }: BigIntStats): Promise<boolean> {
  if (size > 0n && blocks > 0n) return true;
  const last = size === 0n ? 0 : Number(size) - 1;
  return (await file.read(new Uint8Array(1), last)) === (size === 0n ? 0 : 1);
}

/** @throws InputError if what the system says about a file is no longer what it said before. */
async function requireUnchanged(name: string, file: ReadFile, before: BigIntStats): Promise<void> {
  const now = await file.stat().catch((cause) => Promise.reject(unreadable(name, cause)));
  const isOther = now.dev !== before.dev || now.ino !== before.ino;
  if (!isOther && now.size === before.size && now.mtimeNs === before.mtimeNs) return;
  throw changed(name, isOther ? "replaced" : "written to");
}

function changed(name: string, how: string): InputError {
  return new InputError(`${name} was ${how} while it was read`, {
    hint: "run again when no other program writes to it",
  });
}

class RegularInput implements InputFile {
  readonly name: string;
  readonly byteLength: number;
  readonly stats: BigIntStats;
  readonly #file: ReadFile;
  #next = 0;

  constructor(name: string, file: ReadFile, stats: BigIntStats) {
    this.name = name;
    this.byteLength = Number(stats.size);
    this.stats = stats;
    this.#file = file;
  }

  async peek(count: number): Promise<Uint8Array> {
    const head = new Uint8Array(Math.min(count, this.byteLength));
    await this.read(head, 0);
    return head;
  }

  async read(into: Uint8Array, offset: number): Promise<void> {
    const end = await readFully(this.#file, into, offset).catch((cause) => {
      throw unreadable(this.name, cause);
    });
    if (end === undefined) return;
    throw new InputError(`${this.name} was cut short while it was read: it now ends at byte ${end}`, {
      hint: "run again when no other program writes to it",
    });
  }

  async next(into: Uint8Array): Promise<number> {
    const length = Math.min(into.length, this.byteLength - this.#next);
    await this.read(into.subarray(0, length), this.#next);
    this.#next += length;
    return length;
  }

  checkUnchanged(): Promise<void> {
    return requireUnchanged(this.name, this.#file, this.stats);
  }

  async close(): Promise<void> {
    await this.#file.close().catch(() => {}); // it was only read
  }
}

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
