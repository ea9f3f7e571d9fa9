import { accessSync, constants, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, makeFolder, ownFolder } from "../files/own_files.js";
import { isOwnProcess } from "../threads/own_process.js";
import { bunFunctions } from "./foreign_functions.js";

/** Where drivers keep the shaders that they have compiled. */
export interface ShaderCache {
  /**
   * The folders' paths: those that the environment names; in the command, gpusort's own where it names none.
   * They may not exist yet.
   */
  readonly folders: readonly string[];
  /** Why gpusort could give the drivers no folder; undefined if it could. Each run may then compile again. */
  readonly problem: string | undefined;
}

/**
 * The environment variables by which drivers find the folder: NVIDIA's and Mesa's. Without them, NVIDIA's
 * keeps nothing unless there is a ~/.cache, which containers and services lack.
 */
const VARIABLES = ["__GL_SHADER_DISK_CACHE_PATH", "MESA_SHADER_CACHE_DIR"] as const;

let cache: ShaderCache | undefined;

/**
 * Gives the drivers a folder in gpusort's cache for compiled shaders, once per process. To be called before a
 * driver is loaded. What the user's environment says stays. A cache that cannot be used is no error. In a
 * process that is not gpusort's own the environment stays as it is, so the drivers choose the folder.
 */
export function useShaderCache(): ShaderCache {
  if (!isOwnProcess()) return { folders: namedIn(process.env), problem: undefined };
  if (cache === undefined) {
    cache = setVariables(process.env, cacheFolder());
    showToLibraries(VARIABLES);
  }
  return cache;
}

/**
 * @param environment gets the variables that it lacks.
 * @param parent gets the folder.
 */
export function setVariables(environment: NodeJS.ProcessEnv, parent: string): ShaderCache {
  const missing = VARIABLES.filter((name) => !environment[name]);
  const named = namedIn(environment);
  if (missing.length === 0) return { folders: named, problem: undefined };
  const folder = join(parent, "shaders");
  const problem = problemOf(folder);
  if (problem !== undefined) return { folders: named, problem };
  for (const name of missing) environment[name] = folder;
  return { folders: [...new Set([...named, folder])], problem: undefined };
}

/** The folders that an environment names. */
function namedIn(environment: NodeJS.ProcessEnv): string[] {
  return [...new Set(VARIABLES.flatMap((name) => environment[name] || []))];
}

function problemOf(folder: string): string | undefined {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    return `${folder} cannot be written: ${(error as Error).message}`;
  }
  // A driver runs what it finds there.
  return ownFolder(folder) === undefined ? `other users can change ${folder}` : undefined;
}

/** The bytes of all files in some folders and below them. What cannot be read is not counted. */
export function bytesIn(folders: readonly string[]): number {
  let bytes = 0;
  for (const folder of folders) {
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) bytes += bytesIn([path]);
        else if (entry.isFile()) bytes += lstatSync(path).size;
      }
    } catch {
      // it does not exist yet, or vanished meanwhile
    }
  }
  return bytes;
}

/**
 * Lets native libraries see variables of `process.env` as they are now. In Node and Deno they do already;
 * Bun keeps what a program changes to itself. For Linux: elsewhere no driver needs it.
 */
function showToLibraries(names: readonly string[]): void {
  const bun = bunFunctions();
  if (!bun || process.platform !== "linux") return;
  try {
    const { symbols } = bun.dlopen("libc.so.6", { setenv: { args: ["ptr", "ptr", "i32"], returns: "i32" } });
    for (const name of names) {
      const value = process.env[name];
      if (value !== undefined) symbols.setenv!(Buffer.from(`${name}\0`), Buffer.from(`${value}\0`), 1);
    }
  } catch {
    // Another C library has another name. Drivers then do without a folder, and the embedded one is for glibc.
  }
}
