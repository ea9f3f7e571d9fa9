import { promises as fs } from "node:fs";
import { join, resolve } from "node:path";
import { version } from "../build.generated.js";
import { GpusortError, InputError } from "../core/errors.js";
import type { Item } from "../core/items/item.js";
import { replaceFile } from "../files/output.js";
import { shellWord, taskRanges } from "./command_words.js";
import { itemOfPlan, type JobPlan, parsePlan, planId } from "./plan.js";
import { sealed, UnfinishedError, unsealed } from "./sealed.js";

/** Names the tasks of a job. */
export type TaskKind = "sort" | "merge";

/** The length of the numbers in the names of runs and parts, unless there are more of them. */
const LEAST_DIGITS = 5;

const numbered = (index: number, digits = LEAST_DIGITS) => String(index).padStart(digits, "0");

/** The files of a job. All workers see them at the same paths. */
export class JobFolder {
  readonly path: string;
  readonly plan: JobPlan;
  /** Names the job in its receipts. */
  readonly id: string;
  readonly item: Item;

  constructor(path: string, plan: JobPlan) {
    this.path = path;
    this.plan = plan;
    this.id = planId(plan);
    this.item = itemOfPlan(plan.item);
  }

  /**
   * Opens a job that was planned.
   *
   * @throws InputError if there is no job, if its plan was changed, or if another version of gpusort made it.
   */
  static async open(folder: string): Promise<JobFolder> {
    const path = resolve(folder);
    const text = await readIfThere(planPath(path));
    if (text === undefined) {
      throw new InputError(`there is no job in ${path}: it has no plan.json`, {
        hint: "plan it first (gpusort job plan), in a folder that all workers see at the same path",
      });
    }
    const content = unsealedPlan(planPath(path), text);
    const { gpusort } = content as { gpusort?: unknown };
    if (typeof gpusort === "string" && gpusort !== version) {
      throw new InputError(`the job in ${path} was planned by gpusort ${gpusort}, and this is ${version}`, {
        hint: "run its tasks with that version, or plan it anew in another folder",
      });
    }
    try {
      return new JobFolder(path, parsePlan(content));
    } catch (cause) {
      throw damagedPlan(planPath(path), cause as Error);
    }
  }

  /**
   * Whether the parts together have the checksum of the runs. Not where duplicates are dropped; nor in text,
   * which keeps no payloads of NaNs. There the items that are read are summed up.
   */
  get keepsChecksum(): boolean {
    const { item, plan } = this;
    const keepsBits = plan.writing.format !== "text" || item.kind !== "key" || item.type.order !== "float";
    return keepsBits && !plan.unique;
  }

  get runs(): number {
    return this.plan.runs.length;
  }

  get parts(): number {
    return this.plan.parts;
  }

  /** The sorted items of a run. */
  runPath(run: number): string {
    return join(this.path, "runs", numbered(run));
  }

  samplesPath(run: number): string {
    return `${this.runPath(run)}.samples`;
  }

  get cutsPath(): string {
    return join(this.path, "cuts.json");
  }

  /** The rows of the cuts, one for each part but the first. */
  get cutRowsPath(): string {
    return join(this.path, "cuts.bin");
  }

  /** "part-00007-of-00064.u64" */
  partName(part: number): string {
    const { parts, plan } = this;
    const digits = Math.max(LEAST_DIGITS, String(parts).length);
    return `part-${numbered(part, digits)}-of-${numbered(parts, digits)}${plan.writing.extension}`;
  }

  partPath(part: number): string {
    return join(this.plan.output, this.partName(part));
  }

  /** What a task writes. */
  resultPath(kind: TaskKind, index: number): string {
    return kind === "sort" ? this.runPath(index) : this.partPath(index);
  }

  receiptPath(kind: TaskKind, index: number): string {
    return join(this.path, kind === "sort" ? "runs" : "parts", `${numbered(index)}.json`);
  }

  leasePath(kind: TaskKind, index: number): string {
    return join(this.path, "leases", `${kind}-${numbered(index)}`);
  }

  get successPath(): string {
    return join(this.plan.output, "_SUCCESS.json");
  }
}

export const planPath = (folder: string) => join(folder, "plan.json");

/** The folders within a job's folder. */
export const jobFolders = ["runs", "parts", "leases"] as const;

/** Says in the folder of the output which job writes there. */
export const markerPath = (output: string) => join(output, "_JOB.json");

/** Reads a text. @returns undefined if there is no such file. @throws the system's error. */
export async function readIfThere(path: string): Promise<string | undefined> {
  return fs.readFile(path, "utf8").catch(undefinedIfMissing);
}

/** @returns undefined for the system's error that there is no such file. @throws any other. */
export function undefinedIfMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== "ENOENT" && cause.code !== "ENOTDIR") throw cause;
}

/**
 * Writes sealed JSON. The file appears complete or not at all.
 *
 * @param about a file whose items the JSON shows: it gives nobody more permissions than that one does.
 * @throws InputError if it cannot be written.
 */
export async function writeSealed(path: string, content: object, about?: string): Promise<void> {
  const inputs = about === undefined ? [] : [await fs.stat(about, { bigint: true })];
  await replaceFile(path, sealed(content), inputs);
}

/**
 * Reads sealed JSON that a task wrote.
 *
 * @param accept reads the content, and throws if it is something else.
 * @returns undefined if there is no such file, or if it was changed or cut short: then the task runs again.
 */
export async function readSealed<Content>(
  path: string,
  accept: (content: unknown) => Content,
): Promise<Content | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return accept(unsealed(text));
  } catch {
    return undefined;
  }
}

function unsealedPlan(path: string, text: string): object {
  try {
    return unsealed(text) as object;
  } catch (cause) {
    throw damagedPlan(path, cause as Error);
  }
}

function damagedPlan(path: string, cause: Error): InputError {
  return new InputError(`${path} is not the plan of a job: ${cause.message}`, {
    hint: "plan the job anew, in another folder",
    cause,
  });
}

/**
 * The error for what another task should have written. python/src/gpusort_dask/errors.py knows it by its hint.
 *
 * @param command the command of the job that must run first: "sort", "cut" or "merge".
 * @param tasks the numbers of its tasks, if it has some.
 */
export function unfinished(
  job: JobFolder,
  what: string,
  command: "sort" | "cut" | "merge",
  tasks: readonly number[] = [],
  cause?: unknown,
): UnfinishedError {
  const why = cause instanceof GpusortError ? `: ${cause.message}` : "";
  const words = [
    "gpusort job",
    command,
    shellWord(job.path),
    ...(tasks.length > 0 ? [taskRanges(tasks)] : []),
  ];
  return new UnfinishedError(`${what}${why}`, {
    hint: `run ${words.join(" ")}, then this task again`,
    cause,
  });
}
