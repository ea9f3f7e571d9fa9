import type { KeyArray } from "../core/elements.js";
import { VerifyError } from "../core/errors.js";
import { Float16Bits, float16Rank } from "../core/float16.js";
import type { Now } from "./budget.js";
import type { Contender, Seconds, Trial } from "./contender.js";
import type { Machine } from "./machine.js";
import type { Metric } from "./metric.js";
import type { Measured, StopReason, Warning } from "./schema.js";
import { drifted, median, summarise } from "./statistics.js";
import type { Result, Task } from "./tasks.js";

/** A contender's results: one cell per metric. */
export interface Measurement {
  readonly contender: Contender;
  readonly cells: readonly (readonly [Metric, Measured])[];
}

/** In its turn, a contender repeats its run for this long. The runs' median is one value of its sample. */
const TURN_SECONDS = 0.02;
const MAX_RUNS_PER_TURN = 50;

/**
 * Enough rounds to compare two results of a hundred cells with 95% confidence for all cells together, by
 * intervals that leave out three rounds at either end. Those may be outliers, because other load on a machine
 * comes in bursts.
 */
const MIN_ROUNDS = 24;

/** More rounds would make the interval hardly narrower, but the computation of it slow. */
const MAX_ROUNDS = 1000;

/**
 * A contender whose turn is short has at least this number of rounds, the smallest with a confidence interval,
 * also if no time is left: for example because kernels were compiled.
 */
const MIN_SHORT_ROUNDS = 6;

/** The share of its time that a contender may use to warm up. */
const WARM_UP_SHARE = 0.25;
/** A contender is warm when a turn takes at least this fraction of the fastest turn before it. */
const WARM_FRACTION = 0.98;

/** A cell gets a warning if its times, or those of the reference work, move by more than this fraction. */
const DRIFT = 0.05;

export interface MeasureOptions {
  /** The bound on the relative error of a median. */
  readonly relativeError: number;
  /** When the measurement should have ended, in milliseconds of the clock. */
  readonly deadline: number;
  readonly machine: Machine;
  readonly now: Now;
  readonly progress: (text: string) => void;
}

/**
 * Measures contenders on the same keys, in rounds. Every contender has one turn per round, so that changes of
 * the machine's speed affect all contenders alike. A turn repeats the run for 20 ms, and has at least one
 * run. If it has several runs, the first is not counted. The median of the runs is one value of the cell's
 * sample. In each round, the contenders on the CPU come first; then the GPU is kept busy until it is as fast
 * as it ever was, and the contenders on the GPU follow. Every other round is in reverse order.
 *
 * A contender is done when the relative error of its median is within the bound after at least 24 rounds, or
 * when another turn would take more than its part of the time until the deadline: the contenders that are not
 * done share that time equally. Each has at least one turn, and at most 1,000. The result of the last run is
 * checked.
 *
 * @throws VerifyError if a contender's result is not that of JavaScript's own sort for typed arrays, or if its
 *   values did not move with its keys.
 */
export async function measure(
  contenders: readonly Contender[],
  keys: KeyArray,
  task: Task,
  { relativeError, deadline, machine, now, progress }: MeasureOptions,
): Promise<{ measurements: Measurement[]; copyBytesPerSecond: number | null }> {
  const runners: Runner[] = [];
  const copies: number[] = [];
  /** The seconds of each contender that is not done: those that are spent, and those that are left. */
  const share = () => {
    const active = runners.filter(({ stop }) => !stop);
    const spent = active.reduce((sum, { spentSeconds }) => sum + spentSeconds, 0);
    return ((deadline - now()) / 1000 + spent) / active.length;
  };
  try {
    for (const contender of contenders)
      runners.push(new Runner(contender, await contender.start(keys), relativeError, now));
    const turns = new Map(
      (["cpu", "gpu"] as const).map((processor) => [
        processor,
        runners.filter(({ contender }) => contender.processor === processor),
      ]),
    );
    for (let round = 0; runners.some(({ stop }) => !stop); round++) {
      for (const [processor, all] of turns) {
        const active = all.filter(({ stop }) => !stop);
        if (active.length === 0) continue;
        if (processor === "gpu") await machine.warmUp();
        for (const runner of round % 2 === 0 ? active : active.reverse()) {
          progress(runner.contender.name);
          if (round === 0) await runner.warmUp(share);
          await runner.turn(share);
        }
        const always = processor === "gpu" ? (["copy"] as const) : [];
        const works = new Set([...always, ...active.map(({ contender }) => contender.reference)]);
        for (const work of works) {
          const seconds = await machine.reference(work);
          if (work === "copy") copies.push(seconds);
          for (const runner of active)
            if (runner.contender.reference === work) runner.references.push(seconds);
        }
      }
    }
    const usual = task.typed(keys.slice());
    for (const { contender, trial } of runners) {
      const expected = task.byPlace && trial.input ? task.typed(trial.input().slice()) : usual;
      if (await isRight(trial, keys, expected)) continue;
      throw new VerifyError(`${contender.name} sorted ${keys.length} keys wrongly`, {
        hint: "the benchmark stops, because the times of a wrong sort mean nothing; try another device",
        options: ["device"],
      });
    }
  } finally {
    for (const { trial } of runners) trial.end();
  }
  const copyBytesPerSecond =
    copies.length > 0 && machine.copyBytes ? machine.copyBytes / median(copies) : null;
  return { measurements: runners.map((runner) => runner.measurement()), copyBytesPerSecond };
}

/** Takes one contender through the rounds. */
class Runner {
  readonly contender: Contender;
  readonly trial: Trial;
  readonly references: number[] = [];
  stop: StopReason | undefined;
  /** The seconds of all its turns. */
  spentSeconds = 0;
  readonly #bound: number;
  readonly #now: Now;
  readonly #rounds: Seconds[] = [];
  #timedRuns = 0;
  /** The wall-clock seconds of the last run, with what prepares it. */
  #runSeconds: number | undefined;

  constructor(contender: Contender, trial: Trial, bound: number, now: Now) {
    this.contender = contender;
    this.trial = trial;
    this.#bound = bound;
    this.#now = now;
  }

  /** Takes turns that do not count until they get no faster. If no time is left then, the last one counts. */
  async warmUp(share: () => number): Promise<void> {
    let fastest = Number.POSITIVE_INFINITY;
    for (;;) {
      const runs = await this.#runTurn();
      if (!this.#hasTime(share())) {
        this.#keep(runs);
        this.stop = "budget";
        return;
      }
      const seconds = this.#mainSeconds(medians(runs));
      if (seconds >= fastest * WARM_FRACTION || this.spentSeconds > share() * WARM_UP_SHARE) return;
      fastest = Math.min(fastest, seconds);
    }
  }

  /** Takes a turn that counts. */
  async turn(share: () => number): Promise<void> {
    if (this.stop) return;
    this.#keep(await this.#runTurn());
    const { relativeError } = summarise(this.#rounds.map((round) => this.#mainSeconds(round)));
    const isKnown = this.#rounds.length >= MIN_ROUNDS && relativeError !== undefined;
    if (isKnown && relativeError <= this.#bound) this.stop = "error";
    else if (!this.#hasTime(share())) this.stop = "budget";
    else if (this.#rounds.length >= MAX_ROUNDS) this.stop = "runs";
  }

  /** Whether another turn is within its share of the time. */
  #hasTime(share: number): boolean {
    const turnSeconds = Math.max(TURN_SECONDS, this.#minRuns * this.#runSeconds!);
    const isShort = turnSeconds <= 2 * TURN_SECONDS;
    if (isShort && this.#rounds.length < MIN_SHORT_ROUNDS) return true;
    return this.spentSeconds + turnSeconds <= share;
  }

  /** A GPU's first run may compile kernels. Its time says nothing about later runs. */
  get #minRuns(): number {
    const isCold = this.#runSeconds === undefined && this.contender.processor === "gpu";
    return isCold || this.contender.dropsFirstRun ? 2 : 1;
  }

  #keep(runs: readonly Seconds[]): void {
    this.#timedRuns += runs.length;
    this.#rounds.push(medians(runs));
  }

  /** Does one turn. @returns the times of the runs that count. */
  async #runTurn(): Promise<Seconds[]> {
    await pendingEvents(); // sorts on the CPU would keep Ctrl-C waiting until the last of them
    const begin = this.#now();
    const runs: Seconds[] = [];
    const spent = () => (this.#now() - begin) / 1000;
    const minRuns = this.#minRuns;
    do {
      const before = spent();
      runs.push(await this.trial.run());
      this.#runSeconds = spent() - before;
    } while (runs.length < minRuns || (spent() < TURN_SECONDS && runs.length < MAX_RUNS_PER_TURN));
    this.spentSeconds += spent();
    return runs.length > 1 ? runs.slice(1) : runs;
  }

  /** The seconds of the metric that decides when the contender is done. */
  #mainSeconds(seconds: Seconds): number {
    return seconds[this.contender.metrics[0]!]!;
  }

  measurement(): Measurement {
    return {
      contender: this.contender,
      cells: this.contender.metrics.map((metric) => [
        metric,
        this.#cell(this.#rounds.map((round) => round[metric]!)),
      ]),
    };
  }

  #cell(rounds: readonly number[]): Measured {
    const { median: middle, min, max, low, high, relativeError } = summarise(rounds);
    const warnings: Warning[] = [];
    if (relativeError === undefined || relativeError > this.#bound) warnings.push("wide");
    if (drifted(rounds, DRIFT)) warnings.push("drift");
    if (drifted(this.references, DRIFT)) warnings.push("clock");
    return {
      medianSeconds: middle,
      minSeconds: min,
      maxSeconds: max,
      lowSeconds: low,
      highSeconds: high,
      relativeError: relativeError ?? null,
      runs: this.#timedRuns,
      roundSeconds: rounds,
      stop: this.stop ?? "budget",
      warnings,
      roundReferenceSeconds: this.references,
    };
  }
}

/** Lets the process handle what has happened meanwhile, such as a signal. */
function pendingEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The median of each metric over several runs. */
function medians(runs: readonly Seconds[]): Seconds {
  const metrics = Object.keys(runs[0]!) as Metric[];
  return Object.fromEntries(metrics.map((metric) => [metric, median(runs.map((run) => run[metric]!))]));
}

async function isRight(trial: Trial, keys: KeyArray, expected: Result<KeyArray>): Promise<boolean> {
  const [actual, moved] = [await trial.result(), await trial.indices?.()];
  if (!sameKeys(actual.keys, expected.keys)) return false;
  if (expected.counts && !(actual.counts && sameKeys(actual.counts, expected.counts))) return false;
  return !moved || (moved.length === expected.keys.length && followKeys(moved, keys, expected.keys));
}

/** Whether each value, which was its key's index before the sort, moved with its key and occurs once. */
function followKeys(indices: Uint32Array, keys: KeyArray, expected: KeyArray): boolean {
  const seen = new Uint8Array(keys.length);
  const same = sameKey(keys);
  return indices.every((index, i) => {
    const isNew = index < keys.length && seen[index] === 0;
    seen[index] = 1;
    return isNew && same(keys[index]!, expected[i]!);
  });
}

/** Compares keys by value. NaNs are all equal here, because no contender promises an order among them. */
function sameKeys(a: KeyArray, b: KeyArray): boolean {
  if (a.length !== b.length) return false;
  const same = sameKey(b);
  for (let i = 0; i < a.length; i++) if (!same(a[i]!, b[i]!)) return false;
  return true;
}

function sameKey(keys: KeyArray): (a: number | bigint, b: number | bigint) => boolean {
  if (!(keys instanceof Float16Bits)) return Object.is;
  return (a, b) => float16Rank(a as number) === float16Rank(b as number);
}
