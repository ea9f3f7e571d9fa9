import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ElementType, elementType } from "../../../src/core/elements.js";
import { bufferBytes, type Plan } from "../../../src/core/plan/plan.js";
import { type DeviceTraits, defaultTraits } from "../../../src/core/plan/traits.js";
import { transposePass, transposeTuning } from "../../../src/core/sort/transpose.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import { workgroupBytes } from "../../support/workgroup_bytes.js";

const types = [elementType("u32"), elementType("u64")];
const side = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 70 }));

/** A plan that transposes a matrix once, or twice: there and back. */
function plan(type: ElementType, rows: number, columns: number, times = 1): Plan {
  const bytes = bufferBytes(rows * columns * type.bytes);
  const there = transposePass({ type, rows, columns }, ["a", "b"], defaultTraits);
  const back = transposePass({ type, rows: columns, columns: rows }, ["b", "a"], defaultTraits);
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
  it.each(types)("moves the $name key at row r and column c to row c and column r, in any shape", (type) => {
    fc.assert(
      fc.property(side, side, (rows, columns) => {
        const input = numbered(type, rows * columns);
        const output = runOnCpu(plan(type, rows, columns), { a: input }).b!;
        const moved = input.map((_, to) => {
          const [key, word] = [Math.floor(to / type.words), to % type.words];
          const [column, row] = [Math.floor(key / rows), key % rows];
          return input[(row * columns + column) * type.words + word]!;
        });
        expect(output.subarray(0, moved.length)).toEqual(moved);
      }),
      { numRuns: 40 },
    );
  });

  it.each(types)("that runs twice restores the $name keys", (type) => {
    for (const [rows, columns] of [
      [1, 1],
      [1, 37],
      [37, 1],
      [31, 33],
      [32, 32],
      [45, 70],
    ] as const) {
      const input = numbered(type, rows * columns);
      const { a } = runOnCpu(plan(type, rows, columns, 2), { a: input });
      expect(a!.subarray(0, input.length)).toEqual(input);
    }
  });

  it("starts one workgroup per tile, and fewer than one grid row of extra workgroups", () => {
    const big = fc.integer({ min: 1, max: 20_000 });
    fc.assert(
      fc.property(big, big, (rows, columns) => {
        const { grid, program } = transposePass(
          { type: types[0]!, rows, columns },
          ["a", "b"],
          defaultTraits,
        );
        const side = program.constants.TILE_SIDE ?? 4 * program.constants.BLOCKS_X!;
        const tiles = Math.ceil(rows / side) * Math.ceil(columns / side);
        expect(grid[0] * grid[1] * grid[2]).toBeGreaterThanOrEqual(tiles);
        expect(grid[0] * grid[1] * grid[2] - tiles).toBeLessThan(grid[0]);
        expect(Math.max(...grid)).toBeLessThanOrEqual(65_535);
      }),
    );
  });

  it("uses blocks of 4 x 4 if the keys and the sides allow it, and tiles otherwise", () => {
    const [u32, u64] = types as [ElementType, ElementType];
    const kernel = (type: ElementType, rows: number, columns: number) =>
      transposePass({ type, rows, columns }, ["a", "b"], defaultTraits).program.kernel;
    expect(kernel(u32, 8, 12)).toBe("transpose_blocks");
    for (const [type, rows, columns] of [
      [u32, 9, 12],
      [u32, 12, 9],
      [u64, 8, 12],
    ] as const) {
      expect(kernel(type, rows, columns)).toBe("transpose");
    }
    const blocks = transposeTuning({ type: u32, rows: 8, columns: 12 }, defaultTraits);
    expect(() =>
      transposePass({ type: u32, rows: 9, columns: 12 }, ["a", "b"], defaultTraits, blocks),
    ).toThrow(RangeError);
    expect(() =>
      transposePass({ type: u64, rows: 8, columns: 12 }, ["a", "b"], defaultTraits, blocks),
    ).toThrow(RangeError);
  });

  it("stays within the device's workgroup size and memory, and uses batches that divide a tile", async () => {
    for (const most of [1, 8, 16, 32, 64, 128, 256, 1024]) {
      const limits = { ...defaultTraits.limits, maxComputeInvocationsPerWorkgroup: most };
      for (const software of [false, true]) {
        const traits: DeviceTraits = { ...defaultTraits, limits, software };
        const tile = transposePass({ type: types[0]!, rows: 9, columns: 9 }, ["a", "b"], traits).program;
        const { TILE_SIDE, WORKGROUP_SIZE, BATCH } = tile.constants as Record<string, number>;
        expect(WORKGROUP_SIZE).toBeLessThanOrEqual(most);
        expect((TILE_SIDE! * TILE_SIDE!) % (WORKGROUP_SIZE! * BATCH!)).toBe(0);
        const bytes = await workgroupBytes(tile);
        expect(bytes).toBeLessThanOrEqual(limits.maxComputeWorkgroupStorageSize);
        const blocks = transposePass({ type: types[0]!, rows: 8, columns: 8 }, ["a", "b"], traits).program;
        const { BLOCKS_X, BLOCKS_Y, EXCHANGE } = blocks.constants as Record<string, number>;
        if (blocks.kernel === "transpose") continue;
        expect(BLOCKS_X! * BLOCKS_Y!).toBeLessThanOrEqual(most);
        if (EXCHANGE === 1) expect([BLOCKS_X, BLOCKS_Y]).toEqual([16, 16]);
      }
    }
  });
});
