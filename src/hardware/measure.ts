import type { Gpu } from "../core/device/gpu.js";
import { defaultLimits, type Limits } from "../core/plan/grid.js";
import type { DeviceTraits } from "../core/plan/traits.js";
import { checkAll } from "./correctness.js";
import type { HardwareReport } from "./report.js";
import { type Contenders, measureTimes } from "./times.js";

/** The part of the time in which a further size is measured. */
const MEASURED = 1 / 15;

/** What a device is known by, and what sorts on it. */
export interface MeasuredDevice extends Contenders {
  readonly gpu: Gpu;
  readonly tested: DeviceTraits;
  readonly about: Pick<HardwareReport, "gpusort" | "runtime" | "adapter">;
}

/**
 * Sorts arrays of all types and sizes on a device, measures sorts of u32 keys, and reports it.
 *
 * @param mostMs no further array is compared after this time, as a software adapter takes seconds to compile a
 *   kernel; and no further size is measured after a fifteenth of it.
 * @param onStep is told what comes next, in a few words.
 * @throws DeviceError or KernelError if a sort that is timed fails; one that is compared is counted as wrong.
 */
export async function hardwareReport(
  { gpu, tested, about, ...contenders }: MeasuredDevice,
  mostMs: number,
  onStep: (step: string) => Promise<void> | void,
): Promise<HardwareReport> {
  const correctness = await checkAll(contenders.sorter, mostMs, (type) => onStep(`sorting ${type} keys`));
  const times = await measureTimes(contenders, mostMs * MEASURED, (keyCount) =>
    onStep(`measuring ${keyCount.toLocaleString("en")} keys`),
  );
  return {
    format: 1,
    date: new Date().toISOString().slice(0, 10),
    ...about,
    features: [...gpu.device.features].sort(),
    reported: withOwnLimits(gpu.traits),
    tested: withOwnLimits(tested),
    correctness,
    gpuClock: contenders.engine.gpuClock,
    times,
  };
}

/** A device's limits are getters of an object, which JSON would leave out. */
function withOwnLimits(traits: DeviceTraits): DeviceTraits {
  const names = Object.keys(defaultLimits) as (keyof Limits)[];
  const limits = Object.fromEntries(names.map((name) => [name, traits.limits[name]])) as unknown as Limits;
  return { ...traits, limits };
}
