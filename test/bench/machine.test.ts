import { describe, expect, it } from "vitest";
import { machineOf } from "../../src/bench/machine.js";

/** A GPU that takes `seconds(n)` for its n-th copy, with a clock that the copies advance. */
function gpu(seconds: (run: number) => number) {
  let [now, runs] = [0, 0];
  const asked: number[] = [];
  const copier = {
    bytes: 1e9,
    run: async (repeats = 0) => {
      asked.push(repeats);
      const one = seconds(runs++);
      now += one * (repeats + 1) * 1000;
      return one;
    },
  };
  const tick = () => {
    now += 1;
    return now;
  };
  return { copier, now: tick, asked };
}

describe("the machine", () => {
  it("warms up a GPU for 400 ms at first, then until three submissions of 20 ms are fast", async () => {
    const { copier, now, asked } = gpu((run) => (run < 8 ? 0.002 - run * 0.0001 : 0.001));
    const machine = machineOf({ large: copier, tiny: copier, software: false }, now);
    await machine.warmUp();
    expect(asked.slice(0, 3)).toEqual([0, 10, 10]);
    expect(asked.at(-1)).toBe(20);
    expect(asked.length).toBeGreaterThan(400 / 25);
    expect(asked.length).toBeLessThan(600 / 15);
    const before = asked.length;
    await machine.warmUp();
    expect(asked.length - before).toBe(3);
  });

  it("warms up a GPU again until it is as fast as before", async () => {
    let slow = 0;
    const { copier, now, asked } = gpu(() => (slow-- > 0 ? 0.003 : 0.001));
    const machine = machineOf({ large: copier, tiny: copier, software: false }, now);
    await machine.warmUp();
    const before = asked.length;
    slow = 5;
    await machine.warmUp();
    expect(asked.length - before).toBe(5 + 3);
  });

  it("stops warming up a GPU whose speed stays unsteady", async () => {
    const { copier, now, asked } = gpu((run) => (run % 3 === 0 ? 0.001 : 0.002));
    await machineOf({ large: copier, tiny: copier, software: false }, now).warmUp();
    expect(asked.length).toBeLessThan(60);
  });

  it("does not warm up a software adapter, and works without a GPU", async () => {
    const { copier, now, asked } = gpu(() => 0.001);
    await machineOf({ large: copier, tiny: copier, software: true }, now).warmUp();
    await machineOf(undefined, now).warmUp();
    expect(asked).toEqual([]);
  });

  it("times a copy as the GPU's reference work, and gives the number of bytes that it moves", async () => {
    const { copier, now } = gpu(() => 0.004);
    const machine = machineOf({ large: copier, tiny: copier, software: true }, now);
    expect(await machine.reference("copy")).toBe(0.004);
    expect(machine.copyBytes).toBe(2e9);
    expect(machineOf(undefined, now).copyBytes).toBeUndefined();
  });

  it("times sorts for 15 ms as the CPU's reference work, and gives their mean", async () => {
    let now = 0;
    const machine = machineOf(undefined, () => {
      now += 2.5;
      return now;
    });
    // The clock is read every 2.5 ms: twice before the sorts, after each of five sorts, and once at the end.
    expect(await machine.reference("sort")).toBeCloseTo(0.015 / 5, 6);
  });

  it("times five answers until the CPU has them, and gives their mean", async () => {
    const { copier, now } = gpu(() => 0.004);
    const machine = machineOf({ large: copier, tiny: copier, software: false }, now);
    // Every reading of the clock takes a millisecond, and there is one after the first.
    expect(await machine.reference("answer")).toBeCloseTo((5 * 0.004 + 0.001) / 5);
  });
});
