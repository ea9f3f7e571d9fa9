import {
  array,
  check,
  finite,
  type InferOutput,
  isoTimestamp,
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

/** A number of keys, and the seconds that a sort of them took. */
const point = pipe(
  tuple([pipe(number(), finite(), minValue(1)), pipe(number(), finite(), minValue(Number.MIN_VALUE))]),
  readonly(),
);
const ascends = (points: (readonly [number, number])[]) =>
  points.every(([n], i) => i === 0 || n > points[i - 1]![0]);
const curve = pipe(
  array(point),
  minLength(1),
  check(ascends, "the numbers of keys do not ascend"),
  readonly(),
);
const seconds = pipe(number(), finite(), minValue(0));

/** Times of whole sorts, from keys in memory to keys in memory, including the check of the result. */
const typeProfile = object({
  cpu: curve,
  gpu: curve,
  /** Extra seconds of a process's first sort on the adapter, which compiles kernels and allocates memory. */
  firstSeconds: seconds,
});

/** How fast one machine sorts on its CPU, and on the adapter that "auto" finds. All times are in seconds. */
export const profileSchema = object({
  schema: literal("gpusort-profile/1"),
  measuredAt: pipe(string(), isoTimestamp()),
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
