import { aligned } from "../../core/cpu/workspace.js";
import { type Report, runReporting } from "../report.js";
import { ELEMENT_BYTES, type RowWorkspace } from "../workspace.js";
import type { SortedInput } from "./sorted_input.js";

/**
 * Bytes of a run, of what a thread keeps of one and besides, and of a part: see cuts.ts, merge.ts with
 * whole_rows.ts, and part.ts in assembly/rows/merge.
 */
const RUN_BYTES = 8;
const STATE_BYTES = 288;
const FURTHER_BYTES = 1024;
export const PART_BYTES = 24;

/** The merge is divided at samples of the rows. */
const SAMPLES_PER_PART = 4;

/** Addresses of what describes runs and the parts of their merge, and of the result. */
export interface MergePlaces {
  readonly runs: number;
  readonly cuts: number;
  readonly parts: number;
  readonly states: number;
  /** Bytes of the states of one part. */
  readonly stateBytes: number;
  readonly samples: number;
  /** The most parts. */
  readonly mostParts: number;
  /** The addresses of the output buffers, used alternately. */
  readonly outs: readonly number[];
  readonly end: number;
}

/**
 * Lays out what a merge needs besides its text.
 *
 * @param begin the first address.
 * @param outBytes the most bytes of the result.
 * @param most the end of the memory. If a second output buffer fits below it, there are two, else one.
 */
export function mergePlaces(
  begin: number,
  runs: number,
  mostParts: number,
  outBytes: number,
  most: number,
): MergePlaces {
  let end = begin;
  const take = (bytes: number) => {
    const at = end;
    end = aligned(end + bytes);
    return at;
  };
  const stateBytes = aligned(STATE_BYTES * runs + FURTHER_BYTES);
  const places = {
    runs: take(RUN_BYTES * runs),
    cuts: take(4 * (mostParts + 1) * runs),
    parts: take(PART_BYTES * mostParts),
    states: take(stateBytes * mostParts),
    stateBytes,
    samples: take(2 * ELEMENT_BYTES * SAMPLES_PER_PART * mostParts),
    mostParts,
  };
  const outs = [take(outBytes)];
  if (end + outBytes <= most) outs.push(take(outBytes));
  return { ...places, outs, end };
}

/** A part of the result has as many rows or bytes at least. */
export const LEAST_PART_ROWS = 2 ** 13;
const LEAST_PART_BYTES = 1 << 20;

/** Rows of an input that are merged together with others. */
export interface InputRun {
  readonly input: SortedInput;
  /** Its first row, and how many rows it has. */
  readonly first: number;
  readonly count: number;
  /** Rows of the runs before it. */
  readonly before: number;
}

/** How many rows of each run come before a part of the result, and the last row before it. */
export interface Cut {
  readonly counts: readonly number[];
  readonly row: number | undefined;
}

/** The rows in memory that come before all that are still to be read, and the last of them, unless none are. */
export async function chooseRuns(
  space: RowWorkspace,
  places: MergePlaces,
  inputs: readonly SortedInput[],
): Promise<{ runs: readonly InputRun[]; last?: number }> {
  const some = inputs.filter(({ rows }) => rows > 0);
  const runs = runsOf(
    some,
    some.map(({ rows }) => rows),
  );
  const open = runs.filter(({ input }) => !input.ended);
  if (open.length === 0) return { runs };
  const { at, runner } = space;
  const { cuts } = places;
  describeRuns(space, places, runs);
  // A row that was not read does not come before the last row that was read of its input.
  const lasts = open.map(({ first, count }) => first + count - 1);
  space.words(cuts, lasts.length).set(lasts);
  const least = (report: number) => [cuts, lasts.length, report, at.order];
  const [[place]] = (await runReporting(space, "least_row", [least], undefined)) as [Report];
  const [run, last] = [runs.indexOf(open[place!]!), lasts[place!]!];
  await runner.run("cut_runs", [[places.runs, runs.length, run, last, cuts, at.order]], 1);
  const counts = [...space.words(cuts, runs.length)];
  return { runs: runsOf(some, counts).filter(({ count }) => count > 0), last };
}

/** Writes what describes runs. */
export function describeRuns(space: RowWorkspace, places: MergePlaces, runs: readonly InputRun[]): void {
  const words = space.words(places.runs, 2 * runs.length);
  for (const [i, { first, count }] of runs.entries()) words.set([first, count], 2 * i);
}

/**
 * Divides runs at samples of their rows.
 *
 * @param bytes of the rows of all runs.
 * @param before the row that was merged last, if there is one.
 * @returns for each part how many rows of each run come before it, and the last row before it.
 */
export async function divideRuns(
  space: RowWorkspace,
  places: MergePlaces,
  runs: readonly InputRun[],
  bytes: number,
  before: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Cut[]> {
  const { at, runner, threads } = space;
  const rows = runs.reduce((sum, { count }) => sum + count, 0);
  const large = Math.max(rows / LEAST_PART_ROWS, Math.min(bytes / LEAST_PART_BYTES, rows / SAMPLES_PER_PART));
  const parts = Math.max(1, Math.min(places.mostParts, Math.floor(large)));
  const { samples: from, cuts: to } = places;
  const cuts: Cut[] = [{ counts: runs.map(() => 0), row: before }];
  if (parts === 1) return cuts;
  const count = SAMPLES_PER_PART * parts;
  const samples = space.words(from, 4 * count);
  let run = 0;
  for (let i = 0; i < count; i++) {
    const place = Math.floor(((i + 0.5) * rows) / count);
    while (place >= runs[run]!.before + runs[run]!.count) run++;
    samples[4 * i + 2] = runs[run]!.first + place - runs[run]!.before;
  }
  await runner.run("sort_rows", [[from, count, from + ELEMENT_BYTES * count, at.order]], 1);
  const chosen = Array.from({ length: parts - 1 }, (_, i) => samples[4 * SAMPLES_PER_PART * (i + 1) + 2]!);
  const calls = chosen.map((row, i) => {
    const own = runs.findIndex(({ first, count }) => row >= first && row < first + count);
    return [places.runs, runs.length, own, row, to + 4 * runs.length * i, at.order];
  });
  await runner.run("cut_runs", calls, threads, { signal });
  for (const [i, row] of chosen.entries()) {
    const counts = [...space.words(to + 4 * runs.length * i, runs.length)];
    // They are less only if an input is not in order.
    cuts.push({ row, counts: counts.map((rows, j) => Math.max(rows, cuts[i]!.counts[j]!)) });
  }
  return cuts;
}

/** The first rows of inputs that were not merged. */
function runsOf(inputs: readonly SortedInput[], counts: readonly number[]): InputRun[] {
  let before = 0;
  return inputs.map((input, i) => {
    const run = { input, first: input.first, count: counts[i]!, before };
    before += run.count;
    return run;
  });
}
