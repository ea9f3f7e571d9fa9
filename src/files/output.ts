import { type BigIntStats, promises as fs } from "node:fs";
import { InputError, type OptionName } from "../core/errors.js";
import { AtomicOutput } from "./atomic_output.js";
import { ownDescriptor, statDescriptor } from "./descriptor.js";
import { exists, isLossyName, requireName, unwritable } from "./errors.js";
import { createUntilExit } from "./exit_cleanup.js";
import type { OutputFile } from "./output_file.js";
import { followLinks, requireNoInput } from "./same_file.js";
import { DirectOutput } from "./stream_output.js";
import { descriptorFile, type FileSystem, nodeFiles } from "./system.js";
import { removeStaleFiles, temporaryName } from "./temporary/stale_files.js";

/**
 * Whether an existing file may be replaced. With true, a file that the user may not write to is kept; with
 * "force", it is replaced too.
 */
export type Replace = boolean | "force";

export interface OutputSettings {
  readonly files?: FileSystem;
  /**
   * What the output is made from. A new output gives nobody more permissions than these files do. One that is
   * the target itself must not change before it is replaced.
   */
  readonly inputs?: readonly BigIntStats[];
  /** Whether to compare what the file holds with what was written, before it gets its name. */
  readonly readBack?: boolean;
  /** The caller's option that names the output, for errors. Default: "output". */
  readonly option?: OptionName;
}

/**
 * Opens an output: a temporary file beside the target, which takes the target's place when it is published.
 * Links are followed. The mode and the owner of an existing target are kept. A target that is not a regular
 * file (a pipe, a device), or that is a descriptor of this process (such as /dev/stdout), is written to
 * directly.
 *
 * @throws InputError if the target exists and may not be replaced, if it cannot be written, or if it cannot
 *   be read back but should be.
 */
export async function createOutput(
  path: string,
  replace: Replace,
  settings: OutputSettings = {},
): Promise<OutputFile> {
  const { files = nodeFiles, inputs = [], readBack = false, option = "output" } = settings;
  requireName(path, "output", [option]);
  const fail = (cause: NodeJS.ErrnoException) => Promise.reject(unwritable(path, cause, option));
  const descriptor = await ownDescriptor(path);
  const existing = descriptor === undefined ? await statTarget(path).catch(fail) : statDescriptor(descriptor);
  if (existing?.isDirectory()) {
    throw new InputError(`the output ${path} is a directory`, {
      hint: "name a file in it",
      options: [option],
    });
  }
  if (descriptor !== undefined || (existing && !existing.isFile())) {
    if (readBack) throw cannotReadBack(path);
    requireNoInput(path, existing, inputs, option);
    if (descriptor !== undefined) return openDescriptor(path, descriptor, existing, settings);
    return new DirectOutput(path, await files.open(path, "w").catch(fail), option, false);
  }
  if (!existing && isLossyName(path)) throw lossy(path, option);
  const target = await followLinks(path);
  await removeStaleFiles(target); // also if the target is refused: a killed process may have published it
  if (existing) await requireReplaceable(path, replace, option);
  const temporary = temporaryName(target);
  const file = await createUntilExit(temporary, () => files.open(temporary, "wx", 0o600)).catch(fail);
  const pieces = readBack ? new (await import("./read_back.js")).WrittenPieces() : undefined;
  const mayReplace = replace !== false;
  const named = { path, target, temporary, option };
  return new AtomicOutput({ ...named, file, files, mayReplace, existing, inputs, pieces });
}

/** @returns undefined if there is no such file. */
async function statTarget(path: string): Promise<BigIntStats | undefined> {
  return fs.stat(path, { bigint: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw cause;
  });
}

/**
 * Opens a descriptor of this process. A file is written from the descriptor's position, or appended to. A
 * pipe or a device is opened once more, because Node may have set the descriptor to fail rather than wait.
 */
async function openDescriptor(
  path: string,
  descriptor: number,
  stats: BigIntStats | undefined,
  { files = nodeFiles, option = "output" }: OutputSettings,
): Promise<OutputFile> {
  if (!stats) {
    throw new InputError(`cannot write ${path}: it is closed`, {
      hint: "redirect it to a file or a pipe, or name a file",
      options: [option],
    });
  }
  const fail = (cause: NodeJS.ErrnoException) => Promise.reject(unwritable(path, cause, option));
  if (!stats.isFile() && !stats.isSocket()) {
    return new DirectOutput(path, await files.open(path, "w").catch(fail), option, true);
  }
  const file = descriptorFile(descriptor);
  await file.write(new Uint8Array(0), null).catch(fail); // fails if it is open for reading only
  return new DirectOutput(path, file, option, true);
}

async function requireReplaceable(path: string, replace: Replace, option: OptionName): Promise<void> {
  if (replace === false) throw exists(path, option);
  if (replace === "force") return;
  await fs.access(path, fs.constants.W_OK).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EACCES") throw unwritable(path, cause, option);
    throw new InputError(`the output ${path} is write-protected`, {
      hint: "allow it to be replaced all the same, or name another output",
      options: option === "output" ? ["replace", option] : [option],
      cause,
    });
  });
}

/** The error for an output whose bytes cannot be compared once they are written. */
export function cannotReadBack(name: string): InputError {
  return new InputError(`the output ${name} cannot be read back: it is a pipe, a device or a stream`, {
    hint: "name a file, or ask for no full check",
    options: ["output", "verify"],
  });
}

function lossy(path: string, option: OptionName): InputError {
  return new InputError(`cannot write ${path}: bytes of its name that are not UTF-8 were lost`, {
    hint: "name another output, or redirect standard output to it",
    options: [option],
  });
}

/** A file that will appear complete or not at all. It replaces an existing file. */
export interface Replacement {
  /** Writes the content and gives the file its name. */
  finish(content: string | Uint8Array): Promise<void>;
  /** Leaves an existing file as it is. */
  discard(): Promise<void>;
}

/**
 * Opens a file to be written later.
 *
 * @param option the caller's option that names the file, for errors.
 * @param inputs the files that it is made from: it gives nobody more permissions than they do.
 * @throws InputError if it cannot be written.
 */
export async function openReplacement(
  path: string,
  option: OptionName,
  inputs: readonly BigIntStats[] = [],
): Promise<Replacement> {
  const file = await createOutput(path, true, { option, inputs });
  return {
    finish: async (content) => {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
      await file.write(bytes, 0);
      await file.publish();
    },
    discard: () => file.discard(),
  };
}

/**
 * Writes a file, all at once.
 *
 * @param inputs the files that it is made from: it gives nobody more permissions than they do.
 * @throws InputError if it cannot be written.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  inputs: readonly BigIntStats[],
): Promise<void> {
  const file = await openReplacement(path, "output", inputs);
  try {
    await file.finish(content);
  } catch (error) {
    await file.discard();
    throw error;
  }
}
