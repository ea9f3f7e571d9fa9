import { bytesOf, copier } from "../bytes.js";
import type { SortArrays, SortJob } from "../engines/engine.js";
import { periodicYield } from "../streams/yield_to_event_loop.js";
import type { ArrayStreams } from "./arrays.js";
import { MANY_KEYS } from "./calls.js";
import type { ArrayEngine } from "./gpu_engine_later.js";
import type { SegmentsJob } from "./segment_offsets.js";
import { sortFirst } from "./select_on_cpu.js";

/**
 * The most keys of short segments of indices or pairs that are sorted together, as a call of the engine for
 * each segment would take longer.
 */
const BATCH_KEYS = 2 ** 14;

/** The most keys of a segment that JavaScript sorts faster than a call of the engine, without values. */
const NATIVE_KEYS = 192;

/** The arrays of a result. */
type Result = Required<Omit<SortArrays, "counts">>;

/** Keys that one call of the engine sorts. */
interface Part {
  /** The first key, and the one after the last. */
  readonly begin: number;
  readonly end: number;
  readonly into: Uint8Array;
  /** The values that move with the keys. */
  readonly values?: SortArrays["values"];
  /** Whether `into` takes indices, which count from `begin`. */
  readonly indices: boolean;
  /** The number of first keys that `into` takes. Default: all. */
  readonly head?: number | undefined;
}

/**
 * Sorts segments on the CPU. The engine sorts each long segment, and checks it. JavaScript's own sort sorts
 * short ones of keys alone. Short ones of indices or pairs are sorted together: the engine computes the order
 * of all their keys, and checks it; then these go, in that order, to the ends of what has been placed of their
 * segments, which is stable.
 *
 * @throws VerifyError if an engine's check fails.
 */
export async function sortSegmentsOnCpu(
  engine: ArrayEngine,
  segments: SegmentsJob,
  streams: ArrayStreams,
  signal: AbortSignal,
): Promise<void> {
  const { job, arrays, indices } = segments;
  const { keys, values } = arrays;
  // The result may replace the input, and is written only when all of it is there.
  const result: Result = {
    keys,
    into: new Uint8Array(arrays.into.length),
    values: values && { from: values.from, into: new Uint8Array(values.into.length) },
  };
  const sort = new SegmentsOnCpu(engine, segments, result, streams, signal);
  const sortNatively = indices || values ? undefined : nativeSort(job, keys, result.into);
  if (sortNatively) await sort.sortKeys(sortNatively);
  else await sort.sortIndices();
  signal.throwIfAborted();
  streams.requireMemory();
  arrays.into.set(result.into);
  values?.into.set(result.values!.into);
}

class SegmentsOnCpu {
  readonly #engine: ArrayEngine;
  readonly #segments: SegmentsJob;
  readonly #result: Result;
  readonly #streams: ArrayStreams;
  readonly #signal: AbortSignal;

  constructor(
    engine: ArrayEngine,
    segments: SegmentsJob,
    result: Result,
    streams: ArrayStreams,
    signal: AbortSignal,
  ) {
    this.#engine = engine;
    this.#segments = segments;
    this.#result = result;
    this.#streams = streams;
    this.#signal = signal;
  }

  /** Sorts keys alone, segment by segment. */
  async sortKeys(sortNatively: NativeSort): Promise<void> {
    const { offsets, starts } = this.#segments;
    const pause = periodicYield(this.#signal);
    let sincePause = 0;
    for (let s = 0; s + 1 < offsets.length; s++) {
      const [begin, end] = [offsets[s]!, offsets[s + 1]!];
      if (end - begin > NATIVE_KEYS) await this.#sortLong(s);
      else sortNatively(begin, end, starts[s]!, starts[s + 1]!);
      sincePause += 1 + end - begin; // an empty one takes time, too
      if (sincePause < BATCH_KEYS) continue;
      await pause();
      sincePause = 0;
    }
  }

  /** Sorts indices, or pairs, or keys by some of their bits: short segments together. */
  async sortIndices(): Promise<void> {
    const { offsets } = this.#segments;
    const placement = new Placement(this.#segments, this.#result);
    let first = 0;
    for (let s = 0; s + 1 < offsets.length; s++) {
      const [begin, end] = [offsets[s]!, offsets[s + 1]!];
      if (end - offsets[first]! > BATCH_KEYS) {
        await this.#sortShort(first, s, placement);
        first = s;
      }
      if (end - begin > BATCH_KEYS) {
        await this.#sortLong(s);
        first = s + 1;
      }
    }
    await this.#sortShort(first, offsets.length - 1, placement);
  }

  async #sortLong(s: number): Promise<void> {
    const { job, offsets, starts, indices } = this.#segments;
    const { type, payloadBytes = 0 } = job;
    const [begin, end] = [offsets[s]!, offsets[s + 1]!];
    const [first, last] = [starts[s]!, starts[s + 1]!];
    const size = indices ? 4 : type.bytes;
    const into = this.#result.into.subarray(first * size, last * size);
    const all = this.#result.values;
    const values = all && {
      from: all.from.subarray(begin * payloadBytes, end * payloadBytes),
      into: all.into.subarray(first * payloadBytes, last * payloadBytes),
    };
    const head = last - first < end - begin ? last - first : undefined;
    await this.#sort({ begin, end, into, values, indices, head });
    if (!indices) return;
    const words = new Uint32Array(into.buffer, into.byteOffset, last - first);
    for (let i = 0; i < words.length; i++) words[i]! += begin;
  }

  /** Sorts the segments from `first` up to `end` together. */
  async #sortShort(first: number, end: number, placement: Placement): Promise<void> {
    const { offsets } = this.#segments;
    const begin = offsets[first]!;
    const count = offsets[end]! - begin;
    if (count === 0) return;
    const order = placement.order.subarray(0, count);
    await this.#sort({ begin, end: begin + count, into: bytesOf(order), indices: true });
    placement.place(first, end, order);
  }

  async #sort({ begin, end, into, values, indices, head }: Part): Promise<void> {
    this.#signal.throwIfAborted();
    const { job } = this.#segments;
    const { type, payloadBytes } = job;
    const own: SortJob = {
      ...job,
      keyCount: end - begin,
      head,
      writesParts: false,
      payloadBytes: values ? payloadBytes : undefined,
    };
    const arrays = { keys: this.#result.keys.subarray(begin * type.bytes, end * type.bytes), into, values };
    if (head !== undefined && own.keyCount >= MANY_KEYS) {
      await sortFirst(this.#engine, own, arrays, indices, this.#streams.part(arrays));
    } else if (!this.#engine.sortSync?.(own, arrays, indices)) {
      await this.#streams.part(arrays).sort(this.#engine, own, arrays, indices);
    }
  }
}

/** Puts keys of several segments, whose order is known, to their places in the result. */
class Placement {
  /** Room for the order of the keys that are sorted together. */
  readonly order: Uint32Array;
  readonly #segments: SegmentsJob;
  /** The segment of each of these keys. */
  readonly #segmentOf: Uint32Array;
  /** The next place of each segment. */
  readonly #next: Uint32Array;
  readonly #put: (key: number, place: number) => void;

  constructor(segments: SegmentsJob, { keys, into, values }: Result) {
    const { job, starts, indices } = segments;
    const { type, keyCount, payloadBytes = 0 } = job;
    this.#segments = segments;
    this.order = new Uint32Array(Math.min(BATCH_KEYS, keyCount));
    this.#segmentOf = new Uint32Array(this.order.length);
    this.#next = starts.slice();
    const copyKey = copier(type.bytes, keys, into);
    const copyValue = values && copier(payloadBytes, values.from, values.into);
    const placed = new Uint32Array(into.buffer, 0, indices ? starts.at(-1)! : 0);
    this.#put = (key, place) => {
      if (indices) placed[place] = key;
      else copyKey(key, place);
      copyValue?.(key, place);
    };
  }

  /** @param order the order of the keys of the segments from `first` to `end`, counted from the first one. */
  place(first: number, end: number, order: Uint32Array): void {
    const { offsets, starts } = this.#segments;
    const begin = offsets[first]!;
    for (let s = first; s < end; s++) {
      this.#segmentOf.fill(s, offsets[s]! - begin, offsets[s + 1]! - begin);
    }
    for (let i = 0; i < order.length; i++) {
      const from = order[i]!;
      const segment = this.#segmentOf[from]!;
      const place = this.#next[segment]!;
      if (place === starts[segment + 1]!) continue; // enough of its first keys are there
      this.#next[segment] = place + 1;
      this.#put(begin + from, place);
    }
  }
}

/** Sorts the keys from `begin` up to `end`, and writes the first of them from place `first` up to `last`. */
type NativeSort = (begin: number, end: number, first: number, last: number) => void;

/** @returns undefined if only some bits of the keys are to be compared. */
function nativeSort(
  { type, bits, descending }: SortJob,
  keys: Uint8Array,
  into: Uint8Array,
): NativeSort | undefined {
  if (bits) return undefined;
  const arrayOf = (bytes: Uint8Array) =>
    new type.array(bytes.buffer, bytes.byteOffset, bytes.length / type.bytes);
  const [from, to] = [arrayOf(keys), arrayOf(into)];
  return (begin, end, first, last) => {
    const segment = from.slice(begin, end).sort();
    if (descending) segment.reverse();
    (to as Uint32Array).set(segment.subarray(0, last - first) as Uint32Array, first);
  };
}
