import { describe, expect, it } from "vitest";
import { compare } from "../../src/bench/compare.js";
import type { BenchRow } from "../../src/bench/schema.js";
import { comparisonText } from "../../src/report/compare.js";
import { cellOf, roundsAround, rowOf } from "../support/bench.js";

const of = (seconds: number, more = {}) =>
  cellOf(seconds, { roundSeconds: roundsAround(seconds, 0.01), ...more });
const result = (rows: BenchRow[], threads = 2) => ({ rows, environment: { threads } });
const slow = { roundReferenceSeconds: Array(12).fill(0.002) };

describe("a comparison", () => {
  const before = [rowOf(1000, { typed: of(1), gpu: of(1) }), rowOf(1_000_000, { typed: of(1), gpu: of(1) })];
  const after = [
    rowOf(1000, { typed: of(1.3), gpu: of(1.001) }),
    rowOf(1_000_000, { typed: of(2, slow), gpu: of(0.1) }),
    rowOf(2_000_000, { gpu: of(1) }),
  ];

  it("is a table of each cell's change and its interval, followed by a summary", () => {
    const text = comparisonText(compare(result(before), result(after), 0.05), 80);
    expect(`\n${text}`).toMatchInlineSnapshot(`
      "
      ┌───────────┬────────────┬─────────┬─────────┬────────┬─────────────┬─────────┐
      │      keys │            │     old │     new │ change │      surely │ verdict │
      │           │            │         │         │        │     between │         │
      ├───────────┼────────────┼─────────┼─────────┼────────┼─────────────┼─────────┤
      │     1,000 │ typed      │  1.00 s │  1.30 s │   +30% │   +27% +33% │ slower  │
      │     1,000 │ gpu        │  1.00 s │  1.00 s │  +0.1% │ -1.9% +2.1% │ equal   │
      │ 1,000,000 │ typed      │  1.00 s │  2.00 s │  +100% │  +96% +104% │ machine │
      │ 1,000,000 │ gpu        │  1.00 s │  100 ms │   -90% │   -90% -90% │ faster  │
      └───────────┴────────────┴─────────┴─────────┴────────┴─────────────┴─────────┘
      1 slower, 1 faster, 1 equal, 1 too noisy to tell, with a threshold of 5.0%.
      machine: seconds and units of the reference work give different verdicts
      Cells that only one of the two results has: 1.
      "
    `);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it("shows the axes that have several values", () => {
    const both = (rows: typeof before) => [...rows, ...rows.map((row) => ({ ...row, distribution: "zipf" }))];
    expect(comparisonText(compare(result(both(before)), result(both(before)), 0.05), 120)).toMatch(
      /│ zipf +│ 1,000,000 │ gpu/,
    );
  });

  it("tells tasks apart, and compares none with another", () => {
    const both = (rows: typeof before) => [...rows, ...rows.map((row) => ({ ...row, task: "top:9" }))];
    const text = comparisonText(compare(result(before), result(both(before)), 0.05), 120);
    expect(text).not.toContain("top:9");
    expect(text).toContain("Cells that only one of the two results has: 4.");
    expect(comparisonText(compare(result(both(before)), result(both(after)), 0.05), 120)).toMatch(
      /│ top:9 +│ +1,000 │ typed .* slower/,
    );
  });

  it("says that the number of threads changed, and blames it", () => {
    const [old, now] = [rowOf(1000, { cpu: of(1), typed: of(1) }), rowOf(1000, { cpu: of(2), typed: of(2) })];
    const text = comparisonText(compare(result([old], 16), result([now], 2), 0.05), 80);
    expect(`\n${text}`).toMatchInlineSnapshot(`
      "
      ┌───────┬────────────┬─────────┬─────────┬────────┬─────────────┬─────────┐
      │  keys │            │     old │     new │ change │      surely │ verdict │
      │       │            │         │         │        │     between │         │
      ├───────┼────────────┼─────────┼─────────┼────────┼─────────────┼─────────┤
      │ 1,000 │ typed      │  1.00 s │  2.00 s │  +100% │  +96% +104% │ slower  │
      │ 1,000 │ cpu        │  1.00 s │  2.00 s │  +100% │  +96% +104% │ machine │
      └───────┴────────────┴─────────┴─────────┴────────┴─────────────┴─────────┘
      1 slower, 0 faster, 0 equal, 1 too noisy to tell, with a threshold of 5.0%.
      cpu had 16 threads at most and now has 2, so its change is called machine
      "
    `);
    expect(comparisonText(compare(result([old]), result([now]), 0.05), 80)).not.toContain("threads");
  });

  it("of no cells counts none", () => {
    expect(comparisonText(compare(result([]), result(after), 0.05), 80)).toContain(
      "0 slower, 0 faster, 0 equal, 0 too noisy",
    );
  });
});
