import { describe, expect, it } from "vitest";
import { type CommandRun, measureCommand } from "../../src/bench/end_to_end.js";
import { EndToEndTable } from "../../src/report/end_to_end.js";
import { axesWith } from "../support/bench.js";

const point = { type: "u32", distribution: "uniform", payloadBytes: 0, keyCount: 1000 };
/** The options of a measurement that has so many seconds. */
const within = (seconds: number, now: () => number) => ({
  relativeError: 0.05,
  deadline: now() + 1000 * seconds,
  now,
});

function command(processMs: (run: number) => number) {
  let [now, runs] = [0, 0];
  const run = async (): Promise<CommandRun> => {
    const ms = processMs(runs++);
    now += ms;
    const phases = [
      { name: "start", ms: ms / 2 },
      { name: "sort", ms: ms / 4 },
      { name: "publish", ms: 1 },
    ] as const;
    return { device: "Some GPU", algorithm: "radix", phases, totalMs: ms - 100, processMs: ms };
  };
  return { run, now: () => now, runs: () => runs };
}

describe("the whole command", () => {
  it("is run once to warm up, and then until its median is known", async () => {
    const { run, now, runs } = command((i) => (i === 0 ? 9000 : 400));
    expect(await measureCommand(point, run, within(60, now))).toEqual({
      ...point,
      device: "Some GPU",
      algorithm: "radix",
      phases: [
        { name: "start", medianMs: 200 },
        { name: "sort", medianMs: 100 },
        { name: "publish", medianMs: 1 },
      ],
      totalMs: 300,
      processMs: 400,
      relativeError: 0,
      runs: 6,
    });
    expect(runs()).toBe(7);
  });

  it("is run as often as its time allows, and at least once", async () => {
    const noisy = (i: number) => 1000 + (i % 3) * 500;
    const { run, now } = command(noisy);
    // 1 s to warm up, then 1.5 and 2 s. As the median, the next is likely to take 1.75 s.
    expect(await measureCommand(point, run, within(6, now))).toMatchObject({ runs: 2, relativeError: null });
    const late = command(noisy);
    expect(await measureCommand(point, late.run, within(0, late.now))).toMatchObject({ runs: 1 });
  });

  it("is shown as a table of its phases, in the order of a sort, within 80 characters", async () => {
    const { run, now } = command(() => 400);
    const row = await measureCommand(point, run, within(60, now));
    const table = new EndToEndTable(axesWith({}), 80);
    expect(`\n${table.head()}${table.row(row)}${table.foot()}`).toMatchInlineSnapshot(`
      "
      ┌───────┬──────────┬──────────┬──────────┬──────────┬──────────┬──────────┐
      │  keys │    start │  prepare │     read │   upload │  verify, │     sort │
      │       │          │          │          │          │  convert │          │
      │       │ readback │    write │  publish │    total │  process │    error │
      ├───────┼──────────┼──────────┼──────────┼──────────┼──────────┼──────────┤
      │ 1,000 │   200 ms │          │          │          │          │   100 ms │
      │       │          │          │  1.00 ms │   300 ms │   400 ms │    ±0.0% │
      └───────┴──────────┴──────────┴──────────┴──────────┴──────────┴──────────┘
      "
    `);
  });
});
