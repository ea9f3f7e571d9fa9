import { existsSync, readFileSync } from "node:fs";
import { GpusortError } from "../../core/errors.js";

/** What to do about an error of the system, by its code. */
const hints: Readonly<Record<string, string>> = {
  EMFILE: "close files, or raise the limit of open files (ulimit -n)",
  ENFILE: "close other programs: this machine has too many open files",
  EAGAIN: "close other programs, or raise the limits of processes and memory (ulimit -a)",
  EACCES: "check the permissions",
  EPERM: "check the permissions",
  ENOENT: "check the path",
  ENOSPC: "free some space",
  EDQUOT: "free some space",
  EIO: "the disk or the device failed: check it, or use a copy",
};
const OTHER = "check the file, the disk, and what this system allows a process";
const MEMORY = "free some memory, or let a sort take less of it with --memory";

/** V8 reserves some 10 GB of addresses for each memory of WebAssembly, unless it has no trap handler. */
const NO_ADDRESSES = /^WebAssembly\.\w+\(\): (could not allocate|Out of) memory/;
const ADDRESSES = `${MEMORY}; where addresses are limited (ulimit -v), set NODE_OPTIONS=--disable-wasm-trap-handler`;

/** V8 and Node report by these messages and codes that memory, or what one object may hold, is exhausted. */
const OUT_OF_MEMORY =
  /^Array buffer allocation failed|^Invalid (typed )?array length(: \d+)?$|^Invalid string length/;
const memoryCodes = [
  "ENOMEM",
  "ERR_MEMORY_ALLOCATION_FAILED",
  "ERR_STRING_TOO_LONG",
  "ERR_FS_FILE_TOO_LARGE",
];

/**
 * What an error means to the user: an error of gpusort is itself, unless it came of a lack of addresses; that,
 * an error of the system and a lack of memory are errors of gpusort too, with a hint.
 *
 * @returns undefined for anything else, which is a bug.
 */
export function asGpusortError(error: unknown): GpusortError | undefined {
  const failed = error instanceof GpusortError ? error.cause : error;
  if (failed instanceof RangeError && NO_ADDRESSES.test(failed.message)) return outOf(failed, ADDRESSES);
  if (error instanceof GpusortError) return error;
  if (!(error instanceof Error)) return undefined;
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  const exhausted = error instanceof RangeError && OUT_OF_MEMORY.test(message);
  if (exhausted || memoryCodes.includes(code ?? "")) return outOf(error, MEMORY);
  if (code === undefined || syscall === undefined) return undefined;
  return new GpusortError(message, { hint: hints[code] ?? OTHER, cause: error });
}

function outOf(cause: Error, hint: string): GpusortError {
  return new GpusortError(`the memory does not suffice: ${cause.message}`, { hint, cause });
}

/**
 * A stack trace in which the places in bundled files are replaced by those in the sources that they were made
 * of, where a source map lies beside the file. Maps tell lines only.
 */
export function withSourceLines(stack: string): string {
  const { SourceMap } = process.getBuiltinModule("node:module");
  const maps = new Map<string, InstanceType<typeof SourceMap> | undefined>();
  const mapOf = (file: string) => {
    if (!maps.has(file)) {
      const path = `${file}.map`;
      maps.set(file, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : undefined);
    }
    return maps.get(file);
  };
  return stack.replace(
    /(\(|^ +at (?:async )?)([^()\n]+\.js):(\d+):(\d+)/gm,
    (place, before, file, line, column) => {
      try {
        const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
        if (!entry || !("originalSource" in entry)) return place;
        return `${before}${entry.originalSource.replace(/^(\.\.\/)+/, "")}:${entry.originalLine + 1}`;
      } catch {
        return place;
      }
    },
  );
}
