import type { BigIntStats } from "node:fs";
import type { OptionName } from "../core/errors.js";
import { createOutput } from "./output.js";

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
  inputs: readonly BigIntStats[] = [],
): Promise<void> {
  const file = await openReplacement(path, "output", inputs);
  try {
    await file.finish(content);
  } catch (error) {
    await file.discard();
    throw error;
  }
}
