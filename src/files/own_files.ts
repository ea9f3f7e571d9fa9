import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { randomName } from "./temporary/stale_files.js";

/**
 * The path of gpusort's folder in the user's cache, where the system has it: ~/Library/Caches on macOS,
 * %LOCALAPPDATA% on Windows, else $XDG_CACHE_HOME or ~/.cache (XDG Base Directory Specification); of this
 * user's folder in the system's temporary folder if the user has no home. The folder need not exist yet, and
 * may be anybody's.
 */
export function cacheFolder(): string {
  const cache = ofUser();
  // A home that is empty or relative would mean a folder of whatever the current folder is.
  if (cache !== undefined && isAbsolute(cache)) return cache;
  return join(resolve(tmpdir()), `gpusort-${process.getuid?.() ?? "cache"}`);
}

function ofUser(): string | undefined {
  const { LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  try {
    if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "gpusort");
    if (process.platform === "win32")
      return join(LOCALAPPDATA || join(homedir(), "AppData", "Local"), "gpusort", "Cache");
    return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "gpusort");
  } catch {
    return undefined; // the system knows no home of this user
  }
}

/** The permissions of a group and of everybody to write. */
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Creates a folder for this user alone, and its missing parents, one at a time. Node's own `recursive` never
 * returns where a parent exists but takes no folders and says so with ENOENT, as /proc does.
 *
 * @throws Error if a folder cannot be created, or would be root's in the home of a user, whom it keeps out.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  if (process.getuid?.() === 0 && !isOwn(statSync(parent))) throw new Error(`${parent} is another user's`);
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process was faster
  }
}

/**
 * Finds out whether nobody but this user and root can change what is in a folder, or what its path means. The
 * folder itself must be this user's, and no symbolic link; permissions of others to write to it are taken
 * away. Every folder above must be this user's or root's, and writable by nobody else unless it is sticky.
 *
 * @returns the folder's real path; undefined if somebody else can change it, or if it does not exist.
 */
export function ownFolder(folder: string): string | undefined {
  try {
    const real = join(realpathSync(dirname(folder)), basename(folder));
    const stats = lstatSync(real);
    if (!stats.isDirectory() || !isOwn(stats)) return undefined;
    if (stats.mode & OTHERS_WRITE) chmodSync(real, 0o700);
    for (let above = dirname(real); ; above = dirname(above)) {
      if (!isGuarded(lstatSync(above))) return undefined;
      if (above === dirname(above)) return real;
    }
  } catch {
    return undefined;
  }
}

/** Whether only its owner and root can replace what is in a folder that is this user's or root's. */
function isGuarded(stats: Stats): boolean {
  const replaceable = (stats.mode & OTHERS_WRITE) !== 0 && (stats.mode & STICKY) === 0;
  return stats.isDirectory() && (isOwn(stats) || stats.uid === 0) && !replaceable;
}

/** Windows has no user ids; there, a user's folders are closed to others by default. */
function isOwn({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/**
 * Reads a file that is this user's. Whatever else is in its place (a symbolic link, a named pipe, a device,
 * another user's file, a file that others may write to) is neither followed nor waited for.
 *
 * @param mostBytes a longer file is not read.
 * @returns the content; undefined if there is no such file.
 */
export function readOwnFile(path: string, mostBytes: number): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || !isOwn(stats) || stats.size > mostBytes) return undefined;
    if (process.getuid && (stats.mode & OTHERS_WRITE) !== 0) return undefined;
    const content = Buffer.alloc(stats.size);
    for (let at = 0; at < content.length; ) {
      const bytes = readSync(file, content, at, content.length - at, at);
      if (bytes === 0) return undefined; // cut short meanwhile
      at += bytes;
    }
    return content;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Writes a file that only this user can read, all at once: a process that has the old file open keeps it.
 * Replaces a file or a link in its place, and writes through neither.
 *
 * @throws the system's error if it cannot be written.
 */
export function replaceOwnFile(path: string, content: Uint8Array | string): void {
  const temporary = `${path}.${randomName()}`;
  try {
    writeFileSync(temporary, content, { flag: "wx", mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
