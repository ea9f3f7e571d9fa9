import { describe, expect, it } from "vitest";
import { isMeasured } from "../../src/bench/row.js";
import type { Way } from "../../src/bench/way.js";
import { elementType, type KeyArray } from "../../src/elements.js";
import { VerifyError } from "../../src/errors.js";
import { cellOf, laboratory, rowOf } from "../support/bench.js";

describe("a cell", () => {
  it("ends with the round in which the error of its median comes under the bound, 24 at the least", async () => {
    const { contender, all } = laboratory();
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

  it("goes on while the error is over it", async () => {
    const { contender, all } = laboratory();
    // Two runs warm it up: the second is no faster. Then 1, 1.2, 1, 1.2, … with one odd one in the end.
    const noisy = contender("typed", { seconds: (_, run) => (run > 30 || run % 2 === 0 ? 0.1 : 0.12) });
    const { rows } = await all([noisy]);
    const { typed } = rows[0]!.cells;
    expect(typed).toMatchObject({ stop: "error", medianSeconds: 0.1 });
    expect(isMeasured(typed) && typed.roundSeconds.length).toBeGreaterThan(24);
  });

  it("ends when its budget is spent, with its warm-up counted, and warns that it is not known better", async () => {
    const { contender, all } = laboratory();
    const wild = contender("typed", { seconds: (_, run) => 1 + (run % 3) });
    const { rows } = await all([wild], { rule: { relativeError: 0.01, budgetSeconds: 20, mostRuns: 1000 } });
    // 1 and 2 s to warm up, then 3, 1, 2, 3, 1, 2, 3, 1 and 2 s: 21 in all.
    expect(rows[0]!.cells.typed).toMatchObject({
      stop: "budget",
      runs: 9,
      medianSeconds: 2,
      warnings: ["wide"],
    });
  });

  it("ends after as many runs as it may have", async () => {
    const { contender, all } = laboratory();
    const wild = contender("typed", { seconds: (_, run) => 0.1 + (run % 3) });
    const { rows } = await all([wild], { rule: { relativeError: 0.01, budgetSeconds: 999, mostRuns: 7 } });
    expect(rows[0]!.cells.typed).toMatchObject({ stop: "runs", runs: 7 });
  });

  it("counts a single run that takes half its budget, rather than make another", async () => {
    const { contender, all, log } = laboratory();
    const { rows } = await all([contender("typed", { seconds: () => 6 })]);
    expect(rows[0]!.cells.typed).toMatchObject({
      medianSeconds: 6,
      runs: 1,
      relativeError: null,
      warnings: ["wide"],
    });
    expect(log.filter((line) => line.startsWith("typed"))).toHaveLength(1);
  });

  it("never counts a GPU's first run, which compiles, nor spends its budget on it", async () => {
    const { contender, all } = laboratory();
    const cold = contender("gpu", { seconds: (_, run) => (run === 0 ? 99 : 0.25) });
    const { rows } = await all([cold]);
    expect(rows[0]!.cells.gpu).toMatchObject({ medianSeconds: 0.25, maxSeconds: 0.25, stop: "error" });
  });

  it("is warm when it no longer gets faster", async () => {
    const { contender, all } = laboratory();
    const times = [1, 0.8, 0.6, 0.5, 0.5];
    const { rows } = await all([contender("typed", { seconds: (_, run) => times[run] ?? 0.5 })], {
      rule: { relativeError: 0.02, budgetSeconds: 100, mostRuns: 1000 },
    });
    expect(rows[0]!.cells.typed).toMatchObject({ maxSeconds: 0.5, runs: 24 });
  });

  it("takes many short runs a round for one value, and does not count the first of them", async () => {
    const { contender, all } = laboratory();
    // 20 ms are 20 runs of 1 ms; each turn's first is slow.
    const turns = contender("typed", { seconds: (_, run) => (run % 11 === 0 ? 0.01 : 0.001) });
    const { rows } = await all([turns]);
    expect(rows[0]!.cells.typed).toMatchObject({ medianSeconds: 0.001, maxSeconds: 0.001, runs: 240 });
  });

  it("drops the first of two runs where that pays for what another contender left", async () => {
    const { contender, all } = laboratory();
    const settling = contender("round-trip", {
      unsettled: true,
      seconds: (_, run) => (run % 2 === 1 ? 9 : 1),
    });
    const { rows } = await all([settling], {
      rule: { relativeError: 0.02, budgetSeconds: 999, mostRuns: 99 },
    });
    expect(rows[0]!.cells["round-trip"]).toMatchObject({ medianSeconds: 1, maxSeconds: 1 });
  });

  it("warns where its times drifted, and where the machine's did", async () => {
    const { contender, all, machine } = laboratory();
    const drifting = contender("typed", { seconds: (_, run) => (run < 10 ? 1 : 1.3) + (run % 2) * 0.01 });
    let calls = 0;
    const sleepy = { ...machine, reference: async () => (calls++ < 8 ? 1 : 2) };
    const { rows } = await all([drifting], {
      machine: sleepy,
      rule: { relativeError: 0.001, budgetSeconds: 20, mostRuns: 999 },
    });
    expect(rows[0]!.cells.typed).toMatchObject({ warnings: ["wide", "drift", "clock"] });
  });
});

describe("the rounds", () => {
  it("go through all contenders in turn, there and back, those on the CPU first, and heat the GPU before its own", async () => {
    const { contender, all, log } = laboratory();
    await all(
      [
        contender("gpu", { seconds: () => 1 }),
        contender("array", { seconds: () => 1 }),
        contender("typed", { seconds: () => 1 }),
        contender("round-trip", { seconds: () => 1 }),
      ],
      { rule: { relativeError: 0.02, budgetSeconds: 100, mostRuns: 1000 } },
    );
    // After the first round, in which each warms up, there and back again:
    const first = log.indexOf("reference answer") + 1;
    const second = log.slice(first, first + 8);
    expect(second).toEqual([
      "typed 1000",
      "array 1000",
      "reference sort",
      "heat",
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

  it("give each contender the reference work that is most like it", async () => {
    const { contender, all } = laboratory();
    const { rows } = await all([
      contender("typed", { seconds: () => 0.1 }),
      contender("gpu", { seconds: () => 0.1 }),
      contender("round-trip", { seconds: () => 0.1 }),
    ]);
    const { gpu, "round-trip": roundTrip } = rows[0]!.cells;
    expect(isMeasured(gpu) && gpu.roundReferenceSeconds).toEqual(Array(24).fill(0.5));
    expect(isMeasured(roundTrip) && roundTrip.roundReferenceSeconds).toEqual(Array(24).fill(0.25));
  });

  it("go on for those that are not done", async () => {
    const { contender, all } = laboratory();
    const { rows } = await all([
      contender("array", { seconds: () => 0.1 }),
      contender("typed", { seconds: (_, run) => 0.1 + (run % 4) / 10 }),
    ]);
    const { array, typed } = rows[0]!.cells;
    expect(isMeasured(array) && array.roundSeconds.length).toBe(24);
    expect(isMeasured(typed) && typed.roundSeconds.length).toBeGreaterThan(24);
  });

  it("tell the rate of the copy in the same rounds, where there is a GPU", async () => {
    const { contender, all } = laboratory();
    const gpu = await all([contender("gpu", { seconds: () => 1 })]);
    expect(gpu.rows[0]!.copyBytesPerSecond).toBe(16e9);
    const cpu = await all([contender("typed", { seconds: () => 1 })]);
    expect(cpu.rows[0]!.copyBytesPerSecond).toBeNull();
  });
});

describe("a column", () => {
  const sizes = [1000, 2000, 4000, 8000, 16_000];
  const skips = (rows: Awaited<ReturnType<ReturnType<typeof laboratory>["all"]>>["rows"], way: Way) =>
    rows.map(({ cells }) => (isMeasured(cells[way]) ? "measured" : cells[way]?.skipped));

  // 4.8 s for 2,000 keys foretell 9.6 s for 4,000 in proportion, and more than 10 s as sorting goes.
  it("stops where its last cell foretells more than the budget, and stays out; the others go on", async () => {
    const { contender, all } = laboratory();
    const { rows } = await all(
      [
        contender("array", { seconds: (keyCount) => (keyCount / 1000) * 2.4 }),
        contender("typed", { seconds: () => 1 }),
      ],
      { sizes },
    );
    const over = "over 10 s";
    expect(skips(rows, "array")).toEqual(["measured", "measured", over, over, over]);
    expect(skips(rows, "typed")).toEqual(sizes.map(() => "measured"));
  });

  it("says why a contender refuses a size, and asks it again at the next", async () => {
    const { contender, all } = laboratory();
    const picky = contender("typed", {
      seconds: () => 1,
      refuses: (keyCount) => (keyCount === 2000 ? "not these" : undefined),
    });
    const { rows } = await all([picky], { sizes: sizes.slice(0, 3) });
    expect(skips(rows, "typed")).toEqual(["measured", "not these", "measured"]);
  });
});

describe("the rows", () => {
  it("are one an algorithm, those of the CPU measured once and shared", async () => {
    const { contender, all, log } = laboratory();
    const { rows } = await all(
      [
        contender("typed", { seconds: () => 1 }),
        contender("gpu", { algorithm: "radix", seconds: () => 0.5 }),
        contender("gpu", { algorithm: "bitonic", seconds: () => 0.75 }),
      ],
      {
        axes: {
          types: [elementType("f32")],
          distributions: ["uniform"],
          payloads: [0],
          algorithms: ["radix", "bitonic"],
          sizes: [1000],
        },
      },
    );
    expect(rows.map(({ type, algorithm, cells }) => [type, algorithm, cells])).toMatchObject([
      ["f32", "radix", { typed: { medianSeconds: 1 }, gpu: { medianSeconds: 0.5 } }],
      ["f32", "bitonic", { typed: { medianSeconds: 1 }, gpu: { medianSeconds: 0.75 } }],
    ]);
    expect(log.filter((line) => line === "typed 1000").length).toBe(2 + 8);
  });

  it("come one by one, each before the next size is begun", async () => {
    const { contender, bench, log } = laboratory();
    const events = bench([contender("typed", { seconds: () => 1 })], { sizes: [10, 20, 30] });
    expect((await events.next()).value).toMatchObject({ row: { keyCount: 10 }, known: false });
    expect(log).not.toContain("typed 20");
    expect((await events.next()).value).toMatchObject({ row: { keyCount: 20 } });
    expect(log).not.toContain("typed 30");
    await events.return(undefined);
  });

  it("that are known are not measured again, unless they lack a cell that is wanted", async () => {
    const { contender, all, log } = laboratory();
    const known = [rowOf(10, { typed: cellOf(7) }), rowOf(20, { array: cellOf(7) })];
    const { rows } = await all([contender("typed", { seconds: () => 1 })], { sizes: [10, 20], known });
    expect(rows[0]).toBe(known[0]);
    expect(rows[1]!.cells.typed).toMatchObject({ medianSeconds: 1 });
    expect(log).not.toContain("typed 10");
  });

  it("that are complete are not lost to a later failure, which is handed on", async () => {
    const { contender, bench, counts } = laboratory();
    const failing = contender("typed", { seconds: () => 1, fails: (keyCount) => keyCount === 20 });
    const events = bench([failing], { sizes: [10, 20] });
    expect((await events.next()).value).toMatchObject({ row: { keyCount: 10 } });
    await expect(events.next()).rejects.toThrow("the device was lost");
    expect(counts.ended).toBe(2);
  });

  it("give every contender the same keys, other keys at other sizes, and the same ones another time", async () => {
    const runs = await Promise.all(
      [1, 2].map(async () => {
        const { contender, all, given } = laboratory();
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
    const { contender, bench, counts } = laboratory();
    const first = bench([contender("gpu", { seconds: () => 1, sort })]).next();
    await expect(first).rejects.toThrow(VerifyError);
    await expect(first).rejects.toThrow("the gpu sorted 1000 keys wrongly");
    expect(counts.ended).toBe(1);
  });

  it.each([
    ["left where they were", (order: Uint32Array) => order.map((_, i) => i)],
    ["one twice", (order: Uint32Array) => order.with(1, order[0]!)],
    ["one beyond the end", (order: Uint32Array) => order.with(1, 1000)],
  ])("is one whose values did not go along: %s", async (_, spoil) => {
    const { contender, all, given } = laboratory();
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

  it("is not one that gives NaNs other bits, but is one that gives a number for a NaN", async () => {
    const { contender, all } = laboratory();
    const give = (nan: number) => (keys: KeyArray) =>
      Float32Array.from(keys.slice().sort() as Float32Array, (key) => (Number.isNaN(key) ? nan : key));
    const measure = (nan: number) =>
      all([contender("gpu", { seconds: () => 1, sort: give(nan) })], { type: "f32", sizes: [10_000] });
    // Of those keys about 40 are NaNs.
    expect(isMeasured((await measure(Number.NaN)).rows[0]!.cells.gpu)).toBe(true);
    await expect(measure(Number.POSITIVE_INFINITY)).rejects.toThrow(VerifyError);
  });
});
