import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BINDING_ALIGNMENT } from "../../../src/core/plan/plan.js";
import { digitsOf } from "../../../src/core/sort/key.js";
import { bindWindow, windowsOf, windowUnit } from "../../../src/core/sort/windows.js";

describe("the windows of a long buffer", () => {
  const cases = fc.record({
    count: fc.integer({ min: 0, max: 2 ** 31 }),
    unit: fc.integer({ min: 1, max: 10_000 }),
    elementBytes: fc.constantFrom(1, 2, 4, 8, 12, 20),
    most: fc.integer({ min: 2 ** 24, max: 2 ** 32 - 1 }).map((bytes) => bytes - (bytes % 4)),
  });

  it("hold every element once, in order, and each can be bound", () => {
    fc.assert(
      fc.property(cases, ({ count, unit, elementBytes, most }) => {
        const aligned = windowUnit(unit);
        fc.pre(aligned * elementBytes <= most);
        const windows = windowsOf(count, aligned, elementBytes, most);
        let next = 0;
        const wrong = windows.filter((window) => {
          const bound = bindWindow("b", window, elementBytes, false);
          if (typeof bound === "string") throw new Error("a window must be a range of the buffer");
          const follows = window.begin === next && window.begin % unit === 0;
          next += window.count;
          const isAligned = bound.offset % BINDING_ALIGNMENT === 0;
          const slack = bound.bytes - window.count * elementBytes;
          return !(follows && isAligned && bound.bytes <= Math.max(4, most) && slack < 4);
        });
        expect([wrong, next]).toEqual([[], count]);
        // There is only one window if one binding can hold everything.
        const fewest = Math.ceil((count * elementBytes) / most);
        if (fewest <= 1) expect(windows).toEqual([{ begin: 0, count }]);
      }),
    );
  });

  it("are one window, bound by the buffer's name, if one binding can hold everything", () => {
    expect(windowsOf(100, 64, 4, 400)).toEqual([{ begin: 0, count: 100 }]);
    expect(windowsOf(101, 64, 4, 400)).toEqual([
      { begin: 0, count: 64 },
      { begin: 64, count: 37 },
    ]);
    expect(bindWindow("b", { begin: 0, count: 100 }, 4, true)).toBe("b");
    expect(bindWindow("b", { begin: 256, count: 5 }, 1, false)).toEqual({
      buffer: "b",
      offset: 256,
      bytes: 8,
    });
  });

  it("are refused if a binding cannot hold one unit", () => {
    expect(() => windowsOf(1000, 128, 4, 508)).toThrow(RangeError);
    expect(windowsOf(1000, 128, 4, 512)).toHaveLength(8);
  });
});

describe("the digits of a range of bits", () => {
  it("cover the range without gaps, least significant first, and none is too wide or spans two words", () => {
    const cases = fc.record({
      bits: fc.tuple(fc.integer({ min: 0, max: 64 }), fc.integer({ min: 0, max: 64 })),
      most: fc.integer({ min: 1, max: 8 }),
    });
    fc.assert(
      fc.property(cases, ({ bits, most }) => {
        const [begin, end] = bits.toSorted((a, b) => a - b) as [number, number];
        let next = begin;
        for (const { shift, mask } of digitsOf({ begin, end }, most)) {
          const width = Math.log2(mask + 1);
          expect(shift).toBe(next);
          expect(Number.isInteger(width) && width >= 1 && width <= most).toBe(true);
          expect(Math.floor(shift / 32)).toBe(Math.floor((shift + width - 1) / 32));
          next = shift + width;
        }
        expect(next).toBe(end);
      }),
    );
  });

  it("are as few as possible, and none for an empty range", () => {
    expect(digitsOf({ begin: 7, end: 7 }, 8)).toEqual([]);
    expect(digitsOf({ begin: 0, end: 32 }, 8)).toHaveLength(4);
    expect(digitsOf({ begin: 30, end: 34 }, 8)).toEqual([
      { shift: 30, mask: 3 },
      { shift: 32, mask: 3 },
    ]);
  });
});
