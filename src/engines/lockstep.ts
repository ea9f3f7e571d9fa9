import type { Gpu } from "../device/gpu.js";
import { runPlan } from "../device/run.js";
import { elementType } from "../elements.js";
import type { DeviceTraits } from "../plan/traits.js";
import { radixPlan } from "../sort/radix.js";
import { groupsFit } from "../sort/radix_tuning.js";
import { mix } from "../twins/order.js";

/** Vendors whose subgroups are known to run in lockstep between convergent operations. It is tried out all the same. */
const VENDORS = ["nvidia"];

const KEYS = 2 ** 15;

/**
 * The device's traits, with `lockstep` set if its vendor is known for it and a radix sort that leans on it comes
 * out right on this very device: keys with many equal digits and with few, in tiles of the kernel that small sorts
 * use. Larger sorts use the same kernel with more keys an invocation, and check their result like all others.
 *
 * @throws DeviceError, KernelError
 */
export async function provenTraits(gpu: Gpu): Promise<DeviceTraits> {
  const { traits } = gpu;
  if (!groupsFit(traits) || !VENDORS.includes(gpu.device.adapterInfo.vendor)) return traits;
  const hoped = { ...traits, lockstep: true };
  const keys = new Uint32Array(KEYS).map((_, i) => (i % 3 === 0 ? mix(i) & 0x0103_0003 : mix(i)));
  const plan = radixPlan(KEYS, elementType("u32"), { descending: false }, hoped);
  const sorted = await runPlan(gpu, plan, { keys });
  keys.sort();
  return sorted.every((key, i) => key === keys[i]) ? hoped : traits;
}
