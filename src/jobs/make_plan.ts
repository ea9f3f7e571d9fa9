import { type BigIntStats, promises as fs } from "node:fs";
import { basename, dirname, isAbsolute, join, parse, relative, resolve } from "node:path";
import { version } from "../build.generated.js";
import { type Compression, splitCompression } from "../core/compression.js";
import { InputError } from "../core/errors.js";
import type { Item } from "../core/items/item.js";
import { settleAll } from "../core/settle_all.js";
import { requireCodec } from "../files/compression/compress.js";
import { requireName } from "../files/errors.js";
import { openInput } from "../files/input.js";
import { createOutput } from "../files/output.js";
import { concatenate } from "../formats/concatenate.js";
import type { ItemInput } from "../formats/format.js";
import { areMostlyNumbers, sampleNumbers } from "../kinds/content.js";
import { kindOfPath, outputExtensions } from "../kinds/names.js";
import { type KnownInputs, type OpenInputsOptions, openInputs, openItemInputs } from "../sort/inputs.js";
import { machineMemoryBytes } from "../sort/memory.js";
import { KernelThreads } from "../threads/kernel_threads.js";
import { divide } from "./divide.js";
import { findInputs } from "./find_inputs.js";
import { JobFolder, jobFolders, markerPath, planPath, readIfThere, readSealed } from "./folder.js";
import { cpuTaskLimits } from "./needs.js";
import { itemToPlan, type JobPlan, PLAN_KIND } from "./plan.js";
import { sealed } from "./sealed.js";

/** How to plan a job. How the inputs are read is as for `sortFile`. */
export interface PlanOptions extends OpenInputsOptions {
  /** The folder of the job, which is created. It gets as many bytes as the inputs have. */
  readonly job: string;
  /** The folder of the output, which is created, or empty. */
  readonly output: string;
  /** The number of parts of the output, at least 1. Default: as many as there are runs. */
  readonly parts?: number | undefined;
  /**
   * The most bytes of items in a run. Default: as many as a task sorts at once in its memory, on any device.
   */
  readonly runBytes?: number | undefined;
  /** Bytes of memory that each task may use, the device's included. Default: a quarter of this machine's. */
  readonly memoryBytes?: number | undefined;
  /** As for `sortFile`. */
  readonly descending?: boolean | undefined;
  /** As for `sortFile`. */
  readonly unique?: boolean | undefined;
  /** The format of the parts: "raw", "npy" or "text"; that of the inputs by default. */
  readonly to?: string | undefined;
  /** How to compress the parts. Default: as the first input is named. */
  readonly compress?: Compression | "none" | undefined;
}

/** A planned job, and whether it was planned before. */
export interface PlannedJob {
  readonly job: JobFolder;
  readonly wasDone: boolean;
}

/**
 * Engines hold the items of a sort up to four times, unless they say more: as read, as sorted, in scratch
 * memory, and on their way.
 */
const HELD_TIMES = 4;

/**
 * More runs than these are too many, because a merge opens all of them, and systems limit open files. Then runs
 * may be longer than what a CPU sorts at once.
 */
const MANY_RUNS = 1000;

/** Each is a task and a file in one folder, and `finish` and `status` have the receipts of all in memory. */
const MOST_PARTS = 1_000_000;

/** A network file system takes as long for one file as for a few. */
const OPEN_AT_ONCE = 16;

/** The number of samples of a run, about, unless those of all runs take more than a part of the memory. */
const SAMPLES_PER_RUN = 2 ** 16;
const SAMPLES_OF_MEMORY = 1 / 8;

/**
 * Plans a job: finds out what the inputs hold, divides them into runs, and creates the folders of the job and
 * of its output. If the same job was planned before, only folders that are gone are created again.
 *
 * @param words paths of files, or patterns.
 * @throws InputError if an input, an option or a folder is wrong.
 */
export async function planJob(words: readonly string[], options: PlanOptions): Promise<PlannedJob> {
  requireSizes(options);
  requireName(options.job, "folder of the job");
  requireName(options.output, "folder of the output", ["output"]);
  const [folder, output] = [resolve(options.job), resolve(options.output)];
  const paths = await findInputs(words);
  requireApart(await realPath(folder), await realPath(output), await Promise.all(paths.map(realPath)));
  const before =
    (await readIfThere(planPath(folder))) === undefined ? undefined : await JobFolder.open(folder);
  const memoryBytes = options.memoryBytes ?? before?.plan.memoryBytes ?? defaultTaskMemory();
  const job = new JobFolder(folder, await planOf(paths, output, memoryBytes, options));
  const wasDone = await isPlanned(job, before);
  if (!wasDone) await requireOutput(job);
  await createFolders(job);
  // Should that fail because of another job, which is planned at the same time, the folders are now that one's.
  if (!wasDone) await createFiles(job);
  return { job, wasDone };
}

function requireSizes({ parts, runBytes, memoryBytes }: PlanOptions): void {
  const isWhole = (value: number | undefined, most = Number.MAX_SAFE_INTEGER) =>
    value === undefined || (Number.isSafeInteger(value) && value > 0 && value <= most);
  if (!isWhole(parts, MOST_PARTS)) {
    throw new InputError(`the output cannot have ${parts} parts`, {
      hint: `give a whole number from 1 to ${MOST_PARTS}`,
    });
  }
  if (!isWhole(runBytes) || !isWhole(memoryBytes)) {
    throw new InputError("a size must be a positive number of bytes", { options: ["memoryBytes"] });
  }
}

/** @throws InputError if one of the folders is in the other, or if an input is in one of them. */
function requireApart(folder: string, output: string, inputs: readonly string[]): void {
  const isIn = (path: string, outer: string) => {
    const way = relative(outer, path);
    return way === "" || !(way.startsWith("..") || isAbsolute(way));
  };
  if (isIn(folder, output) || isIn(output, folder)) {
    throw new InputError(`the folder of the job, ${folder}, and that of the output, ${output}, overlap`, {
      hint: "name two folders beside each other",
      options: ["output"],
    });
  }
  for (const [name, outer] of [
    ["the job", folder],
    ["the output", output],
  ] as const) {
    const inside = inputs.find((path) => isIn(path, outer));
    if (inside === undefined) continue;
    throw new InputError(`the input ${inside} lies in the folder of ${name}, ${outer}`, {
      hint: `name another folder for ${name}`,
      options: ["output"],
    });
  }
}

/** A path without links, of which the last folders may not exist yet. */
async function realPath(path: string): Promise<string> {
  const real = await fs.realpath(path).catch(() => undefined);
  return real ?? (path === dirname(path) ? path : join(await realPath(dirname(path)), basename(path)));
}

/** The same whenever it is asked for, unlike the memory that is free, so that equal commands make one plan. */
function defaultTaskMemory(): number {
  return Math.floor(machineMemoryBytes() / 4);
}

async function planOf(
  paths: readonly string[],
  output: string,
  memoryBytes: number,
  options: PlanOptions,
): Promise<JobPlan> {
  const { descending = false, unique = false } = options;
  const inputs: { path: string; bytes: number; mtimeNs: string }[] = [];
  const opened: ItemInput[] = [];
  const threads = new KernelThreads(1);
  try {
    for (let at = 0; at < paths.length; at += OPEN_AT_ONCE) {
      const some = paths.slice(at, at + OPEN_AT_ONCE).map((path) => inspect(path, options, threads));
      for (const { items, ...input } of await settleAll(some)) {
        inputs.push(input);
        opened.push(items);
      }
    }
  } finally {
    threads.close();
  }
  const { item, itemCount } = concatenate(opened);
  const bytes = inputs.reduce((sum, input) => sum + input.bytes, 0);
  const runBytes = options.runBytes ?? defaultRunBytes(item, itemCount, memoryBytes);
  const runItems = Math.max(1, Math.floor(runBytes / item.bytes));
  const divided = opened.map(({ source, itemCount }, i) => ({
    bytes: inputs[i]!.bytes,
    itemCount: source && itemCount,
  }));
  const runs = divide(divided, runItems, runBytes);
  return {
    kind: PLAN_KIND,
    gpusort: version,
    inputs,
    output,
    reading: readingOf(options),
    item: itemToPlan(item),
    descending,
    unique,
    writing: writingOf(opened[0]!, paths[0]!, options),
    memoryBytes,
    stride: strideOf(itemCount ?? bytes, item, runItems, memoryBytes),
    runs,
    parts: options.parts ?? runs.length,
  };
}

function defaultRunBytes(item: Item, itemCount: number | undefined, memoryBytes: number): number {
  const atOnce = cpuTaskLimits(item);
  const fitting = Math.floor(memoryBytes / Math.max(HELD_TIMES, atOnce.memoryPerByte));
  return Math.min(fitting, item.bytes * Math.max(atOnce.items, Math.ceil((itemCount ?? 0) / MANY_RUNS)));
}

/** The options about the inputs that are given, as data. */
function readingOf(options: PlanOptions): JobPlan["reading"] {
  const { format, type, byteOrder, skipBytes, recordBytes, keys, blankLines, header, textOverflow } = options;
  const named = { format, type, byteOrder, skipBytes, recordBytes, keys, blankLines, header, textOverflow };
  return JSON.parse(JSON.stringify(named));
}

function strideOf(items: number, item: Item, runItems: number, memoryBytes: number): number {
  const forRuns = Math.floor(runItems / SAMPLES_PER_RUN);
  const forMemory = Math.ceil((items * item.bytes) / (memoryBytes * SAMPLES_OF_MEMORY));
  return Math.max(1, forRuns, forMemory);
}

/** @throws InputError if the input is no file of numbers or records. */
async function inspect(path: string, options: PlanOptions, threads: KernelThreads) {
  const file = await openInput(path);
  const stats = file.stats?.isFile() ? file.stats : undefined;
  const opened = await openInputs([file], options);
  try {
    if (!stats) {
      throw new InputError(`${path} is no file, but a pipe or a device`, {
        hint: "write it to a file first: each task of a job reads its share again",
      });
    }
    const { kind } = opened;
    if (kind === "parquet" || kind === "csv") throw noRows(path, "a table");
    if (kind === "lines" || (kind === "text" && !(await holdsNumbers(opened, options))))
      throw noRows(path, "lines of text");
    const { items } = await openItemInputs(opened, options, threads);
    return { path, bytes: Number(stats.size), mtimeNs: String(stats.mtimeNs), items };
  } finally {
    await opened.close();
  }
}

/** Whether text is to be read as numbers: an option says so, or its first lines. */
async function holdsNumbers({ files }: KnownInputs, { format, type }: PlanOptions): Promise<boolean> {
  return format !== undefined || type !== undefined || areMostlyNumbers(await sampleNumbers(files[0]!));
}

function noRows(path: string, what: string): InputError {
  return new InputError(`${path} holds ${what}, and a job sorts numbers and records only`, {
    hint: "sort it on one machine: gpusort FILE; or name the format of its numbers",
    options: ["format"],
  });
}

function writingOf({ item, style }: ItemInput, path: string, options: PlanOptions): JobPlan["writing"] {
  const format = options.to ?? style.format;
  if (item.kind === "record" && format !== "records") {
    throw new InputError(`records cannot be written as ${format}`, {
      hint: "leave the format out, so that they are written as they are",
      options: ["to"],
    });
  }
  const formats: readonly string[] = ["raw", "npy", "text"];
  if (item.kind === "key" && !formats.includes(format)) {
    throw new InputError(`a job cannot write its parts as ${format}`, {
      hint: `use one of ${formats.join(", ")}`,
      options: ["to"],
    });
  }
  const { inner, compression = "none" } = splitCompression(path);
  const compress = options.compress ?? compression;
  const plain =
    item.kind === "key" ? (outputExtensions.get(format) ?? `.${item.type.name}`) : recordExtension(inner);
  if (compress !== "none") requireCodec(compress, "the parts");
  const isSame = format === style.format;
  return {
    format,
    byteOrder: isSame ? style.byteOrder : "little",
    ...(isSame && style.npyVersion && { npyVersion: style.npyVersion }),
    ...(isSame && style.header && { header: Buffer.from(style.header).toString("base64") }),
    compress,
    extension: compress === "none" ? plain : `${plain}.${compress}`,
  };
}

/** That of the inputs, unless it names something else than records. */
function recordExtension(path: string): string {
  return kindOfPath(path) ? ".bin" : parse(path).ext;
}

/** Whether the job was planned before. @throws InputError if its folder holds something else. */
async function isPlanned(job: JobFolder, before: JobFolder | undefined): Promise<boolean> {
  if (before) {
    if (before.id === job.id) return true;
    throw new InputError(`the folder ${job.path} holds another job, or one of other inputs or options`, {
      hint: "name other folders for the job and for its output, or remove those",
      options: ["output"],
    });
  }
  // A plan that somebody else has just made is compared when this one is written.
  const own: readonly string[] = [...jobFolders, basename(planPath(job.path))];
  const others = (await namesIn(job.path)).filter((name) => !name.startsWith(".") && !own.includes(name));
  if (others.length === 0) return false;
  throw new InputError(`the folder ${job.path} is not empty: it holds ${others[0]}`, {
    hint: "name another folder for the job",
    options: ["output"],
  });
}

/** @throws InputError if the folder of the output holds anything that the job did not put there. */
async function requireOutput({ id, path, plan: { output } }: JobFolder): Promise<void> {
  const names = (await namesIn(output)).filter((name) => !name.startsWith("."));
  if (names.length === 0) return;
  const owner = await readSealed(markerPath(output), (json) => json as { id: string; job: string });
  if (owner?.id === id && owner.job === path) return;
  const why = owner ? `it belongs to the job in ${owner.job}` : `it holds ${names[0]}`;
  throw new InputError(`the folder of the output, ${output}, is not empty: ${why}`, {
    hint: "name another folder, or empty this one",
    options: ["output"],
  });
}

async function namesIn(folder: string): Promise<string[]> {
  return fs.readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw noFolder(folder, cause);
  });
}

function noFolder(folder: string, cause: Error): InputError {
  return new InputError(`${folder} cannot be used as a folder: ${cause.message}`, {
    hint: "name another folder",
    options: ["output"],
    cause,
  });
}

/**
 * Creates a folder, and those that it is in. In a folder that says that a new one is not there, as /proc does,
 * Node's own way would try forever.
 *
 * @param made gets those that were not there, the innermost first.
 */
async function makeFolder(folder: string, made: string[]): Promise<void> {
  const isThere = () =>
    fs.stat(folder).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
  if (await isThere()) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), made);
  try {
    await fs.mkdir(folder);
    made.unshift(folder);
  } catch (cause) {
    if (!(await isThere())) throw noFolder(folder, cause as Error);
  }
}

/** Creates the folders of a job, or none. */
async function createFolders({ path, plan }: JobFolder): Promise<void> {
  const made: string[] = [];
  try {
    for (const name of jobFolders) await makeFolder(join(path, name), made);
    await makeFolder(plan.output, made);
  } catch (error) {
    for (const folder of made) await fs.rmdir(folder).catch(() => {}); // another process may use it meanwhile
    throw error;
  }
}

/** Creates the files of a planned job, and the plan at last: with it, the job exists. */
async function createFiles({ id, path, plan }: JobFolder): Promise<void> {
  await createOnce(markerPath(plan.output), { id, job: path }, "output");
  // The plan shows the header of the first input.
  const isShown = plan.writing.header !== undefined;
  const shown = isShown ? [await fs.stat(plan.inputs[0]!.path, { bigint: true })] : [];
  await createOnce(planPath(path), plan, "job", shown);
}

/**
 * Creates a file, unless somebody else has created the same.
 *
 * @param shown the files of which it shows a part: it gives nobody more permissions than they do.
 * @throws InputError if it is another one.
 */
async function createOnce(
  path: string,
  content: object,
  what: string,
  shown: readonly BigIntStats[] = [],
): Promise<void> {
  const text = sealed(content);
  try {
    const file = await createOutput(path, false, { inputs: shown });
    try {
      await file.write(new TextEncoder().encode(text), 0);
      await file.publish();
    } catch (error) {
      await file.discard();
      throw error;
    }
  } catch (error) {
    const there = await readIfThere(path);
    if (there === text) return;
    if (there === undefined) throw error;
    throw new InputError(`another job took the folder of the ${what} at the same time: ${path}`, {
      hint: "name another folder",
    });
  }
}
