import type { PhaseName } from "../core/streams/phase_clock.js";
import type { Now } from "./budget.js";
import type { Point } from "./schema.js";
import { summarise } from "./statistics.js";

/** One run of the whole command, in its own process. */
export interface CommandRun {
  readonly device: string;
  readonly algorithm: string;
  /** As `gpusort sort --json` prints them. */
  readonly phases: readonly { readonly name: PhaseName; readonly ms: number }[];
  readonly totalMs: number;
  /** From the start of the process to its end, including the start of Node. */
  readonly processMs: number;
}

/** Medians over several runs of the whole command on one file. */
export interface EndToEnd extends Omit<Point, "task"> {
  readonly device: string;
  readonly algorithm: string;
  readonly phases: readonly { readonly name: PhaseName; readonly medianMs: number }[];
  readonly totalMs: number;
  readonly processMs: number;
  /**
   * Half the width of the 95% confidence interval of `processMs`, divided by `processMs`; null if there were
   * too few runs.
   */
  readonly relativeError: number | null;
  readonly runs: number;
}

/**
 * Runs the command repeatedly on one file, until the error of its median time is within the bound, or another
 * run would end after the deadline. The first run only warms up the operating system's caches and is not
 * counted.
 *
 * @param relativeError the bound.
 * @param deadline in milliseconds of the clock.
 */
export async function measureCommand(
  point: Omit<Point, "task">,
  run: () => Promise<CommandRun>,
  { relativeError: bound, deadline, now }: { relativeError: number; deadline: number; now: Now },
): Promise<EndToEnd> {
  await run();
  const runs: CommandRun[] = [];
  for (;;) {
    runs.push(await run());
    const { median, relativeError } = summarise(runs.map(({ processMs }) => processMs));
    if (relativeError !== undefined && relativeError <= bound) break;
    if (now() + median > deadline) break;
  }
  const median = (of: (run: CommandRun) => number) => summarise(runs.map(of)).median;
  const names = [...new Set(runs.flatMap(({ phases }) => phases.map(({ name }) => name)))];
  const [{ device, algorithm }] = runs as [CommandRun];
  return {
    ...point,
    device,
    algorithm,
    phases: names.map((name) => ({
      name,
      medianMs: median(({ phases }) => phases.find((phase) => phase.name === name)?.ms ?? 0),
    })),
    totalMs: median(({ totalMs }) => totalMs),
    processMs: median(({ processMs }) => processMs),
    relativeError: summarise(runs.map(({ processMs }) => processMs)).relativeError ?? null,
    runs: runs.length,
  };
}
