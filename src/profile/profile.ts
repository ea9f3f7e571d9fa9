import { predictSeconds } from "./curve.js";
import type { Profile, TypeProfile } from "./schema.js";

/** What a profile predicts for one sort in its own process. */
export interface Forecast {
  /** The sort on the CPU. */
  readonly cpuSeconds: number;
  /** The sum of opening the device, the extra time of a first sort, and the sort itself. */
  readonly gpuSeconds: number;
  /** To find the GPU and open its device; a part of `gpuSeconds`. */
  readonly openSeconds: number;
  /** What the first sort of a process takes longer than others, to compile kernels; a part of `gpuSeconds`. */
  readonly firstSeconds: number;
}

/** What was measured of one type. */
export type Times = TypeProfile & Pick<Profile, "openSeconds">;

export function forecast({ cpu, gpu, openSeconds, firstSeconds }: Times, keyCount: number): Forecast {
  return {
    cpuSeconds: predictSeconds(cpu, keyCount),
    gpuSeconds: openSeconds + firstSeconds + predictSeconds(gpu, keyCount),
    openSeconds,
    firstSeconds,
  };
}

/** No crossover is sought above this number of keys. */
const MAX_CROSSOVER = 2 ** 32;

/** The number of keys from which the GPU is predicted to be faster; undefined if it never is. */
export function forecastCrossover(times: Times): number | undefined {
  const wins = (keyCount: number) => {
    const { cpuSeconds, gpuSeconds } = forecast(times, keyCount);
    return gpuSeconds < cpuSeconds;
  };
  let [low, high] = [1, MAX_CROSSOVER];
  if (!wins(high)) return undefined;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wins(middle)) high = middle;
    else low = middle;
  }
  return high;
}
