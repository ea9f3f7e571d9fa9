import { describe, expect, it } from "vitest";
import { Budget } from "../../src/bench/budget.js";
import type { Metric } from "../../src/bench/metric.js";
import { type BenchPlan, secondsByDefault } from "../../src/bench/run.js";
import { type BenchRow, type Crossover, isMeasured } from "../../src/bench/schema.js";
import { elementType } from "../../src/core/elements.js";
import { axesWith, benchFixture, cellOf, rowOf } from "../support/bench.js";

describe("a budget", () => {
  it("gives each part its weight's share, and the later parts what a part leaves", () => {
    const { now, pass } = benchFixture().clock;
    const budget = new Budget(100, 10, now);
    expect(budget.take(1)).toBeCloseTo(10);
    pass(1); // 99 s are left, for weights of 9
    expect(budget.take(3)).toBeCloseTo(33);
    pass(63); // 36 s are left, for weights of 6
    expect(budget.take(1)).toBeCloseTo(6);
    expect(budget.take(5)).toBeCloseTo(36);
    expect(budget.secondsFor(5)).toBe(50);
  });

  it("has nothing left after its end, and less than nothing never", () => {
    const { now, pass } = benchFixture().clock;
    const budget = new Budget(10, 2, now);
    pass(11);
    expect([budget.take(1), budget.secondsLeft]).toEqual([0, 0]);
  });

  it("begins when the caller says so", () => {
    const { now, pass } = benchFixture().clock;
    pass(5);
    expect(new Budget(100, 1, now, 0).secondsLeft).toBe(95);
  });

  it("does not give the seconds of a part that is left out to the others", () => {
    const { now, pass } = benchFixture().clock;
    pass(5);
    const budget = new Budget(100, 10, now);
    budget.skip(4);
    expect(budget.secondsLeft).toBeCloseTo(60);
    expect(budget.take(3)).toBeCloseTo(30);
  });
});

describe("the time of a benchmark", () => {
  const sizes = [250, 500, 1000, 2000, 4000, 8000];
  /** Two times in turn, so that the error of their median is never within the bound. */
  const noisy = (secondsPerKey: number) => (keyCount: number, run: number) =>
    keyCount * secondsPerKey * (run % 2 === 0 ? 1 : 1.5);
  const runsOf = (rows: readonly BenchRow[], metric: Metric) =>
    rows.map(({ cells }) => (isMeasured(cells[metric]) ? cells[metric].runs : cells[metric]?.skipped));

  /** Measures columns, the slowest of which takes 8 s for the most keys, and kernels that compile for 2 s. */
  async function measure(seconds: number, plan: Partial<BenchPlan> = {}) {
    const { contender, all, clock, machine } = benchFixture();
    let compiled = false;
    const compiling = (keyCount: number, run: number) => {
      const [isFirst, sort] = [!compiled, noisy(1e-4)(keyCount, run)];
      compiled = true;
      return isFirst ? sort + 2 : sort;
    };
    const reference = async () => {
      clock.pass(0.02);
      return 0.02;
    };
    const { rows } = await all(
      [
        contender("array", { seconds: noisy(1e-3) }),
        contender("typed", { seconds: noisy(1e-5) }),
        contender("cpu", { seconds: () => 0.001 }),
        contender("gpu", { seconds: compiling, algorithm: "auto" }),
        contender("round-trip", { seconds: noisy(1e-4), algorithm: "auto", dropsFirstRun: true }),
      ],
      { sizes, seconds, machine: { ...machine, reference }, ...plan },
    );
    return { rows, seconds: clock.now() / 1000 };
  }

  it.each([20, 60, 200])("is at most %i s and a run of each column, if nothing is precise", async (most) => {
    const { rows, seconds } = await measure(most);
    expect(rows).toHaveLength(sizes.length);
    expect(seconds).toBeGreaterThan(most / 2);
    expect(seconds).toBeLessThan(most + 8 + 2 * 1.6 + 2);
  });

  it("is shared in rounds in which each column that is not done has its reference work", async () => {
    const { rows } = await measure(60);
    for (const { cells } of rows) {
      for (const cell of Object.values(cells)) {
        if (isMeasured(cell)) expect(cell.roundReferenceSeconds).toHaveLength(cell.roundSeconds.length);
      }
    }
  });

  it("gives a slow column one run, which is marked, and faster ones as many as there is time for", async () => {
    const { rows } = await measure(100);
    const last = rows.at(-1)!.cells;
    expect(last.array).toMatchObject({ runs: 1, stop: "budget", warnings: ["wide"] });
    expect(isMeasured(last.typed) && last.typed.roundSeconds.length).toBeGreaterThanOrEqual(6);
    expect(last.cpu).toMatchObject({ warnings: [] });
    expect(runsOf(rows, "array").every((runs) => Number(runs) >= 1)).toBe(true);
  });

  it("suffices for six rounds of short sorts also if kernels took all of it to compile", async () => {
    const { rows } = await measure(0.5);
    expect(isMeasured(rows[0]!.cells.typed) && rows[0]!.cells.typed.roundSeconds).toHaveLength(6);
    expect(isMeasured(rows[0]!.cells.gpu) && rows[0]!.cells.gpu.roundSeconds.length).toBeGreaterThanOrEqual(
      1,
    );
  });

  it("leaves a column out where one run takes longer than the row has, and than half of what is left", async () => {
    const { rows } = await measure(12);
    expect(runsOf(rows, "array")).toEqual([1, 1, 1, 1, "over 2 s", "over 2 s"]);
    expect(runsOf(rows, "typed")).toEqual(sizes.map(() => expect.any(Number)));
  });

  it("is not spent by columns that are precise, and then their rows leave it to later ones", async () => {
    const { contender, all, clock } = benchFixture();
    const { rows } = await all(
      [
        contender("typed", { seconds: (n) => n / 1e6 }),
        contender("cpu", { seconds: (n, run) => (n < 8000 ? n / 1e6 : noisy(1e-5)(n, run)) }),
      ],
      { sizes, seconds: 100 },
    );
    const [typed, cpu] = [runsOf(rows, "typed"), runsOf(rows, "cpu")];
    expect(rows.map(({ cells }) => isMeasured(cells.typed) && cells.typed.stop)).toEqual(
      sizes.map(() => "error"),
    );
    expect(Math.max(...typed.map(Number))).toBeLessThan(24 * 51);
    expect(cpu.at(-1)).toBeGreaterThan(500);
    expect(clock.now() / 1000).toBeGreaterThan(90);
  });

  it("is spent by at most a thousand rounds", async () => {
    const { contender, all } = benchFixture();
    const { rows } = await all([contender("typed", { seconds: noisy(1e-4) })], { seconds: 9999 });
    expect(rows[0]!.cells.typed).toMatchObject({ runs: 1000, stop: "runs" });
  });

  it("ends the search for a crossover, which is then known less precisely", async () => {
    const { contender, all } = benchFixture();
    const find = async (seconds: number) => {
      const { crossovers } = await all(
        [
          contender("typed", { seconds: (n) => n * 1e-4 }),
          contender("gpu", { seconds: (n) => 0.12 + n * 1e-5, algorithm: "auto" }),
        ],
        { sizes: [1000, 8000], seconds, contests: [{ faster: "gpu", slower: "typed" }] },
      );
      const [{ from }] = crossovers as [Crossover];
      return from.kind === "between" ? from.high / from.low : undefined;
    };
    const [short, long] = [await find(4), await find(400)];
    expect(short).toBeLessThanOrEqual(8);
    expect(short).toBeGreaterThan(1.5);
    expect(long).toBeLessThan(1.1);
  });

  it("is not given to other rows if an earlier run has measured a row", async () => {
    const known = sizes.slice(0, -1).map((keyCount) => rowOf(keyCount, { array: cellOf(1) }));
    const { contender, all, clock } = benchFixture();
    await all([contender("array", { seconds: noisy(1e-4) })], { sizes, seconds: 60, known });
    expect(clock.now() / 1000).toBeGreaterThan(8);
    expect(clock.now() / 1000).toBeLessThan(10.1);
  });

  it("is by default 3 s a row and 2.5 s a million keys, and a quarter more for crossovers", () => {
    const axes = axesWith({
      types: [elementType("u32"), elementType("f64")],
      algorithms: ["radix", "bitonic"],
      sizes: [500_000, 1_000_000],
    });
    expect(secondsByDefault(axes, false)).toBeCloseTo(4 * (4.25 + 5.5));
    expect(secondsByDefault(axes, true)).toBeCloseTo(4 * (4.25 + 5.5) * 1.25);
  });
});
