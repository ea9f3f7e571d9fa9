import { createOutput } from "./output.js";

/** A file that will appear complete or not at all. It replaces an existing file. */
export interface Replacement {
  /** Writes the content and gives the file its name. */
  finish(content: string | Uint8Array): Promise<void>;
  /** Leaves an existing file as it is. */
  discard(): Promise<void>;
}

/** Opens a file to be written later. @throws InputError if it cannot be written. */
export async function openReplacement(path: string): Promise<Replacement> {
  const file = await createOutput(path, true);
  return {
    finish: async (content) => {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
      await file.write(bytes, 0);
      await file.publish();
    },
    discard: () => file.discard(),
  };
}

/** Writes a file that appears complete or not at all. It replaces an existing file. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await openReplacement(path);
  try {
    await file.finish(content);
  } catch (error) {
    await file.discard();
    throw error;
  }
}
