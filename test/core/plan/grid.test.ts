import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  defaultLimits,
  evenShare,
  floorPowerOfTwo,
  type Grid,
  gridToCover,
  idleInvocations,
  indexBits,
  type Limits,
  linearGrid,
  workgroupSize1d,
  workgroupSize2d,
} from "../../../src/core/plan/grid.js";

/** Limits of any device, including ones below the minimum that WebGPU allows. */
const anyLimits = fc
  .record({
    maxComputeInvocationsPerWorkgroup: fc.integer({ min: 1, max: 4096 }),
    maxComputeWorkgroupSizeX: fc.integer({ min: 1, max: 4096 }),
    maxComputeWorkgroupSizeY: fc.integer({ min: 1, max: 4096 }),
    maxComputeWorkgroupsPerDimension: fc.integer({ min: 1, max: 100_000 }),
  })
  .map((some): Limits => ({ ...defaultLimits, ...some }));

describe("the examples of Apple's article", () => {
  it("cover 1024 x 768 pixels with 32 x 48 workgroups of 32 x 16", () => {
    expect(gridToCover([1024, 768], [32, 16])).toEqual([32, 48, 1]);
  });

  it("arrange 512 invocations that execute 32 at a time as a workgroup of 32 x 16", () => {
    const metal = {
      ...defaultLimits,
      maxComputeInvocationsPerWorkgroup: 512,
      maxComputeWorkgroupSizeX: 512,
      maxComputeWorkgroupSizeY: 512,
    };
    expect(workgroupSize2d(32, metal)).toEqual([32, 16]);
  });
});

describe("gridToCover", () => {
  it("covers every extent, and no smaller grid would", () => {
    const axis = fc.tuple(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 1024 }));
    fc.assert(
      fc.property(fc.array(axis, { minLength: 1, maxLength: 3 }), (axes) => {
        const grid = gridToCover(
          axes.map(([extent]) => extent),
          axes.map(([, size]) => size),
        );
        axes.forEach(([extent, size], i) => {
          expect(grid[i]! * size).toBeGreaterThanOrEqual(extent);
          expect((grid[i]! - 1) * size).toBeLessThan(extent);
        });
        expect(grid.slice(axes.length)).toEqual([1, 1, 1].slice(axes.length));
      }),
    );
  });

  it.each([
    [0, 0],
    [1, 1],
    [255, 1],
    [256, 1],
    [257, 2],
  ])("covers %i elements with %i workgroups of 256", (extent, workgroups) => {
    expect(gridToCover([extent], [256])).toEqual([workgroups, 1, 1]);
  });
});

describe("idleInvocations", () => {
  it.each([
    [[1024, 768], [32, 16], 0],
    [[1, 1], [8, 8], 63],
    [[257], [256], 255],
    [[33, 17, 5], [32, 16, 4], 64 * 32 * 8 - 33 * 17 * 5],
  ])("counts for %j in workgroups of %j: %i", (extent, size, idle) => {
    expect(idleInvocations(extent, size)).toBe(idle);
  });
});

describe("linearGrid", () => {
  function check(workgroups: number, limits: Limits, grid: Grid): void {
    const [x, y, z] = grid;
    const limit = limits.maxComputeWorkgroupsPerDimension;
    expect(z).toBe(1);
    expect(Math.max(x, y)).toBeLessThanOrEqual(limit);
    expect(x * y).toBeGreaterThanOrEqual(workgroups);
    if (workgroups > 0) {
      expect(x * y - workgroups).toBeLessThan(x);
      expect((x - 1) * y).toBeLessThan(workgroups);
    }
    if (workgroups <= limit) expect(grid).toEqual([workgroups, 1, 1]);
  }

  it("is right just below, at and just above the limit, its multiples and its square", () => {
    const limit = defaultLimits.maxComputeWorkgroupsPerDimension;
    for (const multiple of [1, 2, 3, 7, 256, 65_534, 65_535]) {
      for (const offset of [-2, -1, 0, 1, 2]) {
        const workgroups = multiple * limit + offset;
        if (workgroups <= limit ** 2) check(workgroups, defaultLimits, linearGrid(workgroups, defaultLimits));
      }
    }
  });

  it("is right for any number of workgroups and any limit", () => {
    const cases = anyLimits.chain((limits) =>
      fc.tuple(
        fc.constant(limits),
        fc.integer({ min: 0, max: limits.maxComputeWorkgroupsPerDimension ** 2 }),
      ),
    );
    fc.assert(
      fc.property(cases, ([limits, workgroups]) => check(workgroups, limits, linearGrid(workgroups, limits))),
    );
  });

  it("refuses more workgroups than a grid can have, and names their number", () => {
    const limits = { ...defaultLimits, maxComputeWorkgroupsPerDimension: 100 };
    expect(linearGrid(10_000, limits)).toEqual([100, 100, 1]);
    expect(() => linearGrid(10_001, limits)).toThrow(RangeError);
    expect(() => linearGrid(10_001, limits)).toThrow("10001 workgroups do not fit a grid of 100 x 100");
    expect(() => linearGrid(65_535 ** 2 + 1, defaultLimits)).toThrow(RangeError);
  });
});

describe("workgroup sizes", () => {
  it("in two dimensions are within every limit, and leave no room for another row", () => {
    fc.assert(
      fc.property(anyLimits, fc.integer({ min: 1, max: 256 }), (limits, subgroupWidth) => {
        const [width, height] = workgroupSize2d(subgroupWidth, limits);
        const most = limits.maxComputeInvocationsPerWorkgroup;
        expect(width).toBe(Math.min(subgroupWidth, limits.maxComputeWorkgroupSizeX, most));
        expect(height).toBeGreaterThanOrEqual(1);
        expect(height).toBeLessThanOrEqual(limits.maxComputeWorkgroupSizeY);
        expect(width * height).toBeLessThanOrEqual(most);
        const oneMore = height + 1;
        expect(oneMore > limits.maxComputeWorkgroupSizeY || width * oneMore > most).toBe(true);
      }),
    );
  });

  it("in one dimension are the largest power of two within every limit and the wanted size", () => {
    fc.assert(
      fc.property(anyLimits, fc.integer({ min: 1, max: 1024 }), (limits, wanted) => {
        const size = workgroupSize1d(wanted, limits);
        const most = Math.min(
          wanted,
          limits.maxComputeWorkgroupSizeX,
          limits.maxComputeInvocationsPerWorkgroup,
        );
        expect(Number.isInteger(Math.log2(size))).toBe(true);
        expect(size).toBeLessThanOrEqual(most);
        expect(size * 2).toBeGreaterThan(most);
      }),
    );
  });
});

describe("powers of two", () => {
  it("floorPowerOfTwo is exact just below, at and just above every power up to 2^40", () => {
    for (let power = 0; power <= 40; power++) {
      expect(floorPowerOfTwo(2 ** power)).toBe(2 ** power);
      expect(floorPowerOfTwo(2 ** power + 1)).toBe(2 ** Math.max(1, power));
      if (power > 0) expect(floorPowerOfTwo(2 ** power - 1)).toBe(2 ** (power - 1));
    }
  });

  it("evenShare is the least of which as few are needed as of the largest", () => {
    const any = {
      total: fc.double({ min: 1, max: 1e6, noNaN: true }),
      largest: fc.integer({ min: 1, max: 1000 }),
    };
    fc.assert(
      fc.property(fc.record(any), ({ total, largest }) => {
        const share = evenShare(total, largest);
        expect(share).toBeLessThanOrEqual(largest);
        expect(Math.ceil(total / share)).toBe(Math.ceil(total / largest));
        expect(Math.ceil(total / (share - 1))).toBeGreaterThan(Math.ceil(total / largest));
      }),
    );
  });

  it("indexBits is exact just below, at and just above every power up to 2^32", () => {
    expect(indexBits(1)).toBe(0);
    for (let bits = 1; bits <= 32; bits++) {
      expect(indexBits(2 ** bits)).toBe(bits);
      expect(indexBits(2 ** bits + 1)).toBe(bits + 1);
      expect(indexBits(2 ** bits - 1)).toBe(bits === 1 ? 0 : bits);
    }
  });
});
