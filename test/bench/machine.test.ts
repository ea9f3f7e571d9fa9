import { describe, expect, it } from "vitest";
import { machineOf } from "../../src/bench/machine.js";

/** A GPU that takes `seconds(n)` for its n-th copy, on a clock that copies move. */
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
  it("heats a GPU for 400 ms at first, then until three submissions in turn are as fast as any, 20 ms each", async () => {
    const { copier, now, asked } = gpu((run) => (run < 8 ? 0.002 - run * 0.0001 : 0.001));
    const machine = machineOf({ large: copier, tiny: copier, software: false }, now);
    await machine.heat();
    expect(asked.slice(0, 3)).toEqual([0, 10, 10]);
    expect(asked.at(-1)).toBe(20);
    expect(asked.length).toBeGreaterThan(400 / 25);
    expect(asked.length).toBeLessThan(600 / 15);
    const before = asked.length;
    await machine.heat();
    expect(asked.length - before).toBe(3);
  });

  it("heats it again until it is as fast as it was", async () => {
    let slow = 0;
    const { copier, now, asked } = gpu(() => (slow-- > 0 ? 0.003 : 0.001));
    const machine = machineOf({ large: copier, tiny: copier, software: false }, now);
    await machine.heat();
    const before = asked.length;
    slow = 5;
    await machine.heat();
    expect(asked.length - before).toBe(5 + 3);
  });

  it("gives up on a GPU that never settles", async () => {
    const { copier, now, asked } = gpu((run) => (run % 3 === 0 ? 0.001 : 0.002));
    await machineOf({ large: copier, tiny: copier, software: false }, now).heat();
    expect(asked.length).toBeLessThan(60);
  });

  it("does not heat a GPU that is a program, nor none", async () => {
    const { copier, now, asked } = gpu(() => 0.001);
    await machineOf({ large: copier, tiny: copier, software: true }, now).heat();
    await machineOf(undefined, now).heat();
    expect(asked).toEqual([]);
  });

  it("times a copy as the GPU's fixed work, and knows the bytes that it moves", async () => {
    const { copier, now } = gpu(() => 0.004);
    const machine = machineOf({ large: copier, tiny: copier, software: true }, now);
    expect(await machine.reference("copy")).toBe(0.004);
    expect(machine.copyBytes).toBe(2e9);
    expect(machineOf(undefined, now).copyBytes).toBeUndefined();
  });

  it("times sorts for 15 ms as the CPU's, and gives their mean", async () => {
    let now = 0;
    const machine = machineOf(undefined, () => {
      now += 2.5;
      return now;
    });
    // The looks at the clock are 2.5 ms apart: one to begin with, one more, five after the first five sorts, and one.
    expect(await machine.reference("sort")).toBeCloseTo(0.0175 / 5);
  });

  it("times five answers with all that they take to arrive, and gives their mean", async () => {
    const { copier, now } = gpu(() => 0.004);
    const machine = machineOf({ large: copier, tiny: copier, software: false }, now);
    // And a millisecond for each look at the clock, which is one after the first.
    expect(await machine.reference("answer")).toBeCloseTo((5 * 0.004 + 0.001) / 5);
  });
});
