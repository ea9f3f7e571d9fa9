import { describe, expect, it } from "vitest";
import { cpuContender, gpuRoundTripContender, gpuSortContender } from "../../src/bench/engine_contenders.js";
import { arrayContender, typedArrayContender } from "../../src/bench/javascript_contenders.js";
import { sortTask } from "../../src/bench/tasks.js";
import { type ElementType, elementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import { CpuEngine } from "../../src/core/engines/cpu.js";
import type { Engine, GpuClock, SortJob } from "../../src/core/engines/engine.js";
import { distributions, sortedCopy, valueAt } from "../support/keys.js";

const u32 = elementType("u32");

/** Compares keys as the benchmark does: all NaNs are equal, and -0 differs from +0. */
function same(a: KeyArray, b: KeyArray): boolean {
  return a.length === b.length && a.every((_: unknown, i: number) => Object.is(valueAt(a, i), valueAt(b, i)));
}

const bits = (keys: KeyArray) => new Uint8Array(keys.slice().buffer);

describe.each([
  ["Array.prototype.sort", (type: ElementType) => arrayContender(type)],
  ["TypedArray.prototype.sort", () => typedArrayContender()],
  ["gpusort on the CPU", (type: ElementType) => cpuContender(new CpuEngine(), type)],
])("%s as a contender", (_, make) => {
  it.each(elementTypes)("sorts $name keys in every run and does not modify its input", async (type) => {
    for (const [name, distribution] of Object.entries(distributions)) {
      for (const size of [1, 2, 3, 500]) {
        const keys = distribution(type, size);
        const before = bits(keys);
        const trial = await make(type).start(keys);
        for (let run = 0; run < 3; run++) {
          await trial.run();
          expect(same((await trial.result()).keys, sortedCopy(keys, false)), `${name}, ${size}`).toBe(true);
          expect(bits(keys)).toEqual(before);
        }
        trial.end();
      }
    }
  });
});

/** The keys that TypedArray.prototype.sort gets in each run, recorded by an array class that spies on it. */
async function givenToTyped(keys: Uint32Array): Promise<string[]> {
  const seen: string[] = [];
  class Spy extends Uint32Array {
    override sort(): this {
      seen.push([...this].join(" "));
      return super.sort();
    }
  }
  const trial = await typedArrayContender().start(new Spy(keys));
  for (let run = 0; run < 4; run++) await trial.run();
  return seen;
}

/** The keys that the CPU engine reads in each run. */
async function givenToEngine(keys: Uint32Array): Promise<string[]> {
  const seen: string[] = [];
  const cpu = new CpuEngine();
  const engine: Engine = {
    device: "CPU",
    gpuClock: undefined,
    algorithmFor: () => "",
    memoryPerKey: () => 8,
    capacity: () => 1000,
    argsort: cpu.argsort.bind(cpu),
    sort: async (job, source, sink) => {
      const read = new Uint32Array(job.keyCount);
      await source.read(new Uint8Array(read.buffer), 0);
      seen.push(read.join(" "));
      return cpu.sort(job, source, sink);
    },
    close: () => {},
  };
  const trial = await cpuContender(engine, u32).start(keys);
  for (let run = 0; run < 4; run++) await trial.run();
  return seen;
}

describe.each([
  ["TypedArray.prototype.sort", givenToTyped],
  ["gpusort on the CPU", givenToEngine],
])("the keys of a contender on the CPU, %s,", (_, given) => {
  it("come in another order for each run, so that branch prediction cannot learn them", async () => {
    const orders = await given(distributions.uniform!(u32, 50) as Uint32Array);
    expect(new Set(orders).size).toBe(4);
  });

  it("keep their order if they are ascending or descending, because that order is to be timed", async () => {
    const ascending = Uint32Array.from({ length: 50 }, (_, i) => i);
    expect(new Set(await given(ascending))).toEqual(new Set([ascending.join(" ")]));
    const descending = ascending.slice().reverse();
    expect(new Set(await given(descending))).toEqual(new Set([descending.join(" ")]));
  });
});

describe("the time of a contender on the CPU", () => {
  it.each([
    ["Array.prototype.sort", (now: () => number) => arrayContender(u32, 0, sortTask, now)],
    ["TypedArray.prototype.sort", (now: () => number) => typedArrayContender(0, sortTask, now)],
  ])("is the time of the sort alone, in seconds: %s", async (_, make) => {
    let reading = 0;
    const trial = await make(() => {
      reading += 250;
      return reading;
    }).start(distributions.uniform!(u32, 10));
    expect(Object.values(await trial.run())).toEqual([0.25]);
  });

  it("is the whole time that its caller waits, for gpusort", async () => {
    const { engine } = fakeEngine("timestamp queries", 1000, () => 1);
    const trial = await cpuContender(engine, u32).start(distributions.uniform!(u32, 9));
    expect(await trial.run()).toEqual({ cpu: 0.125 });
  });
});

describe("gpusort on the CPU as a contender", () => {
  it("accepts as many keys as the engine can sort, and refuses more", () => {
    const { refuses } = cpuContender(fakeEngine("wall clock", 1000, () => 1).engine, u32);
    expect(refuses(1000)).toBeUndefined();
    expect(refuses(1001)).toBe("too many");
  });

  it("does not check its results, as the GPU does not", async () => {
    const { engine, jobs } = fakeEngine("timestamp queries", 1000, () => 1);
    for (const contender of [cpuContender(engine, u32), gpuRoundTripContender(engine, u32, "auto")]) {
      await (await contender.start(distributions.uniform!(u32, 9))).run();
    }
    expect(jobs.map(({ verify }) => verify)).toEqual([false, false]);
  });
});

describe("Array.prototype.sort as a contender", () => {
  it("accepts as many elements as V8 keeps in a plain array, and refuses more", () => {
    const { refuses } = arrayContender(u32);
    expect(refuses(2 ** 25)).toBeUndefined();
    expect(refuses(2 ** 25 + 1)).toBe("too long");
  });
});

/** An engine that sorts on the CPU but claims to be a GPU with this capacity. */
function fakeEngine(gpuClock: GpuClock, capacity: number, runMs: () => number) {
  const asked: number[] = [];
  const jobs: SortJob[] = [];
  let destroyed = 0;
  const cpu = new CpuEngine();
  const engine: Engine = {
    device: "Some GPU",
    gpuClock,
    algorithmFor: () => "bitonic",
    capacity: () => capacity,
    memoryPerKey: () => 8,
    argsort: cpu.argsort.bind(cpu),
    sort: async (job, source, sink, values) => {
      jobs.push(job);
      return {
        ...(await cpu.sort(job, source, sink, values)),
        totalMs: 125,
        phases: [
          { name: "read", ms: 20, bytes: 0, intervals: [[0, 20]] },
          { name: "upload", ms: 10, bytes: 0, intervals: [[15, 25]] },
          { name: "sort", ms: 50, bytes: 0, intervals: [[25, 75]] },
          { name: "readback", ms: 5, bytes: 0, intervals: [[75, 80]] },
          { name: "write", ms: 5, bytes: 0, intervals: [[80, 85]] },
        ],
      };
    },
    resident: async ({ type, keyCount }, source) => {
      const keys = new type.array(keyCount);
      await source.read(new Uint8Array(keys.buffer as ArrayBuffer), 0);
      return {
        run: async (repeats) => {
          asked.push(repeats);
          keys.sort();
          return runMs();
        },
        read: (sink) => sink.write(new Uint8Array(keys.buffer as ArrayBuffer), 0),
        destroy: () => {
          destroyed++;
        },
      };
    },
    close: () => {},
  };
  return { engine, asked, jobs, destroyed: () => destroyed };
}

const gpuContenders = [
  ["sort alone", gpuSortContender],
  ["with upload and readback", gpuRoundTripContender],
] as const;

describe.each(gpuContenders)("an engine as a contender, %s,", (name, make) => {
  it.each(elementTypes)("sorts $name keys and does not modify its input", async (type) => {
    const { engine } = fakeEngine("timestamp queries", 1000, () => 1);
    const contender = make(engine, type, "auto");
    expect(contender.name).toBe(`Some GPU, auto, ${name}`);
    const keys = distributions.specials!(type, 300);
    const before = bits(keys);
    const trial = await contender.start(keys);
    await trial.run();
    await trial.run();
    expect(same((await trial.result()).keys, sortedCopy(keys, false))).toBe(true);
    expect(bits(keys)).toEqual(before);
    trial.end();
  });

  it("accepts as many keys as the engine can sort, and refuses more", () => {
    const { refuses } = make(fakeEngine("wall clock", 1000, () => 1).engine, u32, "auto");
    expect(refuses(1000)).toBeUndefined();
    expect(refuses(1001)).toBe("too many");
  });

  it("refuses every size if there is no adapter", () => {
    expect(make(new CpuEngine(), u32, "auto").refuses(1)).toBe("no adapter");
  });
});

describe("an engine's sort alone", () => {
  const keys = distributions.uniform!(u32, 100);

  it("is timed by the engine's clock, and repeated often enough to keep the GPU awake", async () => {
    const times = [4, 0.02, 0, 30];
    const { engine, asked, destroyed } = fakeEngine("timestamp queries", 1000, () => times.shift()!);
    const trial = await gpuSortContender(engine, u32, "auto").start(keys);
    expect(await trial.run()).toEqual({ gpu: 0.004 });
    for (let i = 0; i < 3; i++) await trial.run();
    // Repeats for 20 ms: none at first, when the time is unknown; 5 of 4 ms; at most 200 of shorter sorts.
    expect(asked).toEqual([0, 5, 200, 200]);
    expect(destroyed()).toBe(0);
    trial.end();
    expect(destroyed()).toBe(1);
  });

  it("is not repeated with a wall clock, which would time the repeats too", async () => {
    const { engine, asked } = fakeEngine("wall clock", 1000, () => 1);
    const trial = await gpuSortContender(engine, u32, "auto").start(keys);
    await trial.run();
    await trial.run();
    expect(asked).toEqual([0, 0]);
  });
});

describe("an engine's round trip", () => {
  it("is the whole time that its caller waits, with upload and readback as separate metrics", async () => {
    const { engine } = fakeEngine("timestamp queries", 1000, () => 1);
    const trial = await gpuRoundTripContender(engine, u32, "auto").start(distributions.uniform!(u32, 9));
    expect(await trial.run()).toEqual({ "round-trip": 0.125, upload: 0.025, readback: 0.01 });
  });
});

describe("values that belong to keys", () => {
  const roundTrip = (type: ElementType, bytes: number) =>
    gpuRoundTripContender(fakeEngine("timestamp queries", 1000, () => 1).engine, type, "auto", bytes);
  const cpu = (type: ElementType, bytes: number) => cpuContender(new CpuEngine(), type, bytes);

  it.each([
    ["on the CPU", cpu],
    ["on a round trip", roundTrip],
  ] as const)("move with their keys, %s", async (_, make) => {
    for (const bytes of [4, 12]) {
      const keys = distributions["few values"]!(u32, 200);
      const trial = await make(u32, bytes).start(keys);
      for (let run = 0; run < 3; run++) await trial.run();
      const [{ keys: sorted }, indices] = [await trial.result(), await trial.indices!()];
      expect(same(sorted, sortedCopy(keys, false))).toBe(true);
      expect(new Set(indices).size).toBe(200);
      expect([...indices].every((index, i) => keys[index] === sorted[i])).toBe(true);
    }
  });

  it("are refused by JavaScript's own sorts, and by an algorithm that moves only keys", () => {
    expect(arrayContender(u32, 4).refuses(10)).toBe("keys only");
    expect(typedArrayContender(4).refuses(10)).toBe("keys only");
    expect(typedArrayContender().refuses(10)).toBeUndefined();
    const { engine } = fakeEngine("timestamp queries", 1000, () => 1);
    for (const make of [gpuSortContender, gpuRoundTripContender]) {
      expect(make(engine, u32, "bitonic", 4).refuses(10)).toBe("not able");
      expect(make(engine, u32, "radix", 4).refuses(10)).toBeUndefined();
      expect(make(engine, elementType("u8"), "bitonic").refuses(10)).toBe("not able");
    }
  });
});
