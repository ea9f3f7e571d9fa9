import type { DeviceChoice } from "../../auto/open.js";
import { openForRows } from "../../auto/open_rows.js";
import { DeviceError, KernelError } from "../../core/errors.js";
import { totalBytes } from "../../core/streams/byte_stream.js";
import type { ItemSink } from "../../core/streams/item_stream.js";
import type { Phase } from "../../core/streams/phase_clock.js";
import type { ProgressMeter } from "../../core/streams/progress.js";
import { serialQueue } from "../../core/streams/serial_queue.js";
import type { InputFile } from "../../files/input_file.js";
import type { OutputFile } from "../../files/output_file.js";
import { readAhead } from "../../files/read_ahead.js";
import { deviceKeys, meanRowBytes, unsuitedForDevice } from "../../rows/device_rows.js";
import { deviceOrder, soughtKeys } from "../../rows/order/order_words.js";
import type { RowOrder } from "../../rows/order/row_order.js";
import { RowSource } from "../../rows/row_source.js";
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
export async function sortRowsOnDevice(
  { inputs, file, expect }: RowFiles,
  order: RowOrder,
  options: SortFileOptions,
  progress: ProgressMeter,
): Promise<RowsFromDevice | LeftToCpu> {
  const { device = "auto", openDevice, threads, header = false, head, memoryBytes, verify, signal } = options;
  const isFiles = inputs.every((input) => input.read !== undefined);
  const unsuited = device === "cpu" || options.engine ? undefined : unsuitedForDevice(order, options);
  const inputBytes = isFiles ? totalBytes(inputs) : undefined;
  const isTooLong = inputBytes !== undefined && inputBytes > LONGEST_TEXT;
  const request = {
    bytes: inputBytes,
    kind: order.quotes ? "csv" : "lines",
    keys: soughtKeys(order),
    rowBytes: () => meanRowBytes(inputs, order),
    unsuited: unsuited ?? (isTooLong ? "they have more than 2 GiB" : undefined),
    isSelected: head !== undefined,
    isLimited: memoryBytes !== undefined,
  } as const;
  let source: RowSource | undefined;
  let reading: ReturnType<typeof readAhead> | undefined;
  const beforeOpening = async (step: string) => {
    source = await RowSource.open(inputs, { order, header });
    // The pages of the output are made while the device opens.
    if (source && head === undefined && !options.unique) expect(source.header.length + source.byteLength);
    progress.enter(step);
    reading = readAhead(inputs);
  };
  const selector = options.engine ? "cpu" : device;
  const opening = openForRows(selector, request, { openDevice, threads, beforeOpening });
  const { opened, choice } = await opening.finally(() => reading?.stop());
  if (!opened || !source) return { choice };
  const { rows } = opened;
  const onCpu = (why: string, notice?: string): LeftToCpu => {
    progress.expect(rowPhases(totalBytes(inputs), options)); // the CPU begins anew
    return { choice: { reason: "rows", why }, notice };
  };
  let written = false;
  try {
    const bytes = source.byteLength;
    const limit = memoryBytes ?? (opened.device.adapter.software ? defaultMemoryBytes() : Infinity);
    if (rows.leastMemory(bytes) > limit) return onCpu("a device takes more memory for them");
    if (!rows.holds(bytes)) return onCpu("they do not fit in buffers of the device");
    const started = performance.now();
    const text = source;
    progress.expect(rowPhases(bytes, options));
    const job = {
      bytes,
      terminator: order.terminator,
      separator: order.quotes ? order.separator : undefined,
      order: deviceOrder(order),
      keys: deviceKeys(order),
      head,
      unique: options.unique,
      verify: verify !== false,
      memoryBytes: limit,
      signal,
      onSorted: (count: number, writtenBytes: number) => {
        written = true;
        progress.learn("writing", text.header.length + writtenBytes);
        expect(text.header.length + writtenBytes);
        options.onDecision?.({
          device: rows.device,
          threads: undefined,
          deviceChoice: choice,
          shaderCache: opened.device.shaderCache,
          notice: undefined,
          strategy: { kind: "rows at once", rows: count },
        });
      },
    };
    const read = progress.source("reading", { read: (into, offset) => text.read(into, offset) });
    const result = await rows.sort(job, read, outputOf(file, text.header, progress));
    if ("gaveUp" in result) return onCpu(result.gaveUp);
    const { written: writtenRows, clock } = result;
    return {
      rows: result.rows,
      written: writtenRows,
      bytes,
      device: rows.device,
      phases: clock.phases(),
      started,
    };
  } catch (error) {
    if (selector !== "auto" || !(error instanceof DeviceError || error instanceof KernelError)) throw error;
    // What is read back to check it must have been written once.
    const mayWriteAgain = file.seekable && verify !== "full";
    if (written && !mayWriteAgain) throw error;
    return onCpu(
      `${rows.device} failed (${error.message})`,
      `${rows.device} failed, so the CPU sorts: ${error.message}`,
    );
  } finally {
    rows.close();
  }
}

/** Writes the header, and rows after it. A stream takes its bytes in order. */
function outputOf(file: OutputFile, header: Uint8Array, progress: ProgressMeter): ItemSink {
  const inOrder = serialQueue("stop");
  const { write, end } = progress.sink("writing", {
    write: (from, at) => (file.seekable ? file.write(from, at) : inOrder(() => file.write(from, at))),
    end: async () => {},
  });
  const begun = header.length > 0 ? inOrderOnce(() => write(new Uint8Array(header), 0)) : async () => {};
  return {
    write: async (from, offset) => {
      await begun();
      await write(from, header.length + offset);
    },
    end,
  };
}

/** Does something at the first call; all calls wait for it. */
function inOrderOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
