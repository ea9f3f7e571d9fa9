import { afterAll, describe, expect, it } from "vitest";
// The threads load the built worker, so the pool and the engine come from the build too.
import { bytesOf } from "../../dist/core/bytes.js";
import { ThreadPool } from "../../dist/core/cpu/thread_pool.js";
import { elementType } from "../../dist/core/elements.js";
import { CpuEngine } from "../../dist/core/engines/cpu.js";
import type { SortJob } from "../../dist/core/engines/engine.js";
import { DeviceError } from "../../dist/core/errors.js";
import { Sorter } from "../../dist/core/sorter/sorter.js";
import { memorySink, memorySource } from "../../dist/core/streams/item_stream.js";
import { crew } from "../../dist/threads/crew.js";
import { elementTypes } from "../../src/core/elements.js";
import { describeConformance } from "../support/conformance.js";
import { engineSort } from "../support/engine.js";
import { describeEngine } from "../support/engine_conformance.js";
import { describeSelection } from "../support/expected_output.js";

/** Threads take part in a sort of a few keys. */
const atAnySize = { threadBytes: 1, sharedBytes: 1, freshBytes: 1, startBytes: 1 };
const threaded = (threads: number) => new CpuEngine(new ThreadPool(crew, threads, atAnySize));

// Each type is sorted by one of the pools; each pool sorts keys of every width, and floats.
for (const [turn, threads] of [2, 5].entries()) {
  const types = elementTypes.filter((_, i) => i % 2 === turn);
  const engine = threaded(threads);
  afterAll(() => engine.close());
  const sizes = [0, 1, threads - 1, threads, threads + 1, 33, 2047, 2049];
  describeConformance(`${threads} threads`, engineSort(engine, "auto"), sizes, types);
  describe(`${threads} threads`, () => {
    describeEngine(engine, [0, 1, 2, 127, 1000], 50);
    describeSelection(engine, [0, 1, threads - 1, threads, threads + 1, 1000], 1, types);
  });
}

const u32 = elementType("u32");
const count = 3 << 18;
const job: SortJob = { type: u32, keyCount: count, descending: false, algorithm: "auto", verify: true };

function random(seed: number): Uint32Array<ArrayBuffer> {
  let state = seed;
  return new Uint32Array(count).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state ^ (state >>> 13);
  });
}

describe("a pool of threads", () => {
  it("fails the sort whose thread ends at any moment, and sorts the next one", async () => {
    const keys = random(1);
    const expected = keys.slice(0, 1000).sort();
    let [failed, sorted] = [0, 0];
    for (let turn = 0; turn < 12; turn++) {
      const engine = threaded(2);
      const into = new Uint32Array(count);
      const sorting = engine.sort(job, memorySource(keys), memorySink(into));
      const closing = setTimeout(() => engine.close(), turn);
      await sorting
        .finally(() => clearTimeout(closing))
        .then(
          () => sorted++,
          (error) => {
            failed++;
            expect(into.every((key) => key === 0)).toBe(true);
            expect(error).toBeInstanceOf(Error);
          },
        );
      const again = new Uint32Array(1000);
      const next = threaded(2);
      await next.sort({ ...job, keyCount: 1000 }, memorySource(keys), memorySink(again));
      expect(again).toEqual(expected);
      next.close();
      engine.close();
    }
    expect(failed + sorted).toBe(12);
  });

  it("keeps a small memory for less, but no large one", () => {
    const pool = new ThreadPool(crew, 2, atAnySize);
    const small = pool.makeMemory(1 << 22);
    expect(pool.makeMemory(1 << 16)).toBe(small);
    const large = pool.makeMemory(1 << 24);
    expect(pool.makeMemory(1 << 16)).not.toBe(large);
    pool.close();
  });

  it("reports a thread that fails as a DeviceError, and starts new threads", async () => {
    const pool = new ThreadPool(crew, 2, atAnySize);
    pool.threadsFor(8);
    pool.makeMemory(1 << 20);
    while (crew.running < 2) await new Promise((resolve) => setTimeout(resolve, 1)); // or this thread would run it
    const outOfBounds = [1 << 30, 1000, 2048 * 64, 0, 255];
    await expect(pool.run("count_4", [outOfBounds, outOfBounds], 2)).rejects.toThrow(DeviceError);
    pool.makeMemory(1 << 20);
    await pool.run(
      "count_4",
      [
        [2048 * 64, 0, 2048 * 65, 0, 255],
        [2048 * 64, 0, 2048 * 66, 0, 255],
      ],
      2,
    );
    pool.close();
  });

  it("ends a sort at an abort in any of its steps, runs no other step, and writes nothing", async () => {
    /** A pool that aborts while it runs the kernels of one step. */
    class Aborting extends ThreadPool {
      readonly aborter = new AbortController();
      readonly ended: number[] = [];
      #runs = 0;

      constructor(readonly abortedRun: number) {
        super(crew, 2, atAnySize);
      }

      override async run(...step: Parameters<ThreadPool["run"]>): Promise<void> {
        const number = this.#runs++;
        const running = super.run(...step);
        if (number === this.abortedRun) this.aborter.abort(reason);
        await running;
        this.ended.push(number);
      }
    }
    const reason = new Error("stop");
    const keys = random(2);
    let step = 0;
    for (; ; step++) {
      const pool = new Aborting(step);
      const engine = new CpuEngine(pool);
      const { signal } = pool.aborter;
      const into = new Uint32Array(count);
      const sorting = engine.sort({ ...job, signal }, memorySource(keys), memorySink(into));
      const outcome = await sorting.then(
        () => "sorted",
        (error) => error,
      );
      engine.close();
      if (!signal.aborted) break;
      expect(outcome).toBe(reason);
      expect(Math.max(...pool.ended)).toBeLessThanOrEqual(step);
      expect(into.every((key) => key === 0)).toBe(true);
    }
    expect(step).toBeGreaterThan(4);
  });

  it("copies arrays in shared memory by all threads, from where they begin to where they begin", async () => {
    const engine = threaded(3);
    const shared = (offset: number) => new Uint32Array(new SharedArrayBuffer(4 * count + 64), offset, count);
    for (const offset of [0, 4, 60]) {
      const [keys, into] = [shared(offset), shared(64 - offset)];
      keys.set(random(offset));
      const source = {
        read: () => Promise.reject(new Error("not shared")),
        sample: memorySource(keys),
        shared: bytesOf(keys),
      };
      const sink = {
        write: () => Promise.reject(new Error("not shared")),
        fill: (fill: (bytes: Uint8Array) => Promise<void>) => fill(bytesOf(into)),
        end: async () => {},
      };
      await engine.sort(job, source, sink);
      expect(Buffer.compare(bytesOf(into), bytesOf(random(offset).sort()))).toBe(0);
    }
    engine.close();
  });

  it("sorts arrays in shared memory in place, and copies them by the calling thread if it has no other", async () => {
    for (const threads of [1, 2]) {
      const sorter = new Sorter({ engine: threaded(threads) });
      const keys = new Uint32Array(new SharedArrayBuffer(4 * count));
      keys.set(random(5));
      await sorter.sort(keys, { into: keys });
      expect(Buffer.compare(bytesOf(keys), bytesOf(random(5).sort()))).toBe(0);
      sorter.destroy();
    }
  });
});
