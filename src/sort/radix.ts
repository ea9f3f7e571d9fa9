import type { ElementType } from "../elements.js";
import { BINDING_ALIGNMENT, type BufferSpec, bufferBytes, type Pass } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { isPlain, type SortOptions, type SortPlan } from "./key.js";
import { countingFillPasses, gatherPasses, packPasses } from "./radix_ends.js";
import { type Place, type RadixJob, radixJob } from "./radix_job.js";
import {
  type Conversion,
  countPasses,
  digitPasses,
  isFused,
  localPass,
  mostColumns,
  shareOutPass,
} from "./radix_passes.js";
import { type LocalTuning, type RadixTuning, radixTuning, type SubgroupTuning } from "./radix_tuning.js";

/**
 * Radix sort from the least significant digit, 8 bits at a time: stable, for any number of keys.
 *
 * Each digit takes three dispatches, reduce-then-scan rather than a chained scan, so that no workgroup ever waits
 * for another and no forward progress has to be promised (after Merrill and Grimshaw, "Revisiting sorting for GPGPU
 * stream architectures", 2010): the keys are shared out in contiguous chunks, a column of counts each;
 * 1. count: how many keys of each digit a chunk has;
 * 2. scan: along each digit's row of counts, where the chunk's keys of that digit start among all of them;
 *    where the columns are few, each workgroup of the next step does it for itself;
 * 3. scatter: each chunk's keys to their places, in order.
 *
 * There are three families of kernels. On hardware with subgroups a chunk is a workgroup's, which walks it in tiles,
 * ranks each tile's keys by ballots and exchanges them through workgroup memory, so that it writes in runs; the next
 * tile is loaded meanwhile. On hardware without them a workgroup ranks by counters in its memory. On a software adapter
 * a chunk is an invocation's, which walks it key by key with counters of its own and waits for nobody: 4 to 10 times
 * as fast there as anything cooperative.
 *
 * Few keys take another way where there are subgroups. What fits one workgroup's tile is sorted in it, by all digits, in one
 * dispatch. Up to a million keys are scattered by their topmost digit, and a workgroup sorts each digit's keys in its
 * tile (after Stehle and Jacobsen, "A memory bandwidth-efficient hybrid radix sort on GPUs", 2017). Where some digit's
 * keys do not fit, the device itself finds out, and the passes by all digits, which follow, do the work; otherwise they leave at once.
 *
 * The first pass takes the keys' bits to their images (wgsl/shared/order32.wgsl), the last takes them back. Keys of 8 and
 * 16 bits are a word each in between. Keys of 8 bits alone need no moving: they are counted and written.
 *
 * Values of one word travel with their keys. Of longer ones the indices travel, and one pass gathers the values. What is
 * too long to be bound at once is bound in windows, a dispatch for each window of the input and of the output.
 *
 * **Cost.** 3 passes a byte of key: each reads the keys twice and writes them once. 12 passes and 48 bytes moved a
 * u32 key, 24 and 192 a u64 key; 8 bytes more a pass byte for a value. Scratch: the keys, and values of one word, once more,
 * twice if the input is kept, and 1 KiB a column.
 *
 * @throws RangeError if keyCount is negative, fractional or past MAX_KEYS, if the bits are none of the key's, if the payload is
 *   no multiple of 4 bytes, or if keys that must be bound in windows are to be counted on the device.
 */
export function radixPlan(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
  tuning: RadixTuning = radixTuning(keyCount, type, traits, options),
): SortPlan {
  const job = radixJob(keyCount, type, options, traits, tuning);
  if (keyCount < 2 && isPlain(options)) return { buffers: buffersOf(job, []), passes: [], result: "keys" };
  if (sortsByCounting(job)) return countingPlan(job);

  const { passes, last } = sortingPasses(job);
  let { keys, values } = last;
  if (job.narrow) {
    const packed = packedKeys(job);
    passes.push(...packPasses(job, keys, packed));
    keys = packed;
  }
  if (typeof job.payload === "number" && job.payload > 4) {
    passes.push(...gatherPasses(job, job.payload, values!, "gathered"));
    values = "gathered";
  }
  return {
    buffers: buffersOf(job, passes),
    passes,
    result: keys,
    ...(values === undefined ? {} : { values }),
  };
}

/** The passes that sort, and where they leave keys and values. */
function sortingPasses(job: RadixJob): { passes: Pass[]; last: Place } {
  const { tuning, keyCount, options, input, odd, even, digits } = job;
  const byAllDigits = digitsInTurn(job, false);
  const last = digits.length % 2 === 1 ? odd : even;
  if (options.counted) return { passes: [shareOutPass(job), ...byAllDigits], last };

  if (tuning.family === "subgroup" && tuning.local && job.inputWindows.length === 1) {
    const { local } = tuning;
    // Its kernel moves nothing by no bits at all.
    const hasBits = job.bits.end > job.bits.begin;
    if (hasBits && keyCount <= local.workgroupSize * local.tileKeys) {
      const alone = { from: input, to: odd, ...job.bits, byDigit: undefined, ...conversion(job, true, true) };
      return { passes: [localPass(job, tuning, local, alone)], last: odd };
    }
    // A local sort ends where the passes end that it is to save: an even number of them.
    if (digits.length >= 3 && last === even && isFused(job)) {
      return { passes: [...byTopmostDigit(job, tuning, local), ...digitsInTurn(job, true)], last: even };
    }
  }
  return { passes: byAllDigits, last };
}

/** A pass by each digit, from the least significant on. */
function digitsInTurn(job: RadixJob, unlessFits: boolean): Pass[] {
  const { input, odd, even, digits } = job;
  // A dispatch that leaves at once costs 2 us; in passes that always run, counting apart is the faster way.
  const countsMeanwhile = unlessFits;
  return digits.flatMap((digit, number) =>
    digitPasses(job, {
      from: number === 0 ? input : number % 2 === 1 ? odd : even,
      to: number % 2 === 0 ? odd : even,
      digit,
      number,
      unlessFits,
      next: countsMeanwhile ? digits[number + 1] : undefined,
      isCounted: countsMeanwhile,
      also: undefined,
      keepTotals: false,
      ...conversion(job, number === 0, number === digits.length - 1),
    }),
  );
}

/** One pass by the topmost bits, and a local sort by the rest. */
function byTopmostDigit(job: RadixJob, tuning: SubgroupTuning, local: LocalTuning): Pass[] {
  const { bits, digits, input, odd, even } = job;
  const shift = Math.max(bits.begin, bits.end - tuning.digitBits, bits.end > 32 ? 32 : 0);
  const digit = { shift, mask: 2 ** (bits.end - shift) - 1 };
  const move = {
    from: input,
    to: odd,
    digit,
    number: 0,
    unlessFits: false,
    next: undefined,
    isCounted: false,
    also: digits[0]!,
    keepTotals: true,
    ...conversion(job, true, false),
  };
  const rest = {
    from: odd,
    to: even,
    begin: bits.begin,
    end: shift,
    byDigit: digit,
    ...conversion(job, false, true),
  };
  return [...digitPasses(job, move), localPass(job, tuning, local, rest)];
}

/** The first pass turns keys to images and the last one turns them back, where an image is not the key itself. */
function conversion({ ordered, narrow }: RadixJob, isFirst: boolean, isLast: boolean): Conversion {
  return { rawInput: isFirst && !ordered, rawOutput: isLast && !ordered && !narrow };
}

/** Whether the keys are told by how many there are of each. */
function sortsByCounting({ type, payload, bits, options, tuning }: RadixJob): boolean {
  const all = bits.begin === 0 && bits.end === 8;
  return type.bytes === 1 && payload === 0 && all && !options.counted && tuning.digitBits === 8;
}

function countingPlan(job: RadixJob): SortPlan {
  const keys = packedKeys(job);
  const passes = [...countPasses(job), ...countingFillPasses(job, keys)];
  return { buffers: buffersOf(job, passes), passes, result: keys };
}

/** Where narrow keys are put in the end. */
function packedKeys({ options }: RadixJob): string {
  return options.keepInput ? "result" : "keys";
}

/** The buffers that passes bind, and those that the caller fills. */
function buffersOf(job: RadixJob, passes: readonly Pass[]): Record<string, BufferSpec> {
  const { keyCount, type, payload, tuning, narrow } = job;
  const digits = 2 ** tuning.digitBits;
  const keyBytes = bufferBytes(keyCount * type.bytes);
  const imageBytes = bufferBytes(keyCount * 4 * type.words);
  const countBytes = digits * mostColumns(job) * 4;
  const wordBytes = bufferBytes(keyCount * 4);
  const valueBytes = typeof payload === "number" && payload > 0 ? bufferBytes(keyCount * payload) : 0;
  const specs: Record<string, BufferSpec> = {
    keys: { bytes: keyBytes },
    values: { bytes: valueBytes },
    scratch: { bytes: imageBytes },
    wide: { bytes: imageBytes },
    result: { bytes: narrow ? keyBytes : imageBytes },
    scratch_values: { bytes: wordBytes },
    indices: { bytes: wordBytes },
    result_values: { bytes: wordBytes },
    gathered: { bytes: valueBytes },
    ...Object.fromEntries(
      ["counts", "counts_2", "counts_3", "top_counts"].map((name) => [name, { bytes: countBytes }]),
    ),
    totals: { bytes: digits * 4 },
    fits: { bytes: bufferBytes(4) },
    count: { bytes: 4 },
    params: { bytes: job.digits.length * BINDING_ALIGNMENT, uniform: true },
  };
  const bound = passes.flatMap(({ bindings }) =>
    bindings.map((one) => (typeof one === "string" ? one : one.buffer)),
  );
  const names = new Set(["keys", ...(valueBytes > 0 ? ["values"] : []), ...bound]);
  return Object.fromEntries([...names].map((name) => [name, specs[name]!]));
}
