import type { Gpu } from "../device/gpu.js";
import { runPlan } from "../device/run.js";
import { elementType } from "../elements.js";
import type { DeviceTraits } from "../plan/traits.js";
import { radixPlan } from "../sort/radix.js";
import { radixTuning, subgroupsFit } from "../sort/radix_tuning.js";
import { mix } from "../twins/order.js";

/** Vendors whose subgroups are known to run in lockstep between convergent operations. It is tried out all the same. */
const VENDORS = ["nvidia"];

const KEYS = 2 ** 15;

/**
 * The device's traits, as far as they can be trusted. Both families of radix kernels for hardware lean on what WGSL
 * does not promise: that subgroups are numbered as invocations are, and, in the faster one, that they run in
 * lockstep. Each is tried out on this very device before it is used: keys with many equal digits and with few, in
 * several tiles of the kernel that small sorts use. Larger sorts use the same kernel with more keys an invocation, and
 * check their result like all others.
 */
export async function provenTraits(gpu: Gpu): Promise<DeviceTraits> {
  const { traits } = gpu;
  if (!subgroupsFit(traits)) return traits;
  const hoped = { ...traits, lockstep: true };
  if (VENDORS.includes(gpu.device.adapterInfo.vendor) && (await sortsRightly(gpu, hoped))) return hoped;
  return (await sortsRightly(gpu, traits)) ? traits : { ...traits, subgroups: false };
}

async function sortsRightly(gpu: Gpu, traits: DeviceTraits): Promise<boolean> {
  const keys = new Uint32Array(KEYS).map((_, i) => (i % 3 === 0 ? mix(i) & 0x0103_0003 : mix(i)));
  // The few kernels of a sort that runs once: every start of the command waits for them to compile.
  const tuning = { ...radixTuning(KEYS, elementType("u32"), traits, { once: true }), columns: 2 };
  const plan = radixPlan(KEYS, elementType("u32"), { descending: false }, traits, tuning);
  try {
    const sorted = await runPlan(gpu, plan, { keys });
    const expected = keys.slice().sort();
    return sorted.every((key, i) => key === expected[i]);
  } catch {
    return false; // a kernel that this driver does not compile is none to use
  }
}
