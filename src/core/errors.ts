import { messageLine } from "./printable.js";

/** Options and arguments of library calls that an error may refer to. A command maps them to its flags. */
export type OptionName =
  | "algorithm"
  | "argsort"
  | "blankLines"
  | "by"
  | "decimal"
  | "nullWords"
  | "thousands"
  | "byteOrder"
  | "compress"
  | "device"
  | "distribution"
  | "format"
  | "header"
  | "invalid"
  | "keys"
  | "memoryBytes"
  | "threads"
  | "merge"
  | "output"
  | "picture"
  | "plot"
  | "recordBytes"
  | "replace"
  | "rows"
  | "skipBytes"
  | "tempDir"
  | "textOverflow"
  | "to"
  | "trace"
  | "type"
  | "verify";

/** What an error may carry in addition to its message. */
export interface ErrorDetails {
  /** What the caller can do: one imperative clause or sentence. */
  hint?: string;
  /** The options that the caller can change to follow the hint. */
  options?: readonly OptionName[];
  /** What was thrown before, such as the error of a driver. The error has it as its `cause`. */
  cause?: unknown;
}

/**
 * The base class of all errors that gpusort throws on purpose. Its message and its hint are one line each of
 * at most 1,900 bytes: control characters are escaped, and what is longer is cut in its middle.
 */
export class GpusortError extends Error {
  /**
   * The name of the class. It tells errors apart where `instanceof` does not, as between two copies of gpusort.
   */
  override readonly name: string = "GpusortError";
  /** What the caller can do: one imperative clause or sentence. */
  readonly hint: string | undefined;
  /** The options that the caller can change to follow the hint. */
  readonly options: readonly OptionName[];

  /**
   * @param message what is wrong, in one line.
   * @param details the hint, the options that it refers to, and the cause; all are optional.
   */
  constructor(message: string, { hint, options = [], cause }: ErrorDetails = {}) {
    super(messageLine(message), cause === undefined ? undefined : { cause });
    this.hint = hint === undefined ? undefined : messageLine(hint);
    this.options = options;
  }
}

/** The caller's input or options are wrong, such as a file, a type or a size. Nothing was done. */
export class InputError extends GpusortError {
  /** The name of the class, as for `GpusortError`. */
  override readonly name = "InputError";
}

/** There is no adapter, the device was lost, memory ran out, or the driver rejected a command. */
export class DeviceError extends GpusortError {
  /** The name of the class, as for `GpusortError`. */
  override readonly name = "DeviceError";
  /** Whether device memory ran out, so that a smaller job may succeed. */
  readonly outOfMemory: boolean;

  /**
   * @param message what is wrong, in one line.
   * @param details as for `GpusortError`, and `outOfMemory`, which is false by default.
   */
  constructor(message: string, details: ErrorDetails & { outOfMemory?: boolean } = {}) {
    super(message, { hint: "run again, or choose another device", options: ["device"], ...details });
    this.outOfMemory = details.outOfMemory ?? false;
  }
}

/** A WGSL kernel did not compile on this device: a bug in gpusort or in the driver. */
export class KernelError extends GpusortError {
  /** The name of the class, as for `GpusortError`. */
  override readonly name = "KernelError";
  /** The kernel that failed: the name of its file in wgsl/, without its extension. */
  readonly kernel: string;

  /**
   * @param kernel the name of its file in wgsl/, without its extension.
   * @param message what is wrong, in one line.
   * @param details as for `GpusortError`.
   */
  constructor(kernel: string, message: string, details: ErrorDetails = {}) {
    super(message, {
      hint: "this is a bug in gpusort or in the driver; choose another device",
      options: ["device"],
      ...details,
    });
    this.kernel = kernel;
  }
}

/**
 * A part of gpusort that is loaded when it is first needed did not load: the page is offline, its server lacks
 * the file, or its Content-Security-Policy forbids it. Nothing was done.
 */
export class LoadError extends GpusortError {
  /** The name of the class, as for `GpusortError`. */
  override readonly name = "LoadError";

  /**
   * @param message what is wrong, in one line.
   * @param details as for `GpusortError`.
   */
  constructor(message: string, details: ErrorDetails = {}) {
    super(message, {
      hint: "call again when the server answers and serves every file of the bundle; or bundle gpusort/core into one file, which loads nothing later",
      ...details,
    });
  }
}

/** The result failed its check, so it was not returned: the driver or the machine computed a wrong result. */
export class VerifyError extends GpusortError {
  /** The name of the class, as for `GpusortError`. */
  override readonly name = "VerifyError";
}

const AS_LINES =
  "or sort lines, where quotes are characters like others: by the format lines, or by keys as in -t, -k2,2";
const quoteOptions = ["by", "format"] as const;

/** The error of an input in which text follows the closing quote of a field. @param row from 1. */
export function textAfterQuote(name: string, row: number): InputError {
  return new InputError(`${name}: row ${row} has text after the closing quote of a field`, {
    hint: `double the quotes within; ${AS_LINES}`,
    options: quoteOptions,
  });
}

/** The error of an input that ends within quotes. @param row where they begin, from 1, if that is known. */
export function unclosedQuote(name: string, row?: number): InputError {
  const [what, hint] =
    row === undefined
      ? [`${name} ends within quotes: a quote is not closed`, "close it"]
      : [`${name}: a quote in row ${row} is not closed`, "check the quotes from there on"];
  return new InputError(what, { hint: `${hint}; ${AS_LINES}`, options: quoteOptions });
}
