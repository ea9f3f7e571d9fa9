import type { ElementType } from "../elements.js";
import { floorPowerOfTwo, indexBits, linearGrid } from "../plan/grid.js";
import { arrayBytes, type Pass, type Plan } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { params, program } from "../shaders/kernels.js";
import { isPlain, keyParts, MAX_KEYS, requireKeyCount, type SortOptions } from "./key.js";
import { transposePass } from "./transpose.js";

/** An invocation compares eight keys at a time. Their indices differ in this many bits. */
const OCTET_BITS = 3;

/** Settings that change the speed on a device but not the result. */
export interface BitonicTuning {
  /** Invocations per workgroup; a power of two. */
  readonly workgroupSize: number;
  /**
   * log2 of the keys that a workgroup holds in workgroup memory, and so the width of a window of index bits;
   * at least 3.
   */
  readonly tileBits: number;
}

/**
 * The default tuning. Hardware gets 16 KiB of workgroup memory and 512 invocations, so that several
 * workgroups share a multiprocessor and one computes while another waits. Twice that is 3-27% slower on an
 * H200. A software adapter runs one workgroup per core at a time, so it gets a tile of up to 32 KiB.
 *
 * @param type the type of the keys, of 32 or 64 bits.
 * @param traits those of the device.
 */
export function bitonicTuning(type: ElementType, traits: DeviceTraits): BitonicTuning {
  const mostBytes = traits.software ? 32_768 : 16_384;
  const tileBytes = Math.min(mostBytes, floorPowerOfTwo(traits.limits.maxComputeWorkgroupStorageSize));
  return {
    workgroupSize: cooperativeWorkgroupSize(512, traits),
    tileBits: Math.log2(tileBytes / type.bytes),
  };
}

/**
 * Bitonic sort (K. E. Batcher, "Sorting networks and their applications", 1968) of any number of keys that
 * fits the buffers, in place in the buffer "keys". It is not stable, which has no visible effect: it sorts
 * keys without values, and equal keys have equal bits.
 *
 * **The network.** There are k = ceil(log2 n) levels for n keys. Level L = 1 … k merges pairs of sorted runs
 * of 2^(L-1) keys into sorted runs of 2^L keys: it compares and exchanges the keys whose indices differ in
 * bit L-1 only, then in bit L-2 only, and so on down to bit 0. The two runs of a pair must have opposite
 * directions. By the usual rule, a run descends if bit L of its keys' indices is set, which requires n to be
 * a power of two. Here a run descends if bit L of `index ^ (n - 1)` is set. The run that holds the last key
 * then ascends at every level. Virtual keys past the last one, larger than all others, would therefore never
 * move, so the buffers need not hold them: a workgroup fills the missing slots of its tile with the largest
 * key.
 *
 * **The windows.** A workgroup holds 2^t consecutive keys, so it can only run the comparators of the t low
 * address bits. The index bits are cut into windows: the bits [0, t), and the k - t bits above them in as few
 * windows of at most t bits as possible. Let s be the lowest bit of a window. A transpose of the keys as a
 * matrix rotates the bits of their addresses. In layout s, the key with index i is at the address
 *
 *     (i mod 2^s) * columns + floor(i / 2^s),    columns = ceil(n / 2^s)
 *
 * so index bits s, s + 1, … are the lowest address bits, and a workgroup can compare by them. Layout 0 is the
 * order of the indices. A transpose of layout 0 as a matrix of `columns` rows and 2^s columns gives layout s.
 * A transpose of layout s as a matrix of 2^(s-r) rows gives layout r, for r < s: it brings the bits of the
 * next lower window to the bottom. A level that reaches into the J-th window above the first takes
 * J + 1 transposes and J + 1 local passes, and ends in layout 0. The tutorial program that gpusort grew from
 * made two transposes per level: the case J = 1 for a square matrix and n a power of two. It failed from 2^19
 * keys on, where a level reaches past two windows of 9 bits; here there is a third window.
 *
 * **Cost.** One local pass for all levels up to t, then 2 (J + 1) passes per level. For 2^25 u32 keys in
 * tiles of 16 KiB (t = 12, windows of 12, 7 and 6 bits): 1 + 7 * 4 + 6 * 6 = 65 passes. Each pass reads and
 * writes all keys. Wider windows would take fewer passes but more slack. O(n log^2 n) comparisons. Scratch: a
 * second buffer of keys if k > t. Slack: both buffers are up to 2^s - 1 keys longer than n keys, where s is
 * the lowest bit of the topmost window.
 *
 * @param keyCount the number of keys: 0 to 2^31.
 * @param type the type of the keys.
 * @param options the direction. Others must be those of a plain sort: keys alone, by all bits, in place.
 * @param traits those of the device that the plan is for, such as `gpu.traits`, or `defaultTraits` for any.
 * @param tuning the sizes of workgroups and tiles. Default: the best known ones.
 * @throws RangeError if keyCount is negative, fractional or over 2^31, if the keys have fewer than 32 bits, or
 *   if the options ask for more than a plain sort.
 */
export function bitonicPlan(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
  tuning: BitonicTuning = bitonicTuning(type, traits),
): Plan {
  requireKeyCount(keyCount);
  if (type.bytes < 4 || !isPlain(options)) {
    throw new RangeError(
      "the bitonic sort takes only keys of 32 or 64 bits, without values, by all of their bits",
    );
  }
  const levels = indexBits(Math.max(1, keyCount));
  const tileBits = tileBitsFor(levels, tuning);
  const windows = cutIntoWindows(levels, tileBits);
  // Every layout is a matrix without gaps if the number of keys, slack included, is a multiple of this.
  const unit = 2 ** windows[0]!.start;
  const total = Math.ceil(keyCount / unit) * unit;

  const key = keyParts(type, options);
  const passes: Pass[] = [];
  const bytes = arrayBytes(total, type.bytes);
  const buffers = { keys: { bytes }, ...(windows.length > 1 ? { scratch: { bytes } } : {}) };
  let [source, target] = ["keys", "scratch"];

  const local = ({ start, end }: Window, firstLevel: number, lastLevel: number) => {
    const rows = 2 ** start;
    const columns = total / rows;
    const columnBits = Math.min(tileBits, indexBits(columns));
    const tilesPerRow = Math.ceil(columns / 2 ** columnBits);
    const tiles = Math.ceil(rows / 2 ** (tileBits - columnBits)) * tilesPerRow;
    passes.push({
      program: program("bitonic_local", {
        variants: key.variants,
        constants: {
          WORKGROUP_SIZE: Math.min(tuning.workgroupSize, 2 ** (tileBits - OCTET_BITS)),
          TILE_BITS: tileBits,
          ...key.constants,
        },
      }),
      bindings: [source],
      params: params("bitonic_local", {
        keyCount,
        shift: start,
        windowEnd: end,
        rows,
        columns,
        columnBits,
        tilesPerRow: tilesPerRow,
        tiles,
        firstLevel,
        lastLevel,
      }),
      grid: linearGrid(tiles, traits.limits),
    });
  };

  const rotate = (from: number, to: number) => {
    const rows = from === 0 ? total / 2 ** to : 2 ** (from - to);
    passes.push(transposePass({ type, rows, columns: total / rows }, [source, target], traits));
    [source, target] = [target, source];
  };

  if (keyCount > 1) {
    local(windows.at(-1)!, 1, Math.min(tileBits, levels));
    for (let level = tileBits + 1; level <= levels; level++) {
      let layout = 0;
      for (const window of windows.filter(({ start }) => start < level)) {
        rotate(layout, window.start);
        local(window, level, level);
        layout = window.start;
      }
    }
  }
  return { buffers, passes, result: source };
}

/** The maximum number of keys whose plan fits a device. The plan binds whole buffers, slack included. */
export function bitonicCapacity(type: ElementType, _: SortOptions, traits: DeviceTraits): number {
  const { maxBufferSize, maxStorageBufferBindingSize } = traits.limits;
  const room = Math.floor(Math.min(maxBufferSize, maxStorageBufferBindingSize) / type.bytes);
  const maxKeys = Math.min(MAX_KEYS, room);
  if (maxKeys < 2) return maxKeys;
  const levels = indexBits(maxKeys);
  const unit = 2 ** cutIntoWindows(levels, tileBitsFor(levels, bitonicTuning(type, traits)))[0]!.start;
  // A power of two has no slack.
  return Math.min(maxKeys, Math.max(2 ** (levels - 1), Math.floor(room / unit) * unit));
}

/**
 * Few keys get a smaller tile. Its bits are a multiple of OCTET_BITS, because every tile size is one more
 * kernel to compile.
 */
function tileBitsFor(levels: number, { tileBits }: BitonicTuning): number {
  return Math.min(tileBits, OCTET_BITS * Math.max(1, Math.ceil(levels / OCTET_BITS)));
}

/** A window of index bits: start … end - 1. */
interface Window {
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts the index bits into windows, topmost first: equal shares of the bits above a tile's bits, then the
 * tile's bits.
 */
function cutIntoWindows(levels: number, tileBits: number): Window[] {
  const above = Math.max(0, levels - tileBits);
  const count = Math.ceil(above / tileBits);
  const startOf = (window: number) => tileBits + Math.ceil((window * above) / Math.max(1, count));
  const windows = Array.from({ length: count }, (_, i) => ({ start: startOf(i), end: startOf(i + 1) }));
  return [...windows.reverse(), { start: 0, end: tileBits }];
}
