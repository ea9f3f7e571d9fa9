import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { InputError } from "../core/errors.js";

/** No result that gpusort writes comes near this length. */
export const MOST_RESULT_BYTES = 64 << 20;

/**
 * A file to which lines are appended. Each line is on disk before `append` returns, so that a crash or a
 * signal loses no line. If the last line of an existing file is incomplete, it is removed.
 */
export class Journal {
  /** The complete lines that the file had when it was opened. */
  readonly text: string;
  readonly #fd: number;
  readonly #name: string;

  private constructor(fd: number, name: string, text: string) {
    this.#fd = fd;
    this.#name = name;
    this.text = text;
  }

  /**
   * Opens a journal, or creates it if there is no such file.
   *
   * @param name what the caller calls the file, for errors.
   * @param accept gets the existing lines, and throws if they are not those of such a journal. The file is
   *   then left unchanged.
   * @throws InputError if the file cannot be created, read or written, is no regular file, or is longer than
   *   64 MiB; what `accept` throws, if that is an InputError.
   */
  static open(path: string, name: string, accept: (text: string) => void): Journal {
    try {
      const fd = openSync(path, "a+");
      const stats = fstatSync(fd);
      if (!stats.isFile() || stats.size > MOST_RESULT_BYTES) {
        const what = stats.isFile() ? `longer than ${MOST_RESULT_BYTES >> 20} MiB` : "no regular file";
        throw new InputError(`${name} is ${what}`, { hint: "name another file" });
      }
      const bytes = readFileSync(fd);
      const whole = bytes.lastIndexOf(0x0a) + 1;
      const text = bytes.toString("utf8", 0, whole);
      if (bytes.length > 0) accept(text);
      if (whole < bytes.length) ftruncateSync(fd, whole);
      return new Journal(fd, name, text);
    } catch (cause) {
      throw cause instanceof InputError ? cause : unwritable(name, cause);
    }
  }

  /** @throws InputError if the line cannot be written. */
  append(line: string): void {
    try {
      writeSync(this.#fd, `${line}\n`);
      fdatasyncSync(this.#fd);
    } catch (cause) {
      throw unwritable(this.#name, cause);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function unwritable(name: string, cause: unknown): InputError {
  return new InputError(`${name} cannot be written: ${(cause as Error).message}`, {
    hint: "name a file in a folder that exists, that you may write to and that has room",
    cause,
  });
}
