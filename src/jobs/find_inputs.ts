import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "../core/errors.js";

/**
 * Finds the inputs that words name: paths, or patterns such as "in/*.u64", which no shell needs to expand. The
 * files of a pattern come in the order of their names. A word that is the name of a file is no pattern.
 *
 * @returns absolute paths.
 * @throws InputError if a pattern names no file.
 */
export async function findInputs(words: readonly string[]): Promise<string[]> {
  const paths: string[] = [];
  if (words.includes("-") && !existsSync("-")) {
    throw new InputError("a job cannot read standard input", {
      hint: "write it to a file first: each task of a job reads its share again",
    });
  }
  for (const word of words) {
    if (!/[*?[\]{}]/.test(word) || existsSync(word)) paths.push(resolve(word));
    else paths.push(...(await filesOf(word)));
  }
  if (paths.length > 0) return paths;
  throw new InputError("a job needs inputs", {
    hint: "name files, or a pattern in quotes, as in 'in/*.u64'",
  });
}

async function filesOf(pattern: string): Promise<string[]> {
  const { glob } = await import("tinyglobby");
  const paths = await glob(pattern, { absolute: true, onlyFiles: true, expandDirectories: false });
  if (paths.length > 0) return paths.sort();
  throw new InputError(`there is no file ${pattern}`, { hint: "check the path and the pattern" });
}
