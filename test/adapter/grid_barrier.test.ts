import { expect, it } from "vitest";
import type { Gpu } from "../../src/core/device/gpu.js";
import { runPlan } from "../../src/core/device/run.js";
import { elementType } from "../../src/core/elements.js";
import { provenTraits } from "../../src/core/engines/lockstep.js";
import type { DeviceTraits } from "../../src/core/plan/traits.js";
import { gridBarrierPlan, showsGridBarrier } from "../../src/core/sort/device_probes.js";
import { radixPlan } from "../../src/core/sort/radix/radix.js";
import { claimingGpu, rewritingGpu } from "../support/emulated_subgroups.js";
import { nvidiaTraits } from "../support/limits.js";
import { describeOnSubgroups, selector } from "./device.js";

/** Enough loads that another workgroup begins even where the cores are busy. */
const LONG_SPIN = { entry: 2_000_000, wait: 2 ** 24 };

/** What may be wrong with a grid barrier, as an edit of the kernel. */
const faults: Record<string, readonly [correct: string, faulty: string]> = {
  "does not wait": ["while spins < SPIN_LIMIT && ", "while false && spins < SPIN_LIMIT && "],
  "lets one workgroup go ahead": [
    "atomicLoad(&grid_state[ARRIVED]) < arrivals",
    "atomicLoad(&grid_state[ARRIVED]) + 1u < arrivals",
  ],
  "is not reached by all": ["atomicAdd(&grid_state[ARRIVED], one)", "atomicOr(&grid_state[ARRIVED], one)"],
  "does not make words visible": ["atomicExchange(&words[", "exchanged(&words["],
  "has no other workgroup": [
    "atomicOr(&grid_state[BEGUN], CLOSED)",
    "1u + 0u * atomicLoad(&grid_state[BEGUN])",
  ],
};

/** Leaves every 1,000th word as it was. */
const exchanged = `
fn exchanged(to: ptr<storage, atomic<u32>, read_write>, word: u32) -> u32 {
  if word % 1000u == 0u { return atomicLoad(to); }
  return atomicExchange(to, word);
}`;

const ROUND = "var replaced = 0u;";

/** Makes one workgroup begin each round late: two that run equally fast can keep pace without any barrier. */
const LATE_ROUND = `${ROUND}
    for (var i = 0u; i < 1000u && own.number == 0u; i++) { replaced |= atomicLoad(&words[i]) & params.zero; }`;

/** The device, whose grid barrier has a fault. */
function faulty(gpu: Gpu, [correct, wrong]: readonly [string, string]): Gpu {
  return rewritingGpu(gpu, (code) => {
    if (!code.includes("fn enter_grid_barrier")) return code;
    expect(code).toContain(correct);
    expect(code).toContain(ROUND);
    return (
      code.replace(correct, wrong).replace(ROUND, LATE_ROUND) +
      (wrong.startsWith("exchanged") ? exchanged : "")
    );
  });
}

describeOnSubgroups([4, 8, 16, 32], `the probe of the grid barrier on ${selector}`, ({ gpu }) => {
  const probe = (device: Gpu) => runPlan(device, gridBarrierPlan(LONG_SPIN), {});

  it("succeeds if workgroups run at the same time and wait for each other", async () => {
    let succeeds = false;
    for (let i = 0; i < 20 && !succeeds; i++) succeeds = showsGridBarrier(await probe(gpu));
    expect(succeeds).toBe(true);
  });

  it.each(Object.entries(faults))("fails if the barrier %s", async (name, fault) => {
    const device = faulty(gpu, fault);
    let most = 0;
    for (let i = 0; i < 3 || (i < 20 && most < 2); i++) {
      const result = await probe(device);
      expect(showsGridBarrier(result)).toBe(false);
      most = name === "has no other workgroup" ? 2 : Math.max(most, result[2]!);
    }
    expect(most).toBeGreaterThan(1);
  });
});

/** The kernels of a sort that would take a fallback in one dispatch, by a device that tests found to be so. */
function kernels({ lockstep, parallelProgress }: DeviceTraits): string[] {
  const traits = { ...nvidiaTraits, lockstep, parallelProgress };
  const { passes } = radixPlan(2 ** 16, elementType("u32"), { descending: false }, traits);
  return passes.map(({ program }) => program.kernel);
}

describeOnSubgroups([8, 16, 32], `the fallback of a device like ${selector}`, ({ gpu }, size) => {
  const claiming = claimingGpu(gpu, size, size);
  const hoped = { ...claiming.traits, lockstep: true };
  const spinningLong = rewritingGpu(claiming, (code) =>
    code
      .replace(/const ENTRY_SPIN_LIMIT: u32 = \w+;/, `const ENTRY_SPIN_LIMIT = ${LONG_SPIN.entry}u;`)
      .replace(/const SPIN_LIMIT: u32 = \w+;/, `const SPIN_LIMIT = ${LONG_SPIN.wait}u;`),
  );

  it("is one dispatch if the probe succeeds when an engine opens", async () => {
    expect(kernels(hoped)).not.toContain("radix_fallback");
    let found = await provenTraits(spinningLong);
    for (let i = 0; i < 20 && !found.parallelProgress; i++) found = await provenTraits(spinningLong);
    expect(found).toEqual({ ...hoped, parallelProgress: true });
    expect(kernels(found)).toContain("radix_fallback");
  });

  it("is dispatches if the probe fails", async () => {
    const found = await provenTraits(faulty(spinningLong, faults["does not make words visible"]!));
    expect(found).toEqual({ ...hoped, parallelProgress: false });
    expect(kernels(found)).not.toContain("radix_fallback");
  });
});
