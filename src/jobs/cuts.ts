import { promises as fs } from "node:fs";
import { array, literal, object, parse, string } from "valibot";
import { version } from "../build.generated.js";
import { createOutput } from "../files/output.js";
import { nodeFiles, type OpenFile, readFully } from "../files/system.js";
import { wholeNumber } from "../json_schemas.js";
import { type JobFolder, readSealed, undefinedIfMissing, unfinished, writeSealed } from "./folder.js";
import { digest } from "./sealed.js";

const CUTS_KIND = "cuts of a gpusort job";

const headSchema = object({
  kind: literal(CUTS_KIND),
  gpusort: string(),
  job: string(),
  /** Names the runs that were cut, by what is in them. */
  digest: string(),
  runs: wholeNumber,
  parts: wholeNumber,
  /** Of each run. */
  checksums: array(string()),
  /** Of each run. */
  counts: array(wholeNumber),
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
 * Where the runs are cut into parts. cuts.json says what was cut; cuts.bin has a row for each part but the
 * first: where the part begins in each run, counted in items, as u64, and a seal. So a task reads two rows,
 * however many parts there are. All numbers are little-endian. The seal is the digest of the head's digest, the
 * number of the part and its places, which tells a row that was edited, is another part's, or is of other runs.
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
    const file = await nodeFiles.open(job.cutRowsPath, "r").catch((cause: NodeJS.ErrnoException) => {
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

  /** Whether all rows are what was written. */
  async areWhole(): Promise<boolean> {
    const { parts, cutRowsPath } = this.#job;
    const file = await nodeFiles.open(cutRowsPath, "r");
    try {
      for (let part = 1; part < parts; ) {
        const rows = await this.#rows(file, part, Math.min(this.#rowsAtOnce, parts - part));
        if (rows.length === 0) return false;
        for (const row of rows) if (!this.#places(part++, row)) return false;
      }
      return true;
    } finally {
      await file.close();
    }
  }

  /** @returns undefined if the row is not what was written. */
  async #start(file: OpenFile, part: number): Promise<readonly number[] | undefined> {
    if (part === 0) return this.#counts.map(() => 0);
    if (part === this.#job.parts) return this.#counts;
    const [row] = await this.#rows(file, part, 1);
    return row && this.#places(part, row);
  }

  /** @returns the rows from that of a part on; none if not all of them are there. */
  async #rows(file: OpenFile, part: number, count: number): Promise<Buffer[]> {
    const bytes = Buffer.alloc(count * this.#rowBytes);
    const end = await readFully(file, bytes, (part - 1) * this.#rowBytes);
    if (end !== undefined) return [];
    return Array.from({ length: count }, (_, i) =>
      bytes.subarray(i * this.#rowBytes, (i + 1) * this.#rowBytes),
    );
  }

  /** Whether the file of the rows has its length. */
  async haveRows(): Promise<boolean> {
    const stats = await fs.stat(this.#job.cutRowsPath).catch(undefinedIfMissing);
    return stats?.size === (this.#job.parts - 1) * this.#rowBytes;
  }

  /** @param starts where each part but the first begins in each run, in their order. */
  async write(starts: AsyncIterable<readonly number[]>): Promise<void> {
    const output = await createOutput(this.#job.cutRowsPath, true);
    try {
      let bytes = Buffer.alloc(this.#rowsAtOnce * this.#rowBytes);
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

  get #rowsAtOnce(): number {
    return Math.max(1, Math.floor(ROWS_BYTES / this.#rowBytes));
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
    gpusort: version,
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
  if (!head || head.job !== job.id || head.gpusort !== version) return undefined;
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
