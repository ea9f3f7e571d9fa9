import { describe, expect, it } from "vitest";
import type { Contender } from "../../src/bench/contender.js";
import type { Metric } from "../../src/bench/metric.js";
import { isMeasured } from "../../src/bench/schema.js";
import { parseTask, type Result } from "../../src/bench/tasks.js";
import { elementType, type KeyArray } from "../../src/core/elements.js";
import { VerifyError } from "../../src/core/errors.js";
import { axesWith, benchFixture, cellOf, rowOf } from "../support/bench.js";

const u32 = elementType("u32");
type Found = Result<KeyArray>;

describe("a cell", () => {
  it("is done when the error of its median is within the bound, after at least 24 rounds", async () => {
    const { contender, all } = benchFixture();
    const steady = await all([contender("typed", { seconds: () => 0.25 })]);
    expect(steady.rows[0]!.cells.typed).toEqual({
      medianSeconds: 0.25,
      minSeconds: 0.25,
      maxSeconds: 0.25,
      lowSeconds: 0.25,
      highSeconds: 0.25,
      relativeError: 0,
      runs: 24,
      roundSeconds: Array(24).fill(0.25),
      stop: "error",
      warnings: [],
      roundReferenceSeconds: Array(24).fill(0.5),
    });
  });

  it("continues while the error of its median is over the bound", async () => {
    const { contender, all } = benchFixture();
    // Two runs warm it up: the second is not faster. Then 0.1 and 0.12 s alternate until the 30th run.
    const noisy = contender("typed", { seconds: (_, run) => (run > 30 || run % 2 === 0 ? 0.1 : 0.12) });
    const { rows } = await all([noisy]);
    const { typed } = rows[0]!.cells;
    expect(typed).toMatchObject({ stop: "error", medianSeconds: 0.1 });
    expect(isMeasured(typed) && typed.roundSeconds.length).toBeGreaterThan(24);
  });

  it("ends when another turn would take more than its time, and warns that its error is wide", async () => {
    const { contender, all } = benchFixture();
    const wild = contender("typed", { seconds: (_, run) => 1 + (run % 3) });
    const { rows } = await all([wild], { relativeError: 0.01, seconds: 20 });
    // 1 and 2 s to warm up, then 3, 1, 2, 3, 1, 2 and 3 s: 18 s in all. As the last, the next may take 3 s.
    expect(rows[0]!.cells.typed).toMatchObject({
      stop: "budget",
      runs: 7,
      medianSeconds: 2,
      warnings: ["wide"],
    });
  });

  it("has only one run if another one would take more than its time", async () => {
    const { contender, all, log } = benchFixture();
    const slow = contender("array", { seconds: () => 6 });
    const { rows } = await all([slow], { seconds: 10 });
    expect(rows[0]!.cells.array).toMatchObject({
      stop: "budget",
      runs: 1,
      relativeError: null,
      warnings: ["wide"],
    });
    expect(log.filter((line) => line.startsWith("array"))).toHaveLength(1);
  });

  it("excludes a GPU's first run, which compiles kernels, from its times", async () => {
    const { contender, all } = benchFixture();
    const cold = contender("gpu", { seconds: (_, run) => (run === 0 ? 50 : 0.25) });
    const { rows } = await all([cold]);
    expect(rows[0]!.cells.gpu).toMatchObject({ medianSeconds: 0.25, maxSeconds: 0.25, stop: "error" });
  });

  it("is warm when it no longer gets faster", async () => {
    const { contender, all } = benchFixture();
    const times = [1, 0.8, 0.6, 0.5, 0.5];
    const { rows } = await all([contender("typed", { seconds: (_, run) => times[run] ?? 0.5 })]);
    expect(rows[0]!.cells.typed).toMatchObject({ maxSeconds: 0.5, runs: 24 });
  });

  it("takes the median of many short runs per round as one value, without the first run", async () => {
    const { contender, all } = benchFixture();
    // A turn of 20 ms is a slow first run of 10 ms and ten runs of 1 ms.
    const turns = contender("typed", { seconds: (_, run) => (run % 11 === 0 ? 0.01 : 0.001) });
    const { rows } = await all([turns]);
    expect(rows[0]!.cells.typed).toMatchObject({ medianSeconds: 0.001, maxSeconds: 0.001, runs: 240 });
  });

  it("drops the first of two runs if the contender before distorts it", async () => {
    const { contender, all } = benchFixture();
    const settling = contender("round-trip", {
      dropsFirstRun: true,
      seconds: (_, run) => (run % 2 === 0 ? 9 : 1),
    });
    const { rows } = await all([settling]);
    expect(rows[0]!.cells["round-trip"]).toMatchObject({ medianSeconds: 1, maxSeconds: 1 });
  });

  it("warns if its times drifted, and if those of the machine did", async () => {
    const { contender, all, machine } = benchFixture();
    const drifting = contender("typed", { seconds: (_, run) => (run < 10 ? 1 : 1.3) + (run % 2) * 0.01 });
    let calls = 0;
    const sleepy = { ...machine, reference: async () => (calls++ < 8 ? 1 : 2) };
    const { rows } = await all([drifting], {
      machine: sleepy,
      relativeError: 0.001,
      seconds: 20,
    });
    expect(rows[0]!.cells.typed).toMatchObject({ warnings: ["wide", "drift", "clock"] });
  });
});

describe("the rounds", () => {
  it("run the contenders in alternating order, CPU before GPU, and warm up the GPU in between", async () => {
    const { contender, all, log } = benchFixture();
    await all([
      contender("gpu", { seconds: () => 1 }),
      contender("array", { seconds: () => 1 }),
      contender("typed", { seconds: () => 1 }),
      contender("round-trip", { seconds: () => 1 }),
    ]);
    // After the first round, in which every contender warms up, the order alternates:
    const first = log.indexOf("reference answer") + 1;
    const second = log.slice(first, first + 8);
    expect(second).toEqual([
      "typed 1000",
      "array 1000",
      "reference sort",
      "warm up",
      "round-trip 1000",
      "gpu 1000",
      "reference copy",
      "reference answer",
    ]);
    const third = log.slice(first + 8, first + 16);
    expect(third.filter((line) => line.endsWith("1000"))).toEqual([
      "array 1000",
      "typed 1000",
      "gpu 1000",
      "round-trip 1000",
    ]);
  });

  it("time the reference work that resembles each contender", async () => {
    const { contender, all } = benchFixture();
    const { rows } = await all([
      contender("typed", { seconds: () => 0.1 }),
      contender("gpu", { seconds: () => 0.1 }),
      contender("round-trip", { seconds: () => 0.1 }),
    ]);
    const { gpu, "round-trip": roundTrip } = rows[0]!.cells;
    expect(isMeasured(gpu) && gpu.roundReferenceSeconds).toEqual(Array(24).fill(0.5));
    expect(isMeasured(roundTrip) && roundTrip.roundReferenceSeconds).toEqual(Array(24).fill(0.25));
  });

  it("continue for contenders that are not done", async () => {
    const { contender, all } = benchFixture();
    const { rows } = await all([
      contender("array", { seconds: () => 0.1 }),
      contender("typed", { seconds: (_, run) => 0.1 + (run % 4) / 10 }),
    ]);
    const { array, typed } = rows[0]!.cells;
    expect(isMeasured(array) && array.roundSeconds.length).toBe(24);
    expect(isMeasured(typed) && typed.roundSeconds.length).toBeGreaterThan(24);
  });

  it("give the rate of the copy in the same rounds if there is a GPU", async () => {
    const { contender, all } = benchFixture();
    const gpu = await all([contender("gpu", { seconds: () => 1 })]);
    expect(gpu.rows[0]!.copyBytesPerSecond).toBe(16e9);
    const cpu = await all([contender("typed", { seconds: () => 1 })]);
    expect(cpu.rows[0]!.copyBytesPerSecond).toBeNull();
  });
});

describe("a column", () => {
  const sizes = [1000, 2000, 4000, 8000, 16_000];
  const skips = (rows: Awaited<ReturnType<ReturnType<typeof benchFixture>["all"]>>["rows"], metric: Metric) =>
    rows.map(({ cells }) => (isMeasured(cells[metric]) ? "measured" : cells[metric]?.skipped));

  // 9.6 s for 4,000 keys predict over 19 s for 8,000. A row has 10 s then, and half of what is left is 11 s.
  it("is skipped at the sizes for which its last cell predicts more than a row has, and than half of what is left", async () => {
    const { contender, all } = benchFixture();
    const { rows } = await all(
      [
        contender("array", { seconds: (keyCount) => (keyCount / 1000) * 2.4 }),
        contender("typed", { seconds: () => 1 }),
      ],
      { sizes, seconds: 50 },
    );
    const over = expect.stringMatching(/^over 1[01] s$/);
    expect(skips(rows, "array")).toEqual(["measured", "measured", "measured", over, over]);
    expect(skips(rows, "typed")).toEqual(sizes.map(() => "measured"));
  });

  it("is not skipped because one run was slow while the machine was busy", async () => {
    const { contender, all } = benchFixture();
    const array = contender("array", { seconds: (n) => (n / 10_000) * (n === 2000 ? 40 : 1) });
    const { rows } = await all([array], { sizes, seconds: 50 });
    expect(skips(rows, "array")).toEqual(sizes.map(() => "measured"));
  });

  it("says why a contender refuses a size, and measures it again at the next size", async () => {
    const { contender, all } = benchFixture();
    const picky = contender("typed", {
      seconds: () => 1,
      refuses: (keyCount) => (keyCount === 2000 ? "not these" : undefined),
    });
    const { rows } = await all([picky], { sizes: sizes.slice(0, 3) });
    expect(skips(rows, "typed")).toEqual(["measured", "not these", "measured"]);
  });
});

describe("the rows", () => {
  it("are one per algorithm, and share the CPU cells, which are measured once", async () => {
    const { contender, all, log } = benchFixture();
    const { rows } = await all(
      [
        contender("typed", { seconds: () => 1 }),
        contender("gpu", { algorithm: "radix", seconds: () => 0.5 }),
        contender("gpu", { algorithm: "bitonic", seconds: () => 0.75 }),
      ],
      { axes: axesWith({ types: [elementType("f32")], algorithms: ["radix", "bitonic"] }) },
    );
    expect(rows.map(({ type, algorithm, cells }) => [type, algorithm, cells])).toMatchObject([
      ["f32", "radix", { typed: { medianSeconds: 1 }, gpu: { medianSeconds: 0.5 } }],
      ["f32", "bitonic", { typed: { medianSeconds: 1 }, gpu: { medianSeconds: 0.75 } }],
    ]);
    expect(log.filter((line) => line === "typed 1000").length).toBe(2 + 24);
  });

  it("are yielded one by one, each before the next size is measured", async () => {
    const { contender, bench, log } = benchFixture();
    const events = bench([contender("typed", { seconds: () => 1 })], { sizes: [10, 20, 30] });
    expect((await events.next()).value).toMatchObject({ row: { keyCount: 10 }, known: false });
    expect(log).not.toContain("typed 20");
    expect((await events.next()).value).toMatchObject({ row: { keyCount: 20 } });
    expect(log).not.toContain("typed 30");
    await events.return(undefined);
  });

  it("of an earlier run are not measured again, unless they lack a wanted cell", async () => {
    const { contender, all, log } = benchFixture();
    const known = [rowOf(10, { typed: cellOf(7) }), rowOf(20, { array: cellOf(7) })];
    const { rows } = await all([contender("typed", { seconds: () => 1 })], { sizes: [10, 20], known });
    expect(rows[0]).toBe(known[0]);
    expect(rows[1]!.cells.typed).toMatchObject({ medianSeconds: 1 });
    expect(log).not.toContain("typed 10");
  });

  it("are one per task, each with contenders of its own, and so are crossovers", async () => {
    const { contender, all } = benchFixture();
    const asked: string[] = [];
    const [least, segments] = [parseTask("top:3"), parseTask("segments:100")];
    const axes = {
      types: [u32],
      distributions: ["uniform"],
      payloads: [0],
      algorithms: ["auto"],
      sizes: [1000],
    };
    const { rows, crossovers } = await all([], {
      axes: { ...axes, tasks: [least, segments] },
      contests: [{ faster: "gpu", slower: "typed" }],
      contenders: ({ task }) => {
        asked.push(task.name);
        const sort = (keys: KeyArray) => task.typed(keys.slice()).keys;
        return [
          contender("typed", { seconds: () => 2, sort }),
          contender("gpu", { seconds: () => 1, algorithm: "auto", sort }),
        ];
      },
    });
    expect(asked).toEqual(["top:3", "segments:100"]);
    expect(rows.map(({ task }) => task)).toEqual(asked);
    expect(crossovers.map(({ task }) => task)).toEqual(asked);
    expect(rows.every(({ cells }) => isMeasured(cells.typed))).toBe(true);
  });

  it("of an earlier run are those of the same task only", async () => {
    const { contender, all, log } = benchFixture();
    const known = [rowOf(10, { typed: cellOf(7) }, { task: "top:3" })];
    const { rows } = await all([contender("typed", { seconds: () => 1 })], { sizes: [10], known });
    expect(rows[0]).not.toBe(known[0]);
    expect(log).toContain("typed 10");
  });

  it("that are complete are yielded before a later failure is thrown", async () => {
    const { contender, bench, counts } = benchFixture();
    const failing = contender("typed", { seconds: () => 1, fails: (keyCount) => keyCount === 20 });
    const events = bench([failing], { sizes: [10, 20] });
    expect((await events.next()).value).toMatchObject({ row: { keyCount: 10 } });
    await expect(events.next()).rejects.toThrow("the device was lost");
    expect(counts.ended).toBe(2);
  });

  it("have the same keys for all contenders and benchmarks, but other keys at other sizes", async () => {
    const runs = await Promise.all(
      [1, 2].map(async () => {
        const { contender, all, given } = benchFixture();
        const both = [contender("array", { seconds: () => 1 }), contender("typed", { seconds: () => 1 })];
        await all(both, { sizes: [1000, 1001] });
        return given;
      }),
    );
    const [first, second] = runs as [KeyArray[], KeyArray[]];
    expect(first[0]).toBe(first[1]);
    expect([...first[2]!.subarray(0, 1000)]).not.toEqual([...first[0]!]);
    expect(second).toEqual(first);
  });
});

describe("a wrong result", () => {
  const wrongs: [string, (keys: KeyArray) => KeyArray][] = [
    ["not sorted", (keys) => keys],
    [
      "another key",
      (keys) =>
        keys
          .slice()
          .sort()
          .fill(7 as never, 500, 501),
    ],
    ["too few", (keys) => keys.slice(1).sort()],
  ];

  it.each(wrongs)("ends the benchmark and names its contender: %s", async (_, sort) => {
    const { contender, bench, counts } = benchFixture();
    const first = bench([contender("gpu", { seconds: () => 1, sort })]).next();
    await expect(first).rejects.toThrow(VerifyError);
    await expect(first).rejects.toThrow("the gpu sorted 1000 keys wrongly");
    expect(counts.ended).toBe(1);
  });

  it.each([
    ["left where they were", (order: Uint32Array) => order.map((_, i) => i)],
    ["one twice", (order: Uint32Array) => order.with(1, order[0]!)],
    ["one beyond the end", (order: Uint32Array) => order.with(1, 1000)],
  ])("is found if the values did not move with their keys: %s", async (_, spoil) => {
    const { contender, all, given } = benchFixture();
    const typed = contender("typed", { seconds: () => 1 });
    const withValues = (make: (order: Uint32Array) => Uint32Array) => ({
      ...typed,
      start: async (keys: KeyArray) => {
        const order = Uint32Array.from(keys.keys()).sort((a, b) => Number(keys[a]! > keys[b]!) * 2 - 1);
        return { ...(await typed.start(keys)), indices: async () => make(order) };
      },
    });
    await all([withValues((order) => order)]);
    await expect(all([withValues(spoil)])).rejects.toThrow(VerifyError);
    expect(given).toHaveLength(2);
  });

  const unique = parseTask("unique");
  const found = (keys: KeyArray) => unique.typed(keys.slice());
  it.each([
    [
      "is one too many",
      ({ counts, ...rest }: Found) => ({ ...rest, counts: counts!.with(7, counts![7]! + 1) }),
    ],
    ["are missing", ({ keys }: Found) => ({ keys })],
    ["are of fewer keys", ({ counts, ...rest }: Found) => ({ ...rest, counts: counts!.slice(1) })],
  ])("is found if the counts of distinct keys %s", async (_, spoil) => {
    const { contender, all } = benchFixture();
    const counting = (change: (right: Found) => Found): Contender => {
      const typed = contender("typed", { seconds: () => 1 });
      return {
        ...typed,
        start: async (keys) => ({ ...(await typed.start(keys)), result: async () => change(found(keys)) }),
      };
    };
    const axes = { types: [u32], distributions: ["few"], payloads: [0], algorithms: ["auto"], sizes: [1000] };
    const of = (change: (right: Found) => Found) =>
      all([counting(change)], { axes: { ...axes, tasks: [unique] } });
    await of((right) => right);
    await expect(of(spoil)).rejects.toThrow(VerifyError);
  });

  it("is found by the keys of the last run, if the result depends on their order", async () => {
    const { contender, all } = benchFixture();
    const segments = parseTask("segments:10");
    const axes = {
      types: [u32],
      distributions: ["uniform"],
      payloads: [0],
      algorithms: ["auto"],
      sizes: [1000],
    };
    const reversing = (says: boolean): Contender => {
      const typed = contender("typed", { seconds: () => 1 });
      return {
        ...typed,
        start: async (keys) => ({
          ...(await typed.start(keys)),
          result: async () => segments.typed(keys.slice().reverse()),
          ...(says ? { input: () => keys.slice().reverse() } : {}),
        }),
      };
    };
    const of = (says: boolean) => all([reversing(says)], { axes: { ...axes, tasks: [segments] } });
    await of(true);
    await expect(of(false)).rejects.toThrow(VerifyError);
  });

  it("is a number in place of a NaN, but not a NaN with other bits", async () => {
    const { contender, all } = benchFixture();
    const give = (nan: number) => (keys: KeyArray) =>
      Float32Array.from(keys.slice().sort() as Float32Array, (key) => (Number.isNaN(key) ? nan : key));
    const measure = (nan: number) =>
      all([contender("gpu", { seconds: () => 1, sort: give(nan) })], { type: "f32", sizes: [10_000] });
    // About 40 of these keys are NaNs.
    expect(isMeasured((await measure(Number.NaN)).rows[0]!.cells.gpu)).toBe(true);
    await expect(measure(Number.POSITIVE_INFINITY)).rejects.toThrow(VerifyError);
  });
});
