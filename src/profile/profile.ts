import { type CurvePoint, predictSeconds } from "./curve.js";

/** How fast one machine sorts, on its CPU and on the adapter that `auto` finds. All times in seconds. */
export interface Profile {
  readonly schema: typeof PROFILE_SCHEMA;
  readonly measuredAt: string;
  /** What the times hold for: other software, another CPU or another adapter needs another profile. */
  readonly machine: string;
  readonly adapter: string;
  /** Finding the adapter and opening its device, which every process pays once. */
  readonly openSeconds: number;
  /** By the element type's name; each is added when it is first sorted. */
  readonly types: Readonly<Record<string, TypeProfile>>;
}

export const PROFILE_SCHEMA = "gpusort-profile/1";

/** Whole sorts, from keys in memory to keys in memory, checked. */
export interface TypeProfile {
  readonly cpu: readonly CurvePoint[];
  readonly gpu: readonly CurvePoint[];
  /** What a process's first sort on the adapter takes longer than its next: kernels to compile, memory to get. */
  readonly firstSeconds: number;
}

/** What a profile foretells for one sort by a process of its own. */
export interface Forecast {
  readonly cpuSeconds: number;
  /** All of it: opening, first sort, the sort itself. */
  readonly gpuSeconds: number;
  readonly openSeconds: number;
  readonly firstSeconds: number;
}

/** @returns undefined if the profile does not know the type. */
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

const MOST_KEYS = 2 ** 32;

/** The number of keys from which the profile foretells the adapter to be faster; undefined if it never is. */
export function forecastCrossover(profile: Profile, type: string): number | undefined {
  const wins = (keyCount: number) => {
    const times = forecast(profile, type, keyCount);
    return times !== undefined && times.gpuSeconds < times.cpuSeconds;
  };
  let [low, high] = [1, MOST_KEYS];
  if (!wins(high)) return undefined;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wins(middle)) high = middle;
    else low = middle;
  }
  return high;
}
