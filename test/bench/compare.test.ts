import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare } from "../../src/bench/compare.js";
import type { BenchRow, Measured } from "../../src/bench/schema.js";
import { median } from "../../src/bench/statistics.js";
import { cellOf, roundsAround, rowOf } from "../support/bench.js";

const result = (rows: BenchRow[], threads?: number) => ({
  rows,
  environment: threads === undefined ? {} : { threads },
});

/** Compares one cell with another, with a threshold of 5%. */
function change(before: Measured, after: Measured) {
  return compare(result([rowOf(1000, { gpu: before })]), result([rowOf(1000, { gpu: after })]), 0.05)
    .changes[0]!;
}

describe("a comparison of results with other threads", () => {
  const judged = ([old, now]: readonly (number | undefined)[], seconds: number) => {
    const rows = (value: number) => [rowOf(1000, { cpu: cellOf(value), typed: cellOf(value) })];
    const { changes, threads: differing } = compare(result(rows(1), old), result(rows(seconds), now), 0.05);
    return [Object.fromEntries(changes.map(({ way, verdict }) => [way, verdict])), differing];
  };

  it("says so, and blames no sort that uses them", () => {
    const threads = { old: 16, new: 2 };
    expect(judged([16, 2], 3)).toEqual([{ cpu: "machine", typed: "slower" }, threads]);
    expect(judged([16, 2], 0.3)).toEqual([{ cpu: "machine", typed: "faster" }, threads]);
    expect(judged([16, 2], 1)).toEqual([{ cpu: "equal", typed: "equal" }, threads]);
  });

  it("judges as ever if they are the same, or unknown", () => {
    for (const threads of [[2, 2], [undefined, 2], []] as const) {
      expect(judged(threads, 3)).toEqual([{ cpu: "slower", typed: "slower" }, undefined]);
    }
  });

  it("does not mention them if no cell depends on them", () => {
    const rows = [rowOf(1000, { typed: cellOf(1) })];
    expect(compare(result(rows, 16), result(rows, 2), 0.05).threads).toBeUndefined();
  });
});

const old = cellOf(1); // known to 1%
const reference = (seconds: number) => ({ roundReferenceSeconds: Array<number>(12).fill(seconds) });

describe("a comparison of cells", () => {
  it.each([
    ["a slower cell", 1.2, "slower"],
    ["a slightly slower cell within the threshold", 1.02, "equal"],
    ["a cell over the threshold whose interval reaches below it", 1.06, "noisy"],
    ["an unchanged cell", 1, "equal"],
    ["a slightly faster cell", 0.98, "equal"],
    ["a faster cell", 0.8, "faster"],
  ] as const)("judges %s (ratio %d) as %s", (_, seconds, verdict) => {
    expect(change(old, cellOf(seconds))).toMatchObject({
      oldSeconds: 1,
      newSeconds: seconds,
      ratio: seconds,
      verdict,
    });
  });

  it("bounds the ratio by the new lower bound over the old upper bound, and by the converse", () => {
    const { low, high } = change(old, cellOf(2, { roundSeconds: roundsAround(2, 0.1) }));
    expect(low).toBeCloseTo(1.8 / 1.01);
    expect(high).toBeCloseTo(2.2 / 0.99);
  });

  it("judges a cell with a wide interval as noisy, whatever its median did", () => {
    expect(change(old, cellOf(1.5, { roundSeconds: roundsAround(1.5, 0.4) })).verdict).toBe("noisy");
    expect(change(old, cellOf(1, { roundSeconds: roundsAround(1, 0.1) })).verdict).toBe("noisy");
  });

  it("judges a cell with too few rounds for an interval as noisy, before and after", () => {
    const few = (seconds: number) => cellOf(seconds, { roundSeconds: Array(5).fill(seconds) });
    expect(change(old, few(9)).verdict).toBe("noisy");
    expect(change(few(1), cellOf(9)).verdict).toBe("noisy");
    expect(change(old, cellOf(9, { roundSeconds: Array(6).fill(9) })).verdict).toBe("slower");
  });

  it("needs more rounds for more cells, because one of many more often differs by chance", () => {
    const six = (seconds: number) => cellOf(seconds, { roundSeconds: Array(6).fill(seconds) });
    const rows = (seconds: number, count: number) =>
      Array.from({ length: count }, (_, i) => rowOf(1000 + i, { gpu: six(seconds) }));
    const verdicts = (count: number) =>
      new Set(
        compare(result(rows(1, count)), result(rows(2, count)), 0.05).changes.map(({ verdict }) => verdict),
      );
    expect(verdicts(1)).toEqual(new Set(["slower"]));
    expect(verdicts(2)).toEqual(new Set(["noisy"]));
  });

  it("does not call a cell slower if the machine became as much slower", () => {
    const later = cellOf(1.3, reference(0.0013));
    expect(change(old, later)).toMatchObject({ verdict: "machine", ratio: 1.3 });
    expect(change(old, later).referenceRatio).toBeCloseTo(1.3);
    expect(change(old, cellOf(1.6, reference(0.0013))).verdict).toBe("slower");
  });

  it("does not call a cell slower or faster if the change is in one of the two units only", () => {
    expect(change(old, cellOf(1, reference(0.0005))).verdict).toBe("machine");
    expect(change(old, cellOf(0.7, reference(0.0005))).verdict).toBe("machine");
    expect(change(old, cellOf(0.4, reference(0.0005))).verdict).toBe("faster");
  });

  it("judges a cell with equal seconds as equal, however unsteady the reference work was", () => {
    const unsteady = {
      roundReferenceSeconds: [
        0.001, 0.002, 0.0005, 0.004, 0.001, 0.001, 0.003, 0.001, 0.002, 0.001, 0.0008, 0.0012,
      ],
    };
    expect(change(cellOf(1, unsteady), cellOf(1, unsteady)).verdict).toBe("equal");
    expect(change(cellOf(1, unsteady), cellOf(1.3, unsteady)).verdict).toBe("machine");
  });

  it("compares only seconds if one result has no reference times", () => {
    const none = { roundReferenceSeconds: [] };
    expect(change(old, cellOf(1.2, none))).toMatchObject({ verdict: "slower", referenceRatio: null });
  });

  it("gives the opposite verdict if before and after are swapped", () => {
    const opposite = {
      slower: "faster",
      faster: "slower",
      equal: "equal",
      noisy: "noisy",
      machine: "machine",
    } as const;
    const cell = fc
      .tuple(fc.double({ min: 0.5, max: 2, noNaN: true }), fc.double({ min: 0.001, max: 0.2, noNaN: true }))
      .map(([seconds, error]) => cellOf(seconds, { roundSeconds: roundsAround(seconds, error) }));
    fc.assert(
      fc.property(cell, cell, (a, b) => {
        const [there, back] = [change(a, b), change(b, a)];
        expect(there.low * back.high).toBeCloseTo(1);
        if (Math.abs(there.low - 1.05) < 1e-6 || Math.abs(there.high - 1.05) < 1e-6) return;
        expect(back.verdict).toBe(opposite[there.verdict]);
      }),
    );
  });

  it("calls none of 5,000 pairs of runs of the same sort slower or faster", () => {
    let state = 12345;
    const uniform = () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) / 2 ** 32;
    };
    // Noise of up to a tenth with a long tail, as on shared machines.
    const run = () => {
      const noise = () => 1 + 0.1 * uniform() + (uniform() < 0.1 ? uniform() : 0);
      const roundSeconds = Array.from({ length: 12 }, noise);
      return cellOf(median(roundSeconds), { roundSeconds });
    };
    const verdicts = Array.from({ length: 5000 }, () => change(run(), run()).verdict);
    expect(verdicts.filter((verdict) => verdict === "slower" || verdict === "faster")).toHaveLength(0);
  });
});

describe("the rows of two results", () => {
  it("are matched by their input and algorithm, and cells without a match are counted", () => {
    const before = [
      rowOf(1000, { gpu: cellOf(1), typed: cellOf(2), array: { skipped: "over 5 s" } }),
      rowOf(2000, { gpu: cellOf(1) }),
      rowOf(1000, { gpu: cellOf(5) }, { distribution: "zipf" }),
      rowOf(1500, { gpu: cellOf(1) }, { purpose: "crossover" }),
    ];
    const after = [
      rowOf(1000, { gpu: cellOf(1), typed: cellOf(4), array: cellOf(1) }),
      rowOf(1000, { gpu: cellOf(1) }, { algorithm: "radix" }),
      rowOf(1000, { gpu: cellOf(5) }, { task: "top:10" }),
      rowOf(1500, { gpu: cellOf(9) }, { purpose: "crossover" }),
    ];
    const { changes, unmatched } = compare(result(before), result(after), 0.05);
    expect(changes.map(({ way: metric, verdict }) => [metric, verdict])).toEqual([
      ["typed", "slower"],
      ["gpu", "equal"],
    ]);
    // 2,000 keys and zipf are only in `before`; array, radix and top:10 are only in `after`.
    expect(unmatched).toBe(5);
  });
});
