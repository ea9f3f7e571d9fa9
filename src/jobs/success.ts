import { promises as fs } from "node:fs";
import { version } from "../build.generated.js";
import { type JobFolder, readSealed, writeSealed } from "./folder.js";
import type { Receipt } from "./receipt.js";

const SUCCESS_KIND = "output of a gpusort job";

/** What a finished job wrote, as _SUCCESS.json says it. */
export interface JobSuccess {
  readonly kind: typeof SUCCESS_KIND;
  readonly gpusort: string;
  readonly job: string;
  readonly inputs: number;
  readonly inputBytes: number;
  readonly items: number;
  readonly duplicates: number;
  /** That of `gpusort verify`. */
  readonly checksum: string;
  /** The bytes of the first and the last item, in the memory's order, in hexadecimal. */
  readonly first: string | null;
  readonly last: string | null;
  readonly order: "ascending" | "descending";
  readonly unique: boolean;
  readonly parts: readonly FinishedPart[];
}

/** A part of the output, as its receipt says. */
type FinishedPart = Pick<Receipt, "written" | "bytes" | "checksum" | "first" | "last"> & {
  readonly name: string;
};

/** What all parts together hold. */
type AllContent = Pick<JobSuccess, "items" | "duplicates" | "checksum" | "first" | "last">;

export function successOf(job: JobFolder, receipts: readonly Receipt[], content: AllContent): JobSuccess {
  const { plan, id } = job;
  return {
    kind: SUCCESS_KIND,
    gpusort: version,
    job: id,
    inputs: plan.inputs.length,
    inputBytes: plan.inputs.reduce((sum, { bytes }) => sum + bytes, 0),
    ...content,
    order: plan.descending ? "descending" : "ascending",
    unique: plan.unique,
    parts: receipts.map(({ index, written, bytes, checksum, first, last }) => {
      return { name: job.partName(index), written, bytes, checksum, first, last };
    }),
  };
}

/** @returns what the finished job wrote; undefined if it has not finished. */
export async function findSuccess(job: JobFolder): Promise<JobSuccess | undefined> {
  const success = await readSealed(job.successPath, (json) => json as JobSuccess);
  return success?.job === job.id && success.gpusort === version ? success : undefined;
}

/** Publishes the output: writes _SUCCESS.json, unless it is there. */
export async function publish(job: JobFolder, success: JobSuccess): Promise<void> {
  if (JSON.stringify(await findSuccess(job)) === JSON.stringify(success)) return;
  await writeSealed(job.successPath, success, job.partPath(0));
}

/** Takes _SUCCESS.json back, because the output is not what it was. */
export async function unpublish(job: JobFolder): Promise<void> {
  await fs.rm(job.successPath, { force: true });
}
