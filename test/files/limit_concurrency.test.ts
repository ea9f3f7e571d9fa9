import { setImmediate as later } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { limitConcurrency } from "../../src/files/limit_concurrency.js";

describe("many pieces of work", () => {
  it("run 16 at a time, and return their results in their order", async () => {
    let [running, most] = [0, 0];
    const results = await limitConcurrency(50, async (index) => {
      most = Math.max(most, ++running);
      for (let i = 0; i < (index * 7) % 5; i++) await later();
      running--;
      return index * index;
    });
    expect(results).toEqual(Array.from({ length: 50 }, (_, i) => i * i));
    expect(most).toBe(16);
    expect(await limitConcurrency(0, async () => 1)).toEqual([]);
  });

  it("end with the first failure: none begins after it, and those that run end before", async () => {
    const begun: number[] = [];
    let running = 0;
    const work = limitConcurrency(50, async (index) => {
      begun.push(index);
      running++;
      await later();
      running--;
      if (index === 3) throw new Error("the third failed");
      await later();
    });
    await expect(work).rejects.toThrow("the third failed");
    expect(running).toBe(0);
    expect(begun.length).toBeLessThan(30);
  });
});
