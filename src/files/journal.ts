import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { InputError } from "../errors.js";

/**
 * A file of lines that is added to, each on disk before the next is begun, so that a crash or a signal loses none.
 * A last line that was cut short is cut off.
 */
export class Journal {
  /** The whole lines that were there when it was opened. */
  readonly text: string;
  readonly #fd: number;

  private constructor(fd: number, text: string) {
    this.#fd = fd;
    this.text = text;
  }

  /**
   * @param accept throws where the lines that are there are not such a journal's; the file is then left as it is.
   * @throws InputError if the file cannot be made, read or written.
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
