import type { DeviceChoice } from "../../auto/open.js";
import { openForRows, type RowDeviceChoice, type RowRequest } from "../../auto/open_rows.js";
import { DeviceError, KernelError } from "../../core/errors.js";
import { totalBytes } from "../../core/streams/byte_stream.js";
import type { ItemSink } from "../../core/streams/item_stream.js";
import type { Phase } from "../../core/streams/phase_clock.js";
import type { ProgressMeter } from "../../core/streams/progress.js";
import { serialQueue } from "../../core/streams/serial_queue.js";
import type { OpenedRows } from "../../dawn/open_rows.js";
import { readAhead } from "../../files/input.js";
import type { InputFile } from "../../files/input_file.js";
import type { OutputFile } from "../../files/output_file.js";
import { deviceKeys, meanRowBytes, RowSource, unsuitedForDevice } from "../../rows/device_rows.js";
import { deviceOrder, parsedKeyCount } from "../../rows/order/order_words.js";
import type { RowOrder } from "../../rows/order/row_order.js";
import { LONGEST_TEXT } from "../../rows/workspace.js";
import { defaultMemoryBytes } from "../memory.js";
import type { SortFileOptions } from "../sort_options.js";

/** Rows that a device has sorted and written. */
export interface RowsFromDevice {
  readonly rows: number;
  readonly written: number;
  readonly bytes: number;
  readonly device: string;
  readonly phases: readonly Phase[];
  /** When the device was open, in milliseconds of `performance.now()`. */
  readonly started: number;
}

/** Where rows come from and go to. */
export interface RowFiles {
  /** The inputs as they were opened, and the same ones, which tell the progress what is read. */
  readonly inputs: readonly InputFile[];
  readonly watched: readonly InputFile[];
  readonly file: OutputFile;
  /** Announces the length of the output, once. */
  readonly expect: (bytes: number) => void;
  /** Writes the next bytes of the output, which the CPU makes in order. */
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** Says that the next bytes are the first ones again. */
  readonly beginAnew: () => void;
}

/** The bytes that are read and written. If not all rows are wanted, what is written is not known before. */
export function rowPhases(bytes: number | undefined, { unique, head }: SortFileOptions) {
  return { reading: bytes, writing: unique || head !== undefined ? undefined : bytes };
}

/** Rows that are left to the CPU. Nothing was written that it does not write again. */
export interface LeftToCpu {
  /** Why. */
  readonly choice: DeviceChoice;
  /** What the user should read; undefined if there is nothing. */
  readonly notice?: string | undefined;
}

/**
 * Sorts rows on a device, if one is chosen and can do it. If it was chosen by `auto` and fails, they are left
 * to the CPU, unless something has gone where it cannot be replaced.
 *
 * @throws as `sortRows`.
 */
export function sortRowsOnDevice(
  files: RowFiles,
  order: RowOrder,
  options: SortFileOptions,
  progress: ProgressMeter,
): Promise<RowsFromDevice | LeftToCpu> {
  return new DeviceSort(files, order, options, progress).run();
}

class DeviceSort {
  readonly #files: RowFiles;
  readonly #order: RowOrder;
  readonly #options: SortFileOptions;
  readonly #progress: ProgressMeter;
  /** What `auto` or the caller names. */
  readonly #selector: string;
  /**
   * The text of the inputs, which are opened before the device; undefined if it cannot be read in any order.
   */
  #source: RowSource | undefined;
  /** Whether rows of the output may have been written. */
  #isSorted = false;

  constructor(files: RowFiles, order: RowOrder, options: SortFileOptions, progress: ProgressMeter) {
    this.#files = files;
    this.#order = order;
    this.#options = options;
    this.#progress = progress;
    this.#selector = options.engine ? "cpu" : (options.device ?? "auto");
  }

  async run(): Promise<RowsFromDevice | LeftToCpu> {
    const { opened, choice } = await this.#open();
    if (!opened || !this.#source) return { choice };
    try {
      return await this.#sort(opened, choice, this.#source);
    } catch (error) {
      return this.#leaveAfter(error, opened.rows.device);
    } finally {
      opened.rows.close();
    }
  }

  /** Opens the device, or decides for the CPU. Meanwhile the system reads the inputs. */
  async #open(): Promise<RowDeviceChoice> {
    const { inputs, expect } = this.#files;
    const { openDevice, threads, header = false, head, unique } = this.#options;
    const reading: ReturnType<typeof readAhead>[] = [];
    const beforeOpening = async (step: string) => {
      const source = await RowSource.open(inputs, { order: this.#order, header });
      // The pages of the output are made while the device opens.
      if (source && head === undefined && !unique) expect(source.header.length + source.byteLength);
      this.#source = source;
      this.#progress.enter(step);
      reading.push(readAhead(inputs));
    };
    try {
      return await openForRows(this.#selector, this.#request(), { openDevice, threads, beforeOpening });
    } finally {
      for (const one of reading) one.stop();
    }
  }

  /** What the choice of a device depends on. */
  #request(): RowRequest {
    const { inputs } = this.#files;
    const { head, memoryBytes } = this.#options;
    const order = this.#order;
    const isSeekable = inputs.every((input) => input.read !== undefined);
    const bytes = isSeekable ? totalBytes(inputs) : undefined;
    const isTooLong = bytes !== undefined && bytes > LONGEST_TEXT;
    const unsuited = this.#selector === "cpu" ? undefined : unsuitedForDevice(order, this.#options);
    return {
      bytes,
      kind: order.quotes ? "csv" : "lines",
      keys: parsedKeyCount(order),
      rowBytes: () => meanRowBytes(inputs, order),
      unsuited: unsuited ?? (isTooLong ? "they have more than 2 GiB" : undefined),
      isSelected: head !== undefined,
      isLimited: memoryBytes !== undefined,
    };
  }

  async #sort(
    { rows, device }: OpenedRows,
    choice: DeviceChoice,
    source: RowSource,
  ): Promise<RowsFromDevice | LeftToCpu> {
    const { head, unique, memoryBytes, verify, signal } = this.#options;
    const order = this.#order;
    const progress = this.#progress;
    const bytes = source.byteLength;
    const limit = memoryBytes ?? (device.adapter.software ? defaultMemoryBytes() : Infinity);
    if (rows.leastMemory(bytes) > limit) return this.#leave("a device takes more memory for them");
    if (!rows.holds(bytes)) return this.#leave("they do not fit in buffers of the device");
    const started = performance.now();
    progress.expect(rowPhases(bytes, this.#options));
    const job = {
      bytes,
      terminator: order.terminator,
      separator: order.quotes ? order.separator : undefined,
      order: deviceOrder(order),
      keys: deviceKeys(order),
      head,
      unique,
      verify: verify !== false,
      memoryBytes: limit,
      signal,
      onSorted: (count: number, writtenBytes: number) => {
        this.#isSorted = true;
        const outputBytes = source.header.length + writtenBytes;
        progress.learn("writing", outputBytes);
        this.#files.expect(outputBytes);
        this.#options.onDecision?.({
          device: rows.device,
          threads: undefined,
          deviceChoice: choice,
          shaderCache: device.shaderCache,
          notice: undefined,
          strategy: { kind: "rows in memory", rows: count },
        });
      },
    };
    const read = progress.source("reading", { read: (into, offset) => source.read(into, offset) });
    const result = await rows.sort(job, read, outputOf(this.#files.file, source.header, progress));
    if ("fallback" in result) return this.#leave(result.fallback);
    const { written, clock } = result;
    return { rows: result.rows, written, bytes, device: rows.device, phases: clock.phases(), started };
  }

  /** What is left to the CPU, which begins anew. */
  #leave(why: string, notice?: string): LeftToCpu {
    this.#progress.expect(rowPhases(totalBytes(this.#files.inputs), this.#options));
    return { choice: { reason: "rows", why }, notice };
  }

  /** @throws the error that ended the sort, unless rows are left to the CPU. */
  #leaveAfter(error: unknown, device: string): LeftToCpu {
    const isFault = error instanceof DeviceError || error instanceof KernelError;
    if (this.#selector !== "auto" || !isFault) throw error;
    // What is read back to check it must have been written once.
    const mayWriteAgain = this.#files.file.seekable && this.#options.verify !== "full";
    if (this.#isSorted && !mayWriteAgain) throw error;
    const { message } = error;
    return this.#leave(`${device} failed (${message})`, `${device} failed, so the CPU sorts: ${message}`);
  }
}

/** Writes the header, and rows after it. A stream takes its bytes in order. */
function outputOf(file: OutputFile, header: Uint8Array, progress: ProgressMeter): ItemSink {
  const inOrder = serialQueue("stop");
  const { write, end } = progress.sink("writing", {
    write: (from, at) => (file.seekable ? file.write(from, at) : inOrder(() => file.write(from, at))),
    end: async () => {},
  });
  let begun = header.length > 0 ? undefined : Promise.resolve();
  return {
    write: async (from, offset) => {
      begun ??= write(new Uint8Array(header), 0); // all writes wait for it
      await begun;
      await write(from, header.length + offset);
    },
    end,
  };
}
