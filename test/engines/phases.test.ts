import { describe, expect, it } from "vitest";
import { PhaseClock } from "../../src/engines/phases.js";

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
    expect(clock.phases()).toEqual([{ name: "read", ms: 20, bytes: 123 }]);
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
      { name: "read", ms: 20, bytes: 1 },
      { name: "upload", ms: 20, bytes: 2 },
    ]);
  });

  it("counts work that fails, which still took its time", async () => {
    const { clock, wait } = fake();
    const work = clock.time("sort", 8, async () => {
      wait(7);
      throw new Error("no");
    });
    await expect(work).rejects.toThrow("no");
    expect(clock.phases()).toEqual([{ name: "sort", ms: 7, bytes: 8 }]);
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
