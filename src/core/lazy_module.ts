import { LoadError } from "./errors.js";

/**
 * Loads a part of gpusort that not every caller needs. A bundler may have put it into a file of its own.
 *
 * @param what the part, for the error, such as "the sort of arrays".
 * @param load calls `import()`.
 * @throws LoadError if the part does not load.
 */
export async function lazyModule<T>(what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    // standalone.js, which lacks parts, has a hint of its own.
    const { message, hint } = cause as Partial<LoadError>;
    throw new LoadError(`${what} did not load: ${message ?? cause}`, { cause, ...(hint && { hint }) });
  }
}
