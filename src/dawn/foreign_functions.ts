/** What Deno and Bun have to call functions of shared libraries. Node has nothing like it. */
export interface ForeignFunctions {
  /**
   * Loads a library until the result is closed.
   *
   * @param symbols the functions, by name.
   * @throws any error if there is no such library, or if it lacks a function.
   */
  dlopen(
    library: string,
    symbols: Readonly<Record<string, object>>,
  ): { readonly symbols: Readonly<Record<string, (...values: unknown[]) => unknown>> };
}

export function denoFunctions(): ForeignFunctions | undefined {
  return (globalThis as { Deno?: ForeignFunctions }).Deno;
}

export function bunFunctions(): ForeignFunctions | undefined {
  return process.versions.bun ? (process.getBuiltinModule("bun:ffi") as ForeignFunctions) : undefined;
}
