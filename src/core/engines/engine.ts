import type { ElementType } from "../elements.js";
import type { AbortSignal } from "../host_types.js";
import type { KeyBits } from "../sort/key.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import type { Phase, PhaseClock } from "../streams/phase_clock.js";

/**
 * Sorts keys on a GPU or on the CPU. Callers need not know which.
 *
 * Every engine guarantees:
 * - It writes every byte to the sink once, and then ends the sink: all keys, or those that `unique` and
 *   `head` select. If the job is verified, it writes only after the result has passed its check, unless
 *   `writesParts`.
 * - If `sort` rejects before the result has passed its check, nothing was written to the sink, unless
 *   `writesParts`.
 * - Keys keep their bits, including NaN payloads. The order is that of `TypedArray.prototype.sort`.
 * - If values move with the keys, if the result is indices, or if the job names bits, equal keys keep their
 *   order, and all NaNs are equal. In any other job, NaNs are in any order among themselves.
 */
export interface Engine {
  /** The name of the device, or "CPU", for messages and reports. */
  readonly device: string;
  /** The most threads of the CPU that it sorts on; undefined for a GPU. */
  readonly threads?: number | undefined;
  /** How `gpuMs` is measured; undefined for an engine without a GPU. */
  readonly gpuClock: GpuClock | undefined;

  /**
   * @returns the name of the algorithm that `sort` uses for such a job.
   * @throws InputError if the algorithm is unknown.
   */
  algorithmFor(job: SortJob): string;

  /**
   * @param indices whether the call is `argsort`; else it is `sort`.
   * @returns the maximum number of keys that it takes for such a job, whatever the job's `keyCount`.
   */
  capacity(job: SortJob, indices?: boolean): number;

  /**
   * @param indices whether the call is `argsort`; else it is `sort`.
   * @returns the bytes of memory that such a job takes for each key, those of the device included.
   */
  memoryPerKey(job: SortJob, indices: boolean): number;

  /**
   * Sorts the keys of `source` into `sink`, and the values that move with them.
   *
   * @param source has the keys of the job, which are read in any order.
   * @param sink takes the sorted keys.
   * @param values where they are and where they go, if the job has any.
   * @param counts takes u32 counts, 4 bytes per written key, with the guarantees that `sink` has; only for a
   *   job with `unique: "counts"`, which needs it.
   * @throws InputError if the job is too large; DeviceError if the device fails; VerifyError if the result is
   *   not the sorted input; and any error that a source or a sink throws.
   */
  sort(
    job: SortJob,
    source: ItemSource,
    sink: ItemSink,
    values?: ValueStreams,
    counts?: ItemSink,
  ): Promise<SortReport>;

  /**
   * Computes the stable order of the keys instead of sorting them: the index of the first key, then of the
   * second, … Equal keys at the end of `head` are the first ones in the input.
   *
   * @param sink takes u32 indices, 4 bytes per key, with the guarantees that `sort` gives for keys.
   */
  argsort(job: SortJob, source: ItemSource, sink: ItemSink): Promise<SortReport>;

  /**
   * Sorts keys in memory before it returns, as `sort` or `argsort` does, if they are so few that promises and
   * streams take as long as the sort. Absent from an engine that never does.
   *
   * @param indices whether the call is `argsort`; else it is `sort`.
   * @returns whether it did. If not, as there are many keys or other sorts come first, it did nothing.
   * @throws InputError or VerifyError as `sort` does.
   * @internal
   */
  sortSync?(job: SortJob, arrays: SortArrays, indices: boolean): boolean;

  /**
   * Finds the order of keys in memory, without streams, if they are few. Absent from an engine that never does.
   *
   * @param keys the keys of the job, which are read before this returns.
   * @returns the indices of the keys in their order, equal keys in the order of the input; undefined if there
   *   are too many keys.
   * @throws DeviceError, KernelError or VerifyError as `argsort` does.
   * @internal
   */
  orderInMemory?(job: SortJob, keys: Uint8Array): Promise<Uint32Array> | undefined;

  /**
   * Uploads the keys of a job and keeps them on the device, for benchmarks. Absent from an engine without a
   * GPU.
   *
   * @internal
   */
  resident?(job: SortJob, source: ItemSource): Promise<ResidentSort>;

  /** Frees its memory, ends its threads, and destroys its device. Sorts that have not ended then fail. */
  close(): void;
}

/** A sort whose input stays on the device, so that it can be timed repeatedly. */
export interface ResidentSort {
  /**
   * Sorts the same input `repeats` times untimed and then once timed, back to back in one submission. The
   * untimed sorts bring the device out of its idle state.
   *
   * @returns milliseconds of the timed sort, by the engine's `gpuClock`.
   */
  run(repeats: number): Promise<number>;
  /** Writes the keys that the last run sorted. */
  read(sink: ItemSink): Promise<void>;
  destroy(): void;
}

/** How the time of a sort on a GPU is measured: by the GPU itself, or by the CPU that waits for it. */
export type GpuClock = "timestamp queries" | "wall clock";

/** Which of the sorted keys are written. Without either, all are. */
export interface OutputSelection {
  /**
   * Whether only the first of equal keys is written; with "counts", also how often it occurs. All NaNs are
   * equal, -0 and +0 are not.
   */
  readonly unique?: boolean | "counts" | undefined;
  /** The most keys or indices that are written: the first ones, after `unique`. */
  readonly head?: number | undefined;
  /** Whether the first ones may be written in any order. */
  readonly unsorted?: boolean | undefined;
}

/**
 * What an engine is to sort. `unique` needs keys that are sorted by all of their bits, without values. `head`
 * needs keys or indices, without values.
 */
export interface SortJob extends OutputSelection {
  /** The type of the keys. */
  readonly type: ElementType;
  /** The number of keys that the source has: 0 to the engine's `capacity`. */
  readonly keyCount: number;
  /** Whether to sort in the exact reverse of the ascending order of keys. */
  readonly descending: boolean;
  /**
   * The bits that decide the order; keys that are equal in them keep their order. The default is all bits.
   */
  readonly bits?: KeyBits | undefined;
  /** Bytes of the value that moves with each key, a multiple of 4. The default is no value. */
  readonly payloadBytes?: number | undefined;
  /** The name of an algorithm, as the function `algorithm` takes it. */
  readonly algorithm: string;
  /**
   * Whether to check the result: its order, and that it is the same multiset as the input. Nothing is written
   * before that, unless `writesParts` says so.
   */
  readonly verify: boolean;
  /** Ends the sort before its first write, with the signal's reason. Engines may also ignore it. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the engine may write parts of the result as soon as each is in order, while it sorts others. The
   * sink may then have got wrong keys if the sort fails. The signal has no effect after the first write, unless
   * what a sort wrote that failed is discarded.
   */
  readonly writesParts?: boolean | "discarded";
  /** Whether the sink itself checks that the keys did not change during the readback. */
  readonly arrivalChecked?: boolean;
}

/**
 * The values of a job with a payload, end to end: one per key, in the order of the keys, before and after the
 * sort.
 */
export interface ValueStreams {
  /** The values in the order of the unsorted keys. */
  readonly source: ItemSource;
  /** Takes them in the order of the sorted keys. */
  readonly sink: ItemSink;
}

/** The arrays of a sort in memory, as bytes. A result may replace its input. */
export interface SortArrays {
  readonly keys: Uint8Array;
  /** Takes the sorted keys, or the indices. */
  readonly into: Uint8Array;
  /** The values of a job with a payload. */
  readonly values?: { readonly from: Uint8Array; readonly into: Uint8Array } | undefined;
  /** Takes the counts of a job with `unique: "counts"`. */
  readonly counts?: Uint8Array | undefined;
}

/** What a sort did, and how long it took. */
export interface SortReport {
  /** The name of the device, or "CPU". */
  readonly device: string;
  /** The algorithm that sorted, or `IN_ORDER`. */
  readonly algorithm: string;
  /** The number of keys, or of other items, that were sorted. */
  readonly keyCount: number;
  /** The number of keys that were written: with `unique` or `head` it can be less than `keyCount`. */
  readonly written: number;
  /** Whether the result was checked. */
  readonly verified: boolean;
  /** In order of first use. Phases overlap, so their sum may exceed `totalMs`. */
  readonly phases: readonly Phase[];
  /**
   * Milliseconds of the sort alone, measured as `gpuClock` says; undefined without a GPU.
   */
  readonly gpuMs: number | undefined;
  /** How `gpuMs` was measured; undefined without a GPU. */
  readonly gpuClock: GpuClock | undefined;
  /** Milliseconds from the call to the last byte written. */
  readonly totalMs: number;
}

/**
 * Refuses jobs whose `unique` or `head` engines do not support.
 *
 * @param indices whether indices are sorted.
 * @param counts the sink for counts, if there is one.
 * @throws TypeError if a job that moves values keeps only some keys; if one that sorts indices or compares
 *   some bits keeps only distinct keys; or if it asks for counts without a sink for them, or has such a sink
 *   and does not ask for them.
 */
export function requireSelection(
  { unique, head, bits, payloadBytes }: SortJob,
  indices: boolean,
  counts: ItemSink | undefined,
): void {
  if (!counts !== (unique !== "counts"))
    throw new TypeError(`a sink for counts is for unique: "counts", which needs one`);
  if (unique && (indices || bits || payloadBytes)) {
    throw new TypeError("unique needs keys that are sorted by all of their bits, without values");
  }
  if (head !== undefined && payloadBytes) throw new TypeError("head needs keys or indices, without values");
}

/** Counts that are written at a time, at most. */
const MOST_AT_ONCE = 1 << 20;

/** Writes the counts of `count` keys each of which occurs once. */
export async function writeOnes(sink: ItemSink, count: number, clock: PhaseClock): Promise<void> {
  const ones = new Uint32Array(Math.min(MOST_AT_ONCE, count)).fill(1);
  for (let at = 0; at < count; at += ones.length) {
    const window = new Uint8Array(ones.buffer, 0, 4 * Math.min(ones.length, count - at));
    await clock.time("write", window.length, () => sink.write(window, 4 * at));
  }
}
