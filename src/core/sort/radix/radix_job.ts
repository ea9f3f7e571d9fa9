import type { ElementType } from "../../elements.js";
import type { DeviceTraits } from "../../plan/traits.js";
import {
  allBits,
  type Digit,
  digitsOf,
  type KeyBits,
  type Payload,
  requireKeyCount,
  type SortOptions,
} from "../key.js";
import { type Window, windowsOf, windowUnit } from "../windows.js";
import type { RadixTuning } from "./radix_tuning.js";

/** The names of the buffers that hold the keys, and the values that move with them, between two passes. */
export interface KeyBuffers {
  readonly keys: string;
  readonly values: string | undefined;
}

/** A radix sort: what the caller asked for, checked, and how its keys are cut into chunks and windows. */
export interface RadixJob {
  readonly keyCount: number;
  readonly type: ElementType;
  readonly options: SortOptions;
  readonly payload: Payload;
  /** The bits to sort by, without those in which no keys differ. */
  readonly bits: KeyBits;
  /** Least significant first; at least one. It has no bits if `bits` is empty. */
  readonly digits: readonly Digit[];
  readonly traits: DeviceTraits;
  readonly tuning: RadixTuning;
  /**
   * Whether keys have 8 or 16 bits. They are packed in the input and in the result, and take a word each in
   * between.
   */
  readonly narrow: boolean;
  /** Whether a key is its own ordered form, so that no pass converts keys. */
  readonly ordered: boolean;
  /**
   * Whether keys are converted, and indices written, by passes of their own and not by the first and the last
   * move. All moves then have the same kernels, which are the ones that take long to compile: on a software
   * adapter, all do.
   */
  readonly sameKernels: boolean;
  /** Chunks of keys. Each chunk has one column of counts. */
  readonly columns: number;
  /** Keys per chunk; a multiple of `chunkUnit`. */
  readonly chunk: number;
  readonly chunkUnit: number;
  /** Minimum number of keys per chunk, unless there are fewer keys. */
  readonly minChunk: number;
  /**
   * The windows in which passes bind their input and their output; one window each if they can bind them
   * whole.
   */
  readonly inputWindows: readonly Window[];
  readonly outputWindows: readonly Window[];
  /**
   * The buffers of the input. The first, third, … move writes to `odd`, and the second, fourth, … move to
   * `even`.
   */
  readonly input: KeyBuffers;
  readonly odd: KeyBuffers;
  readonly even: KeyBuffers;
}

/** Checks a radix sort and cuts its keys into chunks and windows. @throws RangeError as `radixPlan` does. */
export function radixJob(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
  tuning: RadixTuning,
): RadixJob {
  requireKeyCount(keyCount);
  const sorted = options.bits ?? allBits(type);
  requireBits(sorted, 8 * type.bytes);
  const bits = options.varying ? intersection(sorted, sortedBits(options.varying, tuning)) : sorted;
  const payload = options.payload ?? 0;
  requirePayload(payload);
  if (options.dropKeys && payload === 0) {
    throw new RangeError("a sort without values or indices cannot drop its keys");
  }

  const digits = digitsOf(bits, tuning.digitBits);
  const narrow = type.bytes < 4;
  const maxBytes = traits.limits.maxStorageBufferBindingSize;
  const elementBytes = Math.max(4 * type.words, payload === 0 ? 0 : 4);
  const isWindowed = keyCount * elementBytes > maxBytes;
  const columnsPerWorkgroup = tuning.family === "serial" ? tuning.workgroupSize : 1;
  const maxKeys = isWindowed ? Math.floor(maxBytes / elementBytes / columnsPerWorkgroup) : undefined;
  const hasLargeKernels =
    tuning.family === "serial" ||
    (tuning.family === "subgroup" && tuning.local === undefined && payload === "index");
  const { once, keepInput, counted } = options;
  const sameKernels = once === true && hasLargeKernels && !narrow && !keepInput && !counted;
  const chunks = cutIntoChunks(keyCount, tuning, maxKeys);
  if (isWindowed && options.counted) {
    throw new RangeError(
      `${keyCount} keys do not fit one binding of ${maxBytes} bytes, so the device cannot read their number`,
    );
  }
  return {
    keyCount,
    type,
    options,
    payload,
    bits,
    digits: digits.length > 0 ? digits : [{ shift: 0, mask: 0 }],
    traits,
    tuning,
    narrow,
    ordered: type.order === "unsigned" && !options.descending && !narrow,
    sameKernels,
    ...chunks,
    inputWindows: windowsOf(keyCount, chunks.chunk * columnsPerWorkgroup, elementBytes, maxBytes),
    outputWindows: windowsOf(keyCount, windowUnit(1), elementBytes, maxBytes),
    ...buffersFor(payload, narrow, options.keepInput === true, sameKernels),
  };
}

/** Whether a sort is of whole buffers of keys of whole words, whose number is known. */
export function isWhole({ options, narrow, inputWindows, outputWindows }: RadixJob): boolean {
  return !options.counted && !narrow && inputWindows.length === 1 && outputWindows.length === 1;
}

/** Whether a sort of whole buffers need not be stable: of keys alone, by all of their bits. */
export function isUnstable(job: RadixJob): boolean {
  return job.payload === 0 && job.options.bits === undefined && isWhole(job);
}

function requireBits({ begin, end }: KeyBits, bits: number): void {
  if (Number.isInteger(begin) && Number.isInteger(end) && 0 <= begin && begin <= end && end <= bits) return;
  throw new RangeError(`cannot sort by bits ${begin} to ${end}: use 0 <= begin <= end <= ${bits}`);
}

/**
 * The bits to sort by where keys differ in some only. A software adapter compiles for seconds, so it takes
 * whole digits, whose kernels it has, unless that takes another pass.
 */
function sortedBits(varying: KeyBits, { family, digitBits }: RadixTuning): KeyBits {
  if (family !== "serial") return varying;
  const begin = varying.begin - (varying.begin % digitBits);
  const whole = { begin, end: Math.ceil(varying.end / digitBits) * digitBits };
  return digitsOf(whole, digitBits).length > digitsOf(varying, digitBits).length ? varying : whole;
}

/** The bits that both ranges contain. It may be empty. */
function intersection(a: KeyBits, b: KeyBits): KeyBits {
  const begin = Math.max(a.begin, b.begin);
  return { begin, end: Math.max(begin, Math.min(a.end, b.end)) };
}

function requirePayload(payload: Payload): void {
  if (payload === "index" || (Number.isInteger(payload) && payload >= 0 && payload % 4 === 0)) return;
  throw new RangeError(`a payload of ${payload} bytes is not allowed: use a multiple of 4`);
}

/**
 * Cuts the keys into chunks of equal size, a multiple of the tile (of one key in the serial family, which has
 * no tiles). There are as many chunks as the tuning asks for, or fewer if there are not enough keys to fill
 * them. wgsl/radix/radix_plan_on_device.wgsl does the same on the device.
 *
 * @param maxKeys the maximum size of a chunk if the keys are bound in windows. There may then be more chunks
 *   than the tuning asks for.
 * @returns the keys of which a chunk has a multiple, the fewest keys of a chunk, keys per chunk, and chunks.
 */
export function cutIntoChunks(keyCount: number, tuning: RadixTuning, maxKeys: number | undefined) {
  const tile = tuning.family === "serial" ? 1 : tuning.workgroupSize * tuning.keysPerInvocation;
  const chunkUnit = maxKeys === undefined ? tile : windowUnit(tile);
  const minChunk = tuning.family === "serial" ? tuning.minKeysPerChunk : chunkUnit;
  const most = Math.max(1, Math.min(tuning.columns, Math.ceil(keyCount / minChunk)));
  const evenUnits = Math.ceil(keyCount / most / chunkUnit);
  const units = Math.min(evenUnits, Math.floor((maxKeys ?? Infinity) / chunkUnit));
  const chunk = Math.max(1, units) * chunkUnit;
  return { chunkUnit, minChunk, chunk, columns: Math.max(1, Math.ceil(keyCount / chunk)) };
}

/**
 * Chooses the buffers of the moves. A pass cannot read and write the same buffer, so the moves alternate
 * between two: a scratch buffer, and the input's own buffer. A separate buffer replaces the input's own if
 * the input must be kept or the keys are narrow. Values of one word move themselves; for longer values, their
 * indices move.
 */
function buffersFor(
  payload: Payload,
  narrow: boolean,
  keepInput: boolean,
  sameKernels: boolean,
): { input: KeyBuffers; odd: KeyBuffers; even: KeyBuffers } {
  const movesValues = payload === 4;
  const movesWords = payload !== 0;
  const writesIndices = movesWords && sameKernels;
  return {
    input: { keys: "keys", values: movesValues ? "values" : writesIndices ? "indices" : undefined },
    odd: { keys: "scratch", values: movesWords ? "scratch_values" : undefined },
    even: {
      keys: narrow ? "wide" : keepInput ? "result" : "keys",
      values: !movesWords ? undefined : !movesValues ? "indices" : keepInput ? "result_values" : "values",
    },
  };
}
