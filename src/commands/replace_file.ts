import { createOutput } from "../files/output.js";

/** A file that will appear whole, in the place of one that is there, or not at all. */
export interface Replacement {
  finish(content: string | Uint8Array): Promise<void>;
  discard(): Promise<void>;
}

/** Makes sure now that the file can be written later. @throws InputError if it cannot. */
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

/** Writes a file that appears whole, in the place of one that is there, or not at all. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await openReplacement(path);
  try {
    await file.finish(content);
  } catch (error) {
    await file.discard();
    throw error;
  }
}
