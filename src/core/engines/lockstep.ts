import type { Gpu } from "../device/gpu.js";
import { runPlan } from "../device/run.js";
import { elementType } from "../elements.js";
import { mix } from "../items/mix.js";
import type { DeviceTraits } from "../plan/traits.js";
import { radixPlan } from "../sort/radix.js";
import { radixTuning, subgroupsFit } from "../sort/radix_tuning.js";

/**
 * Vendors whose subgroups are known to run in lockstep between convergent operations. `provenTraits` still
 * tests it.
 */
const VENDORS = ["nvidia"];

const KEYS = 2 ** 15;

/**
 * Tests on the device the radix kernels that use subgroups, and returns the traits that the tests confirm. A
 * device without suitable subgroups is not tested.
 *
 * Both variants of these kernels rely on behaviour that WGSL does not guarantee: both assume that subgroups
 * are numbered in the order of their invocations, and the faster one also assumes that the invocations of a
 * subgroup run in lockstep. The test sorts keys with many equal digits and keys with few, in several tiles of
 * the kernel that small sorts use. Larger sorts use the same kernel with more keys per invocation, and check
 * their result like all other sorts.
 */
export async function provenTraits(gpu: Gpu): Promise<DeviceTraits> {
  const { traits } = gpu;
  if (!subgroupsFit(traits)) return traits;
  const hoped = { ...traits, lockstep: true };
  if (VENDORS.includes(gpu.device.adapterInfo.vendor) && (await sortsCorrectly(gpu, hoped))) return hoped;
  return (await sortsCorrectly(gpu, traits)) ? traits : { ...traits, subgroups: false };
}

async function sortsCorrectly(gpu: Gpu, traits: DeviceTraits): Promise<boolean> {
  const keys = new Uint32Array(KEYS).map((_, i) => (i % 3 === 0 ? mix(i) & 0x0103_0003 : mix(i)));
  // The kernels of sorts that run once: most starts of the command compile them anyway.
  const once = radixTuning(KEYS, elementType("u32"), traits, { once: true });
  const tuning = { ...once, columns: 2, fusedScan: false };
  const plan = radixPlan(KEYS, elementType("u32"), { descending: false }, traits, tuning);
  try {
    const sorted = await runPlan(gpu, plan, { keys });
    const expected = keys.slice().sort();
    return sorted.every((key, i) => key === expected[i]);
  } catch {
    return false; // this driver does not compile or run the kernel
  }
}
