import { InputError } from "../core/errors.js";

/** Packages that only some commands need and that gpusort does not install, with the versions that work. */
const versions = {
  "@resvg/resvg-js": "2",
  "fast-png": "8",
  gifenc: "1",
  "jpeg-js": "0.4",
  vega: "6",
  "vega-lite": "6.4",
} as const;

/**
 * Loads a package that gpusort does not install.
 *
 * @param purpose what needs the package, as the beginning of a sentence.
 * @throws InputError if the package is not installed. The hint is the command that installs it.
 */
export async function optionalPackage<T>(
  name: keyof typeof versions,
  purpose: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new InputError(`${purpose} needs the npm package ${name}, which is not installed`, {
      hint: `npm install ${name}@${versions[name]}`,
      cause,
    });
  }
}
