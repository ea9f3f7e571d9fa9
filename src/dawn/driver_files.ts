import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { DeviceError } from "../core/errors.js";
import { cacheFolder, makeFolder, ownFolder, readOwnFile, replaceOwnFile } from "../files/own_files.js";
import { packageToInstall } from "../optional_packages.js";

/** The file of the embedded driver in the package's archive. */
export const driverName = "libvk_swiftshader.so";

/**
 * The SHA-256 of the driver in hexadecimal digits, by the version of the npm package. No other version is
 * loaded. The peer dependency in package.json names these. Tests compare both, and the sum with the installed
 * package's.
 */
export const driverSums: Readonly<Record<string, string>> = {
  "143.0.4": "55571f337145a70e32bb64f07ceb413796cc7e9dc1ecac2144728777faf75c8c",
};

/** The npm packages that a folder is made of, as they are installed. */
export interface DriverPackages {
  /** The package with the embedded driver. */
  readonly driver: {
    readonly version: string;
    /** The path of the archive with the driver. */
    readonly archive: string;
  };
  /** The package webgpu: Dawn. */
  readonly dawn: { readonly version: string; readonly root: string };
}

/** The files of Dawn's package that are needed, in a folder that Node takes for the package. */
const DAWN = "node_modules/webgpu";
const dawnNames = ["package.json", "index.js", "dist/linux-x64/dawn.node"] as const;

/** Where Dawn's copy is in the folder: the module to import. */
export const DAWN_MODULE = `${DAWN}/index.js`;

const LIBRARIES = `${DAWN}/dist/linux-x64`;

/** Beside its own file, Dawn looks first for what it knows as Vulkan: by this name it finds the driver. */
export const DRIVER = `${LIBRARIES}/libvulkan.so.1`;

/** No file is longer. */
const MAX_BYTES = 64 << 20;

/**
 * Finds or makes a folder with the driver and a copy of Dawn, which nobody else can have changed. It is in the
 * user's cache, if it is the user's alone there. A driver without the SHA-256 that gpusort knows of its
 * version, and a copy that differs from the package, are written anew. Else it is a new folder, which is
 * removed when the process ends.
 *
 * Between this check and the loading, only this user and root can change the files, so it cannot be outrun.
 *
 * @returns the folder's path.
 * @throws DeviceError if no folder is safe, if a package is damaged, or if gpusort knows no SHA-256 of the
 *   driver.
 */
export async function driverFolder(
  { driver, dawn }: DriverPackages,
  known: Readonly<Record<string, string>> = driverSums,
): Promise<string> {
  const sum = known[driver.version];
  if (sum === undefined) {
    throw unusable(
      `is of version '${driver.version}', whose driver gpusort does not know`,
      `npm install ${packageToInstall("@sparticuz/chromium")}, or choose another device`,
    );
  }
  const name = `swiftshader-${driver.version}-dawn-${dawn.version}`;
  const copies = dawnFiles(dawn.root);
  const kept = keptFolder(join(cacheFolder(), name));
  if (kept && isIntact(kept, sum, copies)) return kept;
  const library = unpack(driver.archive);
  if (sha256(library) !== sum) {
    throw unusable("is not the one that was published: install the package again");
  }
  const files = new Map([...copies, [DRIVER, library]]);
  if (kept && tryToWrite(files, kept) && isIntact(kept, sum, copies)) return kept;
  const folder = privateFolder();
  try {
    write(files, folder);
  } catch (cause) {
    throw unusable(`cannot be written to ${folder}: ${(cause as Error).message}`, SAFE_FOLDER, cause);
  }
  return folder;
}

/** The folder in the cache; undefined if it cannot be created or others may change it. */
function keptFolder(path: string): string | undefined {
  try {
    makeFolder(path);
  } catch {
    return undefined; // for example, the user has no home folder
  }
  const cache = ownFolder(join(path, ".."));
  return cache && ownFolder(path);
}

function isIntact(folder: string, sum: string, copies: Files): boolean {
  const libraries = join(folder, LIBRARIES);
  if (ownFolder(libraries) !== libraries) return false; // somebody may have put a link in its place
  const library = readOwnFile(join(folder, DRIVER), MAX_BYTES);
  if (library === undefined || sha256(library) !== sum) return false;
  return [...copies].every(([name, content]) => readOwnFile(join(folder, name), MAX_BYTES)?.equals(content));
}

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Contents by the paths in the folder. */
type Files = ReadonlyMap<string, Uint8Array>;

function dawnFiles(root: string): Files {
  try {
    return new Map(dawnNames.map((name) => [`${DAWN}/${name}`, readFileSync(join(root, name))]));
  } catch (cause) {
    throw unusable(`needs a copy of the npm package webgpu: ${(cause as Error).message}`, SAFE_FOLDER, cause);
  }
}

function unpack(archive: string): Uint8Array {
  let library: Uint8Array | undefined;
  try {
    library = fileInTar(brotliDecompressSync(readFileSync(archive)), driverName);
  } catch (cause) {
    throw unusable(`cannot be unpacked: ${(cause as Error).message}`, SAFE_FOLDER, cause);
  }
  if (!library) throw unusable(`has no ${driverName} in this version of the package`);
  return library;
}

function write(files: Files, folder: string): void {
  for (const [name, content] of files) {
    const path = join(folder, name);
    makeFolder(dirname(path));
    replaceOwnFile(path, content);
  }
}

function tryToWrite(files: Files, folder: string): boolean {
  try {
    write(files, folder);
    return true;
  } catch {
    return false; // a full or read-only file system
  }
}

/** A new folder of this user alone, which is removed when the process ends. */
function privateFolder(): string {
  const parent = resolve(tmpdir());
  let made: string;
  try {
    made = mkdtempSync(join(parent, "gpusort-driver-"));
  } catch (cause) {
    throw unusable(`cannot be unpacked into ${parent}: ${(cause as Error).message}`, SAFE_FOLDER, cause);
  }
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  const folder = ownFolder(made);
  if (folder === undefined) throw unusable(`is not unpacked into ${parent}, which other users may change`);
  return folder;
}

const SAFE_FOLDER =
  "set TMPDIR or XDG_CACHE_HOME to a folder that only you may write to, or choose another device";

function unusable(why: string, hint = SAFE_FOLDER, cause?: unknown): DeviceError {
  return new DeviceError(`the driver of the npm package @sparticuz/chromium ${why}`, { hint, cause });
}

/** A header takes a block, and a file whole ones. */
const BLOCK_BYTES = 512;

/**
 * The content of a file in a tar archive (POSIX.1-1988, ustar). Nothing but names, sizes and contents is read:
 * the caller knows the sum of the file. Long names and sizes are not found.
 *
 * @returns undefined if no file of the archive has this name.
 */
export function fileInTar(archive: Buffer, name: string): Buffer | undefined {
  for (let header = 0; header < archive.length; ) {
    const field = (offset: number, bytes: number) =>
      archive.toString("latin1", header + offset, header + offset + bytes).replace(/\0.*$/s, "");
    const bytes = Number.parseInt(field(124, 12), 8);
    if (!(bytes >= 0)) return undefined; // empty blocks end an archive
    const content = header + BLOCK_BYTES;
    if (field(0, 100) === name) return archive.subarray(content, content + bytes);
    header = content + Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return undefined;
}
