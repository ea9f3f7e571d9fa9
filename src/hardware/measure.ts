import type { Gpu } from "../core/device/gpu.js";
import { elementType } from "../core/elements.js";
import type { GpuEngine } from "../core/engines/gpu.js";
import { defaultLimits, type Limits } from "../core/plan/grid.js";
import type { DeviceTraits } from "../core/plan/traits.js";
import type { Sorter } from "../core/sorter/sorter.js";
import { memorySource } from "../core/streams/item_stream.js";
import { distribution, generateKeys } from "../testdata/distributions.js";
import { checkAll } from "./correctness.js";
import type { HardwareReport, Times } from "./report.js";

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

const SIZES = [2 ** 12, 2 ** 16, 2 ** 20, 2 ** 22, 2 ** 24];
const REPEATS = 5;
/** A time is not measured again after this. */
const MOST_CELL_MS = 1500;

/** What sorts on a device, and beside it. */
interface Contenders {
  readonly engine: GpuEngine;
  readonly sorter: Sorter;
  readonly cpu: Sorter;
}

/**
 * Measures sorts of u32 keys on a device, and beside them the bitonic sort on it, JavaScript's own sort, and
 * gpusort on the CPU.
 *
 * @param mostMs no further size is measured after this time.
 * @param onSize is told the number of keys that is measured next.
 */
async function measureTimes(
  contenders: Contenders,
  mostMs: number,
  onSize: (keyCount: number) => Promise<void> | void,
): Promise<Times[]> {
  const begin = performance.now();
  const times: Times[] = [];
  for (const keyCount of SIZES) {
    if (performance.now() - begin > mostMs) break;
    await onSize(keyCount);
    times.push(await measure(contenders, keyCount));
  }
  return times;
}

async function measure({ engine, sorter, cpu }: Contenders, keyCount: number): Promise<Times> {
  const type = elementType("u32");
  const keys = generateKeys(distribution("uniform"), type, keyCount, 1) as Uint32Array;
  const into = keys.slice();
  const values = keys.slice();
  const resident = async (algorithm: string) => {
    const job = { type, keyCount, descending: false, algorithm, verify: false };
    const sort = await engine.resident(job, memorySource(keys));
    try {
      return await least(() => sort.run(2));
    } finally {
      sort.destroy();
    }
  };
  return {
    keyCount,
    residentMs: await resident("auto"),
    keysMs: await least(() => timed(() => sorter.sort(keys, { into }))),
    pairsMs: await least(() => timed(() => sorter.sortPairs(keys, values))),
    bitonicMs: await resident("bitonic"),
    platformMs: await least(() => timed(async () => keys.slice().sort())),
    cpuMs: await least(() => timed(() => cpu.sort(keys, { into }))),
  };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await run();
  return performance.now() - begin;
}

/** The least of several measurements: the first also compiles. */
async function least(run: () => Promise<number>): Promise<number> {
  const begin = performance.now();
  let ms = await run();
  for (let i = 1; i < REPEATS && performance.now() - begin < MOST_CELL_MS; i++)
    ms = Math.min(ms, await run());
  return Number(ms.toPrecision(4));
}
