/**
 * One line on a terminal that is overwritten with the current status. Shows nothing if the stream is no
 * terminal.
 */
export class StatusLine {
  readonly #stream: NodeJS.WriteStream;
  #shown = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(text: string): void {
    if (!this.#stream.isTTY) return;
    this.#stream.write(`\r\x1b[2K${text.slice(0, (this.#stream.columns || 80) - 1)}`);
    this.#shown = true;
  }

  clear(): void {
    if (this.#shown) this.#stream.write("\r\x1b[2K");
    this.#shown = false;
  }
}
