import { afterAll, describe, expect, it } from "vitest";
import { elementTypes, type KeyArray } from "../../../src/core/elements.js";
import { createSorter } from "../../../src/core/sorter/create.js";
import { createSorter as createInNode } from "../../../src/dawn/create_sorter.js";
import { describeConformance } from "../../support/conformance.js";
import { difference, distributions, expectedIndices } from "../../support/keys.js";

const sorters = [
  ["of gpusort/core", await createSorter("cpu")],
  ["of gpusort", await createInNode("cpu")],
  ["of gpusort, on three threads", await createInNode("cpu", { threads: 3 })],
] as const;

describe.each(sorters)("a sorter on the CPU %s", (name, sorter) => {
  afterAll(() => sorter.destroy());

  it("has no device", () => expect([sorter.name, sorter.device]).toEqual(["CPU", undefined]));

  describeConformance(name, (keys, _, descending) => sorter.sort(keys, { descending }), [0, 1, 1000]);

  it.each(elementTypes)("moves values with $name keys, and computes their order", async (type) => {
    const keys = distributions.specials!(type, 3001);
    for (const descending of [false, true]) {
      const order = expectedIndices(keys, type, { descending });
      expect(await sorter.argsort(keys, { descending })).toEqual(order);
      const values = Float32Array.from({ length: keys.length }, (_, i) => i);
      const sorted = await sorter.sortPairs(keys, values, { descending });
      expect(sorted.values).toEqual(Float32Array.from(order));
      expect(difference(keys, sorted.keys as KeyArray, descending)).toBeUndefined();
    }
  });

  it("rejects with the signal's reason, and leaves the keys as they were", async () => {
    const keys = Uint32Array.of(3, 1, 2);
    const aborted = AbortSignal.abort("enough");
    await expect(sorter.sort(keys, { into: keys, signal: aborted })).rejects.toBe("enough");
    expect(keys).toEqual(Uint32Array.of(3, 1, 2));
  });
});
