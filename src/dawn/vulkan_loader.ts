import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { basename } from "node:path";
import { bunFunctions, denoFunctions } from "./foreign_functions.js";

/** Each Vulkan loader has this function. Bun wants to know one; it is never called. */
const symbols = {
  vkGetInstanceProcAddr: { args: [], returns: "ptr", parameters: [], result: "pointer" },
};

/** What Deno and Bun have loaded, so that it is never closed. */
const loaded: unknown[] = [];

/**
 * Loads a Vulkan loader permanently. Dawn's own dlopen of the name "libvulkan.so.1" then finds it. For Linux.
 *
 * @param library its path, or a name that the dynamic linker looks for.
 * @returns whether it was loaded. No error's words decide that: they differ between runtimes and versions.
 */
export function loadVulkanLoader(library = "libvulkan.so.1"): boolean {
  const functions = denoFunctions() ?? bunFunctions();
  if (!functions) return loadInNode(library);
  try {
    loaded.push(functions.dlopen(library, symbols));
    return true;
  } catch (error) {
    // Deno is not allowed to look. Then it does not load Dawn either, whose error says what to allow.
    return (error as Error).name === "NotCapable";
  }
}

/**
 * Node's dlopen is meant for addons, so it throws for any other library, whether or not it was loaded. But
 * what was loaded stays, and the kernel lists its file.
 */
function loadInNode(library: string): boolean {
  const RTLD_NODELETE = 0x1000;
  const { RTLD_NOW, RTLD_GLOBAL } = constants.dlopen;
  const before = mappedFiles();
  try {
    process.dlopen({ exports: {} }, library, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  } catch {
    // see above
  }
  const after = mappedFiles();
  if (!after) return true; // it may be there, and Dawn copes if it is not
  // A link may lead to any name, but one that was loaded earlier is found by its name only.
  const isIt = (file: string) => !before?.has(file) || basename(file).startsWith(basename(library));
  return [...after].some(isIt);
}

/** The files that are mapped into this process; undefined where that cannot be read. */
function mappedFiles(): ReadonlySet<string> | undefined {
  try {
    return new Set(readFileSync("/proc/self/maps", "utf8").match(/\/.*$/gm));
  } catch {
    return undefined;
  }
}
