import { InputError } from "./core/errors.js";

/** Packages that only some commands need and that gpusort does not install, with the versions that work. */
export const versions = {
  "@duckdb/node-api": "1.5.6-r.1",
  "@resvg/resvg-js": "2",
  "@sparticuz/chromium": "143.0.4",
  "fast-png": "8",
  gifenc: "1",
  "jpeg-js": "0.4",
  vega: "6",
  "vega-lite": "6.4",
} as const;

export type OptionalPackage = keyof typeof versions;

/** A package as `npm install` takes it, in the version that works. */
export function packageToInstall(name: OptionalPackage): string {
  return `${name}@${versions[name]}`;
}

/**
 * Loads packages that gpusort does not install.
 *
 * @param names all packages that the purpose needs.
 * @param purpose what needs them, as the beginning of a sentence.
 * @throws InputError if one is not installed. The hint is the command that installs them all.
 */
export async function optionalPackages<T>(
  names: readonly OptionalPackage[],
  purpose: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new InputError(`${purpose} needs npm packages that are not installed`, {
      hint: `npm install ${names.map(packageToInstall).join(" ")}`,
      cause,
    });
  }
}
