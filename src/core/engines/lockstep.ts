import type { Gpu } from "../device/gpu.js";
import { runPlan } from "../device/run.js";
import { elementType } from "../elements.js";
import { LoadError } from "../errors.js";
import { mix } from "../items/mix.js";
import type { Plan, Words } from "../plan/plan.js";
import { type DeviceTraits, plannedSubgroups } from "../plan/traits.js";
import { gridBarrierPlan, showsGridBarrier, smallestSize, subgroupSizesPlan } from "../sort/device_probes.js";
import { radixPlan, radixTuning } from "../sort/radix/radix.js";
import { subgroupsFit } from "../sort/radix/radix_tuning.js";

/**
 * Vendors whose subgroups are known to run in lockstep between convergent operations. `provenTraits` still
 * tests it. Only there does it make workgroups wait for each other: the kernel that does so needs lockstep too,
 * and where a waiting workgroup keeps others from running on, it would spin in vain.
 */
const VENDORS = ["nvidia"];

const KEYS = 2 ** 15;

/**
 * Tests on the device the radix kernels that use subgroups, and returns the traits that the tests confirm. A
 * device without suitable subgroups is not tested.
 *
 * Where the device reports one size of subgroups, both variants of these kernels rely on behaviour that WGSL
 * does not guarantee: both assume that subgroups have this size and are numbered in the order of their
 * invocations, and the faster one also assumes that the invocations of a subgroup run in lockstep. The test
 * sorts keys with many equal digits and keys with few, in several tiles of the kernel that small sorts use.
 * Larger sorts use the same kernel with more keys per invocation, and check their result like all other sorts.
 *
 * Another test shows whether workgroups may wait for each other at a grid barrier, and then see what the others
 * wrote, which WGSL does not guarantee either.
 *
 * @throws LoadError if the kernels do not load.
 */
export async function provenTraits(gpu: Gpu): Promise<DeviceTraits> {
  const { traits } = gpu;
  if (!subgroupsFit(traits)) return traits;
  if (plannedSubgroups(traits).varies) return provenSizes(gpu);
  const hoped = { ...traits, lockstep: true };
  if (VENDORS.includes(gpu.device.adapterInfo.vendor)) {
    const [isInLockstep, probed] = await Promise.all([
      sortsCorrectly(gpu, hoped),
      outcome(gpu, gridBarrierPlan(), {}),
    ]);
    if (isInLockstep) return { ...hoped, parallelProgress: probed !== undefined && showsGridBarrier(probed) };
  }
  return (await sortsCorrectly(gpu, traits)) ? traits : { ...traits, subgroups: false };
}

/**
 * Tests a device whose driver chooses the size of subgroups for each kernel. The driver may choose another size
 * for the next kernel, so no test can promise one. A flag that kernels raise, and a sort without subgroups
 * behind every sort, would cost twelve dispatches that return immediately. The kernels for such devices are
 * right for all sizes, and fast if their groups are not larger than the subgroups.
 */
async function provenSizes(gpu: Gpu): Promise<DeviceTraits> {
  const withoutSubgroups = { ...gpu.traits, subgroups: false };
  const sizes = await outcome(gpu, subgroupSizesPlan(), {});
  if (!sizes) return withoutSubgroups;
  const tested = { ...gpu.traits, testedSubgroupSize: smallestSize(sizes) };
  if (!subgroupsFit(tested)) return tested;
  return (await sortsCorrectly(gpu, tested)) ? tested : withoutSubgroups;
}

async function sortsCorrectly(gpu: Gpu, traits: DeviceTraits): Promise<boolean> {
  const keys = new Uint32Array(KEYS).map((_, i) => (i % 3 === 0 ? mix(i) & 0x0103_0003 : mix(i)));
  // The kernels of sorts that run once: most starts of the command compile them anyway.
  const once = radixTuning(KEYS, elementType("u32"), traits, { once: true });
  const tuning = { ...once, columns: 2, fusedScan: false };
  const plan = radixPlan(KEYS, elementType("u32"), { descending: false }, traits, tuning);
  const sorted = await outcome(gpu, plan, { keys });
  const expected = keys.slice().sort();
  return sorted?.every((key, i) => key === expected[i]) ?? false;
}

/** The result of a plan; undefined if the driver does not compile or run its kernels. */
async function outcome(gpu: Gpu, plan: Plan, inputs: Words): Promise<Uint32Array | undefined> {
  try {
    return await runPlan(gpu, plan, inputs);
  } catch (error) {
    if (error instanceof LoadError) throw error;
    return undefined;
  }
}
