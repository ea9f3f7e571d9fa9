import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare } from "../../src/bench/compare.js";
import type { Measured } from "../../src/bench/row.js";
import { median } from "../../src/bench/statistics.js";
import { around, cellOf, rowOf } from "../support/bench.js";

/** One cell against another, by a threshold of 5%. */
function change(before: Measured, after: Measured) {
  return compare([rowOf(1000, { gpu: before })], [rowOf(1000, { gpu: after })], 0.05).changes[0]!;
}

const old = cellOf(1); // known to 1%
const reference = (seconds: number) => ({ roundReferenceSeconds: Array<number>(12).fill(seconds) });

describe("a cell that is compared", () => {
  it.each([
    ["slower", 1.2, "slower"],
    ["a little slower, within the threshold", 1.02, "equal"],
    ["just over the threshold, which its error reaches under", 1.06, "noisy"],
    ["the same", 1, "equal"],
    ["a little faster", 0.98, "equal"],
    ["faster", 0.8, "faster"],
  ] as const)("is %s", (_, seconds, verdict) => {
    expect(change(old, cellOf(seconds))).toMatchObject({
      oldSeconds: 1,
      newSeconds: seconds,
      ratio: seconds,
      verdict,
    });
  });

  it("has an interval from one's least over the other's greatest to the converse", () => {
    const { low, high } = change(old, cellOf(2, { roundSeconds: around(2, 0.1) }));
    expect(low).toBeCloseTo(1.8 / 1.01);
    expect(high).toBeCloseTo(2.2 / 0.99);
  });

  it("is noisy where its interval is wide, whatever its median did", () => {
    expect(change(old, cellOf(1.5, { roundSeconds: around(1.5, 0.4) })).verdict).toBe("noisy");
    expect(change(old, cellOf(1, { roundSeconds: around(1, 0.1) })).verdict).toBe("noisy");
  });

  it("is noisy where there were too few rounds for an interval, before or after", () => {
    const few = (seconds: number) => cellOf(seconds, { roundSeconds: Array(5).fill(seconds) });
    expect(change(old, few(9)).verdict).toBe("noisy");
    expect(change(few(1), cellOf(9)).verdict).toBe("noisy");
    expect(change(old, cellOf(9, { roundSeconds: Array(6).fill(9) })).verdict).toBe("slower");
  });

  it("takes more rounds where there are more cells, as one of many is sooner off by chance", () => {
    const six = (seconds: number) => cellOf(seconds, { roundSeconds: Array(6).fill(seconds) });
    const rows = (seconds: number, count: number) =>
      Array.from({ length: count }, (_, i) => rowOf(1000 + i, { gpu: six(seconds) }));
    const verdicts = (count: number) =>
      new Set(compare(rows(1, count), rows(2, count), 0.05).changes.map(({ verdict }) => verdict));
    expect(verdicts(1)).toEqual(new Set(["slower"]));
    expect(verdicts(2)).toEqual(new Set(["noisy"]));
  });

  it("is not called slower for what made the machine slower", () => {
    const later = cellOf(1.3, reference(0.0013));
    expect(change(old, later)).toMatchObject({ verdict: "machine", ratio: 1.3 });
    expect(change(old, later).referenceRatio).toBeCloseTo(1.3);
    expect(change(old, cellOf(1.6, reference(0.0013))).verdict).toBe("slower");
  });

  it("is not called slower in units of a machine that became faster", () => {
    expect(change(old, cellOf(1, reference(0.0005))).verdict).toBe("machine");
    expect(change(old, cellOf(0.7, reference(0.0005))).verdict).toBe("machine");
    expect(change(old, cellOf(0.4, reference(0.0005))).verdict).toBe("faster");
  });

  it("is equal where it is in seconds, however unsteady the reference work was", () => {
    const unsteady = {
      roundReferenceSeconds: [
        0.001, 0.002, 0.0005, 0.004, 0.001, 0.001, 0.003, 0.001, 0.002, 0.001, 0.0008, 0.0012,
      ],
    };
    expect(change(cellOf(1, unsteady), cellOf(1, unsteady)).verdict).toBe("equal");
    expect(change(cellOf(1, unsteady), cellOf(1.3, unsteady)).verdict).toBe("machine");
  });

  it("goes by its seconds alone where either had no reference", () => {
    const none = { roundReferenceSeconds: [] };
    expect(change(old, cellOf(1.2, none))).toMatchObject({ verdict: "slower", referenceRatio: null });
  });

  it("is the contrary the other way round", () => {
    const contrary = {
      slower: "faster",
      faster: "slower",
      equal: "equal",
      noisy: "noisy",
      machine: "machine",
    } as const;
    const cell = fc
      .tuple(fc.double({ min: 0.5, max: 2, noNaN: true }), fc.double({ min: 0.001, max: 0.2, noNaN: true }))
      .map(([seconds, error]) => cellOf(seconds, { roundSeconds: around(seconds, error) }));
    fc.assert(
      fc.property(cell, cell, (a, b) => {
        const [there, back] = [change(a, b), change(b, a)];
        expect(there.low * back.high).toBeCloseTo(1);
        if (Math.abs(there.low - 1.05) < 1e-6 || Math.abs(there.high - 1.05) < 1e-6) return;
        expect(back.verdict).toBe(contrary[there.verdict]);
      }),
    );
  });

  it("is called slower or faster in none of 5,000 pairs of runs of the same thing", () => {
    let state = 12345;
    const uniform = () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) / 2 ** 32;
    };
    // A tenth of noise with a long tail, as shared machines have.
    const run = () => {
      const noise = () => 1 + 0.1 * uniform() + (uniform() < 0.1 ? uniform() : 0);
      const roundSeconds = Array.from({ length: 12 }, noise);
      return cellOf(median(roundSeconds), { roundSeconds });
    };
    const verdicts = Array.from({ length: 5000 }, () => change(run(), run()).verdict);
    expect(verdicts.filter((verdict) => verdict === "slower" || verdict === "faster")).toHaveLength(0);
  });
});

describe("rows that are compared", () => {
  it("are matched by all that they are of; the rest is counted", () => {
    const before = [
      rowOf(1000, { gpu: cellOf(1), typed: cellOf(2), array: { skipped: "over 5 s" } }),
      rowOf(2000, { gpu: cellOf(1) }),
      rowOf(1000, { gpu: cellOf(5) }, { distribution: "zipf" }),
      rowOf(1500, { gpu: cellOf(1) }, { purpose: "crossover" }),
    ];
    const after = [
      rowOf(1000, { gpu: cellOf(1), typed: cellOf(4), array: cellOf(1) }),
      rowOf(1000, { gpu: cellOf(1) }, { algorithm: "radix" }),
      rowOf(1500, { gpu: cellOf(9) }, { purpose: "crossover" }),
    ];
    const { changes, unmatched } = compare(before, after, 0.05);
    expect(changes.map(({ way, verdict }) => [way, verdict])).toEqual([
      ["typed", "slower"],
      ["gpu", "equal"],
    ]);
    // Of before 2,000 and zipf; of after array and radix.
    expect(unmatched).toBe(4);
  });
});
