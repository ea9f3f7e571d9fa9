import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { InputError, type OptionName } from "../core/errors.js";

/** What Node puts in place of bytes of a file name that are not UTF-8. */
const REPLACEMENT_CHARACTER = "\uFFFD";

/** @throws InputError if no file or folder can have this name. */
export function requireName(path: string, what: string, options: readonly OptionName[] = []): void {
  if (path === "") throw new InputError(`the name of the ${what} is empty`, { hint: "name one", options });
  if (path.includes("\0")) {
    throw new InputError(`the name of the ${what} contains a zero byte: ${path.replaceAll("\0", "\\0")}`, {
      hint: "leave it out",
      options,
    });
  }
}

/** Whether the bytes of a name were lost before gpusort got it. Ask only about a file that does not exist. */
export function isLossyName(path: string): boolean {
  return path.includes(REPLACEMENT_CHARACTER);
}

/** The error for a file that cannot be opened or read; the cause itself if it says that already. */
export function unreadable(path: string, cause: NodeJS.ErrnoException): InputError {
  if (cause instanceof InputError) return cause;
  if (cause.code === "ENOENT" && isLossyName(path)) {
    return new InputError(`there is no file ${path}: bytes of its name that are not UTF-8 were lost`, {
      hint: "rename the file, or redirect it to standard input",
      cause,
    });
  }
  if (cause.code === "ENOENT") {
    return new InputError(`there is no file ${path}`, { hint: "check the path", cause });
  }
  const hint =
    cause.code === "EIO"
      ? "the disk failed: check it, or use a copy"
      : (limitHint(cause, "name another file") ?? "check the path and its permissions");
  return new InputError(`cannot read ${path}: ${reasonOf(cause)}`, { hint, cause });
}

/** The error for a compressed file that ends too early. */
export function cutShort(name: string): InputError {
  return new InputError(`${name} is cut short: its compressed data has no end`, { hint: "copy it again" });
}

/**
 * The error for a file that cannot be created or written.
 *
 * @param option the caller's option that names the file.
 */
export function unwritable(
  path: string,
  cause: NodeJS.ErrnoException,
  option: OptionName = "output",
): InputError {
  const reasons: Record<string, string> = {
    // Some system folders, such as /proc, exist and say that a file of theirs cannot.
    ...(existsSync(dirname(path)) ? {} : { ENOENT: `there is no folder ${dirname(path)}` }),
    EBADF: "it is open for reading only",
  };
  const reason = reasons[cause.code ?? ""] ?? reasonOf(cause);
  const other = "name another output";
  const hint = limitHint(cause, other) ?? `check that its folder exists and may be written to, or ${other}`;
  return new InputError(`cannot write ${path}: ${reason}`, { hint, options: [option], cause });
}

/** What the system said, without its path, which may be that of a hidden temporary file. */
export function reasonOf({ message, syscall, path }: NodeJS.ErrnoException): string {
  const named = message.indexOf(`, ${syscall} '${path}'`);
  return named < 0 ? message : message.slice(0, named);
}

/**
 * What to do about a limit that a file met; undefined if it met none.
 *
 * @param other what else helps where there is too little room.
 */
export function limitHint({ code }: NodeJS.ErrnoException, other: string): string | undefined {
  switch (code) {
    case "EMFILE":
    case "ENFILE":
      return "give fewer files at once, or raise the limit of open files (ulimit -n)";
    case "EFBIG":
      return `raise the limit of a file's size (ulimit -f), or ${other} on a disk that has longer files`;
    case "ENOSPC":
    case "EDQUOT":
      return `free some space, or ${other}`;
    case "EPIPE":
      return `let its reader read to the end, or ${other}`;
    default:
      return undefined;
  }
}

/** The error for an output that must not be replaced. */
export function exists(path: string, option: OptionName): InputError {
  return new InputError(`the output ${path} exists already`, {
    hint: "allow it to be replaced, or name another output",
    options: ["replace", option],
  });
}
