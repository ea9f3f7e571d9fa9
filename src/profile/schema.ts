import {
  array,
  check,
  finite,
  type InferOutput,
  isoTimestamp,
  literal,
  minLength,
  minValue,
  nullable,
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
  /** Extra seconds of a process's first sort on the GPU, which compiles kernels and allocates memory. */
  firstSeconds: seconds,
});

/** How fast one machine sorts on its CPU and on its GPU. All times are in seconds. */
export const profileSchema = object({
  schema: literal("gpusort-profile/2"),
  measuredAt: pipe(string(), isoTimestamp()),
  /**
   * The times hold only for this machine with its software, and for this GPU; null if none could be opened.
   */
  machine: string(),
  adapter: nullable(string()),
  /** The time to find the GPU and open its device, once per process. */
  openSeconds: seconds,
  /** The times by the name of the element type. */
  types: record(string(), typeProfile),
});

export type Profile = InferOutput<typeof profileSchema>;
export type TypeProfile = InferOutput<typeof typeProfile>;
