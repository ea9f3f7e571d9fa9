import { promises as fs } from "node:fs";
import {
  array,
  boolean,
  type InferOutput,
  literal,
  nullable,
  number,
  object,
  optional,
  parse,
  picklist,
  pipe,
  regex,
  string,
} from "valibot";
import { version } from "../build.generated.js";
import { VerifyError } from "../core/errors.js";
import { checksumText } from "../core/items/checksum.js";
import type { Summary } from "../core/items/summary.js";
import { limitConcurrency } from "../files/limit_concurrency.js";
import { wholeNumber } from "../json_schemas.js";
import { type JobFolder, readSealed, type TaskKind, undefinedIfMissing, writeSealed } from "./folder.js";

const hex = pipe(string(), regex(/^([0-9a-f]{2})*$/));

export const RECEIPT_KIND = "receipt of a gpusort task" as const;

const receiptSchema = object({
  kind: literal(RECEIPT_KIND),
  gpusort: string(),
  /** The id of the job's plan. */
  job: string(),
  task: picklist(["sort", "merge"]),
  index: wholeNumber,
  /** The items that the task read, and those that it wrote: fewer, if only the first of equal keys are kept. */
  read: wholeNumber,
  written: wholeNumber,
  duplicates: wholeNumber,
  /** That of `gpusort verify`. */
  checksum: pipe(string(), regex(/^[0-9a-f]{16}$/)),
  /** The bytes of the first and the last item, in the memory's order. */
  first: nullable(hex),
  last: nullable(hex),
  /** The file that it wrote. A file of another size or time of modification is read and compared. */
  bytes: wholeNumber,
  mtimeNs: string(),
  /** The sum of the items that the run holds, or that the part was made of, where `checksum` does not tell. */
  sum: optional(wholeNumber),
  /** Of a run: the digest of its samples. */
  samples: optional(string()),
  /** Of a part: the digest of the cuts. */
  cuts: optional(string()),
  /** How it went; nothing depends on it. */
  device: string(),
  host: string(),
  seconds: number(),
  strategy: optional(string()),
  verified: optional(boolean()),
  phases: optional(array(object({ name: string(), seconds: number() }))),
});

/** What a task wrote, and what was found in it when it was read back. */
export type Receipt = InferOutput<typeof receiptSchema>;

/** The fields of a receipt that tell the content of a file. */
export type ItemsContent = Pick<Receipt, "written" | "duplicates" | "checksum" | "first" | "last">;

/** The fields of a receipt that tell whether a file is the one that was written. */
export type FileIdentity = Pick<Receipt, "bytes" | "mtimeNs">;

/** @returns undefined if there is no file. @throws the system's error. */
export async function identityOf(path: string): Promise<FileIdentity | undefined> {
  // It is opened, because a network file system asks its server again only then.
  const file = await fs.open(path).catch(undefinedIfMissing);
  if (!file) return undefined;
  try {
    const { size, mtimeNs } = await file.stat({ bigint: true });
    return { bytes: Number(size), mtimeNs: String(mtimeNs) };
  } finally {
    await file.close();
  }
}

/** Whether a file is the one that was written, by its size and its time of modification. */
export function isUnchanged(a: FileIdentity, b: FileIdentity | undefined): boolean {
  return a.bytes === b?.bytes && a.mtimeNs === b.mtimeNs;
}

/**
 * What a receipt says of a result that was read back.
 *
 * @throws VerifyError if it is not in order.
 */
export function itemsContentOf(name: string, summary: Summary): ItemsContent {
  const { count, inversions, duplicates, checksum, first, last } = summary;
  if (inversions > 0) {
    throw new VerifyError(`${name} was read back, and is not in order: the disk or the memory failed`, {
      hint: "run the task again, or on another machine",
    });
  }
  const hex = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes).toString("hex") : null);
  return { written: count, duplicates, checksum: checksumText(checksum), first: hex(first), last: hex(last) };
}

/** Whether two files hold the same items, as far as their summaries tell. */
export function sameContent(a: ItemsContent, b: ItemsContent): boolean {
  const fields = ["written", "duplicates", "checksum", "first", "last"] as const;
  return fields.every((field) => a[field] === b[field]);
}

/**
 * @returns the receipt of a task; undefined if there is none, or if it is another task's, job's or version's.
 */
export async function readReceipt(
  job: JobFolder,
  task: TaskKind,
  index: number,
): Promise<Receipt | undefined> {
  const receipt = await readSealed(job.receiptPath(task, index), (json) => parse(receiptSchema, json));
  const { gpusort, job: id } = receipt ?? {};
  const isOurs = gpusort === version && id === job.id && receipt?.task === task && receipt.index === index;
  return isOurs ? receipt : undefined;
}

export async function writeReceipt(job: JobFolder, receipt: Receipt): Promise<void> {
  const { task, index } = receipt;
  await writeSealed(job.receiptPath(task, index), receipt, job.resultPath(task, index));
}

/**
 * Finds out whether the file of a receipt is still what it says. A file with another time of modification may
 * be that of another worker, who did the same; so it is read.
 *
 * @param read reads the file from its beginning to its end.
 * @returns the receipt, with the time that the file has now; undefined if the file is missing, or another one.
 */
export async function confirmed(
  job: JobFolder,
  receipt: Receipt,
  read: () => Promise<ItemsContent>,
): Promise<Receipt | undefined> {
  const identity = await identityOf(job.resultPath(receipt.task, receipt.index));
  if (identity?.bytes !== receipt.bytes) return undefined;
  if (isUnchanged(receipt, identity)) return receipt;
  const content = await read().catch(() => undefined);
  if (!content || !sameContent(receipt, content)) return undefined;
  const renewed = { ...receipt, ...identity };
  await writeReceipt(job, renewed);
  return renewed;
}

/**
 * Finds out which files are not what their receipts say, as `confirmed` does. Files are asked for their times
 * many at once, but read one by one, because that takes memory.
 *
 * @returns the numbers of their tasks.
 */
export async function notConfirmed(
  job: JobFolder,
  receipts: readonly Receipt[],
  read: (receipt: Receipt) => Promise<ItemsContent>,
): Promise<number[]> {
  const areSame = await limitConcurrency(receipts.length, async (at) => {
    const { task, index } = receipts[at]!;
    return isUnchanged(receipts[at]!, await identityOf(job.resultPath(task, index)));
  });
  const wrong: number[] = [];
  for (const receipt of receipts.filter((_, at) => !areSame[at])) {
    if (!(await confirmed(job, receipt, () => read(receipt)))) wrong.push(receipt.index);
  }
  return wrong;
}
