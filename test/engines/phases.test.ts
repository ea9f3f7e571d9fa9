import { describe, expect, it } from "vitest";
import { PhaseClock, unionMs } from "../../src/engines/phases.js";

/** A clock that stands still until it is told. */
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

  it("does not depend on what other phases do meanwhile", () => {
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

  it("counts work that fails, which still took its time", async () => {
    const { clock, wait } = fake();
    const work = clock.time("sort", 8, async () => {
      wait(7);
      throw new Error("no");
    });
    await expect(work).rejects.toThrow("no");
    expect(clock.phases()).toEqual([{ name: "sort", ms: 7, bytes: 8, intervals: [[1000, 1007]] }]);
  });

  it("comes with what the work gives", async () => {
    expect(await fake().clock.time("sort", 0, async () => "sorted")).toBe("sorted");
  });
});

describe("the phases", () => {
  it("stand in the order of their first use, each once", () => {
    const { clock } = fake();
    for (const name of ["write", "read", "write", "prepare"] as const) {
      clock.begin(name);
      clock.end(name);
    }
    expect(clock.phases().map(({ name }) => name)).toEqual(["write", "read", "prepare"]);
  });

  it("are none before anything began", () => {
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

  it("counts a time in which several were under way once", () => {
    expect(unionMs(phases, ["read", "upload"])).toBe(12 + 10 + 5);
    expect(unionMs(phases, ["read"])).toBe(20);
    expect(unionMs(phases, ["read", "upload", "sort"])).toBe(30 + 5);
  });

  it("is nothing where none of them was, or none has its intervals told", () => {
    expect(unionMs(phases, ["write"])).toBe(0);
    expect(unionMs([{ name: "read", ms: 5, bytes: 0 }], ["read"])).toBe(0);
  });
});
