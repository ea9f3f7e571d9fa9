import type { Phase, PhaseName } from "../engines/phases.js";

/** What a trace is made of. */
interface TracedSort {
  readonly phases: readonly Phase[];
  readonly device: string;
  readonly algorithm: string;
  readonly gpuMs: number | undefined;
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

/** Rows of the CPU, from top to bottom: what overlaps must stand on rows of its own. */
const rowOf: Record<PhaseName, number> = {
  start: 1,
  prepare: 2,
  read: 3,
  upload: 4,
  sort: 5,
  verify: 5,
  extract: 6,
  move: 6,
  readback: 4,
  spill: 3,
  gather: 3,
  write: 3,
  publish: 1,
};

const rowNames: Record<number, string> = {
  1: "CPU: command",
  2: "CPU: buffers and kernels",
  3: "CPU: files",
  4: "CPU: waiting for transfers",
  5: "CPU: waiting for the device",
  6: "CPU: records",
  [GPU_ROW]: "GPU",
};

/**
 * A Chrome trace, as Perfetto and chrome://tracing open it ("Trace Event Format", complete events): the phases of a
 * sort on the rows of the CPU, and on the GPU's what its own clock said. That clock is another than the CPU's: the sort
 * on the GPU is drawn so that it ends when the CPU heard of it.
 */
export function chromeTrace({ phases, device, algorithm, gpuMs }: TracedSort): string {
  const spans = phases.flatMap(({ name, bytes, intervals = [] }) =>
    intervals.map(([begin, end]) => span(name, rowOf[name], begin, end, { phaseBytes: bytes })),
  );
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
