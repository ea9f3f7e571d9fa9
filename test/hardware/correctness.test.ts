import { describe, expect, it } from "vitest";
import type { KeyArray } from "../../src/core/elements.js";
import { createSorter } from "../../src/core/sorter/create.js";
import type { Sorter } from "../../src/core/sorter/sorter.js";
import { checkAll } from "../../src/hardware/correctness.js";

const cpu = await createSorter("cpu");
const ENOUGH_MS = 600_000;

/** A sorter of which some calls are others. */
const sorterWith = (calls: Partial<Pick<Sorter, "sort" | "argsort">>) =>
  ({ sort: cpu.sort.bind(cpu), argsort: cpu.argsort.bind(cpu), ...calls }) as Sorter;

describe("the arrays of a report", () => {
  it("are all right but those that are wrong, which have their types, sizes and calls, as errors have", async () => {
    const sort = async (keys: KeyArray) => {
      if (keys instanceof Int16Array && keys.length === 257) throw new RangeError("out of what?");
      const sorted = await cpu.sort(keys);
      if (sorted instanceof Float32Array && sorted.length === 1024) sorted[1023] = sorted[0]!;
      return sorted;
    };
    const argsort = async (keys: KeyArray) => {
      const order = await cpu.argsort(keys, { descending: true });
      return keys instanceof Uint8Array && keys.length === 255 ? order.reverse() : order; // ascending
    };
    const sorter = sorterWith({ sort: sort as Sorter["sort"], argsort: argsort as Sorter["argsort"] });
    const types: string[] = [];
    const { sorted, planned, wrong } = await checkAll(sorter, ENOUGH_MS, (name) => void types.push(name));
    expect(sorted).toBe(planned);
    expect(types).toEqual(["u8", "i8", "u16", "i16", "f16", "u32", "i32", "f32", "u64", "i64", "f64"]);
    expect(wrong).toEqual([
      { type: "u8", size: 255, call: "argsort", what: "in another order" },
      { type: "i16", size: 257, call: "sort", what: "RangeError: out of what?" },
      { type: "f32", size: 1024, call: "sort", what: "in another order" },
    ]);
  });

  it("that time did not suffice for are not counted as sorted", async () => {
    const { sorted, planned } = await checkAll(cpu, -1, () => {});
    expect(sorted).toBe(0);
    expect(planned).toBeGreaterThan(200);
  });
});
