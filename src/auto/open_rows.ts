import { availableParallelism } from "node:os";
import { DeviceError } from "../core/errors.js";
import type { OpenDevice } from "../dawn/adapter.js";
import { mayHaveGpu } from "../dawn/gpu_files.js";
import { type OpenedRows, openRows } from "../dawn/open_rows.js";
import { estimateRows, type RowKind } from "./estimate.js";
import { type DeviceChoice, opening } from "./open.js";

/** For fewer bytes of text, `auto` takes the CPU, which sorts them before a GPU is open. */
const FEW_BYTES = 2 ** 28;

/** What the choice of a device for rows depends on. */
export interface RowRequest {
  /** Bytes of the text; undefined if the inputs cannot be read in any order. */
  readonly bytes: number | undefined;
  readonly kind: RowKind;
  /** How many keys have to be found in a row; 0 if rows are compared from their first byte on. */
  readonly keys: number;
  /** Looks how many bytes a row has, about. */
  readonly rowBytes: () => Promise<number>;
  /** Why no device can sort these rows, to follow "as"; undefined if one can. */
  readonly unsuited: string | undefined;
  /** Whether only the first rows are wanted. The CPU sorts few others, and a GPU all of them. */
  readonly isSelected: boolean;
  /** Whether the caller limits the memory. */
  readonly isLimited: boolean;
}

export interface OpenRowsOptions {
  readonly openDevice?: OpenDevice | undefined;
  readonly threads?: number | undefined;
  /** Whether this machine may have a GPU, instead of a look at its device files. */
  readonly mayHaveGpu?: (() => boolean) | undefined;
  /** What is done before a device is opened, with the name of that step. */
  readonly beforeOpening?: ((step: string) => Promise<void>) | undefined;
}

/** Where rows are sorted: on the device, or else on the CPU, and why. */
export interface RowDeviceChoice {
  readonly opened?: OpenedRows;
  readonly choice: DeviceChoice;
}

const onCpu = (why?: string): RowDeviceChoice => ({ choice: { reason: "rows", why } });

/**
 * Opens the device that a selector names to sort rows of text, or decides for the CPU. `auto` takes a GPU
 * only for large texts, for which it is likely to be faster.
 *
 * @throws DeviceError if the selector names a device that does not exist or does not open.
 */
export async function openForRows(
  selector: string,
  { bytes, kind, keys, rowBytes, unsuited, isSelected, isLimited }: RowRequest,
  {
    openDevice,
    threads = availableParallelism(),
    mayHaveGpu: hasGpu = mayHaveGpu,
    beforeOpening = async () => {},
  }: OpenRowsOptions = {},
): Promise<RowDeviceChoice> {
  if (selector === "cpu") return { choice: { reason: "asked" } };
  if (unsuited !== undefined) return onCpu(unsuited);
  if (bytes === undefined) return onCpu("the input can only be read in order");
  if (selector !== "auto") {
    await beforeOpening(opening(selector));
    const opened = await openRows(selector, openDevice);
    return opened ? { opened, choice: { reason: "asked" } } : onCpu();
  }
  if (bytes < FEW_BYTES || isLimited || !hasGpu()) return onCpu();
  if (isSelected) return onCpu("only the first rows are asked for");
  const times = estimateRows({ bytes, rowBytes: await rowBytes(), kind, keys }, threads);
  const choice = { reason: "rows estimate", ...times } as const;
  if (times.cpuSeconds <= times.gpuSeconds) return { choice };
  await beforeOpening(opening("gpu"));
  try {
    const opened = await openRows("gpu", openDevice);
    return opened ? { opened, choice } : onCpu();
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return onCpu(`no GPU could be opened (${error.message})`);
  }
}
