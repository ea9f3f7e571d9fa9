import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The path of gpusort's folder in the user's cache; in the system's temporary folder if the user has no home.
 * The folder need not exist yet.
 */
export async function cacheFolder(): Promise<string> {
  try {
    const { default: envPaths } = await import("env-paths");
    return envPaths("gpusort", { suffix: "" }).cache;
  } catch {
    return join(tmpdir(), "gpusort"); // env-paths throws on import if there is no home
  }
}
