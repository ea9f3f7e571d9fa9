import { describe, expect, it } from "vitest";
import { memorySink, memorySource } from "../../../src/core/streams/item_stream.js";
import { ProgressMeter, type ProgressState } from "../../../src/core/streams/progress.js";

/** A meter, what it reports, and its clock. */
function meter() {
  const states: ProgressState[] = [];
  const clock = { ms: 0 };
  const progress = new ProgressMeter(
    (state) => states.push(state),
    () => clock.ms,
  );
  return { states, clock, progress };
}

const bytes = (length: number) => new Uint8Array(length);

describe("the progress meter", () => {
  it("counts the bytes of each phase, and of all", async () => {
    const { states, progress } = meter();
    progress.expect({ reading: 8, writing: 8 });
    await progress.source("reading", memorySource(bytes(8))).read(bytes(8), 0);
    progress.enter("sorting");
    await progress.sink("writing", memorySink(bytes(8))).write(bytes(8), 0);
    const common = { totalBytes: 16, secondsLeft: undefined };
    const sizes = (phaseBytes: number, doneBytes: number) => ({ phaseBytes, phaseTotalBytes: 8, doneBytes });
    expect(states).toEqual([
      { ...common, phase: "reading", movesBytes: true, ...sizes(0, 0) },
      { ...common, phase: "reading", movesBytes: true, ...sizes(8, 8) },
      { ...common, phase: "sorting", movesBytes: false, ...sizes(0, 8), phaseTotalBytes: undefined },
      { ...common, phase: "writing", movesBytes: true, ...sizes(0, 8) }, // before anything is written
      { ...common, phase: "writing", movesBytes: true, ...sizes(8, 16) },
    ]);
  });

  it("reports a stream before its first byte, because that may be long in coming", async () => {
    const { states, progress } = meter();
    const next = async () => {
      expect(states).toMatchObject([{ phase: "reading", phaseBytes: 0, totalBytes: undefined }]);
      return 0;
    };
    await progress.stream("reading", { itemCount: undefined, next }, 4).next(bytes(8));
    expect(states).toHaveLength(2);
  });

  it("reports the first phase when the job begins, so that no earlier phase seems to go on", () => {
    const { states, progress } = meter();
    progress.enter("opening a device");
    progress.expect({ reading: 8, writing: 8 });
    expect(states.map(({ phase, movesBytes }) => [phase, movesBytes])).toEqual([
      ["opening a device", false],
      ["reading", true],
    ]);
  });

  it("estimates the time left by the phases that share the work evenly; the estimate never grows", async () => {
    const { states, clock, progress } = meter();
    progress.expect({ reading: 100, writing: 100 }, ["writing"]);
    await progress.source("reading", memorySource(bytes(100))).read(bytes(100), 0);
    const sink = progress.sink("writing", memorySink(bytes(100)));
    const left: (number | undefined)[] = [];
    for (const [ms, some] of [
      [1000, 10], // 10 of 100 in 1 s: 9 s left
      [60_000, 10], // slow: 240 s by the rate
      [60_500, 75],
      [61_000, 5],
    ] as const) {
      clock.ms = ms;
      await sink.write(bytes(some), 0);
      left.push(states.at(-1)!.secondsLeft);
    }
    expect(states[0]!.secondsLeft).toBeUndefined();
    expect(left.map((seconds) => Math.round(seconds!))).toEqual([9, 9, 3, 0]);
  });

  it("gives no estimate if a total is unknown, or if no phase tells it", async () => {
    for (const [phases, paced] of [
      [{ writing: undefined }, ["writing"]],
      [{ writing: 10 }, []],
    ] as const) {
      const { states, clock, progress } = meter();
      progress.expect(phases, paced);
      clock.ms = 1000;
      await progress.sink("writing", memorySink(bytes(8))).write(bytes(8), 0);
      expect(states.at(-1)!.secondsLeft).toBeUndefined();
    }
  });

  it("counts from 0 if a job begins anew", async () => {
    const { states, progress } = meter();
    for (let attempt = 0; attempt < 2; attempt++) {
      progress.expect({ reading: 8 });
      await progress.source("reading", memorySource(bytes(8))).read(bytes(8), 0);
      expect(states.at(-1)).toMatchObject({ phaseBytes: 8, doneBytes: 8, totalBytes: 8 });
    }
  });
});
