import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { DeviceError } from "../core/errors.js";
import { cacheFolder } from "../files/cache_folder.js";
import { makeFolder, ownFolder, readOwnFile, replaceOwnFile } from "../files/own_files.js";
import { type DriverSums, driverFileNames, driverSums } from "./driver_sums.js";

/** The npm package that has the embedded driver, as it is installed. */
export interface DriverPackage {
  readonly version: string;
  /** The path of the archive with the driver's files. */
  readonly archive: string;
}

/** No file of the driver is longer. */
const MAX_BYTES = 64 << 20;

/**
 * Finds or makes a folder with the driver's files that nobody else can have changed: the one in the user's
 * cache, if the folder is the user's alone and each file has the SHA-256 that gpusort knows; files that lack
 * it are unpacked anew. Else a new folder, which is removed when the process ends.
 *
 * Between this check and the loading, only this user and root can change the files, so it cannot be outrun.
 *
 * @returns the folder's path, which has no colon: Vulkan's lists of drivers are separated by colons.
 * @throws DeviceError if no folder is safe, or if the package's archive is damaged.
 */
export async function driverFolder(
  { version, archive }: DriverPackage,
  known: Readonly<Record<string, DriverSums>> = driverSums,
): Promise<string> {
  const sums = known[version];
  const kept = sums && keptFolder(join(await cacheFolder(), `swiftshader-${version}`));
  if (kept && isIntact(kept, sums)) return kept;
  const files = await unpack(archive);
  if (sums && !driverFileNames.every((name) => sha256(files.get(name)!) === sums[name])) {
    throw unusable("is not the one that was published: install the package again");
  }
  if (kept && tryToWrite(files, kept) && isIntact(kept, sums)) return kept;
  const folder = privateFolder();
  try {
    write(files, folder);
  } catch (cause) {
    throw unusable(`cannot be written to ${folder}: ${(cause as Error).message}`, cause);
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
  const folder = cache && ownFolder(path);
  return folder?.includes(":") ? undefined : folder;
}

function isIntact(folder: string, sums: DriverSums): boolean {
  return driverFileNames.every((name) => {
    const content = readOwnFile(join(folder, name), MAX_BYTES);
    return content !== undefined && sha256(content) === sums[name];
  });
}

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

type Files = ReadonlyMap<string, Uint8Array>;

async function unpack(archive: string): Promise<Files> {
  const { parseTar } = await import("nanotar"); // only the first start on a machine unpacks
  const files = new Map<string, Uint8Array>();
  try {
    for (const { name, data } of parseTar(brotliDecompressSync(readFileSync(archive)))) {
      if (data) files.set(name, data);
    }
  } catch (cause) {
    throw unusable(`cannot be unpacked: ${(cause as Error).message}`, cause);
  }
  const missing = driverFileNames.find((name) => !files.has(name));
  if (missing) throw unusable(`has no ${missing} in this version of the package`);
  return new Map(driverFileNames.map((name) => [name, files.get(name)!]));
}

function write(files: Files, folder: string): void {
  for (const [name, content] of files) replaceOwnFile(join(folder, name), content);
}

function tryToWrite(files: Files, folder: string): boolean {
  try {
    write(files, folder);
    return true;
  } catch {
    return false; // a full or read-only file system
  }
}

const privateFolders: string[] = [];

function removePrivateFolders(): void {
  for (const folder of privateFolders) rmSync(folder, { recursive: true, force: true });
}

/** A new folder of this user alone, which is removed when the process ends. */
function privateFolder(): string {
  const parent = resolve(tmpdir());
  let made: string;
  try {
    made = mkdtempSync(join(parent, "gpusort-driver-"));
  } catch (cause) {
    throw unusable(`cannot be unpacked into ${parent}: ${(cause as Error).message}`, cause);
  }
  if (privateFolders.length === 0) process.once("exit", removePrivateFolders);
  privateFolders.push(made);
  const folder = ownFolder(made);
  if (folder === undefined) throw unusable(`is not unpacked into ${parent}, which other users may change`);
  if (folder.includes(":")) throw unusable(`is not unpacked into ${parent}, whose path contains a colon`);
  return folder;
}

function unusable(why: string, cause?: unknown): DeviceError {
  return new DeviceError(`the driver of the npm package @sparticuz/chromium ${why}`, {
    hint: "set TMPDIR or XDG_CACHE_HOME to a folder that only you may write to, or choose another device",
    cause,
  });
}
