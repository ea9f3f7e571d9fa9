import { promises as fs } from "node:fs";
import { InputError } from "../core/errors.js";
import { MOST_RESULT_BYTES } from "../files/journal.js";

/**
 * Reads names of files for `--files0-from`, each of which a byte 0 ends, as `find -print0` prints them.
 *
 * @param list the file that holds the names; "-" for standard input.
 * @param named the files that the command line names besides, which is an error.
 * @throws InputError if the list cannot be read, or holds no names or a wrong one.
 */
export async function namedFiles(list: string, named: readonly string[]): Promise<string[]> {
  if (named.length > 0) {
    throw new InputError(`--files0-from names the files, so ${named[0]} cannot be named too`, {
      hint: "leave one of them out",
    });
  }
  const text = await readText(list, `--files0-from ${list}`);
  const names = text.replace(/\0$/, "").split("\0");
  if (text === "") {
    throw new InputError(`--files0-from ${list} names no files`, { hint: "each name is ended by a byte 0" });
  }
  const wrong = names.findIndex((name) => name === "" || (name === "-" && list === "-"));
  if (wrong >= 0) {
    const what = names[wrong] === "" ? "is empty" : "is -, but standard input holds the names";
    throw new InputError(`--files0-from ${list}: name ${wrong + 1} ${what}`, {
      hint: "each name is ended by a byte 0, as find -print0 prints them",
    });
  }
  return names;
}

/**
 * Reads a text file, or a pipe by its name, to its end; "-" is standard input.
 *
 * @param name what a message calls the file.
 * @throws InputError if it cannot be read, or if it is longer than 64 MiB: /dev/zero has no end.
 */
export async function readText(path: string, name = path === "-" ? "standard input" : path): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const file =
    path === "-" ? undefined : await fs.open(path).catch((cause) => Promise.reject(unreadable(name, cause)));
  try {
    for await (const chunk of file?.createReadStream({ autoClose: false }) ?? process.stdin) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MOST_RESULT_BYTES) break;
    }
  } catch (cause) {
    throw unreadable(name, cause as Error);
  } finally {
    await file?.close();
  }
  if (length <= MOST_RESULT_BYTES) return Buffer.concat(chunks).toString("utf8");
  throw new InputError(
    `${name} is longer than ${MOST_RESULT_BYTES >> 20} MiB, the most that is read of such a file`,
    { hint: "check the path" },
  );
}

function unreadable(name: string, cause: Error): InputError {
  return new InputError(`${name} cannot be read: ${cause.message}`, { hint: "check the path", cause });
}
