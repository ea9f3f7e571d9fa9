import { totalmem } from "node:os";
import { InputError } from "../errors.js";

const suffixes: Record<string, number> = {
  b: 1,
  "": 2 ** 10,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
  T: 2 ** 40,
};

/**
 * Bytes, as sort(1) has them: a number of kibibytes, or with b, K, M, G or T of bytes and their multiples, or with %
 * of the memory of this machine.
 *
 * @throws InputError if it is none of these.
 */
export function parseMemory(text: string): number {
  const [, number, suffix] = /^(\d+(?:\.\d+)?)([bKMGT%]?)$/i.exec(text) ?? [];
  const scale =
    suffix === "%" ? machineBytes() / 100 : (suffixes[suffix ?? ""] ?? suffixes[suffix!.toUpperCase()]);
  const bytes = Math.floor(Number(number) * scale!);
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes;
  throw new InputError(`--memory '${text}' is no amount of memory`, {
    hint: "write it like 512M, 2G or 50%; a number alone means kibibytes",
  });
}

/** Without a wish: half of what is free now. */
export function defaultMemory(): number {
  return Math.floor(process.availableMemory() / 2);
}

/** What this process may use, a container's limit included. */
function machineBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}
