import type { ElementType } from "../elements.js";
import { floorPowerOfTwo, indexBits, linearGrid } from "../plan/grid.js";
import { bufferBytes, type Pass, type Plan } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { isPlain, orderConstants, orderModules, requireKeyCount, type SortOptions } from "./key.js";
import { transposePass } from "./transpose.js";

/** An invocation takes eight keys at a time, which differ in this many bits of their indices. */
const OCTET_BITS = 3;

/** What may be tuned to a device without changing the result. */
export interface BitonicTuning {
  /** Invocations a workgroup; a power of two. */
  readonly workgroupSize: number;
  /** log2 of the keys that a workgroup holds in workgroup memory: the width of a window of index bits; 3 or more. */
  readonly tileBits: number;
}

/**
 * On hardware 16 KiB of workgroup memory and 512 invocations, so that several workgroups share a multiprocessor
 * and one computes while another waits: twice that is 3-27% slower on an H200. A software adapter runs one
 * workgroup a core at a time, and takes the largest tile.
 */
export function bitonicTuning(type: ElementType, traits: DeviceTraits): BitonicTuning {
  const wanted = traits.software ? 32_768 : 16_384;
  const tileBytes = Math.min(wanted, floorPowerOfTwo(traits.limits.maxComputeWorkgroupStorageSize));
  return {
    workgroupSize: cooperativeWorkgroupSize(512, traits),
    tileBits: Math.log2(tileBytes / type.bytes),
  };
}

/**
 * Bitonic sort (K. E. Batcher, "Sorting networks and their applications", 1968) of `keyCount` keys, for any
 * `keyCount` that fits the buffers; in place in the buffer "keys". Not stable, which shows only in how NaNs
 * of one sign and payload mix: equal keys are equal bits.
 *
 * **The network.** Level L = 1 … k, k = ceil(log2 n), merges bitonic runs of 2^(L-1) keys into sorted runs of
 * 2^L: it compares the keys whose indices differ in bit L-1 only, then in bit L-2, down to bit 0. Runs must
 * alternate in direction. The usual rule, descending where bit L of the index is set, needs n to be a power
 * of two; here a run descends where bit L of `index ^ (n - 1)` is set. Counted so, the run that holds the
 * last key ascends at every level, so the missing keys past it, taken as larger than all, would never move.
 * They need not exist: a comparator whose upper end is at or past n is left out. No padding, no sentinel.
 *
 * **The windows.** A workgroup holds 2^t consecutive keys, so it can only run the comparators of t low index
 * bits. Cut the index bits into windows: [0, t), and the k - t bits above into as few windows of at most t
 * as it takes, from their starts s upwards. A transpose of the keys seen as a matrix rotates the bits of
 * their addresses. Call layout s the one in which the key of index i is at
 *
 *     (i mod 2^s) * columns + floor(i / 2^s),    columns = ceil(n / 2^s)
 *
 * so that index bits s, s + 1, … are the lowest address bits and fall inside a workgroup. Layout 0 is the plain
 * order. Layout 0 as a matrix of `columns` rows by 2^s columns, transposed, is layout s; and layout s as a
 * matrix of 2^(s-r) rows, transposed, is layout r < s: the next window's bits are rotated to the bottom.
 * So a level that reaches into the J-th window above the first takes J + 1 transposes and J + 1 local passes,
 * and ends in layout 0. The seed's two transposes a level are the case J = 1, square, n a power of two. Its
 * pass over 512 columns broke when a level reached past two windows of 9 bits, at 2^19; here there is a third.
 *
 * **Cost.** 1 local pass for all levels up to t, then 2 (J + 1) passes a level. For 2^25 u32 keys in 16 KiB
 * tiles (t = 12, windows of 12, 7 and 6 bits): 1 + 7 * 4 + 6 * 6 = 65 passes, each reading and writing all keys.
 * Wider windows would take fewer passes and leave more slack. O(n log^2 n) comparisons.
 * Scratch: the keys once more if k > t, and up to 2^s - 1 keys of slack in both buffers, s the topmost start.
 *
 * @throws RangeError if keyCount is negative, fractional or past MAX_KEYS, if the keys have less than 32 bits, or if more is
 *   asked for than to sort keys alone, in place.
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
    throw new RangeError("the bitonic sort takes keys of 32 or 64 bits, alone and by all of their bits");
  }
  const levels = indexBits(Math.max(1, keyCount));
  // Fewer keys take a smaller tile, but not one of every size: each is a kernel to compile.
  const tileBits = Math.min(tuning.tileBits, OCTET_BITS * Math.max(1, Math.ceil(levels / OCTET_BITS)));
  const windows = cutIntoWindows(levels, tileBits);
  const slackFree = 2 ** windows[0]!.start;
  const total = Math.ceil(keyCount / slackFree) * slackFree;

  const passes: Pass[] = [];
  const bytes = bufferBytes(total * type.bytes);
  const buffers = { keys: { bytes }, ...(windows.length > 1 ? { scratch: { bytes } } : {}) };
  let [source, target] = ["keys", "scratch"];

  const local = ({ start, end }: Window, firstLevel: number, lastLevel: number) => {
    const rows = 2 ** start;
    const columns = total / rows;
    const columnBits = Math.min(tileBits, indexBits(columns));
    const tilesARow = Math.ceil(columns / 2 ** columnBits);
    const tiles = Math.ceil(rows / 2 ** (tileBits - columnBits)) * tilesARow;
    passes.push({
      program: {
        kernel: "bitonic_local",
        uses: [...orderModules(type), "grid"],
        constants: {
          WORKGROUP_SIZE: Math.min(tuning.workgroupSize, 2 ** (tileBits - OCTET_BITS)),
          TILE_BITS: tileBits,
          ...orderConstants(type, options),
        },
      },
      bindings: [source],
      params: [keyCount, start, end, rows, columns, columnBits, tilesARow, tiles, firstLevel, lastLevel],
      grid: linearGrid(tiles, traits.limits),
    });
  };

  const rotate = (from: number, to: number) => {
    const rows = from === 0 ? total / 2 ** to : 2 ** (from - to);
    passes.push(transposePass(type, rows, total / rows, [source, target], traits));
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

/** Index bits start … end - 1. */
interface Window {
  readonly start: number;
  readonly end: number;
}

/** The topmost first: the bits above the tile in even shares of at most a tile, then the tile's own. */
function cutIntoWindows(levels: number, tileBits: number): Window[] {
  const above = Math.max(0, levels - tileBits);
  const count = Math.ceil(above / tileBits);
  const cut = (window: number) => tileBits + Math.ceil((window * above) / Math.max(1, count));
  const windows = Array.from({ length: count }, (_, i) => ({ start: cut(i), end: cut(i + 1) }));
  return [...windows.reverse(), { start: 0, end: tileBits }];
}
