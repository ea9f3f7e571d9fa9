import { promises as fs } from "node:fs";
import { array, literal, object, parse, string } from "valibot";
import { createOutput } from "../files/output.js";
import { count } from "./count.js";
import { type JobFolder, readSealed, unfinished, writeSealed } from "./folder.js";
import { ownVersion } from "./plan.js";
import { digest } from "./sealed.js";

const CUTS_KIND = "cuts of a gpusort job";

const headSchema = object({
  kind: literal(CUTS_KIND),
  gpusort: string(),
  job: string(),
  /** Names the runs that were cut, by what is in them. */
  digest: string(),
  runs: count,
  parts: count,
  /** Of each run. */
  checksums: array(string()),
  /** Of each run. */
  counts: array(count),
});

const parseHead = (json: unknown) => parse(headSchema, json);

/** What cuts.json says. */
type CutsHead = ReturnType<typeof parseHead>;

/** What is known of the runs that are cut. */
export type CutsOf = Pick<CutsHead, "digest" | "checksums" | "counts">;

const PLACE_BYTES = 8;
const SEAL_BYTES = 16;
/** Bytes of rows that are written or read at a time, unless one is longer. */
const ROWS_BYTES = 1 << 20;

/**
 * Where the runs are cut into parts. cuts.json says what was cut; cuts.bin has a row for each part but the first:
 * where the part begins in each run, counted in items, as u64, and a seal. So a task reads two rows, however many
 * parts there are. All numbers are little-endian. The seal is the digest of the head's digest, the number of the
 * part and its places, so that a row that was edited, is another part's, or is of other runs is found out.
 */
export class Cuts {
  readonly digest: string;
  readonly checksums: readonly string[];
  readonly #job: JobFolder;
  readonly #counts: readonly number[];

  constructor(job: JobFolder, { digest, checksums, counts }: CutsOf) {
    this.digest = digest;
    this.checksums = checksums;
    this.#job = job;
    this.#counts = counts;
  }

  /**
   * Where a part begins in each run, and where it ends, counted in items.
   *
   * @throws UnfinishedError if the rows were changed, or cut short.
   */
  async range(part: number): Promise<{ from: readonly number[]; to: readonly number[] }> {
    const job = this.#job;
    const file = await fs.open(job.cutRowsPath).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === "ENOENT" ? notCut(job) : cause;
    });
    try {
      const [from, to] = [await this.#start(file, part), await this.#start(file, part + 1)];
      if (from && to) return { from, to };
    } finally {
      await file.close();
    }
    throw unfinished(job, `${job.cutRowsPath} was changed, or cut short`, "cut");
  }

  /** @returns undefined if the row is not what was written. */
  async #start(file: fs.FileHandle, part: number): Promise<readonly number[] | undefined> {
    if (part === 0) return this.#counts.map(() => 0);
    if (part === this.#job.parts) return this.#counts;
    const bytes = Buffer.alloc(this.#rowBytes);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, (part - 1) * bytes.length);
    return bytesRead === bytes.length ? this.#places(part, bytes) : undefined;
  }

  /** Whether all rows are what was written. */
  async areWhole(): Promise<boolean> {
    const file = await fs.open(this.#job.cutRowsPath);
    try {
      const rows = Math.max(1, Math.floor(ROWS_BYTES / this.#rowBytes));
      const bytes = Buffer.alloc(rows * this.#rowBytes);
      for (let part = 1; part < this.#job.parts; ) {
        const { bytesRead } = await file.read(bytes, 0, bytes.length, (part - 1) * this.#rowBytes);
        if (bytesRead < this.#rowBytes) return false;
        for (let at = 0; at + this.#rowBytes <= bytesRead && part < this.#job.parts; at += this.#rowBytes) {
          if (!this.#places(part++, bytes.subarray(at, at + this.#rowBytes))) return false;
        }
      }
      return true;
    } finally {
      await file.close();
    }
  }

  /** Whether the file of the rows has its length. */
  async haveRows(): Promise<boolean> {
    const stats = await fs.stat(this.#job.cutRowsPath).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return undefined;
      throw cause;
    });
    return stats?.size === (this.#job.parts - 1) * this.#rowBytes;
  }

  /** @param starts where each part but the first begins in each run, in their order. */
  async write(starts: AsyncIterable<readonly number[]>): Promise<void> {
    const output = await createOutput(this.#job.cutRowsPath, true);
    try {
      const rows = Math.max(1, Math.floor(ROWS_BYTES / this.#rowBytes));
      let bytes = Buffer.alloc(rows * this.#rowBytes);
      let [filled, written, part] = [0, 0, 0];
      const flush = async () => {
        await output.write(bytes.subarray(0, filled), written);
        written += filled;
        filled = 0;
        bytes = Buffer.alloc(bytes.length); // an output may keep what it was given
      };
      for await (const places of starts) {
        this.#row(++part, places).copy(bytes, filled);
        filled += this.#rowBytes;
        if (filled === bytes.length) await flush();
      }
      await flush();
      await output.publish();
    } catch (error) {
      await output.discard();
      throw error;
    }
  }

  get #rowBytes(): number {
    return this.#counts.length * PLACE_BYTES + SEAL_BYTES;
  }

  #row(part: number, places: readonly number[]): Buffer {
    const row = Buffer.alloc(this.#rowBytes);
    places.forEach((place, run) => {
      row.writeUInt32LE(place % 2 ** 32, run * PLACE_BYTES);
      row.writeUInt32LE(Math.floor(place / 2 ** 32), run * PLACE_BYTES + 4);
    });
    row.write(this.#seal(part, row), this.#counts.length * PLACE_BYTES, "hex");
    return row;
  }

  #places(part: number, row: Buffer): number[] | undefined {
    const end = this.#counts.length * PLACE_BYTES;
    if (row.toString("hex", end) !== this.#seal(part, row)) return undefined;
    return this.#counts.map(
      (_, run) => row.readUInt32LE(run * PLACE_BYTES) + 2 ** 32 * row.readUInt32LE(run * PLACE_BYTES + 4),
    );
  }

  #seal(part: number, row: Buffer): string {
    return digest(
      Buffer.concat([Buffer.from(`${this.digest} ${part} `), row.subarray(0, row.length - SEAL_BYTES)]),
    );
  }
}

/** Writes where the runs of a job are cut. @param starts as for `Cuts.write`. */
export async function writeCuts(
  job: JobFolder,
  of: CutsOf,
  starts: AsyncIterable<readonly number[]>,
): Promise<Cuts> {
  const cuts = new Cuts(job, of);
  await cuts.write(starts);
  const { runs, parts } = job;
  await writeSealed(job.cutsPath, {
    kind: CUTS_KIND,
    gpusort: ownVersion,
    job: job.id,
    runs,
    parts,
    ...of,
  } satisfies CutsHead);
  return cuts;
}

/** @returns undefined if the job has no cuts, or other ones than those of its plan. */
export async function findCuts(job: JobFolder): Promise<Cuts | undefined> {
  const head = await readSealed(job.cutsPath, parseHead);
  if (!head || head.job !== job.id || head.gpusort !== ownVersion) return undefined;
  const cuts = new Cuts(job, head);
  const fits = head.counts.length === job.runs && head.parts === job.parts;
  return fits && (await cuts.haveRows()) ? cuts : undefined;
}

/** @throws UnfinishedError if the runs are not cut yet. */
export async function readCuts(job: JobFolder): Promise<Cuts> {
  const cuts = await findCuts(job);
  if (cuts) return cuts;
  throw notCut(job);
}

const notCut = (job: JobFolder) => unfinished(job, `the runs in ${job.path} are not cut into parts`, "cut");
