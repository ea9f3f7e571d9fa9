import type { KeyArray } from "../elements.js";
import { VerifyError } from "../errors.js";
import type { Contender, Now, Seconds, Trial } from "./contender.js";
import type { Machine } from "./machine.js";
import type { Measured, StopReason, Warning } from "./row.js";
import { drifted, median, summarise } from "./statistics.js";
import type { Way } from "./way.js";

/** When a cell is measured well enough. */
export interface StopRule {
  /** The relative error of the median to come under. */
  readonly relativeError: number;
  /** Seconds of runs, their warm-up and the restoring of their input included. */
  readonly budgetSeconds: number;
  /** Timed runs. */
  readonly mostRuns: number;
}

/** A contender's results: a cell for each of its ways. */
export interface Measurement {
  readonly contender: Contender;
  readonly cells: readonly (readonly [Way, Measured])[];
}

/** A contender's turn in a round: as many runs as this takes, and their median is one value of the sample. */
const TURN_SECONDS = 0.02;
const MOST_RUNS_A_TURN = 50;

/**
 * Enough for two results of a hundred cells to be compared with a confidence of 95% for all of them together, by intervals
 * that leave three rounds out at either end: what else runs on a machine comes in bursts.
 */
const LEAST_ROUNDS = 24;

/** The part of its budget that a contender may take to warm up. */
const WARM_SHARE = 0.25;
/** It is warm when a turn is no longer faster than those before it by so much. */
const STILL_FASTER = 0.98;

/** Moves that are worth a warning: of a cell's times, and of the reference work's. */
const DRIFT = 0.05;

/**
 * Measures contenders on the same keys in rounds, each of them in its turn, so that what changes on the machine
 * meanwhile meets them all alike. A turn is 20 ms of runs or one run, of several the first is not counted, and their
 * median is one value of the cell's sample. Those on the CPU come first in a round; then the GPU is kept busy until
 * it is as fast as it ever was, and those on the GPU follow. Every other round is in reverse order.
 *
 * A contender is done when the relative error of its median, of at least 24 rounds, is under the bound, or when its
 * budget of seconds or of runs is spent. A single run that takes half the budget is the only one. The last
 * run's result is checked.
 *
 * @param expected the keys, sorted.
 * @throws VerifyError if a contender's result is not that.
 */
export async function measure(
  contenders: readonly Contender[],
  keys: KeyArray,
  expected: KeyArray,
  {
    rule,
    machine,
    now,
    progress,
  }: { rule: StopRule; machine: Machine; now: Now; progress: (text: string) => void },
): Promise<{ measurements: Measurement[]; copyBytesPerSecond: number | null }> {
  const runners: Runner[] = [];
  const copies: number[] = [];
  try {
    for (const contender of contenders)
      runners.push(new Runner(contender, await contender.start(keys), rule, now));
    const turns = new Map(
      (["cpu", "gpu"] as const).map((processor) => [
        processor,
        runners.filter(({ contender }) => contender.processor === processor),
      ]),
    );
    for (let round = 0; runners.some(({ stop }) => !stop); round++) {
      for (const [processor, all] of turns) {
        const going = all.filter(({ stop }) => !stop);
        if (going.length === 0) continue;
        if (processor === "gpu") await machine.heat();
        for (const runner of round % 2 === 0 ? going : going.reverse()) {
          progress(runner.contender.name);
          if (round === 0) await runner.warmUp();
          await runner.turn();
        }
        const ceiling = processor === "gpu" ? (["copy"] as const) : [];
        const works = new Set([...ceiling, ...going.map(({ contender }) => contender.reference)]);
        for (const work of works) {
          const seconds = await machine.reference(work);
          if (work === "copy") copies.push(seconds);
          for (const runner of going)
            if (runner.contender.reference === work) runner.references.push(seconds);
        }
      }
    }
    for (const { contender, trial } of runners) {
      const moved = await trial.indices?.();
      if (sameKeys(await trial.result(), expected) && (!moved || tellPlaces(moved, keys, expected))) continue;
      throw new VerifyError(`${contender.name} sorted ${keys.length} keys wrongly`, {
        hint: "its times would mean nothing, so the benchmark ends here; try another --device",
      });
    }
  } finally {
    for (const { trial } of runners) trial.end();
  }
  const copyBytesPerSecond =
    copies.length > 0 && machine.copyBytes ? machine.copyBytes / median(copies) : null;
  return { measurements: runners.map((runner) => runner.measurement()), copyBytesPerSecond };
}

/** One contender on its way through the rounds. */
class Runner {
  readonly contender: Contender;
  readonly trial: Trial;
  readonly references: number[] = [];
  stop: StopReason | undefined;
  readonly #rule: StopRule;
  readonly #now: Now;
  readonly #rounds: Seconds[] = [];
  #spentSeconds = 0;
  #timedRuns = 0;

  constructor(contender: Contender, trial: Trial, rule: StopRule, now: Now) {
    this.contender = contender;
    this.trial = trial;
    this.#rule = rule;
    this.#now = now;
  }

  async warmUp(): Promise<void> {
    // The first run on a GPU may compile; what that takes says nothing of the next, and is nobody's budget.
    if (this.contender.processor === "gpu") await this.trial.run();
    let fastest = Number.POSITIVE_INFINITY;
    while (this.#spentSeconds < this.#rule.budgetSeconds * WARM_SHARE) {
      const runs = await this.#runsOfATurn();
      const seconds = this.#main(medians(runs));
      if (this.#spentSeconds > this.#rule.budgetSeconds / 2) {
        this.#keep(runs); // It has been warm enough, and another would break the budget.
        this.stop = "budget";
        return;
      }
      if (seconds >= fastest * STILL_FASTER) return;
      fastest = Math.min(fastest, seconds);
    }
  }

  async turn(): Promise<void> {
    if (!this.stop) this.#keep(await this.#runsOfATurn());
  }

  #keep(runs: readonly Seconds[]): void {
    this.#timedRuns += runs.length;
    this.#rounds.push(medians(runs));
    const { relativeError } = summarise(this.#rounds.map((round) => this.#main(round)));
    const known = this.#rounds.length >= LEAST_ROUNDS && relativeError !== undefined;
    if (known && relativeError <= this.#rule.relativeError) this.stop = "error";
    else if (this.#spentSeconds >= this.#rule.budgetSeconds) this.stop = "budget";
    else if (this.#timedRuns >= this.#rule.mostRuns) this.stop = "runs";
  }

  /** The runs of a turn that count. */
  async #runsOfATurn(): Promise<Seconds[]> {
    const begin = this.#now();
    const runs: Seconds[] = [];
    const spent = () => (this.#now() - begin) / 1000;
    const least = this.contender.unsettled ? 2 : 1;
    const most = Math.min(MOST_RUNS_A_TURN, this.#rule.mostRuns - this.#timedRuns + 1);
    do {
      runs.push(await this.trial.run());
    } while (runs.length < least || (spent() < TURN_SECONDS && runs.length < most));
    this.#spentSeconds += spent();
    return runs.length > 1 ? runs.slice(1) : runs;
  }

  #main(seconds: Seconds): number {
    return seconds[this.contender.ways[0]!]!;
  }

  measurement(): Measurement {
    return {
      contender: this.contender,
      cells: this.contender.ways.map((way) => [way, this.#cell(this.#rounds.map((round) => round[way]!))]),
    };
  }

  #cell(rounds: readonly number[]): Measured {
    const { median: middle, min, max, low, high, relativeError } = summarise(rounds);
    const warnings: Warning[] = [];
    if (relativeError === undefined || relativeError > this.#rule.relativeError) warnings.push("wide");
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

/** Way by way. */
function medians(runs: readonly Seconds[]): Seconds {
  const ways = Object.keys(runs[0]!) as Way[];
  return Object.fromEntries(ways.map((way) => [way, median(runs.map((run) => run[way]!))]));
}

/** Whether values that were the keys' indices went along with their keys, each of them once. */
function tellPlaces(indices: Uint32Array, keys: KeyArray, expected: KeyArray): boolean {
  const seen = new Uint8Array(keys.length);
  return indices.every((index, i) => {
    const isNew = index < keys.length && seen[index] === 0;
    seen[index] = 1;
    return isNew && Object.is(keys[index], expected[i]);
  });
}

/** Equal as keys: of NaNs there must be as many, but which of them stands where is no contender's promise. */
function sameKeys(a: KeyArray, b: KeyArray): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}
