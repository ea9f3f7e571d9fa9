import type { ElementType } from "../elements.js";
import type { KeyBits } from "../sort/key.js";
import type { Phase } from "./phases.js";

/**
 * What sorts. A command hands a job to whichever engine the device selector gave and cannot tell them apart
 * but by their reports.
 *
 * Guarantees, of every engine:
 * - the sink is written once for every byte, and only after the result passed its check (if it is checked);
 * - if `sort` rejects before the check is passed, the sink was not written at all;
 * - keys keep their bits, NaN payloads included; the order is that of `TypedArray.prototype.sort`;
 * - where values travel with keys, or their indices are asked for, equal keys keep their order.
 */
export interface Engine {
  /** What the sort runs on, for people. */
  readonly device: string;
  /** How `gpuMs` is measured; undefined for an engine without a GPU. */
  readonly gpuClock: GpuClock | undefined;

  /** The way to sort such a job. @throws InputError for an unknown algorithm. */
  algorithmFor(job: SortJob): string;

  /** The most keys of such a job's type that `sort` takes. */
  capacity(job: SortJob): number;

  /**
   * @throws InputError if the job is too large; DeviceError if the device fails; VerifyError if the result is
   *   not the input, sorted; and whatever the source or the sink throws.
   */
  sort(job: SortJob, source: KeySource, sink: KeySink, values?: ValueStreams): Promise<SortReport>;

  /**
   * Tells the stable order of the keys rather than bring them into it: the indices of the first key, the second, …
   *
   * @param sink takes u32 indices, 4 bytes a key, on the terms that `sort` has for keys.
   */
  argsort(job: SortJob, source: KeySource, sink: KeySink): Promise<SortReport>;

  /** For benchmarks: holds a job's keys on the device. Absent where there is no device to hold them. */
  resident?(job: SortJob, source: KeySource): Promise<ResidentSort>;

  close(): void;
}

/** A sort whose input stays on the device, to be timed again and again. */
export interface ResidentSort {
  /**
   * Sorts `repeats` times untimed and once timed, back to back in one submission, so that the timed one finds
   * the device awake. Each sorts the same input.
   *
   * @returns milliseconds of the timed one, by the engine's `gpuClock`.
   */
  run(repeats: number): Promise<number>;
  /** Hands out the keys that the last run sorted. */
  read(sink: KeySink): Promise<void>;
  destroy(): void;
}

export type GpuClock = "timestamp queries" | "wall clock";

export interface SortJob {
  readonly type: ElementType;
  readonly keyCount: number;
  readonly descending: boolean;
  /** The bits that decide; keys equal in them keep their order. All bits without it. */
  readonly bits?: KeyBits | undefined;
  /** Bytes of the value that travels with each key, a multiple of 4; none without it. */
  readonly payloadBytes?: number | undefined;
  /** A name of sort/algorithms.ts, or "auto". */
  readonly algorithm: string;
  /** Whether to check order and multiset before the sink sees anything. */
  readonly verify: boolean;
  /** Whether it is the sink that checks that keys arrive as they were sent. */
  readonly arrivalChecked?: boolean;
}

/** The values of a job that has a payload: as many as keys, end to end, in the keys' order before and after. */
export interface ValueStreams {
  readonly source: KeySource;
  readonly sink: KeySink;
}

/** Little-endian keys, end to end, to be read in any order and several pieces at a time. */
export interface KeySource {
  /** Fills `into` with the bytes from `offset` on. */
  read(into: Uint8Array<ArrayBuffer>, offset: number): Promise<void>;
}

export interface KeySink {
  /** Takes the bytes from `offset` on; called in ascending order, several pieces at a time. */
  write(from: Uint8Array<ArrayBuffer>, offset: number): Promise<void>;
}

export interface SortReport {
  readonly device: string;
  readonly algorithm: string;
  readonly keyCount: number;
  readonly verified: boolean;
  /** In order of first use. They overlap: their sum may exceed `totalMs`. */
  readonly phases: readonly Phase[];
  /** The sort alone on the GPU's clock or the wall's, as `gpuClock` says; undefined without a GPU. */
  readonly gpuMs: number | undefined;
  readonly gpuClock: GpuClock | undefined;
  /** From the call to the last byte written. */
  readonly totalMs: number;
}
