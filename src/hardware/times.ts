import { elementType } from "../core/elements.js";
import type { GpuEngine } from "../core/engines/gpu.js";
import type { Sorter } from "../core/sorter/sorter.js";
import { memorySource } from "../core/streams/memory.js";
import { distribution, generateKeys } from "../testdata/distributions.js";
import type { Times } from "./report.js";

const SIZES = [2 ** 12, 2 ** 16, 2 ** 20, 2 ** 22, 2 ** 24];
const REPEATS = 5;
/** A time is not measured again after this. */
const MOST_CELL_MS = 1500;

/** What sorts on a device, and beside it. */
export interface Contenders {
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
export async function measureTimes(
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
