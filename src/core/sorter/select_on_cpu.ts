import { bytesOf } from "../bytes.js";
import type { KeyArray } from "../elements.js";
import type { SortArrays, SortJob } from "../engines/engine.js";
import { type ArrayStreams, gather } from "./arrays.js";
import type { ArrayEngine } from "./gpu_engine_later.js";

/** Keys that are looked at to find a bound. */
const SAMPLES = 4096;
/** If more than this share of the keys is expected to be up to the bound, all are sorted. */
const LARGEST_SHARE = 1 / 8;
/** By how many standard deviations the bound is past the sample that is expected to be last. */
const MARGIN = 5;
/** The room for keys up to the bound, in multiples of the number that is expected. */
const ROOM = 4;

/**
 * Whether the first of many keys should be selected before they are sorted. Keys of 8 and 16 bits are
 * sorted in little more time than it takes to read them.
 */
function selectsFirst({ keyCount, head, type, bits }: SortJob): boolean {
  if (head === undefined || head === 0 || type.bytes < 4 || bits) return false;
  return samplesUpToBound(keyCount, head) <= SAMPLES * LARGEST_SHARE;
}

/** The number of samples up to the bound. */
function samplesUpToBound(keyCount: number, head: number): number {
  const expected = (head / keyCount) * SAMPLES;
  return Math.ceil(expected + MARGIN * Math.sqrt(expected + 1));
}

/**
 * Sorts the first of many keys on the CPU: a bound is chosen from a sample, and only the
 * keys up to it are sorted, which takes one read of the others. If the sample misleads, all keys are sorted.
 *
 * @param arrays `into` takes the first keys, or their indices.
 */
export async function sortFirst(
  engine: ArrayEngine,
  job: SortJob,
  arrays: SortArrays,
  indices: boolean,
  streams: ArrayStreams,
): Promise<void> {
  const candidates = selectsFirst(job) ? keysUpToBound(job, arrays.keys, indices) : undefined;
  if (!candidates) {
    await streams.sort(engine, job, arrays, indices);
    return;
  }
  const own = { ...job, keyCount: candidates.keys.length, writesParts: false };
  await streams.sort(engine, own, { keys: bytesOf(candidates.keys), into: arrays.into }, indices);
  if (!candidates.indices) return;
  const into = new Uint32Array(arrays.into.buffer, arrays.into.byteOffset, job.head);
  for (let i = 0; i < into.length; i++) into[i] = candidates.indices[into[i]!]!;
}

interface Candidates {
  /** In the order of the input. */
  readonly keys: KeyArray;
  readonly indices?: Uint32Array | undefined;
}

/** @returns undefined if fewer than `head` keys are up to the bound, or far more than expected. */
function keysUpToBound(job: SortJob, bytes: Uint8Array, withIndices: boolean): Candidates | undefined {
  const { type, keyCount, head = keyCount, descending } = job;
  const keys = new type.array(bytes.buffer, bytes.byteOffset, keyCount);
  const compared = comparedNumbers(keys);
  const { numbers, at, step } = compared;
  const sample = numbers.slice(0, SAMPLES);
  for (let i = 0; i < SAMPLES; i++) sample[i] = numbers[at + step * samplePlace(i, keyCount)]!;
  sample.sort();
  if (descending) sample.reverse();
  const rank = samplesUpToBound(keyCount, head);

  const places = new Uint32Array(Math.ceil((ROOM * rank * keyCount) / SAMPLES));
  const count = placesUpTo(compared, job, sample[rank]!, places);
  if (count < head || count > places.length) return undefined;
  const indices = places.subarray(0, count);
  const first = new type.array(count) as KeyArray;
  gather(keys, 1, indices, first);
  return { keys: first, indices: withIndices ? indices : undefined };
}

/** The place of a sample: a key of each of equal parts of the input, so that no period in it misleads. */
export function samplePlace(number: number, keyCount: number): number {
  const part = Math.floor(keyCount / SAMPLES);
  return number * part + ((Math.imul(number, 0x9e3779b1) >>> 0) % part);
}

/** Numbers that ascend with the keys; different keys may have equal ones. Key i has number at + step * i. */
interface ComparedNumbers {
  readonly numbers: Uint32Array | Int32Array | Float32Array | Float64Array;
  readonly at: number;
  readonly step: number;
}

function comparedNumbers(keys: KeyArray): ComparedNumbers {
  const { buffer, byteOffset, length } = keys;
  // To read a bigint is to allocate one. The upper word decides, but for few keys.
  if (keys instanceof BigUint64Array) {
    return { numbers: new Uint32Array(buffer, byteOffset, 2 * length), at: 1, step: 2 };
  }
  if (keys instanceof BigInt64Array) {
    return { numbers: new Int32Array(buffer, byteOffset, 2 * length), at: 1, step: 2 };
  }
  return { numbers: keys as Uint32Array, at: 0, step: 1 };
}

/**
 * Finds the places of the keys up to a bound, in the order that is asked for. Of floats, NaNs are among them,
 * as they may be among the first.
 *
 * @param places takes as many places as fit.
 * @returns how many there are, or one more than fit.
 */
function placesUpTo(
  { numbers, at, step }: ComparedNumbers,
  { keyCount, descending }: SortJob,
  bound: number,
  places: Uint32Array,
): number {
  let count = 0;
  for (let i = 0; i < keyCount && count <= places.length; i++) {
    const number = numbers[at + step * i]!;
    const isPast = descending ? number < bound : number > bound;
    if (!isPast) places[count++] = i;
  }
  return count;
}
