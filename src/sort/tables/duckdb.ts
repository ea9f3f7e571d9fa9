import { statfsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { DuckDBConnection, DuckDBInstance, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import { GpusortError, InputError } from "../../core/errors.js";
import { unwritable } from "../../files/errors.js";
import { optionalPackages } from "../../optional_packages.js";

// DuckDB reads, sorts and writes Parquet, as gpusort's own pipeline took up to eight times as long. gpusort
// decides what it may do, and what it must have done: the schema before the sort (schema.ts), the file after it
// (check.ts).

/** Loads DuckDB, which gpusort does not install. @throws InputError if it is not there. */
export const loadDuckDb = () =>
  optionalPackages(["@duckdb/node-api"], "Parquet", () => import("@duckdb/node-api"));

/** What an instance may use. */
export interface DuckDbLimits {
  /** The memory of its buffers, in bytes. The process takes up to 512 MiB more. */
  readonly memoryBytes: number;
  readonly threads: number;
  /** A folder of this instance alone: files of two instances in one folder have the same names. */
  readonly folder: string;
  readonly signal: AbortSignal | undefined;
  /** The names of files in messages, by the paths that DuckDB gets. */
  readonly names: ReadonlyMap<string, string>;
}

/** The values of a statement's parameters, with their types. */
interface Parameters {
  readonly values: Record<string, DuckDBValue>;
  readonly types: Record<string, DuckDBType>;
}

/** Threads sort by themselves, so each needs memory of its own: with less, files of 5 million rows failed. */
const THREAD_BYTES = 64 << 20;
const LEAST_BYTES = 128 << 20;
const ROW_GROUP_PART = 4;
/**
 * What a thread takes besides, for pages and dictionaries that are not written yet: DuckDB does not count it.
 */
const UNCOUNTED_BYTES = 24 << 20;
/** The threads whose uncounted memory is within what the process may take beyond its limit. */
const UNCOUNTED_THREADS = 4;

/** What to do about text in another encoding. */
export const TO_UTF8 = "convert it first, for example with iconv -f LATIN1 -t UTF-8";

/** How often the progress of a statement is asked for, in milliseconds. */
const PROGRESS_MS = 200;

/**
 * An instance of DuckDB in memory. It reads and writes files, and uses no network, no extension but those that
 * are compiled in, and no setting of the user's.
 */
export class DuckDb {
  /** The threads that it uses, which may be fewer than its limits allow. */
  readonly threads: number;
  /**
   * What a row group may take while it is made: each thread makes one, out of memory that the sort has left.
   */
  readonly rowGroupBytes: number;
  /** The memory of its buffers, in bytes. */
  readonly memoryBytes: number;
  /** The path that is written to, and its name in messages. */
  output: { readonly path: string; readonly name: string } | undefined;
  readonly #instance: DuckDBInstance;
  readonly #limits: DuckDbLimits;
  /** The connections on which a statement runs. */
  readonly #busy = new Set<DuckDBConnection>();

  private constructor(instance: DuckDBInstance, limits: DuckDbLimits, threads: number) {
    this.#instance = instance;
    this.#limits = limits;
    this.threads = threads;
    this.memoryBytes = limits.memoryBytes;
    this.rowGroupBytes = limits.memoryBytes / threads / ROW_GROUP_PART;
    limits.signal?.addEventListener("abort", this.#interrupt);
  }

  /** @throws InputError if DuckDB is not installed, or if the memory is too small for it. */
  static async open(limits: DuckDbLimits): Promise<DuckDb> {
    const { memoryBytes, folder } = limits;
    if (memoryBytes < LEAST_BYTES) {
      throw new InputError(`${memoryBytes} bytes of memory are too few for DuckDB`, {
        hint: "give it 128 MiB or more",
        options: ["memoryBytes"],
      });
    }
    const threads = Math.max(1, Math.min(limits.threads, Math.floor(memoryBytes / THREAD_BYTES)));
    const reserved = UNCOUNTED_BYTES * Math.max(0, threads - UNCOUNTED_THREADS);
    const { DuckDBInstance } = await loadDuckDb();
    const nowhere = `${folder}/none`;
    const instance = await DuckDBInstance.create(":memory:", {
      threads: `${threads}`,
      memory_limit: `${Math.floor(memoryBytes - reserved)}B`,
      temp_directory: `${folder}/spill`,
      preserve_insertion_order: "true",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      allow_community_extensions: "false",
      allow_persistent_secrets: "false",
      secret_directory: nowhere,
      extension_directory: nowhere,
      home_directory: nowhere,
      // It would not see a file that was written with the same size and time.
      enable_external_file_cache: "false",
    });
    const duckDb = new DuckDb(instance, limits, threads);
    // These cannot be set when the instance is made.
    for (const setting of ["TimeZone='UTC'", "enable_geoparquet_conversion=false"])
      await duckDb.rows(`SET GLOBAL ${setting}`);
    return duckDb;
  }

  readonly #interrupt = () => {
    for (const connection of this.#busy) connection.interrupt();
  };

  /**
   * Runs a statement on a connection of its own.
   *
   * @param onProgress gets the part of the work that is done, from 0 to 1.
   * @returns its rows as JSON values: numbers of more than 32 bits are texts.
   * @throws InputError that says what DuckDB said; the signal's reason if it was aborted; what `onProgress`
   *   throws.
   */
  async rows<Row extends readonly unknown[]>(
    sql: string,
    { values, types }: Partial<Parameters> = {},
    onProgress?: (part: number) => void,
  ): Promise<Row[]> {
    const failed = new AbortController();
    const report = (connection: DuckDBConnection) => {
      if (failed.signal.aborted) return; // until the interrupt takes effect
      try {
        onProgress?.(progressOf(connection));
      } catch (error) {
        failed.abort(error);
        connection.interrupt();
      }
    };
    const rows = this.#on(async (connection) => {
      if (onProgress) {
        await connection.run("SET enable_progress_bar_print=false"); // it would be drawn on standard output
        await connection.run("SET enable_progress_bar=true");
      }
      const timer = onProgress && setInterval(report, PROGRESS_MS, connection);
      try {
        const reader = await connection.runAndReadAll(sql, values, types);
        return reader.getRowsJson() as readonly (readonly unknown[])[] as Row[];
      } finally {
        clearInterval(timer);
      }
    });
    return rows.finally(() => failed.signal.throwIfAborted());
  }

  /** Runs a statement. @returns the values of its first column in pieces, in order. @throws as `rows` does. */
  async *column(sql: string): AsyncGenerator<readonly unknown[], void> {
    const connection = await this.#connect();
    try {
      const result = await connection.stream(sql);
      for (;;) {
        const chunk = await result.fetchChunk();
        if (!chunk || chunk.rowCount === 0) return;
        yield chunk.getColumnValues(0);
      }
    } catch (error) {
      throw this.#explained(error);
    } finally {
      this.#disconnect(connection);
    }
  }

  /** Waits for all of some work. If some of it fails, the statements of the rest are interrupted. */
  async all<T extends readonly unknown[]>(work: { readonly [I in keyof T]: Promise<T[I]> }): Promise<T> {
    try {
      return (await Promise.all(work)) as unknown as T;
    } catch (error) {
      this.#interrupt(); // what is interrupted fails later
      await Promise.allSettled(work);
      throw error;
    }
  }

  async #on<T>(run: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = await this.#connect();
    try {
      return await run(connection);
    } catch (error) {
      throw this.#explained(error);
    } finally {
      this.#disconnect(connection);
    }
  }

  async #connect(): Promise<DuckDBConnection> {
    this.#limits.signal?.throwIfAborted();
    const connection = await this.#instance.connect();
    this.#busy.add(connection);
    return connection;
  }

  #disconnect(connection: DuckDBConnection): void {
    this.#busy.delete(connection);
    connection.closeSync(); // nothing runs on it; else it would never end
  }

  /** Closes the instance, on which no statement may run, and removes its files. */
  async close(): Promise<void> {
    const { signal, folder } = this.#limits;
    signal?.removeEventListener("abort", this.#interrupt);
    this.#instance.closeSync();
    await rm(`${folder}/spill`, { recursive: true, force: true });
  }

  /**
   * What DuckDB says begins with a class, and may go on with the statement, advice or a stack trace.
   *
   * @returns the error to throw. @throws the signal's reason if it was aborted.
   */
  #explained(cause: unknown): unknown {
    this.#limits.signal?.throwIfAborted();
    if (cause instanceof GpusortError || !(cause instanceof Error)) return cause;
    const [, kind = "", text = ""] = /^(?:([\w ]*? Error): )?(.*)/.exec(cause.message) ?? [];
    const { memoryBytes, folder, names } = this.#limits;
    const { output } = this;
    const said = csvProblem(cause.message) ?? jsonProblem(text) ?? text;
    const message = [...names].reduce((all, [path, name]) => all.replaceAll(path, name), said);
    if (output && text.includes(output.path)) {
      const code = /No space left on device/.test(text) ? "ENOSPC" : undefined;
      const reason = code ? `${code}: no space left on device` : text.split(output.path).join(output.name);
      return unwritable(output.name, Object.assign(new Error(reason, { cause }), { code }));
    }
    if (kind === "Out of Memory Error") {
      // It says the same of a full disk.
      const { bavail, bsize } = statfsSync(folder);
      const within = `${memoryBytes} bytes of memory, and ${dirname(folder)} has ${bavail * bsize} bytes free`;
      return new InputError(`this takes more than ${within}: ${message}`, {
        hint: "give it more memory, fewer threads, or another folder for temporary files",
        options: ["memoryBytes", "threads", "tempDir"],
        cause,
      });
    }
    const name = [...names].find(([path]) => text.includes(path))?.[1] ?? [...names.values()].join(", ");
    if (/Maximum line size/.test(cause.message)) {
      return new InputError(`cannot read ${name}: ${message}`, {
        hint: "a line may take 8 MiB, or a 32nd of the memory if that is less: give it more, or shorten the line",
        options: ["memoryBytes"],
        cause,
      });
    }
    if (/This file is not utf-8 encoded/.test(cause.message)) {
      return new InputError(`${name} is not UTF-8, as texts of Parquet are: ${message}`, {
        hint: TO_UTF8,
        cause,
      });
    }
    const what = kind === "INTERNAL Error" || kind === "FATAL Error" ? "DuckDB failed on it: " : "";
    return new InputError(`cannot read ${name}: ${what}${message}`, {
      hint: "check the file with another reader, such as pyarrow",
      cause,
    });
  }
}

/** What is wrong with a line of CSV, of what DuckDB says in many lines; undefined if nothing is. */
function csvProblem(message: string): string | undefined {
  const [, line, problem = ""] = /CSV Error on Line: (\d+)\n(?:Original Line:.*\n)?(.*)/.exec(message) ?? [];
  return (
    line &&
    `line ${line}: ${problem.replace(/^Expected Number of Columns: (\d+) Found: (\d+)/, "$2 columns instead of $1")}`
  );
}

/** What is wrong with a line of JSON. DuckDB counts it from 2 if it cannot be parsed. */
function jsonProblem(text: string): string | undefined {
  const [, byte, line, problem] =
    /^Malformed JSON in file .*, at byte (\d+) in line (\d+): (.*?)\s*$/.exec(text) ?? [];
  return line && `line ${Number(line) - 1}, byte ${byte}: ${problem}`;
}

/** From 0 to 1. It is negative before and after the statement. */
const progressOf = ({ progress }: DuckDBConnection) => Math.max(0, progress.percentage) / 100;
