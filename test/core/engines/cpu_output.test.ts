import { beforeEach, describe, expect, it, vi } from "vitest";
import type { KernelCall, KernelName } from "../../../src/core/cpu/kernels.js";
import { CallingThread } from "../../../src/core/cpu/runner.js";
import { elementType } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import type { SortJob } from "../../../src/core/engines/engine.js";
import { VerifyError } from "../../../src/core/errors.js";
import { memorySource } from "../../../src/core/streams/item_stream.js";
import { yieldToEventLoop } from "../../../src/core/streams/yield_to_event_loop.js";

const rounds = vi.hoisted(() => ({ bytes: 2 ** 20 }));

// So small that a few hundred keys are read in several windows, and sorted with several calls.
vi.mock("../../../src/core/cpu/tuning.js", async (original) => ({
  ...(await original<typeof import("../../../src/core/cpu/tuning.js")>()),
  windowKeys: () => 60,
  spreadBits: () => 5,
  PIECE_BYTES: 64,
  largestPart: () => 100,
  roundBytes: () => rounds.bytes,
  CALLS_PER_ROUND: 4,
}));

const keys = Uint32Array.from({ length: 1000 }, (_, i) => Math.imul(i, 2654435761));
const sorted = keys.slice().sort();
const job: SortJob = {
  ...{ type: elementType("u32"), keyCount: keys.length, descending: false, algorithm: "auto", verify: true },
  writesParts: true,
};

/** What happened, in order: a call that sorts some of the keys, or a write. */
type Event = "call" | "write";

/** Lets other events have their turn after each call, as threads do. */
class Stepwise extends CallingThread {
  readonly events: Event[] = [];
  /** Runs before each call that sorts. */
  before: (calls: number) => void = () => {};
  /** The call that sorts nothing. */
  fails = -1;

  override async run(...given: Parameters<CallingThread["run"]>): Promise<void> {
    const [kernel, calls, threads, { signal, ended } = {}] = given;
    for (const [i, call] of calls.entries()) {
      if (kernel.startsWith("sort")) await this.#sort(kernel, call, i, signal);
      else await super.run(kernel, [call], threads, { signal });
      ended?.(i + 1);
      for (let turn = 0; turn < 3; turn++) await yieldToEventLoop();
    }
  }

  async #sort(kernel: KernelName, call: KernelCall, i: number, signal: AbortSignal | undefined) {
    this.before(this.events.filter((event) => event === "call").length);
    this.events.push("call");
    if (i !== this.fails) await super.run(kernel, [call], 1, { signal });
  }
}

function sinkOf(runner: Stepwise, into: Uint32Array, offsets: number[] = []) {
  const bytes = new Uint8Array(into.buffer);
  let end = 0;
  return {
    write: async (from: Uint8Array, offset: number) => {
      await yieldToEventLoop(); // whatever is sorted meanwhile must not take the place of these keys
      offsets.push(from.byteOffset, from.byteOffset + from.length);
      expect(offset).toBe(end);
      end += from.length;
      bytes.set(from, offset);
      runner.events.push("write");
    },
    end: async () => {},
  };
}

describe.each([
  ["all at once", 2 ** 20],
  ["in rounds", 800],
])("parts of a result that is sorted %s", (_, bytes) => {
  beforeEach(() => {
    rounds.bytes = bytes;
  });

  it("lie in no more memory than two rounds take", async () => {
    const offsets: number[] = [];
    const runner = new Stepwise();
    const into = new Uint32Array(keys.length);
    await new CpuEngine(runner).sort(job, memorySource(keys), sinkOf(runner, into, offsets));
    expect(into).toEqual(sorted);
    expect(Math.max(...offsets) - Math.min(...offsets)).toBeLessThanOrEqual(2 * bytes);
  });

  it("are written while others are sorted, if they may be", async () => {
    for (const writesParts of [true, false]) {
      const runner = new Stepwise();
      const into = new Uint32Array(keys.length);
      const report = await new CpuEngine(runner).sort(
        { ...job, writesParts },
        memorySource(keys),
        sinkOf(runner, into),
      );
      expect(into).toEqual(sorted);
      expect(report.written).toBe(keys.length);
      expect(runner.events.indexOf("write") < runner.events.lastIndexOf("call")).toBe(writesParts);
    }
  });

  it("are not written from where they are not in order, and the sort fails", async () => {
    const runner = new Stepwise();
    runner.fails = 3;
    const into = new Uint32Array(keys.length);
    const sorting = new CpuEngine(runner).sort(job, memorySource(keys), sinkOf(runner, into));
    await expect(sorting).rejects.toThrow(VerifyError);
    expect(runner.events).toContain("write");
    const written = into.findLastIndex((key) => key !== 0) + 1;
    expect(written).toBeLessThan(keys.length);
    expect(into.subarray(0, written)).toEqual(sorted.subarray(0, written));
  });

  it("are written as a whole once the first one is, whatever the signal says, unless they are discarded", async () => {
    for (const [abortedAt, writesParts, isWritten] of [
      [0, true, false],
      [5, true, true],
      [5, "discarded", false],
    ] as const) {
      const runner = new Stepwise();
      const aborter = new AbortController();
      runner.before = (calls) => calls === abortedAt && aborter.abort("enough");
      const into = new Uint32Array(keys.length);
      const sorting = new CpuEngine(runner).sort(
        { ...job, writesParts, signal: aborter.signal },
        memorySource(keys),
        sinkOf(runner, into),
      );
      if (isWritten) await sorting;
      else await expect(sorting).rejects.toBe("enough");
      if (isWritten) expect(into).toEqual(sorted);
      else expect(into).not.toEqual(sorted);
      if (abortedAt === 0) expect(into).toEqual(new Uint32Array(keys.length));
    }
  });

  it("end with the sink's error", async () => {
    const runner = new Stepwise();
    const sink = { write: () => Promise.reject(new Error("full")), end: async () => {} };
    const engine = new CpuEngine(runner);
    await expect(engine.sort(job, memorySource(keys), sink)).rejects.toThrow("full");
    const into = new Uint32Array(keys.length);
    await engine.sort(job, memorySource(keys), sinkOf(runner, into));
    expect(into).toEqual(sorted);
  });
});
