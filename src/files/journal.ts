import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { InputError } from "../core/errors.js";

/**
 * A file to which lines are appended. Each line is on disk before `append` returns, so that a crash or a
 * signal loses no line. If the last line of an existing file is incomplete, it is removed.
 */
export class Journal {
  /** The complete lines that the file had when it was opened. */
  readonly text: string;
  readonly #fd: number;

  private constructor(fd: number, text: string) {
    this.#fd = fd;
    this.text = text;
  }

  /**
   * Opens a journal, or creates it if there is no such file.
   *
   * @param option what the caller calls the file, for the error.
   * @param accept gets the existing lines, and throws if they are not those of such a journal. The file is
   *   then left unchanged.
   * @throws InputError if the file cannot be created, read or written; what `accept` throws, if that is an
   *   InputError.
   */
  static open(path: string, option: string, accept: (text: string) => void): Journal {
    try {
      const fd = openSync(path, "a+");
      const bytes = readFileSync(fd);
      const whole = bytes.lastIndexOf(0x0a) + 1;
      const text = bytes.toString("utf8", 0, whole);
      if (bytes.length > 0) accept(text);
      if (whole < bytes.length) ftruncateSync(fd, whole);
      return new Journal(fd, text);
    } catch (cause) {
      if (cause instanceof InputError) throw cause;
      throw new InputError(`${option} '${path}' cannot be written: ${(cause as Error).message}`, {
        hint: "name a file in a folder that exists and that you may write to",
        cause,
      });
    }
  }

  append(line: string): void {
    writeSync(this.#fd, `${line}\n`);
    fdatasyncSync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}
