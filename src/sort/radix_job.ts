import type { ElementType } from "../elements.js";
import type { DeviceTraits } from "../plan/traits.js";
import { type Digit, digitsOf } from "./digits.js";
import { allBits, type KeyBits, type Payload, requireKeyCount, type SortOptions } from "./key.js";
import type { RadixTuning } from "./radix_tuning.js";
import { type Window, windowsOf, windowUnit } from "./windows.js";

/** Where keys and the values that travel with them are between two passes: names of buffers. */
export interface Place {
  readonly keys: string;
  readonly values: string | undefined;
}

/** A radix sort as it was asked for, checked, and shared out. */
export interface RadixJob {
  readonly keyCount: number;
  readonly type: ElementType;
  readonly options: SortOptions;
  readonly payload: Payload;
  readonly bits: KeyBits;
  /** Least significant first; never none. */
  readonly digits: readonly Digit[];
  readonly traits: DeviceTraits;
  readonly tuning: RadixTuning;
  /** Keys of 8 or 16 bits lie packed at the ends, and are a word each in between. */
  readonly narrow: boolean;
  /** The order of the keys is that of their bits as unsigned numbers, which then need no conversion. */
  readonly ordered: boolean;
  /** Chunks of keys, a column of counts each. */
  readonly columns: number;
  /** Keys a chunk; a multiple of `unit`. */
  readonly chunk: number;
  readonly unit: number;
  /** Keys a chunk, at least, unless there are too few. */
  readonly least: number;
  /** What the passes' input and output are cut into to be bound; one window each where they can be bound whole. */
  readonly inputWindows: readonly Window[];
  readonly outputWindows: readonly Window[];
  /** Where the input is, and where the passes leave their output, by turns. */
  readonly input: Place;
  readonly odd: Place;
  readonly even: Place;
}

/** @throws RangeError for what `radixPlan` says. */
export function radixJob(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
  tuning: RadixTuning,
): RadixJob {
  requireKeyCount(keyCount);
  const bits = options.bits ?? allBits(type);
  requireBits(bits, 8 * type.bytes);
  const payload = options.payload ?? 0;
  requirePayload(payload);

  const digits = digitsOf(bits, tuning.digitBits);
  const narrow = type.bytes < 4;
  const most = traits.limits.maxStorageBufferBindingSize;
  const longest = Math.max(4 * type.words, payload === 0 ? 0 : 4);
  const isWindowed = keyCount * longest > most;
  const columnsAWorkgroup = tuning.family === "serial" ? tuning.workgroupSize : 1;
  const mostKeys = isWindowed ? Math.floor(most / longest / columnsAWorkgroup) : undefined;
  const share = shareOut(keyCount, tuning, mostKeys);
  if (isWindowed && options.counted) {
    throw new RangeError(`${keyCount} keys are too many to be counted on the device`);
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
    ...share,
    inputWindows: windowsOf(keyCount, share.chunk * columnsAWorkgroup, longest, most),
    outputWindows: windowsOf(keyCount, windowUnit(1), longest, most),
    ...placesOf(payload, narrow, options.keepInput === true),
  };
}

function requireBits({ begin, end }: KeyBits, most: number): void {
  if (Number.isInteger(begin) && Number.isInteger(end) && 0 <= begin && begin <= end && end <= most) return;
  throw new RangeError(`a key has no bits ${begin} to ${end}: it has bits 0 to ${most}`);
}

function requirePayload(payload: Payload): void {
  if (payload === "index" || (Number.isInteger(payload) && payload >= 0 && payload % 4 === 0)) return;
  throw new RangeError(`a payload of ${payload} bytes is no multiple of 4`);
}

/**
 * Equal chunks of whole tiles (or keys, where there are no tiles), as many as the tuning wants and the keys fill.
 *
 * @param mostKeys of a chunk, where the keys are bound in windows: then there may be more chunks than the tuning wants.
 */
function shareOut(keyCount: number, tuning: RadixTuning, mostKeys: number | undefined) {
  const tile = tuning.family === "serial" ? 1 : tuning.workgroupSize * tuning.tileKeys;
  const unit = mostKeys === undefined ? tile : windowUnit(tile);
  const least = tuning.family === "serial" ? tuning.leastKeys : unit;
  const wanted = Math.max(1, Math.min(tuning.columns, Math.ceil(keyCount / least)));
  const units = Math.min(Math.ceil(keyCount / wanted / unit), Math.floor((mostKeys ?? Infinity) / unit));
  const chunk = Math.max(1, units) * unit;
  return { unit, least, chunk, columns: Math.max(1, Math.ceil(keyCount / chunk)) };
}

/**
 * A pass cannot read and write one buffer, so passes take turns between two: the input's own, unless it must be kept or is
 * narrow, and another. Values of one word travel themselves; for longer ones their indices do.
 */
function placesOf(
  payload: Payload,
  narrow: boolean,
  keep: boolean,
): { input: Place; odd: Place; even: Place } {
  const carried = payload === 4;
  const travels = payload !== 0;
  return {
    input: { keys: "keys", values: carried ? "values" : undefined },
    odd: { keys: "scratch", values: travels ? "scratch_values" : undefined },
    even: {
      keys: narrow ? "wide" : keep ? "result" : "keys",
      values: !travels ? undefined : !carried ? "indices" : keep ? "result_values" : "values",
    },
  };
}
