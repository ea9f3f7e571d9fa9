import { createOutput } from "../files/output.js";

/** Writes a file that appears whole, in the place of one that is there, or not at all. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await createOutput(path, true);
  try {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
    await file.write(bytes, 0);
    await file.publish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}
