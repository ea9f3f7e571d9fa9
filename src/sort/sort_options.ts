import type { DeviceChoice } from "../auto/open.js";
import { outputCompressions } from "../core/compression.js";
import { InputError } from "../core/errors.js";
import { requireKnown, requireSwitches, shown } from "../core/names.js";
import type { ProgressListener } from "../core/streams/progress.js";
import type { OpenDevice } from "../dawn/adapter.js";
import type { OpenedEngine } from "../dawn/open_engine.js";
import type { ShaderCache } from "../dawn/shader_cache.js";
import type { SortColumn } from "../formats/sort_column.js";
import type { InvalidPlace, RowOrder } from "../rows/order/row_order.js";
import type { OpenInputsOptions } from "./inputs.js";
import type { OutputOptions } from "./outputs.js";
import { requireColumns, requireRows } from "./rows/row_options.js";
import type { Strategy } from "./strategy.js";

/** The options of `sortFile`. */
export interface SortFileOptions extends OpenInputsOptions, OutputOptions {
  /**
   * The order of lines of text, by keys as those of sort(1). The inputs are then read as "lines", unless
   * their first bytes or their names say that they are something else, which is an InputError. Lines with
   * equal keys keep their order. With `descending`, every key is reversed. Default: whole lines, byte by
   * byte.
   */
  readonly rows?: RowOrder | undefined;
  /**
   * The columns to sort by: by their names, or by their numbers from 1. Those of Parquet files have types. CSV
   * and TSV have names in their first line, which is then a header. What their columns hold is decided by all
   * of their values, unless their `type` says "number", "date" (in ISO form) or "text". `rows` may then say
   * the separator, which is else guessed, but no keys. `descending` turns the directions of all columns
   * around.
   */
  readonly by?: readonly SortColumn[] | undefined;
  /**
   * Where the rows go whose value in a column of numbers or dates is none, in either direction; or "error", if
   * that is an InputError. Default: "last".
   */
  readonly invalid?: InvalidPlace | undefined;
  /**
   * Words that are no value of a column of numbers or dates, such as "NA", besides empty fields. Only with
   * `by`, of CSV. Default: none.
   */
  readonly nullWords?: readonly string[] | undefined;
  /** The character before the decimals of numbers in columns. Only with `by`, of CSV. Default: ".". */
  readonly decimal?: string | undefined;
  /**
   * A character that may stand between groups of three digits of numbers in columns. Only with `by`, of CSV.
   * Default: none.
   */
  readonly thousands?: string | undefined;
  /**
   * Whether to sort in descending order, which is the exact reverse of the ascending order of keys. Items
   * with equal keys keep their input order in both directions. Default: false.
   */
  readonly descending?: boolean | undefined;
  /** Whether to write only the first of the items with equal keys. Default: false. */
  readonly unique?: boolean | undefined;
  /**
   * Whether each input is sorted already, in the requested order. Inputs that do not fit in memory are then
   * merged, without temporary files. With `verify`, a merge of an input that is not sorted throws an
   * InputError, unless the result is right all the same. With `argsort`, or if an input is a stream, text or
   * compressed, all items are sorted instead, and the decision's notice says so. Lines are merged as they are
   * read, streams too, and any input of them that is not sorted is an InputError. Default: false.
   */
  readonly merge?: boolean | undefined;
  /**
   * Whether to write indices instead of items: for each item in sorted order, its index in the input, as a u32
   * that is little-endian in raw and `.npy` output.
   * Indices continue from one input to the next. Default: false.
   */
  readonly argsort?: boolean | undefined;
  /** How many of the first items in sorted order to write, at least 1. Default: all. */
  readonly head?: number | undefined;
  /**
   * The sort algorithm: "auto", or "radix", or "bitonic", which only an adapter has, and not for records.
   * Default: "auto".
   */
  readonly algorithm?: string | undefined;
  /**
   * The device to sort on: "auto" (the CPU or a GPU, whichever is faster for the input), "gpu", "software",
   * "cpu", or another selector of `chooseAdapter`. Records, and keys that are moved with their indices, are
   * sorted on the CPU in any case, and `onDecision` gets a notice if another device is named. Default: "auto".
   */
  readonly device?: string | undefined;
  /**
   * The most threads of the CPU to use, from 1 to 255, for the sort, for text and for Parquet. Default: as
   * many as the process may use at a time.
   */
  readonly threads?: number | undefined;
  /**
   * How much memory to use, in bytes, the device's memory included. If it is too little for an input of this
   * size, more is used, and `onDecision` gets a notice. Default: half of the memory that is free, not
   * counting a GPU's own memory.
   */
  readonly memoryBytes?: number | undefined;
  /**
   * Whether to check the result, before a file gets its name or a stream its first number. Records and rows get
   * into a stream as soon as their order is checked, before their sum is. With "full", an output file is also
   * read back from the disk and compared with what was written, before it gets its name; a stream is refused.
   * Default: true.
   */
  readonly verify?: boolean | "full" | undefined;
  /** Aborts the sort: the call rejects with the signal's reason, and the output file stays as it was. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when a phase begins, and whenever a piece of data has been moved. It must return quickly. If it
   * throws, the call rejects with that error. It must not be async: nothing waits for a promise, so returning
   * one is an error.
   */
  readonly onProgress?: ProgressListener | undefined;
  /**
   * Called once, after the device is open and before the first item is sorted; once more if rows of text go
   * on on the CPU, because the device fails that `auto` has chosen. It may throw as `onProgress` may, and must
   * not be async either.
   */
  readonly onDecision?: ((decision: SortDecision) => void) | undefined;
  /** Whether each phase of the summary lists the intervals in which it was active. Default: false. */
  readonly intervals?: boolean | undefined;
  /**
   * An engine to sort with, which stays open afterwards; `device` and `openDevice` then have no effect.
   * Default: an engine is opened for `device`, and closed at the end.
   */
  readonly engine?: OpenedEngine | undefined;
  /** A function that opens the device. Default: the function `openDevice` of this library. */
  readonly openDevice?: OpenDevice | undefined;
}

/** Where and how a sort will run. It is decided before the first item is sorted. */
export interface SortDecision {
  /** The name of the device that the sort runs on; "CPU" for the CPU. */
  readonly device: string;
  /** The most threads of the CPU that sort; undefined if a GPU sorts. */
  readonly threads: number | undefined;
  /** Why this device was chosen. */
  readonly deviceChoice: DeviceChoice;
  /**
   * One line that the user should read: about the device, the memory or the merge; undefined if there is
   * none.
   */
  readonly notice: string | undefined;
  /** Where the GPU's driver keeps compiled shaders; undefined on the CPU. */
  readonly shaderCache?: ShaderCache | undefined;
  /** How the items are sorted: at once, out of core, … */
  readonly strategy: Strategy;
  /** The order of the rows, if lines are sorted. */
  readonly rows?: RowOrder | undefined;
  /** The columns that lines are sorted by, in words. */
  readonly by?: string | undefined;
}

/** The compiler asks for a row for each option, so that no option is refused as unknown. */
const optionNames: Record<keyof SortFileOptions, true> = {
  rows: true,
  by: true,
  invalid: true,
  nullWords: true,
  decimal: true,
  thousands: true,
  type: true,
  blankLines: true,
  header: true,
  textOverflow: true,
  format: true,
  byteOrder: true,
  skipBytes: true,
  recordBytes: true,
  keys: true,
  descending: true,
  unique: true,
  merge: true,
  argsort: true,
  head: true,
  algorithm: true,
  device: true,
  threads: true,
  memoryBytes: true,
  tempDir: true,
  compress: true,
  to: true,
  replace: true,
  verify: true,
  signal: true,
  onProgress: true,
  onDecision: true,
  intervals: true,
  engine: true,
  openDevice: true,
};

/** The types of options that are strings, numbers or functions. */
const valueTypes = {
  algorithm: "string",
  byteOrder: "string",
  device: "string",
  format: "string",
  invalid: "string",
  tempDir: "string",
  to: "string",
  memoryBytes: "number",
  recordBytes: "number",
  skipBytes: "number",
  onDecision: "function",
  onProgress: "function",
  openDevice: "function",
} as const satisfies Partial<Record<keyof SortFileOptions, "string" | "number" | "function">>;

/** @throws InputError if an option is unknown or wrong. */
export async function requireOptions(options: SortFileOptions): Promise<void> {
  requireKnown("sortFile", options, Object.keys(optionNames));
  requireSwitches(options, ["argsort", "descending", "header", "intervals", "merge", "unique"]);
  for (const [name, type] of Object.entries(valueTypes)) {
    const value = options[name as keyof typeof valueTypes];
    if (value === undefined || typeof value === type) continue;
    throw new InputError(`${name} is ${shown(value)}`, { hint: `pass a ${type}` });
  }
  const { algorithm = "auto", compress, device, engine, head, memoryBytes } = options;
  const { replace, rows, signal, tempDir, verify } = options;
  if (signal !== undefined && typeof signal?.throwIfAborted !== "function") {
    throw new InputError(`signal is ${shown(signal)}`, { hint: "pass the signal of an AbortController" });
  }
  if (engine !== undefined && typeof engine?.engine?.sort !== "function") {
    throw new InputError(`engine is ${shown(engine)}`, { hint: "pass what openEngine returns" });
  }
  if (tempDir === "") {
    throw new InputError("the name of the folder for temporary files is empty", {
      hint: "name one",
      options: ["tempDir"],
    });
  }
  if (rows !== undefined) requireRows(rows, options);
  requireColumns(options);
  if (algorithm !== "auto") {
    const algorithms = await import("../core/sort/algorithms.js"); // a sort on the CPU needs none of them
    algorithms.algorithm(algorithm); // throws if it is unknown
  }
  if (device === "cpu" && !engine) refuseAlgorithmOnCpu(algorithm);
  if (head !== undefined && (!Number.isSafeInteger(head) || head < 1)) {
    throw new InputError(`head cannot be ${shown(head)}`, {
      hint: "give a whole number of items, at least 1",
    });
  }
  if (replace !== undefined && replace !== "force" && typeof replace !== "boolean") {
    throw new InputError(`replace cannot be ${shown(replace)}`, { hint: 'use true, false or "force"' });
  }
  if (verify !== undefined && verify !== "full" && typeof verify !== "boolean") {
    throw new InputError(`verify cannot be ${shown(verify)}`, { hint: 'use true, false or "full"' });
  }
  if (compress !== undefined && !outputCompressions.includes(compress)) {
    throw new InputError(`compress cannot be ${shown(compress)}`, {
      hint: `use ${outputCompressions.map((one) => `"${one}"`).join(", ")}`,
    });
  }
  if (memoryBytes !== undefined && !(memoryBytes > 0)) {
    throw new InputError(`the memory to use cannot be ${memoryBytes} bytes`, {
      hint: "give a positive number of bytes",
      options: ["memoryBytes"],
    });
  }
}

/**
 * The listener, which throws if it returns a promise: nothing would wait for that, and if it were rejected, it
 * would end the process.
 */
export function notAsync<T>(
  name: string,
  listener: ((of: T) => unknown) | undefined,
): ((of: T) => void) | undefined {
  return (
    listener &&
    ((of) => {
      const returned = listener(of) as Partial<Promise<unknown>> | undefined;
      if (typeof returned?.then !== "function") return;
      returned.then(undefined, () => {});
      throw new InputError(`${name} returned a promise, which nothing waits for`, {
        hint: "pass a function that is not async",
      });
    })
  );
}

/** @throws InputError if the algorithm is one that only a GPU has. */
export function refuseAlgorithmOnCpu(algorithm: string): void {
  if (algorithm === "auto" || algorithm === "radix") return;
  throw new InputError(`the CPU does not sort by the algorithm '${algorithm}', but by 'radix'`, {
    hint: "leave the algorithm out, or choose another device",
    options: ["algorithm", "device"],
  });
}
