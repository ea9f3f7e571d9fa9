import {
  array,
  type InferOutput,
  literal,
  minLength,
  minValue,
  number,
  object,
  pipe,
  readonly,
  record,
  string,
  tuple,
} from "valibot";
import { predictSeconds } from "./curve.js";

export const PROFILE_SCHEMA = "gpusort-profile/1";

/** A number of keys, and the seconds that a sort of them took. */
const point = pipe(
  tuple([pipe(number(), minValue(1)), pipe(number(), minValue(Number.MIN_VALUE))]),
  readonly(),
);
const curve = pipe(array(point), minLength(1), readonly());
const seconds = pipe(number(), minValue(0));

/** Times of whole sorts, from keys in memory to keys in memory, including the check of the result. */
const typeProfile = object({
  cpu: curve,
  gpu: curve,
  /** Extra seconds of a process's first sort on the adapter, which compiles kernels and allocates memory. */
  firstSeconds: seconds,
});

/** How fast one machine sorts on its CPU, and on the adapter that "auto" finds. All times are in seconds. */
export const profileSchema = object({
  schema: literal(PROFILE_SCHEMA),
  measuredAt: string(),
  /** The times hold only for this machine with its software, and for this adapter. */
  machine: string(),
  adapter: string(),
  /** The time to find the adapter and open its device, once per process. */
  openSeconds: seconds,
  /** The times by the name of the element type. A type is added when it is first sorted. */
  types: record(string(), typeProfile),
});

export type Profile = InferOutput<typeof profileSchema>;
export type TypeProfile = InferOutput<typeof typeProfile>;

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

const MAX_KEYS = 2 ** 32;

/** The number of keys from which the profile predicts the adapter to be faster; undefined if it never is. */
export function forecastCrossover(profile: Profile, type: string): number | undefined {
  const wins = (keyCount: number) => {
    const times = forecast(profile, type, keyCount);
    return times !== undefined && times.gpuSeconds < times.cpuSeconds;
  };
  let [low, high] = [1, MAX_KEYS];
  if (!wins(high)) return undefined;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wins(middle)) high = middle;
    else low = middle;
  }
  return high;
}
