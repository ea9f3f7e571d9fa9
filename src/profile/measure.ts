import type { ElementType } from "../core/elements.js";
import type { Engine, SortJob } from "../core/engines/engine.js";
import { memorySink, memorySource } from "../core/streams/memory.js";
import { distribution, generateKeys } from "../testdata/distributions.js";
import type { CurvePoint } from "./curve.js";
import type { TypeProfile } from "./schema.js";

/** Small sizes, so that the whole profile takes under two seconds on a software adapter with two cores. */
const CPU_SIZES = [2 ** 12, 2 ** 15, 2 ** 18];
const GPU_SIZES = { few: 2 ** 12, some: 2 ** 16, many: 2 ** 20 };
const RUNS = 2;

/** The largest size is skipped if its runs would take longer than this, judging by the middle size. */
const MAX_LARGEST_SECONDS = 0.4;

/** Times whole sorts of keys of one type on both engines, as the command runs them. */
export async function measureType(cpu: Engine, gpu: Engine, type: ElementType): Promise<TypeProfile> {
  const capacity = gpu.capacity(jobOf(type, 0));
  const some = Math.min(GPU_SIZES.some, capacity);
  const first = await timeSort(gpu, type, some);
  const warm = await bestOf(RUNS, () => timeSort(gpu, type, some));
  const curve: CurvePoint[] = [[some, warm]];
  if (GPU_SIZES.few < some) {
    curve.unshift([GPU_SIZES.few, await bestOf(RUNS, () => timeSort(gpu, type, GPU_SIZES.few))]);
  }
  const predicted = RUNS * warm * (GPU_SIZES.many / some);
  if (GPU_SIZES.many <= capacity && predicted < MAX_LARGEST_SECONDS) {
    curve.push([GPU_SIZES.many, await bestOf(RUNS, () => timeSort(gpu, type, GPU_SIZES.many))]);
  }
  const cpuCurve: CurvePoint[] = [];
  for (const size of CPU_SIZES) cpuCurve.push([size, await bestOf(RUNS, () => timeSort(cpu, type, size))]);
  return { cpu: cpuCurve, gpu: curve, firstSeconds: Math.max(0, first - warm) };
}

async function bestOf(runs: number, time: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) least = Math.min(least, await time());
  return least;
}

async function timeSort(engine: Engine, type: ElementType, keyCount: number): Promise<number> {
  const keys = generateKeys(distribution("uniform"), type, keyCount, 1);
  const from = new Uint8Array(keys.buffer as ArrayBuffer);
  const to = new Uint8Array(from.length);
  const { totalMs } = await engine.sort(jobOf(type, keyCount), memorySource(from), memorySink(to));
  return totalMs / 1000;
}

function jobOf(type: ElementType, keyCount: number): SortJob {
  return { type, keyCount, descending: false, algorithm: "auto", verify: true };
}
