import { join } from "node:path";
import { cacheFolder } from "../files/cache_folder.js";
import { makeFolder, ownFolder } from "../files/own_files.js";

/** What Node 22 has, and Node 20 lacks. */
interface ModuleBuiltin {
  readonly enableCompileCache?: (folder: string) => unknown;
}

/**
 * Lets Node keep the compiled code of what is loaded from now on, for the next run: 10 to 20 ms. The folder
 * must be this user's alone, because Node runs what it finds there.
 */
export async function keepCompiledCode(): Promise<void> {
  const { enableCompileCache } = process.getBuiltinModule("node:module") as ModuleBuiltin;
  if (!enableCompileCache) return;
  try {
    const folder = join(await cacheFolder(), "code");
    makeFolder(folder);
    if (ownFolder(folder) !== undefined) enableCompileCache(folder);
  } catch {
    // it is compiled each time
  }
}
