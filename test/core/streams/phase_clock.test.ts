import { describe, expect, it } from "vitest";
import { asCopy, combinePhases, PhaseClock, unionMs } from "../../../src/core/streams/phase_clock.js";

/** A clock that only advances when the test calls `wait`. */
function fake() {
  let now = 1000;
  const clock = new PhaseClock(() => now);
  const wait = (ms: number) => {
    now += ms;
  };
  return { clock, wait };
}

describe("a phase's time", () => {
  it("is the union of the intervals in which its pieces ran", () => {
    const { clock, wait } = fake();
    clock.begin("read");
    wait(10);
    clock.begin("read");
    wait(5);
    clock.end("read", 100);
    wait(3);
    clock.end("read", 20);
    wait(1000);
    clock.begin("read");
    wait(2);
    clock.end("read", 3);
    expect(clock.phases()).toEqual([
      {
        name: "read",
        ms: 20,
        bytes: 123,
        intervals: [
          [1000, 1018],
          [2018, 2020],
        ],
      },
    ]);
  });

  it("does not depend on phases that run at the same time", () => {
    const { clock, wait } = fake();
    clock.begin("read");
    wait(10);
    clock.begin("upload");
    wait(10);
    clock.end("read", 1);
    wait(10);
    clock.end("upload", 2);
    expect(clock.phases()).toEqual([
      { name: "read", ms: 20, bytes: 1, intervals: [[1000, 1020]] },
      { name: "upload", ms: 20, bytes: 2, intervals: [[1010, 1030]] },
    ]);
  });

  it("includes the time of work that fails", async () => {
    const { clock, wait } = fake();
    const work = clock.time("sort", 8, async () => {
      wait(7);
      throw new Error("no");
    });
    await expect(work).rejects.toThrow("no");
    expect(clock.phases()).toEqual([{ name: "sort", ms: 7, bytes: 8, intervals: [[1000, 1007]] }]);
  });

  it("is measured without changing the value that the work returns", async () => {
    expect(await fake().clock.time("sort", 0, async () => "sorted")).toBe("sorted");
  });
});

describe("the phases", () => {
  it("are listed once each, in the order of their first use", () => {
    const { clock } = fake();
    for (const name of ["write", "read", "write", "prepare"] as const) {
      clock.begin(name);
      clock.end(name);
    }
    expect(clock.phases().map(({ name }) => name)).toEqual(["write", "read", "prepare"]);
  });

  it("are an empty list before any phase has begun", () => {
    expect(fake().clock.phases()).toEqual([]);
  });
});

describe("the union of phases", () => {
  const phase = (name: "read" | "upload" | "sort", ...intervals: [number, number][]) => ({
    name,
    ms: 0,
    bytes: 0,
    intervals,
  });
  const phases = [
    phase("read", [0, 10], [20, 30]),
    phase("upload", [5, 12], [40, 45]),
    phase("sort", [12, 20]),
  ];

  it("counts the time in which several of them ran only once", () => {
    expect(unionMs(phases, ["read", "upload"])).toBe(12 + 10 + 5);
    expect(unionMs(phases, ["read"])).toBe(20);
    expect(unionMs(phases, ["read", "upload", "sort"])).toBe(30 + 5);
  });

  it("is 0 if none of them ran, or if none has intervals", () => {
    expect(unionMs(phases, ["write"])).toBe(0);
    expect(unionMs([{ name: "read", ms: 5, bytes: 0 }], ["read"])).toBe(0);
  });
});

describe("the phases of several sorts", () => {
  const read = (begin: number, end: number) => ({
    name: "read" as const,
    ms: end - begin,
    bytes: 8,
    intervals: [[begin, end]] as const,
  });

  it("become one by name, whose time counts what overlaps once", () => {
    const sort = { ...read(12, 40), name: "sort" as const };
    expect(combinePhases([read(10, 20), sort, read(15, 25), read(30, 31), read(25, 26)])).toEqual([
      {
        name: "read",
        ms: 17,
        bytes: 32,
        intervals: [
          [10, 26],
          [30, 31],
        ],
      },
      sort,
    ]);
  });

  it("add up if an interval is not known", () => {
    const unknown = { name: "read" as const, ms: 5, bytes: 1 };
    expect(combinePhases([read(10, 20), unknown])).toEqual([{ name: "read", ms: 15, bytes: 9 }]);
  });

  it("are copies where they only read and write memory", () => {
    expect(asCopy(read(1, 2), ["read", "write"])).toEqual({ ...read(1, 2), name: "copy" });
    expect(asCopy(read(1, 2), ["write"])).toEqual(read(1, 2));
  });
});
