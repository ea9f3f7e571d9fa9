import { describe, expect, it } from "vitest";
import type { Phase, PhaseName } from "../../src/core/streams/phase_clock.js";
import { chromeTrace } from "../../src/report/trace.js";

const phase = (name: PhaseName, ...intervals: [number, number][]): Phase => ({
  name,
  ms: 0,
  bytes: 64,
  intervals,
});
const phases = [
  phase("start", [10, 110]),
  phase("prepare", [110, 180]),
  phase("read", [110, 140], [141, 170]),
  phase("upload", [140, 150], [170, 175]),
  phase("verify", [180, 181], [191, 192]),
  phase("sort", [181, 191]),
  phase("readback", [192, 195]),
  phase("write", [195, 250]),
  phase("publish", [250, 260]),
];
interface Event {
  readonly name: string;
  readonly ph: string;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
}
const parse = (text: string): Event[] => JSON.parse(text).traceEvents;
const sorted = { phases, device: "Some GPU", algorithm: "radix", gpuMs: 4, totalMs: 250 };
const times = { loadMs: 10, closeMs: 5 };
const events = parse(chromeTrace(sorted, times));
const spans = events.filter(({ ph }) => ph === "X");

describe("a Chrome trace", () => {
  it("has each interval of each phase, in microseconds, in order of time", () => {
    expect(spans.filter(({ name }) => name === "read")).toMatchObject([
      { ts: 110_000, dur: 30_000 },
      { ts: 141_000, dur: 29_000 },
    ]);
    expect(spans).toHaveLength(phases.flatMap(({ intervals = [] }) => intervals).length + 3);
    expect(spans.map(({ ts }) => ts)).toEqual(spans.map(({ ts }) => ts).sort((a, b) => a - b));
  });

  it("has the GPU's time on a row of its own, ending when the CPU learned of its end", () => {
    const gpu = spans.find(({ name }) => name === "radix sort")!;
    expect([gpu.ts, gpu.dur]).toEqual([187_000, 4000]);
    expect(spans.filter(({ tid }) => tid === gpu.tid)).toHaveLength(1);
  });

  it("names every row, and puts no overlapping phases on the same row", () => {
    const rows = new Set(spans.map(({ tid }) => tid));
    const named = events.filter(({ name }) => name === "thread_name").map(({ tid }) => tid);
    expect(new Set(named)).toEqual(rows);
    for (const row of rows) {
      const own = spans.filter(({ tid }) => tid === row);
      for (let i = 1; i < own.length; i++) {
        expect(own[i]!.ts, `row ${row}`).toBeGreaterThanOrEqual(own[i - 1]!.ts + own[i - 1]!.dur);
      }
    }
  });

  it("begins with the process, and ends when the engine is closed", () => {
    const named = (name: string) => spans.find((span) => span.name === name);
    expect(named("load")).toMatchObject({ ts: 0, dur: 10_000 });
    expect(named("close")).toMatchObject({ ts: 260_000, dur: 5000 });
  });

  it("has no row for the GPU if there is none", () => {
    const cpu = parse(chromeTrace({ ...sorted, device: "CPU", gpuMs: undefined }, times));
    expect(cpu.filter(({ ph }) => ph === "X")).toHaveLength(spans.length - 1);
  });
});
