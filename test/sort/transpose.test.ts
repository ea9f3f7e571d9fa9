import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ElementType, elementType } from "../../src/elements.js";
import { bufferBytes, type Plan } from "../../src/plan/plan.js";
import { type DeviceTraits, defaultTraits } from "../../src/plan/traits.js";
import { transposePass } from "../../src/sort/transpose.js";
import { runOnTwins } from "../../src/twins/run.js";

const types = [elementType("u32"), elementType("u64")];
const side = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 70 }));

/** Transposes, and then as often as is asked, back and forth. */
function plan(type: ElementType, rows: number, columns: number, times = 1): Plan {
  const bytes = bufferBytes(rows * columns * type.bytes);
  const there = transposePass(type, rows, columns, ["a", "b"], defaultTraits);
  const back = transposePass(type, columns, rows, ["b", "a"], defaultTraits);
  return {
    buffers: { a: { bytes }, b: { bytes } },
    passes: [there, back].slice(0, times),
    result: times === 1 ? "b" : "a",
  };
}

function numbered(type: ElementType, count: number): Uint32Array {
  return new Uint32Array(count * type.words).map((_, i) => 0x9e3779b1 * (i + 1));
}

describe("a transpose", () => {
  it.each(types)("puts the $name key of row r and column c at row c and column r, in any shape", (type) => {
    fc.assert(
      fc.property(side, side, (rows, columns) => {
        const input = numbered(type, rows * columns);
        const output = runOnTwins(plan(type, rows, columns), { a: input }).b!;
        for (let row = 0; row < rows; row++) {
          for (let column = 0; column < columns; column++) {
            for (let word = 0; word < type.words; word++) {
              const from = (row * columns + column) * type.words + word;
              expect(output[(column * rows + row) * type.words + word]).toBe(input[from]);
            }
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it.each(types)("twice gives the $name keys as they were", (type) => {
    for (const [rows, columns] of [
      [1, 1],
      [1, 37],
      [37, 1],
      [31, 33],
      [32, 32],
      [45, 70],
    ] as const) {
      const input = numbered(type, rows * columns);
      const { a } = runOnTwins(plan(type, rows, columns, 2), { a: input });
      expect(a!.subarray(0, input.length)).toEqual(input);
    }
  });

  it("starts as many workgroups as the matrix has tiles of 32 x 32, and a few of a row's at most", () => {
    const big = fc.integer({ min: 1, max: 20_000 });
    fc.assert(
      fc.property(big, big, (rows, columns) => {
        const { grid } = transposePass(types[0]!, rows, columns, ["a", "b"], defaultTraits);
        const tiles = Math.ceil(rows / 32) * Math.ceil(columns / 32);
        expect(grid[0] * grid[1] * grid[2]).toBeGreaterThanOrEqual(tiles);
        expect(grid[0] * grid[1] * grid[2] - tiles).toBeLessThan(grid[0]);
        expect(Math.max(...grid)).toBeLessThanOrEqual(65_535);
      }),
    );
  });

  it("has a workgroup within the device's limits, and rows that make up a tile", () => {
    for (const most of [1, 8, 16, 32, 64, 128, 256, 1024]) {
      const limits = { ...defaultTraits.limits, maxComputeInvocationsPerWorkgroup: most };
      for (const software of [false, true]) {
        const traits: DeviceTraits = { ...defaultTraits, limits, software };
        const { TILE_SIDE, WIDTH, HEIGHT } = transposePass(types[0]!, 9, 9, ["a", "b"], traits).program
          .constants as Record<"TILE_SIDE" | "WIDTH" | "HEIGHT", number>;
        expect(WIDTH * HEIGHT).toBeLessThanOrEqual(most);
        expect(Number.isInteger(HEIGHT)).toBe(true);
        expect([TILE_SIDE % WIDTH, TILE_SIDE % HEIGHT]).toEqual([0, 0]);
      }
    }
  });
});
