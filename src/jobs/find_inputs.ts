import { type Dirent, existsSync, lstat, readdir, realpath, type Stats, stat } from "node:fs";
import { isAbsolute, parse, posix, resolve } from "node:path";
import type { FileSystemAdapter } from "tinyglobby";
import { InputError } from "../core/errors.js";
import { unreadable } from "../files/errors.js";

/**
 * Finds the inputs that words name: paths, or patterns such as "in/*.u64", which no shell needs to expand. The
 * files of a pattern come in the order of their names. A word that is the name of a file is no pattern. Lists in
 * braces are left to the shell: each of their parts names an input of its own, which may not be missing.
 *
 * @returns absolute paths.
 * @throws InputError if a pattern names no file, or leads into a folder that cannot be read.
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
  const { convertPathToPattern, glob } = await import("tinyglobby");
  const withoutLists = pattern.replace(/(?<!\\)[{}]/g, "\\$&");
  // Above the folder that it starts in, glob finds no file of that folder: so it starts at the root.
  const whole = isAbsolute(pattern) ? withoutLists : `${convertPathToPattern(process.cwd())}/${withoutLists}`;
  const failures: InputError[] = [];
  const paths = await glob(whole, {
    absolute: true,
    onlyFiles: true,
    expandDirectories: false,
    cwd: parse(resolve(pattern)).root,
    deep: depthOf(whole),
    fs: strictFileSystem(failures),
  });
  if (failures[0]) throw failures[0];
  if (paths.length > 0) return paths.sort();
  throw new InputError(`there is no file ${pattern}`, {
    hint: /[{}]/.test(pattern)
      ? "leave a list in braces outside of the quotes"
      : "check the path and the pattern",
  });
}

/**
 * The depth below the root of the deepest folders that may hold files of an absolute pattern. By itself, glob
 * reads one level more: all folders that "in/*" matches, of which some may be closed, as lost+found is.
 */
function depthOf(pattern: string): number {
  if (/\*\*|\(/.test(pattern)) return Number.POSITIVE_INFINITY;
  return posix.normalize(pattern).split("/").length - 2;
}

/**
 * By itself, glob leaves out folders that cannot be read and links that lead nowhere, so the output would lack
 * their items. Here such folders are failures, and such links are files, which fail when they are opened.
 */
function strictFileSystem(failures: InputError[]): FileSystemAdapter {
  return {
    readdir: (path: string, options: { withFileTypes: true }, done: Done<Dirent[]>) =>
      readdir(path, options, (error, entries) => {
        const isMissing = error?.code === "ENOENT" || error?.code === "ENOTDIR";
        if (error && !isMissing) failures.push(unreadable(resolve(path), error));
        done(error, entries);
      }),
    realpath: (path: string, done: Done<string>) =>
      realpath(path, (error, target) => done(null, error ? path : target)),
    stat: (path: string, done: Done<Stats>) =>
      stat(path, (error, stats) => (error ? lstat(path, done) : done(null, stats))),
  } as FileSystemAdapter;
}

type Done<Result> = (error: NodeJS.ErrnoException | null, result: Result) => void;
