import { Budget } from "../../src/bench/budget.js";
import type { Contender } from "../../src/bench/contender.js";
import type { Machine } from "../../src/bench/machine.js";
import { isOnCpu, type Metric } from "../../src/bench/metric.js";
import { type Axes, type BenchPlan, runBench, secondsByDefault } from "../../src/bench/run.js";
import type { BenchRow, Cell, Crossover, Measured } from "../../src/bench/schema.js";
import { sortTask } from "../../src/bench/tasks.js";
import { elementType, type KeyArray } from "../../src/core/elements.js";

interface Behaviour {
  /** How long a run takes, by its number within its cell. */
  readonly seconds: (keyCount: number, run: number) => number;
  readonly algorithm?: string;
  readonly dropsFirstRun?: boolean;
  readonly refuses?: (keyCount: number) => string | undefined;
  readonly sort?: (keys: KeyArray) => KeyArray;
  readonly fails?: (keyCount: number) => boolean;
}

interface Settings extends Partial<BenchPlan> {
  readonly sizes?: readonly number[];
  readonly type?: string;
  /** Of the whole benchmark. */
  readonly seconds?: number;
}

/** Axes of one value each, but for those given. */
export function axesWith(given: Partial<Axes>): Axes {
  return {
    ...{ tasks: [sortTask], types: [elementType("u32")], distributions: ["uniform"], payloads: [0] },
    ...{ algorithms: ["auto"], sizes: [1000], ...given },
  };
}

/**
 * A clock that advances only while contenders sort, contenders with given run times, and a log of all runs.
 */
export function benchFixture() {
  let now = 0;
  const log: string[] = [];
  const given: KeyArray[] = [];
  const counts = { ended: 0 };
  const contender = (way: Metric, behaviour: Behaviour): Contender => ({
    name: `the ${way}`,
    metrics: [way],
    processor: isOnCpu(way) ? "cpu" : "gpu",
    reference: isOnCpu(way) ? "sort" : way === "gpu" ? "copy" : "answer",
    algorithm: behaviour.algorithm,
    dropsFirstRun: behaviour.dropsFirstRun ?? false,
    refuses: behaviour.refuses ?? (() => undefined),
    start: async (keys) => {
      given.push(keys);
      let run = 0;
      return {
        run: async () => {
          if (behaviour.fails?.(keys.length)) throw new Error("the device was lost");
          const seconds = behaviour.seconds(keys.length, run++);
          log.push(`${behaviour.algorithm ?? way} ${keys.length}`);
          now += seconds * 1000;
          return { [way]: seconds };
        },
        result: async () => ({ keys: (behaviour.sort ?? ((input) => input.slice().sort()))(keys) }),
        end: () => {
          counts.ended++;
        },
      };
    },
  });
  const machine: Machine = {
    copyBytes: 8e9,
    reference: async (work) => {
      log.push(`reference ${work}`);
      return work === "answer" ? 0.25 : 0.5;
    },
    warmUp: async () => {
      log.push("warm up");
    },
  };
  const bench = (
    contenders: Contender[],
    { sizes = [1000], type = "u32", seconds = 100, ...plan }: Settings = {},
  ) => {
    const axes = plan.axes ?? axesWith({ types: [elementType(type)], sizes });
    const contests = plan.contests ?? [];
    return runBench({
      axes,
      contenders: () => contenders,
      relativeError: 0.02,
      budget: new Budget(seconds, secondsByDefault(axes, contests.length > 0), () => now),
      machine,
      contests,
      ...plan,
    });
  };
  const all = async (...args: Parameters<typeof bench>) => {
    const rows: BenchRow[] = [];
    const crossovers: Crossover[] = [];
    for await (const event of bench(...args)) {
      if ("row" in event) rows.push(event.row);
      else crossovers.push(event.crossover);
    }
    return { rows, crossovers };
  };
  const clock = {
    now: () => now,
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
  };
  return { contender, bench, all, log, given, counts, machine, clock };
}

/** Twelve rounds whose median has the given relative error on both sides, at any confidence. */
export function roundsAround(medianSeconds: number, error: number): number[] {
  return Array.from({ length: 12 }, (_, i) => medianSeconds * (1 + (i % 2 === 0 ? -error : error)));
}

/** A measured cell with the given median. */
export function cellOf(medianSeconds: number, more: Partial<Measured> = {}): Measured {
  return {
    medianSeconds,
    minSeconds: medianSeconds * 0.9,
    maxSeconds: medianSeconds * 1.2,
    lowSeconds: medianSeconds * 0.99,
    highSeconds: medianSeconds * 1.01,
    relativeError: 0.01,
    runs: 60,
    roundSeconds: roundsAround(medianSeconds, 0.01),
    stop: "error",
    warnings: [],
    roundReferenceSeconds: Array(12).fill(0.001),
    ...more,
  };
}

export function rowOf(
  keyCount: number,
  cells: Partial<Record<Metric, Cell>>,
  more: Partial<BenchRow> = {},
): BenchRow {
  return {
    task: "sort",
    type: "u32",
    distribution: "uniform",
    payloadBytes: 0,
    algorithm: "auto",
    keyCount,
    purpose: "grid",
    copyBytesPerSecond: 4e12,
    cells,
    ...more,
  };
}
