import { homedir, tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

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
