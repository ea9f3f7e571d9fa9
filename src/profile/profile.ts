import { predictSeconds } from "./curve.js";
import type { Profile } from "./schema.js";

/** What a profile predicts for one sort in its own process. */
export interface Forecast {
  readonly cpuSeconds: number;
  /** The sum of opening the device, the extra time of a first sort, and the sort itself. */
  readonly gpuSeconds: number;
  readonly openSeconds: number;
  readonly firstSeconds: number;
}

/** @returns undefined if the profile has no times of the type. */
export function forecast(profile: Profile, type: string, keyCount: number): Forecast | undefined {
  const known = profile.types[type];
  if (!known) return undefined;
  const { openSeconds } = profile;
  const { firstSeconds } = known;
  const gpu = predictSeconds(known.gpu, keyCount, "linear");
  return {
    cpuSeconds: predictSeconds(known.cpu, keyCount, "n log n"),
    gpuSeconds: openSeconds + firstSeconds + gpu,
    openSeconds,
    firstSeconds,
  };
}

/** No crossover is sought above this number of keys. */
const MAX_CROSSOVER = 2 ** 32;

/** The number of keys from which the profile predicts the adapter to be faster; undefined if it never is. */
export function forecastCrossover(profile: Profile, type: string): number | undefined {
  const wins = (keyCount: number) => {
    const times = forecast(profile, type, keyCount);
    return times !== undefined && times.gpuSeconds < times.cpuSeconds;
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
