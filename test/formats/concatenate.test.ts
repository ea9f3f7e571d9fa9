import fc from "fast-check";
import { expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { concatenate } from "../../src/formats/concatenate.js";
import type { ItemInput } from "../../src/formats/format.js";
import { raw } from "../../src/formats/raw.js";
import { allItems, byteInput } from "../support/bytes.js";

it("makes one input of several, which can be read in any order and from start to end", async () => {
  const cases = fc.record({
    some: fc.array(fc.record({ length: fc.nat(9), pipe: fc.boolean() }), { minLength: 1, maxLength: 5 }),
    turn: fc.integer({ min: 1, max: 40 }),
    window: fc.tuple(fc.nat(60), fc.nat(60)),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ some, turn, window }) => {
      let next = 0;
      const parts = some.map(({ length }) => new Uint8Array(4 * length).map(() => next++));
      const inputs = await Promise.all(
        parts.map((part, i) => raw.open(byteInput(`${i}`, part, some[i]!.pipe), {})),
      );
      const all = concatenate(inputs);
      const whole = Buffer.concat(parts);
      const isStreamed = some.some(({ pipe }) => pipe);
      expect(all.itemCount).toBe(isStreamed ? undefined : whole.length / 4);
      expect(all.source === undefined).toBe(isStreamed);
      if (all.source) {
        const from = Math.min(window[0], whole.length);
        const read = new Uint8Array(Math.min(window[1], whole.length - from));
        await all.source.read(read, from);
        expect(Buffer.compare(read, whole.subarray(from, from + read.length))).toBe(0);
      }
      expect(Buffer.compare(await allItems(all, 4 * turn), whole)).toBe(0);
    }),
    { numRuns: 300 },
  );
});

it("refuses inputs of different types, and names them", async () => {
  const a = await raw.open(byteInput("a.u32", new Uint8Array(8)), {});
  const b = await raw.open(byteInput("b.f64", new Uint8Array(8)), {});
  expect(() => concatenate([a, b])).toThrow(InputError);
  expect(() => concatenate([a, b])).toThrow("a.u32 holds u32 keys, but b.f64 holds f64 keys");
  const refused = (...inputs: ItemInput[]) => expect(() => concatenate(inputs));
  refused(a, b).toThrow(expect.objectContaining({ options: ["type"] }));
  const array = { ...b, style: { ...b.style, format: "npy" } };
  refused(a, array).toThrow(expect.objectContaining({ hint: "sort them one by one", options: [] }));
});
