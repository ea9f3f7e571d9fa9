import type { ProgressState } from "../core/streams/progress.js";
import { progressText } from "../report/progress.js";
import { StatusLine } from "./status_line.js";

const QUIET_MS = 1000;
const EVERY_MS = 200;

/**
 * Shows progress as a line on a terminal, after the first second. Shows nothing if the stream is not a
 * terminal.
 */
export class ProgressLine {
  readonly #line: StatusLine;
  readonly #begin = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #state: ProgressState = { phase: "starting", phaseBytes: 0, doneBytes: 0, totalBytes: undefined };

  constructor(stream: NodeJS.WriteStream, wanted: boolean) {
    this.#line = new StatusLine(stream);
    if (wanted && stream.isTTY) this.#timer = setInterval(() => this.#show(), EVERY_MS).unref();
  }

  /** A `ProgressListener`. */
  readonly update = (state: ProgressState): void => {
    this.#state = state;
  };

  end(): void {
    clearInterval(this.#timer);
    this.#line.clear();
  }

  #show(): void {
    const elapsedMs = performance.now() - this.#begin;
    if (elapsedMs >= QUIET_MS) this.#line.show(progressText(this.#state, elapsedMs));
  }
}
