import { array, literal, object, parse, string } from "valibot";
import { count } from "./count.js";
import { type JobFolder, readSealed, unfinished } from "./folder.js";
import { ownVersion } from "./plan.js";

const cutsSchema = object({
  kind: literal("cuts of a gpusort job"),
  gpusort: string(),
  job: string(),
  /** Names the runs that were cut, by what is in them. */
  digest: string(),
  /** Of each run. */
  checksums: array(string()),
  /** Of each run. */
  counts: array(count),
  /** For each part but the first: where it begins in each run, counted in items. */
  starts: array(array(count)),
});

export const CUTS_KIND = "cuts of a gpusort job";
export type CutsFile = ReturnType<typeof parseCuts>;

const parseCuts = (json: unknown) => parse(cutsSchema, json);

/** Where the runs are cut into parts. */
export class Cuts {
  readonly digest: string;
  readonly checksums: readonly string[];
  readonly #file: CutsFile;

  constructor(file: CutsFile) {
    this.digest = file.digest;
    this.checksums = file.checksums;
    this.#file = file;
  }

  /** Where a part begins in each run, counted in items. The part after the last begins at their ends. */
  starts(part: number): readonly number[] {
    const { starts, counts } = this.#file;
    if (part === 0) return counts.map(() => 0);
    return starts[part - 1] ?? counts;
  }
}

/** @returns undefined if the job has no cuts, or other ones than those of its plan. */
export async function findCuts(job: JobFolder): Promise<Cuts | undefined> {
  const file = await readSealed(job.cutsPath, parseCuts);
  if (!file || file.job !== job.id || file.gpusort !== ownVersion) return undefined;
  const fits = file.counts.length === job.runs && file.starts.length === job.parts - 1;
  return fits ? new Cuts(file) : undefined;
}

/** @throws UnfinishedError if the runs are not cut yet. */
export async function readCuts(job: JobFolder): Promise<Cuts> {
  const cuts = await findCuts(job);
  if (cuts) return cuts;
  throw unfinished(job, `the runs in ${job.path} are not cut into parts`, "cut");
}
