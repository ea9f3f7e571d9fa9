import { describe, expect, it } from "vitest";
import type { ColumnKey, Contender } from "../../src/bench/contender.js";
import { type BenchPlan, type BenchRow, runBench } from "../../src/bench/run.js";
import { elementType, type KeyArray } from "../../src/elements.js";
import { VerifyError } from "../../src/errors.js";

const type = elementType("u32");

/** A clock that only sorting moves, and contenders that take as long as they are told. */
function laboratory() {
  let now = 0;
  const begun: string[] = [];
  const given: KeyArray[] = [];
  const counts = { runs: 0, ended: 0 };
  interface Behaviour {
    seconds: (keyCount: number, run: number) => number;
    refuses?: (keyCount: number) => string | undefined;
    sort?: (keys: KeyArray) => KeyArray;
    startSeconds?: number;
    fails?: (keyCount: number) => boolean;
  }
  const contender = (column: ColumnKey, behaviour: Behaviour): Contender => ({
    name: `the ${column}`,
    column,
    refuses: behaviour.refuses ?? (() => undefined),
    start: async (keys) => {
      begun.push(`${column} ${keys.length}`);
      given.push(keys);
      now += (behaviour.startSeconds ?? 0) * 1000;
      let run = 0;
      return {
        run: async () => {
          if (behaviour.fails?.(keys.length)) throw new Error("the device was lost");
          const seconds = behaviour.seconds(keys.length, run++);
          counts.runs++;
          now += seconds * 1000;
          return seconds;
        },
        result: async () => (behaviour.sort ?? ((input) => input.slice().sort()))(keys),
        end: () => {
          counts.ended++;
        },
      };
    },
  });
  const bench = (contenders: Contender[], plan: Partial<BenchPlan> = {}) =>
    runBench({ type, sizes: [1000], runs: 5, budgetSeconds: 10, now: () => now, ...plan, contenders });
  return { contender, bench, begun, given, counts };
}

async function all(rows: AsyncIterable<BenchRow>): Promise<BenchRow[]> {
  const gathered: BenchRow[] = [];
  for await (const row of rows) gathered.push(row);
  return gathered;
}

const skips = (rows: readonly BenchRow[], column: ColumnKey) =>
  rows.map(({ cells }) => ("skipped" in cells[column] ? cells[column].skipped : "measured"));

describe("a cell", () => {
  it("warms up for 1 s and then counts the runs that were asked for, and those only", async () => {
    const { contender, bench, counts } = laboratory();
    const cold = contender("gpuSort", {
      seconds: (_, run) => (run < 4 ? 0.25 : [0.3, 0.1, 0.2, 0.5, 0.4][run - 4]!),
    });
    const [row] = await all(bench([cold]));
    expect(row!.cells.gpuSort).toEqual({ medianSeconds: 0.3, minSeconds: 0.1, runs: 5 });
    expect(counts.runs).toBe(4 + 5);
  });

  it("is warm after one run that takes as long", async () => {
    const { contender, bench, counts } = laboratory();
    await all(bench([contender("gpuSort", { seconds: () => 1 })]));
    expect(counts.runs).toBe(1 + 5);
  });

  it("stops early when its budget is spent, and says how many runs it had", async () => {
    const { contender, bench } = laboratory();
    const [row] = await all(bench([contender("gpuSort", { seconds: () => 0.75 })], { budgetSeconds: 2.5 }));
    // Two to warm up, to 1.5 s; two timed, to 3 s.
    expect(row!.cells.gpuSort).toMatchObject({ runs: 2 });
  });

  it("warms up no longer than half its budget, and has one timed run at least", async () => {
    const { contender, bench, counts } = laboratory();
    const [row] = await all(bench([contender("gpuSort", { seconds: () => 0.125 })], { budgetSeconds: 0.25 }));
    expect(row!.cells.gpuSort).toMatchObject({ runs: 1 });
    expect(counts.runs).toBe(1 + 1);
  });

  it("counts a single run that alone is over the budget, rather than make another", async () => {
    const { contender, bench, counts } = laboratory();
    const [row] = await all(bench([contender("gpuSort", { seconds: () => 12 })]));
    expect(row!.cells.gpuSort).toEqual({ medianSeconds: 12, minSeconds: 12, runs: 1 });
    expect(counts.runs).toBe(1);
  });

  it("is the contender's own seconds, whatever else its runs cost", async () => {
    const { contender, bench } = laboratory();
    const [row] = await all(bench([contender("gpuSort", { seconds: () => 0.5, startSeconds: 3 })]));
    expect(row!.cells.gpuSort).toMatchObject({ medianSeconds: 0.5 });
  });

  it("ends its trial, one a cell", async () => {
    const { contender, bench, counts } = laboratory();
    await all(bench([contender("gpuSort", { seconds: () => 1 })], { sizes: [10, 20] }));
    expect(counts.ended).toBe(2);
  });
});

describe("a column", () => {
  const sizes = [1000, 2000, 4000, 8000, 16_000];

  // 4.8 s for 2,000 keys foretell 9.6 s for 4,000 in proportion, and more than 10 s as sorting goes.
  it("stops where its last cell foretells more than the budget, and stays out; the others go on", async () => {
    const { contender, bench, begun } = laboratory();
    const rows = await all(
      bench(
        [
          contender("arraySort", { seconds: (keyCount) => (keyCount / 1000) * 2.4 }),
          contender("gpuSort", { seconds: () => 1 }),
        ],
        { sizes },
      ),
    );
    const over = "over 10 s";
    expect(skips(rows, "arraySort")).toEqual(["measured", "measured", over, over, over]);
    expect(skips(rows, "gpuSort")).toEqual(sizes.map(() => "measured"));
    expect(begun.filter((cell) => cell.startsWith("arraySort"))).toHaveLength(2);
  });

  it("says why a contender refuses a size, and asks it again at the next", async () => {
    const { contender, bench } = laboratory();
    const picky = contender("gpuSort", {
      seconds: () => 1,
      refuses: (keyCount) => (keyCount === 2000 ? "not these" : undefined),
    });
    expect(skips(await all(bench([picky], { sizes: sizes.slice(0, 3) })), "gpuSort")).toEqual([
      "measured",
      "not these",
      "measured",
    ]);
  });
});

describe("the rows", () => {
  it("come one by one, each before the next size is begun", async () => {
    const { contender, bench, begun } = laboratory();
    const rows = bench([contender("gpuSort", { seconds: () => 1 })], { sizes: [10, 20, 30] });
    expect((await rows.next()).value).toMatchObject({ keyCount: 10 });
    expect(begun).toEqual(["gpuSort 10"]);
    expect((await rows.next()).value).toMatchObject({ keyCount: 20 });
    expect(begun).toEqual(["gpuSort 10", "gpuSort 20"]);
    await rows.return(undefined);
    expect(begun).toHaveLength(2);
  });

  it("that are complete are not lost to a later failure, which is handed on", async () => {
    const { contender, bench, counts } = laboratory();
    const failing = contender("gpuSort", { seconds: () => 1, fails: (keyCount) => keyCount === 20 });
    const rows = bench([failing], { sizes: [10, 20] });
    expect((await rows.next()).value).toMatchObject({ keyCount: 10 });
    await expect(rows.next()).rejects.toThrow("the device was lost");
    expect(counts.ended).toBe(2);
  });

  it("give every contender the same keys, and other keys at other sizes", async () => {
    const { contender, bench, given } = laboratory();
    const seconds = () => 1;
    await all(
      bench([contender("arraySort", { seconds }), contender("gpuSort", { seconds })], { sizes: [100, 200] }),
    );
    expect(given.map(({ length }) => length)).toEqual([100, 100, 200, 200]);
    expect(given[1]).toEqual(given[0]);
    expect(given[2]!.slice(0, 100)).not.toEqual(given[0]);
  });

  it("are announced cell by cell", async () => {
    const { contender, bench } = laboratory();
    const told: string[] = [];
    const quick = contender("gpuSort", { seconds: () => 1 });
    await all(bench([quick], { sizes: [10, 20], progress: (text) => told.push(text) }));
    expect(told).toEqual(["10 keys: the gpuSort", "20 keys: the gpuSort"]);
  });
});

describe("a wrong result", () => {
  const wrongs: [string, (keys: KeyArray) => KeyArray][] = [
    ["unsorted", (keys) => keys],
    ["short", (keys) => keys.slice().sort().slice(1) as KeyArray],
    ["descending", (keys) => keys.slice().sort().reverse() as KeyArray],
    [
      "with one key changed",
      (keys) =>
        keys
          .slice()
          .sort()
          .fill(0 as never, 500, 501) as KeyArray,
    ],
  ];

  it.each(wrongs)("ends the benchmark and names its contender: %s", async (_, sort) => {
    const { contender, bench, counts } = laboratory();
    const rows = bench([contender("gpuSort", { seconds: () => 1, sort })]);
    const first = rows.next();
    await expect(first).rejects.toThrow(VerifyError);
    await expect(first).rejects.toThrow("the gpuSort sorted 1000 keys wrongly");
    expect(counts.ended).toBe(1);
  });

  it("is not one that gives NaNs other bits, but is one that gives a number for a NaN", async () => {
    const { contender, bench } = laboratory();
    const give = (nan: number) => (keys: KeyArray) =>
      Float32Array.from(keys.slice().sort() as Float32Array, (key) => (Number.isNaN(key) ? nan : key));
    const run = (nan: number) =>
      all(
        bench([contender("gpuSort", { seconds: () => 1, sort: give(nan) })], {
          type: elementType("f32"),
          sizes: [10_000], // of which about 40 are NaNs
        }),
      );
    expect((await run(Number.NaN))[0]!.cells.gpuSort).toHaveProperty("runs");
    await expect(run(Number.POSITIVE_INFINITY)).rejects.toThrow(VerifyError);
  });
});
