import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deviceCopyPlan } from "../../../src/core/plan/device_copy.js";
import { type DeviceTraits, defaultTraits } from "../../../src/core/plan/traits.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import { expectSame } from "../../support/keys.js";

const software: DeviceTraits = { ...defaultTraits, subgroupSize: { min: 4, max: 4 }, software: true };

describe("the plan of the device copy", () => {
  it("has invocations for every vector, and copies all vectors", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.boolean(), (vectors, onCpu) => {
        const plan = deviceCopyPlan(vectors * 16, onCpu ? software : defaultTraits);
        const [{ program, params, grid }] = plan.passes as [(typeof plan.passes)[number]];
        const { WORKGROUP_SIZE = 0, VECTORS = 0 } = program.constants;
        const [count = 0, workgroups = 0] = params as readonly number[];
        expect(count).toBe(vectors);
        expect(workgroups * WORKGROUP_SIZE * VECTORS).toBeGreaterThanOrEqual(vectors);
        expect(grid[0] * grid[1]).toBeGreaterThanOrEqual(workgroups);
        const keys = Uint32Array.from({ length: vectors * 4 }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
        expectSame(runOnCpu(plan, { keys }).copy!, keys, `${vectors} vectors`);
      }),
      { numRuns: 50 },
    );
  });

  it("stays within the limits of a grid for 256 MiB", () => {
    const { grid } = deviceCopyPlan(2 ** 28, defaultTraits).passes[0]!;
    expect(Math.max(...grid)).toBeLessThanOrEqual(65_535);
  });
});
