import type { ElementType } from "../../elements.js";
import { supportsWorkgroup } from "../../plan/grid.js";
import type { DeviceTraits } from "../../plan/traits.js";
import type { SortOptions, SortPlan } from "../key.js";
import * as msd from "../msd/msd.js";
import { type MsdTuning, msdTuning, paysByMsd, sharesChunks, withRemap } from "../msd/msd_tuning.js";
import { oneWorkgroupTuning } from "./one_workgroup_tuning.js";
import { planRadix } from "./radix_plan.js";
import {
  fitsTile,
  type LocalTuning,
  lsdTuning,
  type RadixTuning,
  roomForKeys,
  type SubgroupTuning,
  type TunedOptions,
} from "./radix_tuning.js";

/**
 * Radix sort, least significant digit first (LSD): stable, for any number of keys. A digit has 8 bits,
 * or 6 bits in the subgroup family if subgroups are narrower than 16.
 *
 * **A move** reorders all keys stably by one digit. The keys are cut into contiguous chunks. Each chunk has a
 * column of counts: one count per digit value. A row holds the counts of one digit value in all chunks. A
 * move has three steps:
 * 1. count: count the keys of each digit value in each chunk;
 * 2. scan: turn each row into exclusive prefix sums, and write its total. A chunk's prefix sum is the number
 *    of keys with the same digit value in earlier chunks. In the subgroup family there is no scan pass, unless
 *    buffers are bound in windows or the sort runs only once: each workgroup of the scatter adds up the counts
 *    that it needs, of single chunks if these are few, or else of groups of chunks, which the count pass counts
 *    too;
 * 3. scatter: each chunk writes its keys to their places in the output, in order. The place of a key is the
 *    number of keys with a smaller digit value, plus the prefix sum of its chunk, plus the number of earlier
 *    keys in its chunk with the same digit value.
 *
 * This is reduce-then-scan and not a chained scan with lookback: no workgroup waits for another, so the sort
 * needs no guarantee of forward progress (after D. Merrill and A. Grimshaw, "Revisiting sorting for GPGPU
 * stream architectures", 2010). Only the workgroups of a fallback in one dispatch wait (msd.ts), on devices
 * where they may.
 *
 * **Three families of kernels** do the moves:
 * - subgroup, on hardware with subgroups (radix_count, radix_scatter): a workgroup owns a chunk and processes
 *   it tile by tile. It ranks the keys of a tile by subgroup ballots and exchanges them through workgroup
 *   memory, so that keys with the same digit value are written together. Meanwhile it loads the next tile.
 * - workgroup, on other hardware (radix_count, radix_scan, radix_workgroup_scatter): a workgroup owns a chunk
 *   and ranks keys by counters in workgroup memory.
 * - serial, on software adapters (radix_serial_count, radix_serial_scan, radix_serial_scatter): an invocation
 *   owns a chunk and moves it key by key. It has its own counters and needs no barrier. On software adapters
 *   this is 4 to 10 times as fast as any cooperative kernel.
 *
 * **Most significant digit first** (MSD). If the device runs the subgroup family and the sort does not run
 * only once, integers of whole words with an even number of digits, at least four, are first moved by the
 * topmost digit, or by two where they are more than a few million, and then sorted locally: one workgroup per
 * digit value sorts the keys of its value in its tile (msd.ts; after E. Stehle and H.-A. Jacobsen, "A memory
 * bandwidth-efficient hybrid radix sort on GPUs", 2017). So are many floats, remapped (msd_remap.ts). If the
 * keys of some value do not fit a tile, the word "status" becomes FALLBACK. The plan ends with fallback
 * moves, which sort all keys then, and return immediately otherwise; so do moves by bits in which no keys
 * differ. The CPU reads nothing back.
 *
 * **Few keys.** If all keys fit one tile, one workgroup of the subgroup family sorts them in one dispatch:
 * integers alone by bins (radix_one_workgroup), floats and others by all digits (radix_local).
 *
 * **Keys.** The first move converts keys to their ordered form (wgsl/shared/order.wgsl), and the last move
 * converts them back. In between, a key of 8 or 16 bits takes a word. Keys of 8 bits without values are not
 * moved: a counting sort counts the equal keys and writes the result from the counts.
 *
 * **Values** of one word move with their keys. If values are longer, indices move instead, and one pass at the
 * end gathers the values. If keys are dropped, the last move writes values alone. Buffers over the binding
 * limit are processed in windows: the count takes one dispatch per input window, and the scatter one per pair
 * of an input and an output window.
 *
 * **Cost.** A move reads the keys twice and writes them once, by a count and a scatter, and a scan between them
 * where workgroups cannot add up counts. Scratch: the keys, and values of one word, once more (twice if the
 * input is kept), and the counts. docs/kernels.md has a table of dispatches, programs, bytes moved and scratch.
 *
 * @param keyCount the number of keys, or the most that the device may count: 0 to 2^31.
 * @param type the type of the keys.
 * @param options the order, and what moves with the keys.
 * @param traits those of the device that the plan is for, such as `gpu.traits`, or `defaultTraits` for any.
 * @param tuning the sizes of workgroups and tiles. Default: the best known ones.
 * @throws RangeError if keyCount is negative, fractional or over 2^31; if the key does not have the bits;
 *   if the payload is not a multiple of 4 bytes; or if the device reads the number of keys but the keys must
 *   be processed in windows.
 */
export function radixPlan(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
  tuning: RadixTuning = radixTuning(keyCount, type, traits, options),
): SortPlan {
  return planRadix(keyCount, type, options, traits, { tuning, msd });
}

/**
 * The best known tuning for a device, an element type and a number of keys.
 *
 * @param keyCount the number of keys, 0 to 2^31.
 * @param type the type of the keys.
 * @param traits those of the device, such as `gpu.traits`.
 * @param options of the sort, as far as the tuning depends on them.
 */
export function radixTuning(
  keyCount: number,
  type: ElementType,
  traits: DeviceTraits,
  options: TunedOptions = {},
): RadixTuning {
  const tuning = lsdTuning(keyCount, type, traits, options);
  const values = Boolean(options.payload);
  if (tuning.family !== "subgroup" || options.counted || type.bytes < 4) return tuning;
  if (options.bits && (!values || type.order === "float")) return tuning;
  const fitsLocal = fitsTile(keyCount, tuning.local);
  const oneWorkgroup = values ? undefined : oneWorkgroupTuning(keyCount, type.words, traits);
  // Most floats share their topmost bits, so that bins overflow. A sort that runs once compiles longer for
  // them.
  if (oneWorkgroup && !(fitsLocal && (type.order === "float" || options.once)))
    return { ...tuning, oneWorkgroup };
  if (fitsLocal) return tuning;
  const moved = { words: type.words, values };
  const row = options.once ? undefined : msdTuning(keyCount, moved, traits);
  if (!row) return tuning;
  if (type.order !== "float") {
    return paysByMsd(keyCount, moved, row) ? withMsd(tuning, row, type.words, traits) : tuning;
  }
  const msd = withRemap(keyCount, row, moved, traits);
  return msd ? withMsd(tuning, msd, type.words, traits) : tuning;
}

/** A tuning with a sort by the most significant digit first, whose fallback passes have its chunks. */
export function withMsd(
  tuning: SubgroupTuning,
  msd: MsdTuning,
  words: 1 | 2,
  traits: DeviceTraits,
): SubgroupTuning {
  if (!sharesChunks(msd)) return { ...tuning, msd };
  const tile = fallbackTile(tuning, msd, words, traits);
  return { ...tuning, ...tile, columns: msd.columns, fusedScan: true, msd };
}

/** The tile of the fallback moves. The chunks are few, so the workgroups must be large. */
const FALLBACK_TILE: LocalTuning = { workgroupSize: 512, keysPerInvocation: 8 };

/**
 * The tile of the fallback passes of a sort by MSD. They have the same chunks, so their tiles are at most as
 * long as its own.
 */
function fallbackTile(
  { workgroupSize, keysPerInvocation, digitBits }: SubgroupTuning,
  msd: MsdTuning,
  words: 1 | 2,
  traits: DeviceTraits,
): LocalTuning {
  const most = msd.workgroupSize * msd.keysPerInvocation;
  const { workgroupSize: size, keysPerInvocation: room } = FALLBACK_TILE;
  if (
    size * room <= most &&
    supportsWorkgroup(size, traits.limits) &&
    room <= roomForKeys(size, digitBits, 4 * words, traits)
  ) {
    return FALLBACK_TILE;
  }
  const keys = Math.min(keysPerInvocation, Math.ceil(Math.min(2048, most) / workgroupSize));
  return { workgroupSize, keysPerInvocation: keys };
}
