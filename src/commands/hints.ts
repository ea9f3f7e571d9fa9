import type { GpusortError, OptionName } from "../core/errors.js";

/** The command-line flag for each option of the library. */
const flags: Record<OptionName, string> = {
  algorithm: "--algorithm",
  argsort: "--argsort",
  blankLines: "--blank-lines",
  byteOrder: "--byte-order",
  device: "--device",
  distribution: "--dist",
  format: "--format",
  header: "--header",
  keys: "--key",
  memoryBytes: "--memory",
  merge: "--merge",
  output: "--output",
  picture: "--output",
  plot: "--plot",
  recordBytes: "--record",
  replace: "--force",
  skipBytes: "--skip-bytes",
  tempDir: "--temp-dir",
  textOverflow: "--text-overflow",
  to: "--to",
  trace: "--trace",
  type: "--type",
  verify: "--verify",
};

/**
 * An error's hint, followed by the flags of the options that it is about: "name the type of its keys
 * (--type)".
 */
export function hintText({ hint, options }: GpusortError): string | undefined {
  if (hint === undefined || options.length === 0) return hint;
  return `${hint} (${options.map((option) => flags[option]).join(", ")})`;
}
