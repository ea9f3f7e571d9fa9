import { promises as fs } from "node:fs";
import type { Bytes } from "../core/bytes.js";
import { GpusortError, InputError } from "../core/errors.js";
import { transferSum } from "../core/items/checksum.js";
import type { ItemSource } from "../core/streams/item_stream.js";
import { openOwnInput } from "../files/input.js";
import type { InputFile } from "../files/input_file.js";
import { limitConcurrency } from "../files/limit_concurrency.js";
import type { ItemInput } from "../formats/format.js";
import { openRawItems } from "../formats/raw.js";
import { summarizeItems } from "../sort/items/check_items.js";
import type { KernelThreads } from "../threads/kernel_threads.js";
import { type JobFolder, undefinedIfMissing, unfinished } from "./folder.js";
import { type ItemsContent, itemsContentOf, notConfirmed, type Receipt } from "./receipt.js";
import { digest } from "./sealed.js";

/** An open run. */
export interface OpenRun {
  readonly file: InputFile;
  readonly items: ItemInput;
}

/**
 * Opens a run to be read.
 *
 * @throws InputError if it does not exist, or is no whole number of items.
 */
async function openRun(job: JobFolder, run: number): Promise<OpenRun> {
  const file = heldInput(await openOwnInput(job.runPath(run)), (cause) => {
    return unfinished(job, `run ${run} was changed while it was read`, "sort", [run], cause);
  });
  try {
    const style = { format: job.item.kind === "key" ? "raw" : "records", byteOrder: "little" } as const;
    return { file, items: await openRawItems(file, 0, job.item, style) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * A file that nobody may write to: another task can write it again, so a change is no wrong input. Errors of
 * the disk or the network, which have a cause, stay as they are.
 */
function heldInput(file: InputFile, changed: (cause: InputError) => Error): InputFile {
  const refuse = (error: unknown): never => {
    throw error instanceof InputError && error.cause === undefined ? changed(error) : error;
  };
  return {
    name: file.name,
    byteLength: file.byteLength,
    stats: file.stats,
    peek: (count) => file.peek(count).catch(refuse),
    read: (into, offset) => file.read!(into, offset).catch(refuse),
    next: (into) => file.next(into).catch(refuse),
    checkUnchanged: () => file.checkUnchanged().catch(refuse),
    close: () => file.close(),
  };
}

/**
 * Opens the runs that receipts are about, in their order.
 *
 * @throws UnfinishedError if a file is another one by now.
 */
export async function openSortedRuns(
  job: JobFolder,
  receipts: readonly Receipt[],
  threads: KernelThreads,
): Promise<OpenRun[]> {
  const read = async ({ index }: Receipt) => (await readRun(job, index, threads)).content;
  const wrong = await notConfirmed(job, receipts, read);
  if (wrong.length > 0) {
    const what =
      wrong.length === 1
        ? `run ${wrong[0]} is not what its receipt says`
        : `${wrong.length} runs are not what their receipts say`;
    throw unfinished(job, what, "sort", wrong);
  }
  const opened: OpenRun[] = [];
  const open = async (at: number) => {
    const { index } = receipts[at]!;
    opened[at] = await openRun(job, index).catch((error) => {
      throw error instanceof GpusortError
        ? unfinished(job, `run ${index} cannot be read`, "sort", [index], error)
        : error;
    });
  };
  try {
    await limitConcurrency(receipts.length, open);
    return opened;
  } catch (error) {
    await closeRuns(opened);
    throw error;
  }
}

/** Closes runs, some of which may not have been opened. */
export async function closeRuns(opened: readonly OpenRun[]): Promise<void> {
  for (const run of opened) await run?.file.close();
}

/** What was found in a run. */
export interface RunContent {
  readonly content: ItemsContent;
  /** Every `stride`-th item, beginning with the first. */
  readonly samples: Uint8Array;
  /** The sum of its items, if the job needs it. */
  readonly sum: number | undefined;
}

/** Reads a run from its beginning to its end. @throws VerifyError if it is not in order. */
export async function readRun(job: JobFolder, run: number, threads: KernelThreads): Promise<RunContent> {
  const { file, items } = await openRun(job, run);
  const { descending, stride } = job.plan;
  try {
    const source = new SampledSource(items, stride, !job.keepsChecksum);
    const summary = await summarizeItems({ ...items, source }, { descending, threads });
    const content = itemsContentOf(job.runPath(run), summary);
    return { content, samples: source.samples, sum: source.sum };
  } finally {
    await file.close();
  }
}

/** Keeps every `stride`-th item of those that are read, and adds them up. */
class SampledSource implements ItemSource {
  readonly samples: Uint8Array;
  readonly #items: ItemInput;
  readonly #strideBytes: number;
  #sum = 0;
  readonly #sumsUp: boolean;

  constructor(items: ItemInput, stride: number, sumsUp: boolean) {
    const { item, itemCount } = items;
    this.samples = new Uint8Array(Math.ceil(itemCount! / stride) * item.bytes);
    this.#items = items;
    this.#strideBytes = stride * item.bytes;
    this.#sumsUp = sumsUp;
  }

  /** The sum of the items that were read; undefined if nobody asked for it. */
  get sum(): number | undefined {
    return this.#sumsUp ? this.#sum : undefined;
  }

  async read(into: Bytes, offset: number): Promise<void> {
    const { source, item } = this.#items;
    await source!.read(into, offset);
    for (let i = Math.ceil(offset / this.#strideBytes); i * this.#strideBytes < offset + into.length; i++) {
      const at = i * this.#strideBytes - offset;
      this.samples.set(into.subarray(at, at + item.bytes), i * item.bytes);
    }
    if (this.#sumsUp) this.#sum = (this.#sum + transferSum(into, item)) >>> 0;
  }
}

/** Reads the samples that a receipt is about. @throws UnfinishedError if they are missing, or others by now. */
export async function readSamples(job: JobFolder, receipt: Receipt): Promise<Uint8Array> {
  const { index } = receipt;
  const bytes = await samplesOf(job, index);
  if (bytes && digest(bytes) === receipt.samples) return bytes;
  const what = bytes ? "were changed" : "are missing";
  throw unfinished(job, `the samples of run ${index} ${what}`, "sort", [index]);
}

/** Whether the samples are those that a receipt is about. */
export async function hasSamples(job: JobFolder, { index, samples }: Receipt): Promise<boolean> {
  const bytes = await samplesOf(job, index);
  return bytes !== undefined && digest(bytes) === samples;
}

/** @returns undefined if there are none. */
async function samplesOf(job: JobFolder, run: number): Promise<Uint8Array | undefined> {
  return fs.readFile(job.samplesPath(run)).catch(undefinedIfMissing);
}
