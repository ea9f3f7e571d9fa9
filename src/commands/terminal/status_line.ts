import { printable } from "../../core/printable.js";
import type { ProgressState } from "../../core/streams/progress.js";
import { fit, foldLines, textWidth } from "../../report/fit.js";
import { formatBytes, formatGbPerSecond } from "../../report/units.js";
import { terminalWidth } from "./terminal.js";

const ERASE = "\r\x1b[2K";

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

const QUIET_MS = 1000;
const EVERY_MS = 200;

/** A job that moves fewer bytes is done so soon that nobody could read its phases. */
const SHORT_JOB_BYTES = 16 << 20;

export interface ProgressLineOptions {
  readonly enabled: boolean;
  /** Whether the output goes to the same terminal. The line then ends when the writing begins. */
  readonly sharesTerminal?: boolean;
}

/**
 * Shows progress as a line on a terminal: after the first second, and before that the phases that may block
 * this thread, such as a sort. Shows nothing if the stream is not a terminal.
 */
export class ProgressLine {
  readonly #line: StatusLine;
  readonly #stream: NodeJS.WriteStream;
  readonly #sharesTerminal: boolean;
  readonly #begin = performance.now();
  readonly #phaseBegins = new Map<string, number>();
  readonly #timer: NodeJS.Timeout | undefined;
  #ended: boolean;
  #state: ProgressState | undefined;

  constructor(stream: NodeJS.WriteStream, { enabled, sharesTerminal = false }: ProgressLineOptions) {
    this.#stream = stream;
    this.#line = new StatusLine(stream);
    this.#sharesTerminal = sharesTerminal;
    this.#ended = !enabled || !stream.isTTY;
    if (!this.#ended) this.#timer = setInterval(() => this.#showLater(), EVERY_MS).unref();
  }

  /** A `ProgressListener`. */
  readonly update = (state: ProgressState): void => {
    if (this.#ended) return;
    if (state.phase === "writing" && this.#sharesTerminal) {
      this.end();
      return;
    }
    this.#state = state;
    if (!this.#phaseBegins.has(state.phase)) this.#phaseBegins.set(state.phase, performance.now());
    if (mayBlock(state)) this.#show();
  };

  /** Prints lines, folded to the terminal's width. The progress continues below them. */
  print(text: string): void {
    this.#line.clear();
    this.#stream.write(this.#stream.isTTY ? foldLines(text, terminalWidth(this.#stream)) : text);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#line.clear();
    this.#ended = true;
  }

  #showLater(): void {
    if (performance.now() - this.#begin >= QUIET_MS) this.#show();
  }

  #show(): void {
    if (!this.#state) return;
    const phaseMs = performance.now() - this.#phaseBegins.get(this.#state.phase)!;
    this.#line.show(progressText(this.#state, phaseMs, this.#line.columns));
  }
}

/**
 * Whether the phase reports nothing until its end. No timer may run then, because a sort blocks the thread.
 */
function mayBlock({ movesBytes, totalBytes = SHORT_JOB_BYTES }: ProgressState): boolean {
  return !movesBytes && totalBytes >= SHORT_JOB_BYTES;
}

/**
 * The state as a line such as "writing 1.20 GB of 4.00 GB at 0.410 GB/s, 7 s left", or "sorting on the CPU".
 * If it is longer than `columns`, the rate is left out, then the total. What is still longer is shortened in
 * the middle.
 *
 * @param phaseMs milliseconds since the phase began first.
 */
export function progressText(
  state: ProgressState,
  phaseMs: number,
  columns = Number.POSITIVE_INFINITY,
): string {
  const { phase, movesBytes, phaseBytes, phaseTotalBytes: total = 0, secondsLeft } = state;
  const left = secondsLeft ? `, ${Math.ceil(secondsLeft)} s left` : "";
  if (!movesBytes) return fit(`${phase}${left}`, columns);
  const done = total === 0 ? phaseBytes : Math.min(phaseBytes, total);
  const moved = `${phase} ${formatBytes(done)}`;
  const all = total === 0 ? "" : ` of ${formatBytes(total)}`;
  const rate = done === 0 ? "" : ` at ${formatGbPerSecond(done, phaseMs) || "0"} GB/s`;
  const lines = [`${moved}${all}${rate}${left}`, `${moved}${all}${left}`, `${moved}${left}`];
  return fit(lines.find((line) => textWidth(line) <= columns) ?? lines.at(-1)!, columns);
}
