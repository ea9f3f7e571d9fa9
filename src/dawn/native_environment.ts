import { bunFunctions } from "./foreign_functions.js";

/**
 * Lets native libraries see variables of `process.env` as they are now. In Node and Deno they do already;
 * Bun keeps what a program changes to itself. For Linux: elsewhere no driver needs it.
 */
export function showToLibraries(names: readonly string[]): void {
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
