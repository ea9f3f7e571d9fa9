import { afterEach, describe, expect, it, vi } from "vitest";
import { Crew, type CrewHost, type ThreadEvents } from "../../../src/core/cpu/crew.js";
import { CrewThread } from "../../../src/core/cpu/crew_thread.js";
import { ThreadPool } from "../../../src/core/cpu/thread_pool.js";
import { elementType } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import { DeviceError } from "../../../src/core/errors.js";
import { memorySink, memorySource } from "../../../src/core/streams/item_stream.js";

const later = (call: () => void) => void setImmediate(call);

/** Waits until the threads of the host below run. */
const threadsStart = () => new Promise<void>(later);

/** What becomes of a thread of the host below. */
type Fate = "runs" | "is refused" | "fails at once" | "fails later" | "ends silently";

/** A host whose threads share this one, by their numbers. `ran` gets the number of each that took part. */
function hostOf(fates: readonly Fate[], ran = new Set<number>()): CrewHost {
  return {
    endsSilently: true,
    start(given, { ready, finished, failed }: ThreadEvents) {
      const fate = fates[given.thread];
      if (fate === "is refused") throw new Error("no more threads");
      const thread = new CrewThread(given);
      let isEnded = false;
      later(() => !isEnded && (fate === "fails at once" ? failed(new Error("not found")) : ready()));
      return {
        post: (message) => thread.adopt(message),
        wake: (batch) =>
          later(() => {
            if (isEnded || fate === "ends silently" || fate === "fails at once") return;
            if (fate === "fails later") return failed(new Error("broken"));
            ran.add(given.thread);
            if (thread.takePart(batch)) finished();
          }),
        end: () => {
          isEnded = true;
        },
      };
    },
  };
}

const type = elementType("u32");
const keys = Uint32Array.from({ length: 5000 }, (_, i) => Math.imul(i, 2654435761));
const job = { type, keyCount: keys.length, descending: false, algorithm: "auto", verify: true };
const eager = { threadBytes: 1, sharedBytes: 1, freshBytes: 1, startBytes: 1 };

function engineOf(host: CrewHost): { sort(): Promise<Uint32Array>; close(): void } {
  const engine = new CpuEngine(new ThreadPool(new Crew(host), 4, eager));
  return {
    async sort() {
      const into = new Uint32Array(keys.length);
      await engine.sort(job, memorySource(keys), memorySink(into));
      return into;
    },
    close: () => engine.close(),
  };
}

afterEach(() => vi.useRealTimers());

it("a thread asks for the length of a memory that it gets, which may have grown meanwhile", () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });
  const grow = vi.spyOn(memory, "grow");
  const module = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  const control = new Int32Array(new SharedArrayBuffer(64));
  new CrewThread({ thread: 0, control }).adopt({ number: 0, work: { memory, module, names: [] } });
  expect(grow.mock.calls).toEqual([[0]]);
});

describe("a crew", () => {
  it.each<[string, Fate[], number[]]>([
    ["all its threads", ["runs", "runs", "runs", "runs"], [0, 1, 2, 3]],
    ["those before one that is refused", ["runs", "runs", "is refused"], [0, 1]],
    ["those before one that fails while it starts", ["runs", "runs", "fails at once", "runs"], [0, 1]],
    ["the calling thread alone if the first is refused", ["is refused"], []],
    ["the calling thread alone if the first fails while it starts", ["fails at once", "runs"], []],
  ])("sorts on %s", async (_, fates, expected) => {
    const ran = new Set<number>();
    const { sort, close } = engineOf(hostOf(fates, ran));
    for (let turn = 0; turn < 4; turn++) {
      expect(await sort()).toEqual(keys.slice().sort());
      await threadsStart();
    }
    expect([...ran].sort()).toEqual(expected);
    close();
  });

  it("starts threads for a first sort only if it is much larger than one that takes those that run", async () => {
    const MiB = 2 ** 20;
    const pool = (threads: number) => new ThreadPool(new Crew(hostOf(Array(threads).fill("runs"))), threads);
    expect([4, 64, 96].map((size) => pool(2).threadsFor(size * MiB))).toEqual([1, 1, 2]);
    expect([8, 24, 32, 64].map((size) => pool(16).threadsFor(size * MiB))).toEqual([1, 6, 8, 16]);

    const running = pool(2);
    running.threadsFor(96 * MiB);
    await threadsStart();
    expect([3, 4, 32].map((size) => running.threadsFor(size * MiB))).toEqual([1, 2, 2]);
  });

  it("starts them for a second sort, however small", async () => {
    const pool = new ThreadPool(new Crew(hostOf(["runs", "runs"])), 2);
    expect([pool.threadsFor(2 ** 22), pool.threadsFor(2 ** 22)]).toEqual([1, 1]);
    await threadsStart();
    expect(pool.threadsFor(2 ** 22)).toBe(2);
  });

  it("reports a thread that fails, and starts new ones", async () => {
    const fates: Fate[] = ["runs", "fails later", "runs", "runs"];
    const { sort, close } = engineOf(hostOf(fates));
    await sort(); // while they start, this thread sorts so few keys
    await threadsStart();
    const error = await sort().catch((error) => error);
    expect(error).toBeInstanceOf(DeviceError);
    expect(error.message).toBe("a thread of the CPU's sort failed: broken");
    fates[1] = "runs";
    expect(await sort()).toEqual(keys.slice().sort());
    close();
  });

  it("reports a thread that ends without a word after 15 seconds", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { sort, close } = engineOf(hostOf(["ends silently"]));
    await sort();
    await threadsStart();
    let outcome: unknown;
    const sorting = sort().catch((error) => {
      outcome = error;
    });
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(outcome).toBeUndefined();
    await vi.advanceTimersByTimeAsync(3_000);
    await sorting;
    expect(outcome).toBeInstanceOf(DeviceError);
    expect((outcome as DeviceError).message).toMatch("it does not answer any more");
    expect(vi.getTimerCount()).toBe(0);
    close();
  });
});
