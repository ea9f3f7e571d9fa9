import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { cacheFolder, makeFolder, ownFolder, readOwnFile, replaceOwnFile } from "../files/own_files.js";
import { beforeFlagsChange } from "../threads/compile.js";

/** A script, to be kept at the end of the process, when V8 has compiled the functions that a run needs. */
interface NewlyCompiled {
  readonly path: string;
  readonly script: Script;
}

/** The code of a file takes some 0.5 MB. */
const MOST_BYTES = 16 << 20;

/** A month. Other builds and other versions of Node leave code behind that nothing uses any more. */
const MOST_AGE_MS = 30 * 24 * 3600 * 1000;

/** Another process may be writing a younger file that has no name of a script yet. */
const MOST_WRITING_MS = 60_000;

/** The tag of the V8 that made the code, and the checksum of both, for V8 checks neither. */
const TRAILER_BYTES = 8;

let folder: string | undefined;
/** The same folder by its real path; undefined if it is not this user's alone, or if there is none yet. */
let own: string | undefined;
let tagAtStart: number | undefined;
const newlyCompiled: NewlyCompiled[] = [];

/** Bun and Deno have no such code, and NODE_DISABLE_COMPILE_CACHE turns it off, as it does in Node. */
const { bun, deno } = process.versions;
const isPossible = !bun && !deno && !process.env.NODE_DISABLE_COMPILE_CACHE;

/**
 * Finds the compiled code of earlier runs, from which V8 takes functions instead of compiling them: some
 * 25 ms of a sort. The folder must be this user's alone, because what is in it is run. Call it before
 * `runFile`.
 *
 * @param build identifies the files of this build, of which V8 compares no more than the lengths.
 */
export function findCompiledCode(build: string): void {
  if (!isPossible) return;
  folder = join(cacheFolder(), "code", `${build}-${process.version}-${process.arch}`);
  own = ownFolder(folder);
}

/**
 * Runs a file of the command as a script, by the code that was kept of it if there is some.
 *
 * @param load loads the file where no code can be kept, as `require` does.
 * @returns the value of the script.
 * @throws the system's error if the file cannot be read.
 */
export function runFile(path: string, load: (path: string) => unknown): unknown {
  if (!isPossible) return load(path);
  const kept = keptCode(path);
  const script = new Script(readFileSync(path, "utf8"), { filename: path, cachedData: kept?.code });
  if (kept && !script.cachedDataRejected) tagAtStart ??= kept.tag;
  else newlyCompiled.push({ path, script });
  tagAtStart ??= versionTag();
  return script.runInThisContext();
}

/**
 * Keeps the code of what this process compiles, when it ends without an error. A run whose threads change V8's
 * flags keeps before that what it has compiled until then: V8 takes code only under the flags of its making.
 */
export function keepCompiledCode(): void {
  if (folder === undefined) return;
  beforeFlagsChange(writeCode);
  process.on("exit", (code) => {
    if (code === 0) writeCode();
  });
}

function keptCode(path: string): { code: Buffer; tag: number } | undefined {
  const content = own && readOwnFile(join(own, basename(path)), MOST_BYTES);
  if (!content || content.length < TRAILER_BYTES) return undefined;
  const checked = content.subarray(0, -4);
  if (content.readUInt32LE(checked.length) !== checksum(checked)) return undefined;
  return {
    code: content.subarray(0, -TRAILER_BYTES),
    tag: content.readUInt32LE(content.length - TRAILER_BYTES),
  };
}

function writeCode(): void {
  if (!folder || newlyCompiled.length === 0 || tagAtStart !== versionTag()) return;
  try {
    makeFolder(folder);
    const target = ownFolder(folder);
    if (target === undefined) return;
    for (const { path, script } of newlyCompiled.splice(0)) {
      const tagged = Buffer.concat([script.createCachedData(), wordOf(tagAtStart)]);
      replaceOwnFile(join(target, basename(path)), Buffer.concat([tagged, wordOf(checksum(tagged))]));
    }
    removeOld(dirname(target), MOST_AGE_MS, (name) => name !== basename(target));
    removeOld(target, MOST_WRITING_MS, (name) => !name.endsWith(".js")); // of a process that was killed
  } catch {
    // it is compiled each time
  }
}

function wordOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function removeOld(parent: string, mostMs: number, mayRemove: (name: string) => boolean): void {
  for (const name of readdirSync(parent).filter(mayRemove)) {
    const path = join(parent, name);
    try {
      if (Date.now() - lstatSync(path).mtimeMs > mostMs) rmSync(path, { recursive: true, force: true });
    } catch {
      // another process removes it, or it is somebody else's
    }
  }
}

/** Identifies V8's version and flags. */
const versionTag = () => process.getBuiltinModule("node:v8").cachedDataVersionTag();

const checksum = (code: Uint8Array) => process.getBuiltinModule("node:zlib").crc32(code);
