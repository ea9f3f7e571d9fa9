import {
  array,
  boolean,
  description as describe,
  entriesFromList,
  exactOptional,
  gtValue,
  type InferOutput,
  integer,
  literal,
  minLength,
  minValue,
  nullable,
  number,
  type ObjectEntries,
  picklist,
  pipe,
  readonly,
  strictObject,
  string,
  union,
  variant,
} from "valibot";
import { metrics } from "./metric.js";

/** The name of the format. docs/bench.schema.json holds these schemas as JSON Schema. */
export const SCHEMA = "gpusort-bench/1";

const count = pipe(number(), integer(), minValue(0));
/** A description of one or more lines. */
const description = <T>(...lines: readonly string[]) => describe<T, string>(lines.join(" "));
const fields = <T extends ObjectEntries>(entries: T) => pipe(strictObject(entries), readonly());
const metric = picklist(metrics);
const threads = pipe(number(), integer(), minValue(1));

/** One input. All contenders that sort it are measured together, in turns. */
const point = {
  task: pipe(
    string(),
    description(
      "what is done with the keys: sort; top:K, the first K keys; segments:N, each segment of N keys sorted;",
      "unique, the distinct keys and how often each occurs",
    ),
  ),
  type: pipe(string(), description("type of the keys: u32, f64, …")),
  distribution: pipe(string(), description("distribution of the keys: uniform, zipf, …")),
  payloadBytes: pipe(count, description("bytes of the value that belongs to each key; 0 for keys alone")),
};
const keyCount = pipe(number(), integer(), minValue(1));
const algorithm = pipe(
  string(),
  description("value of the algorithm option; rows that differ only in it have the same CPU cells"),
);

const skipped = fields({ skipped: pipe(string(), description("why the cell was not measured")) });

/** How the reason begins why a cell is skipped whose sort would take too long. */
export const OVER = "over ";

/** Seconds of one sort, and how precisely they are known. */
const measured = fields({
  medianSeconds: pipe(number(), gtValue(0)),
  minSeconds: number(),
  maxSeconds: number(),
  lowSeconds: pipe(
    number(),
    description(
      "lower end of the median's 95% confidence interval; the minimum if there were fewer than six rounds",
    ),
  ),
  highSeconds: pipe(
    number(),
    description("upper end of that interval; the maximum if there were fewer than six rounds"),
  ),
  relativeError: pipe(
    nullable(number()),
    description(
      "half the width of the interval, divided by the median; null if there were fewer than six rounds",
    ),
  ),
  runs: pipe(number(), integer(), minValue(1), description("number of timed runs")),
  roundSeconds: pipe(
    array(number()),
    minLength(1),
    readonly(),
    description("the median of each round's runs, in order: the sample that all statistics above describe"),
  ),
  roundReferenceSeconds: pipe(
    array(number()),
    readonly(),
    description(
      "seconds of the reference work in the same rounds: for array, typed and cpu a small sort,",
      "for gpu the copy kernel, for the other metrics the time until the GPU answers a tiny submission",
    ),
  ),
  stop: pipe(
    picklist(["error", "budget", "runs"]),
    description("what ended the measurement: its error or its time; runs: 1,000 rounds"),
  ),
  warnings: pipe(
    array(picklist(["wide", "drift", "clock"])),
    readonly(),
    description(
      "wide: the relative error is over the bound or unknown; drift: the times moved by more than 5%;",
      "clock: the times of the reference work moved by more than 5%",
    ),
  ),
});

/** One row of a benchmark: all measurements of one algorithm on one input. */
export const row = fields({
  ...point,
  keyCount,
  algorithm,
  purpose: pipe(
    picklist(["grid", "crossover"]),
    description("grid: a size from the options; crossover: a size that the search for a crossover added"),
  ),
  cells: pipe(
    fields(entriesFromList(metrics, exactOptional(union([measured, skipped])))),
    description(
      "array, typed: JavaScript's own sorts, and what the task needs besides.",
      "cpu: gpusort's own, from memory to memory. gpu: the sort alone, with the keys already on the device.",
      "round-trip: from memory to memory, with upload and readback. upload, readback: these parts of it.",
    ),
  ),
  copyBytesPerSecond: pipe(
    nullable(number()),
    description(
      "bytes that the copy kernel reads and writes, median of the same rounds; null without an adapter",
    ),
  ),
});

/** From how many keys the GPU beats a sort on the CPU, for one kind of input and one algorithm. */
const crossover = pipe(
  fields({
    ...point,
    algorithm,
    way: pipe(metric, description("gpu: the sort alone; round-trip: with upload and readback")),
    against: pipe(metric, description("the sort on the CPU that it is compared with")),
    from: variant("kind", [
      pipe(
        fields({ kind: literal("never") }),
        description("the GPU does not win at the largest size at which both were measured"),
      ),
      pipe(
        fields({ kind: literal("always"), keyCount }),
        description("the GPU wins at every measured size; keyCount is the smallest"),
      ),
      pipe(
        fields({ kind: literal("between"), keyCount, low: keyCount, high: keyCount }),
        description("the GPU does not win at low and wins from high on; at keyCount the two are about equal"),
      ),
    ]),
  }),
  description("The number of keys from which the GPU beats a sort on the CPU."),
);

/** One cell in the older and in the newer result. */
const change = fields({
  ...point,
  keyCount,
  algorithm,
  way: metric,
  oldSeconds: number(),
  newSeconds: number(),
  ratio: pipe(number(), description("new time divided by old time: 1.1 is 10% slower")),
  low: pipe(
    number(),
    description("low and high: ends of the ratio's interval, with 95% confidence for all cells together"),
  ),
  high: number(),
  referenceRatio: pipe(
    nullable(number()),
    description("new time of the reference work divided by its old time; null if either is missing"),
  ),
  verdict: pipe(
    picklist(["equal", "faster", "slower", "machine", "noisy"]),
    description(
      "slower, faster: both in seconds and in units of the reference work;",
      "machine: in only one of the two units, or with another number of threads",
    ),
  ),
});

/** An older and a newer result, compared cell by cell. */
const comparison = pipe(
  fields({
    threshold: pipe(number(), description("smallest change that counts: 0.05 is 5%")),
    unmatched: pipe(count, description("number of cells that only one of the two results measured")),
    threads: exactOptional(
      pipe(
        fields({ old: threads, new: threads }),
        description(
          "threads of the cells cpu if the two results differ in them; a change of these cells is then called machine",
        ),
      ),
    ),
    changes: pipe(array(change), readonly()),
  }),
  description("The change of each cell since an older result; absent if there was none to compare with."),
);

const adapter = fields({
  name: string(),
  driver: string(),
  vendor: string(),
  architecture: string(),
  software: pipe(boolean(), description("whether the adapter is software that runs on the CPU")),
  subgroupSize: fields({ min: count, max: count }),
  gpuClock: picklist(["timestamp queries", "wall clock"]),
});

/** Where and how a benchmark ran. */
const environment = fields({
  gpusort: pipe(string(), description("version of gpusort")),
  commit: pipe(
    nullable(string()),
    description(
      "commit of the clone that it ran from, with -dirty if it was modified; null for an installed package",
    ),
  ),
  node: string(),
  v8: string(),
  dawn: pipe(string(), description("version of the npm package webgpu")),
  toggles: pipe(array(string()), readonly(), description("toggles of Dawn that gpusort sets")),
  os: string(),
  cpu: string(),
  cores: count,
  threads: exactOptional(
    pipe(
      threads,
      description("most threads of gpusort's own CPU sort (cells cpu); absent from results older than that"),
    ),
  ),
  memoryBytes: count,
  adapter: pipe(nullable(adapter), description("null without an adapter")),
});

const stopRule = pipe(
  fields({
    relativeError: pipe(
      number(),
      description("bound on the relative error of the median, after at least 24 rounds"),
    ),
    budgetSeconds: pipe(
      number(),
      description("seconds of the whole benchmark, divided among rows and cells"),
    ),
  }),
  description("A cell was done when it reached the first of these limits."),
);

const headerFields = {
  schema: literal(SCHEMA),
  startedAt: pipe(string(), description("ISO 8601, UTC")),
  environment,
  stopRule,
};

/** The part before the rows. In a journal it is the first line. */
export const header = fields(headerFields);

/** A whole benchmark as one JSON document. */
export const benchDocument = pipe(
  fields({
    ...headerFields,
    interrupted: exactOptional(
      pipe(literal(true), description("whether it was interrupted: it has the rows that were complete then")),
    ),
    rows: pipe(array(row), readonly()),
    crossovers: pipe(array(crossover), readonly()),
    comparison: exactOptional(comparison),
  }),
  description(
    "One benchmark: where and how it ran, a row for each algorithm on each input, and the number of keys",
    "from which the GPU wins. The file that a benchmark keeps its rows in has JSON lines: first the header",
    '(everything except rows, crossovers and comparison), then one {"row": …} per line.',
    "All times are in seconds.",
  ),
);

/** The schemas that docs/bench.schema.json defines under names of their own. */
export const definitions = { environment, adapter, row, measured, crossover, comparison };

export type StopRule = InferOutput<typeof stopRule>;
export type Environment = InferOutput<typeof environment>;
export type AdapterEnvironment = InferOutput<typeof adapter>;
export type Header = InferOutput<typeof header>;
export type BenchDocument = InferOutput<typeof benchDocument>;
export type BenchRow = InferOutput<typeof row>;
export type Measured = InferOutput<typeof measured>;
type Skipped = InferOutput<typeof skipped>;
export type Cell = Measured | Skipped;
/** Why the measurement of a cell ended: its error is within the bound, or its time or runs are spent. */
export type StopReason = Measured["stop"];
/**
 * - wide: the relative error is over the bound or unknown;
 * - drift: the times moved while they were taken;
 * - clock: the times of the reference work moved.
 */
export type Warning = Measured["warnings"][number];
export type Crossover = InferOutput<typeof crossover>;
export type CrossoverPoint = Crossover["from"];
export type Change = InferOutput<typeof change>;
export type Comparison = InferOutput<typeof comparison>;
/**
 * - slower, faster: the whole interval of the change is beyond the threshold, both in seconds and in units of
 *   the reference work;
 * - machine: the whole interval is beyond the threshold in only one of the two units, so the machine may have
 *   changed; or it is beyond the threshold, and the number of threads has changed;
 * - equal: the whole interval in seconds is within the threshold, and that in the other units is not beyond
 *   it;
 * - noisy: the interval reaches across the threshold, or there were too few rounds for the confidence.
 */
export type Verdict = Change["verdict"];
/** One input. All contenders that sort it are measured together, in turns. */
export type Point = Pick<BenchRow, "task" | "type" | "distribution" | "payloadBytes" | "keyCount">;

export function isMeasured(cell: Cell | undefined): cell is Measured {
  return cell !== undefined && "medianSeconds" in cell;
}
