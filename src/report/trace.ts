import type { Phase, PhaseName } from "../core/streams/phase_clock.js";
import type { ProcessTimes } from "./phases.js";

/** The data of a trace. */
interface TracedSort {
  readonly phases: readonly Phase[];
  readonly device: string;
  readonly algorithm: string;
  readonly gpuMs: number | undefined;
  readonly totalMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: "X" | "M";
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts?: number;
  readonly dur?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

const PID = 1;
const GPU_ROW = 100;

/** The CPU's rows, from top to bottom. Phases that overlap are on different rows. */
const rowOf: Record<PhaseName, number> = {
  start: 1,
  prepare: 2,
  read: 3,
  upload: 4,
  sort: 5,
  convert: 5,
  unique: 5,
  verify: 5,
  extract: 6,
  move: 6,
  readback: 4,
  spill: 3,
  gather: 3,
  copy: 6,
  write: 3,
  publish: 1,
};

const rowNames: Record<number, string> = {
  1: "CPU: command",
  2: "CPU: buffers and kernels",
  3: "CPU: files",
  4: "CPU: waiting for transfers",
  5: "CPU: waiting for the device",
  6: "CPU: records and copies",
  [GPU_ROW]: "GPU",
};

/**
 * Makes a Chrome trace that Perfetto and chrome://tracing open ("Trace Event Format", complete events). It
 * begins with the process. The phases of a sort are on the CPU's rows. The GPU's row shows the sort, as long
 * as the GPU's clock measured it. That clock differs from the CPU's, so the GPU's sort is drawn to end when
 * the CPU learned of its end.
 */
export function chromeTrace(
  { phases, device, algorithm, gpuMs, totalMs }: TracedSort,
  { loadMs, closeMs }: ProcessTimes,
): string {
  const spans = phases.flatMap(({ name, bytes, intervals = [] }) =>
    intervals.map(([begin, end]) => span(name, rowOf[name], begin, end, { phaseBytes: bytes })),
  );
  const published = loadMs + totalMs;
  spans.push(span("load", rowOf.start, 0, loadMs, {}));
  spans.push(span("close", rowOf.publish, published, published + closeMs, {}));
  const sorting = phases.find(({ name }) => name === "sort")?.intervals?.at(-1);
  if (sorting && gpuMs !== undefined) {
    spans.push(span(`${algorithm} sort`, GPU_ROW, sorting[1] - gpuMs, sorting[1], { device, gpuMs }));
  }
  const used = [...new Set(spans.map(({ tid }) => tid))];
  const names = used.flatMap((tid) => [
    { name: "thread_name", ph: "M", pid: PID, tid, args: { name: rowNames[tid] } } as const,
    { name: "thread_sort_index", ph: "M", pid: PID, tid, args: { sort_index: tid } } as const,
  ]);
  const process = {
    name: "process_name",
    ph: "M",
    pid: PID,
    tid: 0,
    args: { name: `gpusort on ${device}` },
  } as const;
  const traceEvents: TraceEvent[] = [process, ...names, ...spans.sort((a, b) => a.ts! - b.ts!)];
  return `${JSON.stringify({ traceEvents, displayTimeUnit: "ms" })}\n`;
}

function span(
  name: string,
  tid: number,
  beginMs: number,
  endMs: number,
  args: Readonly<Record<string, unknown>>,
): TraceEvent {
  return { name, ph: "X", pid: PID, tid, ts: beginMs * 1000, dur: (endMs - beginMs) * 1000, args };
}
