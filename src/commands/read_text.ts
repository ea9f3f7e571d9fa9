import { promises as fs } from "node:fs";
import { InputError } from "../core/errors.js";

/** No summary or benchmark result that gpusort writes comes near this length. */
const MAX_BYTES = 64 << 20;

/**
 * Reads a text file, or a pipe by its name, to its end.
 *
 * @param name what a message calls the file.
 * @throws InputError if it cannot be read, or if it is longer than 64 MiB: /dev/zero has no end.
 */
export async function readText(path: string, name = path): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const file = await fs.open(path).catch((cause) => Promise.reject(unreadable(name, cause)));
  try {
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_BYTES) break;
    }
  } catch (cause) {
    throw unreadable(name, cause as Error);
  } finally {
    await file.close();
  }
  if (length <= MAX_BYTES) return Buffer.concat(chunks).toString("utf8");
  throw new InputError(`${name} is longer than ${MAX_BYTES >> 20} MiB, so it is no result of gpusort`, {
    hint: "check the path",
  });
}

function unreadable(name: string, cause: Error): InputError {
  return new InputError(`${name} cannot be read: ${cause.message}`, { hint: "check the path", cause });
}
