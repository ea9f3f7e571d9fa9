import type { Plan, Words } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import type { ReadKey } from "../rows/reading.js";
import { fits } from "../sort/limits.js";
import type { PhaseClock } from "../streams/phase_clock.js";
import type { Around, DeviceSteps } from "./device_steps.js";

/** A key of rows, as far as the steps depend on it. */
export interface DeviceKey extends ReadKey {
  readonly descending: boolean;
  /** Whether a row is in error that lacks its field, or where it is no number. */
  readonly isChecked: boolean;
}

/** Rows of a text to sort on a device. */
export interface DeviceRows {
  /** Bytes of the text. Its last row ends with the terminator. */
  readonly bytes: number;
  readonly terminator: number;
  /** The byte between two fields that may be in quotes; undefined if a quote is a byte like others. */
  readonly separator: number | undefined;
  /** The order as words: see src/rows/order/order_words.ts. */
  readonly order: Uint32Array<ArrayBuffer>;
  /** The keys of the order, at least one. */
  readonly keys: readonly DeviceKey[];
  /** Whether only the first one of rows with equal keys is written. */
  readonly unique?: boolean | undefined;
  /** How many of the first rows are written, at least 1. Default: all. */
  readonly head?: number | undefined;
  readonly verify: boolean;
  /** The device memory that the sort may take. Default: what the device has. */
  readonly memoryBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when the rows are in order, before anything is written: with their number, and the bytes of those
   * that will be written.
   */
  readonly onSorted?: ((rows: number, writtenBytes: number) => void) | undefined;
}

/**
 * What a sort of rows on a device did, or why it wrote nothing and the rows are to be sorted otherwise, to
 * follow "as".
 */
export type DeviceRowsResult =
  | { readonly rows: number; readonly written: number; readonly clock: PhaseClock }
  | { readonly fallback: string };

/** Why a sort of rows cannot go on on a device: its message is what `fallback` says. */
export class RowFallback extends Error {}

/** @throws RowFallback if the device cannot bind the buffers of a plan. */
export function fitting<P extends Plan>(plan: P, traits: DeviceTraits): P {
  if (!fits(plan, traits)) throw new RowFallback("the device cannot bind buffers for all of them");
  return plan;
}

/** Runs the plans of one sort, as long as the device can and its caller wants. */
export class RowSteps {
  /** The buffers that the plans share by their names. */
  readonly onDevice: DeviceSteps;
  readonly #signal: AbortSignal | undefined;
  readonly #traits: DeviceTraits;

  constructor(onDevice: DeviceSteps, { signal }: DeviceRows, traits: DeviceTraits) {
    this.onDevice = onDevice;
    this.#signal = signal;
    this.#traits = traits;
  }

  /**
   * Runs a plan.
   *
   * @returns the words that are read back, by the names of their buffers.
   * @throws RowFallback if the device cannot bind its buffers; the reason of the signal; the errors of
   *   `DeviceSteps.run`.
   */
  async run(plan: Plan, around: Around = {}): Promise<Words> {
    const words = await this.onDevice.run(fitting(plan, this.#traits), around);
    this.throwIfAborted();
    return words;
  }

  throwIfAborted(): void {
    this.#signal?.throwIfAborted();
  }
}
