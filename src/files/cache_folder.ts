import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/**
 * The path of gpusort's folder in the user's cache; of this user's folder in the system's temporary folder if
 * the user has no home. The folder need not exist yet, and may be anybody's.
 */
export async function cacheFolder(): Promise<string> {
  try {
    const { default: envPaths } = await import("env-paths");
    const { cache } = envPaths("gpusort", { suffix: "" });
    // A home that is empty or relative would mean a folder of whatever the current folder is.
    if (isAbsolute(cache)) return cache;
  } catch {
    // env-paths throws on import if there is no home.
  }
  return join(resolve(tmpdir()), `gpusort-${process.getuid?.() ?? "cache"}`);
}
