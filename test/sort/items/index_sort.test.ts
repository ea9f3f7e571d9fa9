import fc from "fast-check";
import { expect, it } from "vitest";
import { sortFew, sortIndices } from "../../../src/sort/items/record_order.js";

const never = async () => {};

/** Orders indices by a few values, then by themselves. */
const byValue = (values: number) => (a: number, b: number) => (a % values) - (b % values) || a - b;

it("sorts any number of indices", async () => {
  for (const count of [0, 1, 2, 1023, 1024, 1025, 2048, 5000, 10_240]) {
    const indices = Uint32Array.from({ length: count }, (_, i) => i);
    const expected = [...indices].sort(byValue(7));
    await sortIndices(indices, byValue(7), never);
    expect([...indices]).toEqual(expected);
  }
});

it("sorts a few indices in place, and leaves the others", () => {
  const lists = fc.uniqueArray(fc.nat(100), { maxLength: 20 });
  fc.assert(
    fc.property(lists, fc.nat(20), fc.nat(20), (list, a, b) => {
      const [start, end] = [Math.min(a, b, list.length), Math.min(Math.max(a, b), list.length)];
      const indices = Uint32Array.from(list);
      sortFew(indices, start, end, byValue(5));
      const sorted = list.slice(start, end).sort(byValue(5));
      expect([...indices]).toEqual([...list.slice(0, start), ...sorted, ...list.slice(end)]);
    }),
  );
});

it("pauses every thousand indices or so, and ends when a pause throws", async () => {
  const count = 50_000;
  const indices = Uint32Array.from({ length: count }, (_, i) => count - i);
  let [pauses, compared, longest] = [0, 0, 0];
  const compare = (a: number, b: number) => {
    compared++;
    return a - b;
  };
  const pause = async () => {
    pauses++;
    longest = Math.max(longest, compared);
    compared = 0;
  };
  await sortIndices(indices.slice(), compare, pause);
  expect(longest).toBeLessThan(20_000);
  const reason = new Error("no longer wanted");
  const stopped = sortIndices(indices, compare, async () => {
    if (--pauses === 60) throw reason;
  });
  await expect(stopped).rejects.toBe(reason);
});
