import { printable } from "../../core/printable.js";
import { fit } from "../../report/fit.js";
import { terminalWidth } from "./terminal.js";

const ERASE = "\r\x1b[2K";

/**
/**
 * One line on a terminal that is overwritten with the current status. It is erased when the process ends,
 * also by Ctrl-C. Shows nothing if it is disabled, or if the stream is no terminal.
 */
export class StatusLine {
  readonly #stream: NodeJS.WriteStream;
  readonly #enabled: boolean;
  #shown: string | undefined;

  constructor(stream: NodeJS.WriteStream, enabled = true) {
    this.#stream = stream;
    this.#enabled = enabled;
  }

  /** The columns of a status: one less than the terminal has, because some wrap a line that fills it. */
  get columns(): number {
    return terminalWidth(this.#stream) - 1;
  }

  /** A status that is too long is shortened in the middle. */
  show(text: string): void {
    if (!this.#enabled || !this.#stream.isTTY) return;
    const shortened = fit(printable(text), this.columns);
    if (shortened === this.#shown) return;
    if (this.#shown === undefined) process.once("exit", this.clear);
    this.#stream.write(`${ERASE}${shortened}`);
    this.#shown = shortened;
  }

  readonly clear = (): void => {
    if (this.#shown === undefined) return;
    this.#stream.write(ERASE);
    this.#shown = undefined;
    process.off("exit", this.clear);
  };
}
