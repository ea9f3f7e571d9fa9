import { workgroupSize1d } from "../../plan/grid.js";
import type { Pass } from "../../plan/plan.js";
import { PROCESSORS } from "../../plan/traits.js";
import { params, program } from "../../shaders/kernels.js";
import type { Digit } from "../key.js";
import type { RadixJob } from "../radix/radix_job.js";
import { chunkGroups } from "../radix/radix_moves.js";
import {
  COUNTS,
  type Conversion,
  groupsColumns,
  OUTLIERS,
  parameters,
  passKeyParts,
  placeBindings,
  type Sampled,
  STATUS,
  sampledBindings,
  sumVariants,
  TOTALS,
} from "../radix/radix_parts.js";
import { type ListedChunks, scanPass, scatterPass as stableScatter } from "../radix/radix_passes.js";
import type { SubgroupTuning } from "../radix/radix_tuning.js";
import { countPlaces, msdCountPass } from "./msd_count.js";
import { remapPasses, takesDecimals } from "./msd_remap.js";
import { maxDistinctOf, remapOf, sampledBy, samplePass } from "./msd_sample.js";
import {
  countingSize,
  digitBelow,
  inChunks,
  itemsFit,
  localPass,
  STARTS,
  segmentKeys,
  topDigit,
} from "./msd_segments.js";
import { type LevelTuning, type MsdTuning, sectorKeys } from "./msd_tuning.js";

/**
 * Workgroups that sort listed segments: as many as run at a time. Each takes several if more are listed, which
 * the plan does not know.
 */
const LONG_WORKGROUPS = 4 * PROCESSORS;

/** Invocations that scan the counts of a segment: as many as the longest digits of the tables have values. */
const SCAN_WORKGROUP = 2 ** 8;

/** The buffer of the number of chunks of the second level, and of the chunks. */
const CHUNK_LIST = "chunk_list";
/** The buffer of the number of each segment's first chunk, and of the number of all chunks. */
const FIRST_CHUNKS = "first_chunks";
/** The buffer of the counts of the second level. */
const SEGMENT_COUNTS = "segment_counts";
/** The buffer of the places where the segments of the second level start, and of the number of keys. */
const SEGMENT_STARTS = "segment_starts";

/** The buffer of the number of segments that do not fit the tiles of the first local sort, and of these. */
const LONG_SEGMENTS = "long_segments";

/** Words per chunk in the list. */
const CHUNK_WORDS = 3;

/** The digits of both levels. By some bits, they may be shorter than planned, as none spans two words. */
function levelDigits(job: RadixJob, msd: MsdTuning, second: LevelTuning): { top: Digit; next: Digit } {
  const top = topDigit(job, msd, sampledBy(job, msd));
  return { top, next: digitBelow(top.shift, job, second.digitBits) };
}

/**
 * Whether local sorts can sort the segments of keys with values: they have room for the items, and segments of
 * average length fit.
 */
export function fitsLevels(job: RadixJob, msd: MsdTuning, second: LevelTuning): boolean {
  const { top, next } = levelDigits(job, msd, second);
  const longest = second.long ?? msd.local;
  const average = job.keyCount / ((top.mask + 1) * (next.mask + 1));
  if (average > segmentKeys(longest)) return false;
  return remapOf(job, msd) !== undefined || itemsFit(job, longest, next.shift, sampledBy(job, msd));
}

/**
 * Whether the digits of both levels lie in a key's topmost word, of which wgsl/msd/msd_aligned_scatter.wgsl
 * takes them.
 */
export function fitsTopWord(job: RadixJob, msd: MsdTuning, second: LevelTuning): boolean {
  return levelDigits(job, msd, second).next.shift >= 32 * (job.type.words - 1);
}

/** Bytes of the buffers of the second level. */
export function levelBytes(keyCount: number, msd: MsdTuning, second: LevelTuning) {
  const segments = 2 ** msd.digitBits;
  const chunks = maxChunks(keyCount, msd, second);
  return {
    [CHUNK_LIST]: 4 * (1 + CHUNK_WORDS * chunks),
    [FIRST_CHUNKS]: 4 * (segments + 1),
    [SEGMENT_COUNTS]: 4 * 2 ** second.digitBits * chunks,
    [SEGMENT_STARTS]: 4 * (segments * 2 ** second.digitBits + 1),
    ...(second.long ? { [LONG_SEGMENTS]: 4 * (1 + segments * 2 ** second.digitBits) } : {}),
  };
}

/** The keys of a chunk of the second level. */
function chunkKeys({ workgroupSize, keysPerInvocation }: MsdTuning, { tilesPerChunk }: LevelTuning): number {
  return workgroupSize * keysPerInvocation * tilesPerChunk;
}

/** The maximum number of chunks of the second level: each segment may have one that is not full. */
function maxChunks(keyCount: number, msd: MsdTuning, second: LevelTuning): number {
  return Math.floor(keyCount / chunkKeys(msd, second)) + 2 ** msd.digitBits;
}

/**
 * Sorts keys by the most significant digit first, at two levels:
 * 1. count and scan the topmost digit in each chunk (msd_count, radix_scan);
 * 2. plan the second level (msd_plan): where segments start, and the chunks of each segment; and clear what
 *    the first count of a fallback adds to;
 * 3. scatter the keys by the topmost digit (msd_aligned_scatter);
 * 4. count the next digit in each chunk of each segment (msd_count), and scan (msd_scan);
 * 5. scatter the keys of each segment by that digit (msd_aligned_scatter), into segments that fit a tile;
 * 6. sort each of those in workgroup memory (msd_local).
 *
 * If values or indices move with the keys, both scatters are stable (radix_scatter). In a segment, equal keys
 * are then in the order of the input, and the local sort sorts each key with its position. With one level,
 * values are fetched at the end instead, by the indices of their keys (msd.ts): the cache holds so few of them,
 * but not as many as need two levels.
 *
 * Both step 2 and the scan of step 4 can find that some segment does not fit. The passes after it then return
 * immediately, and the keys are still in the input. If the range of the samples has no bits below both digits,
 * all keys of a segment are equal: then segments may have any length, and step 5 ends the sort.
 *
 * If the device can run longer tiles, the scan of step 4 lists the segments that are too long for the tiles of
 * step 6, and a second local sort follows. Floats whose segments will not fit, by the sample, are remapped by a
 * table, and all steps take digits of their codes: see `remapPasses`. If too many are equal for that, and all are
 * decimals of few places, the counts of steps 1 and 4 prepare them for the fallback: see `takesDecimals`.
 */
export function secondLevelPasses(
  whole: RadixJob,
  tuning: SubgroupTuning,
  msd: MsdTuning,
  second: LevelTuning,
): Pass[] {
  const job = inChunks(whole, tuning, msd);
  const sampled = sampledBy(job, msd);
  const remaps = remapOf(job, msd) !== undefined;
  const levels = { job, tuning, msd, second, sampled, remaps };
  const { long } = second;
  const scatter = job.payload === 0 ? scatterPass : stableScatterPass;
  const { top, next } = levelDigits(job, msd, second);
  const items = job.payload === 0 ? "key" : remaps ? "key_and_position" : "position";
  const sorted = {
    starts: SEGMENT_STARTS,
    segments: 2 ** (msd.digitBits + second.digitBits),
    from: job.even.keys,
    to: job.even,
    rawInput: false,
    end: next.shift,
    sampled,
    remaps,
  };
  const longSegments = { listed: LONG_SEGMENTS, workgroups: LONG_WORKGROUPS };
  return [
    ...(sampled === "no" ? [] : [samplePass(job, msd)]),
    ...remapPasses(job, tuning, msd),
    ...countFirst(levels, top),
    planPass(levels),
    scatter(levels, top, 1),
    countSecond(levels, next),
    scanSecond(levels),
    scatter(levels, next, 2),
    localPass(job, tuning, msd.local, {
      ...sorted,
      maxDistinct: maxDistinctOf(job, msd),
      workgroups: msd.localWorkgroups,
      items,
    }),
    ...(long ? [localPass(job, tuning, long, { ...sorted, ...longSegments, items })] : []),
  ];
}

interface Levels {
  readonly job: RadixJob;
  readonly tuning: SubgroupTuning;
  readonly msd: MsdTuning;
  readonly second: LevelTuning;
  /** What a sample of the keys tells: see `samplePass`. */
  readonly sampled: Sampled;
  /** Whether digits may be those of the codes of a remap. */
  readonly remaps: boolean;
}

/**
 * What the passes of a level must know of the sample. The first level has normalized the keys, so the second
 * only stretches them to take digits, and denormalizes them if it ends the sort.
 */
function sampledAt(level: 1 | 2, { sampled }: Levels): Sampled {
  return level === 2 && sampled === "range" ? "normalized" : sampled;
}

/** The first level reads keys as they come, and the second may end the sort. */
function conversionAt(level: 1 | 2, { ordered }: RadixJob): Conversion {
  return { rawInput: level === 1 && !ordered, rawOutput: level === 2 && !ordered };
}

function countFirst(levels: Levels, digit: Digit): Pass[] {
  const { job, msd, sampled, remaps } = levels;
  const { input, ordered } = job;
  const { digitBits } = msd;
  const condition = sampled === "no" ? undefined : ("if_fits" as const);
  const step = { digit, counts: COUNTS, digitBits, condition };
  return [
    msdCountPass(job, {
      ...step,
      from: input.keys,
      rawInput: !ordered,
      summed: false,
      workgroupSize: countingSize(msd),
      sampled,
      remaps,
      decimals: takesDecimals(job, msd) ? "tested" : undefined,
      maxDistinct: maxDistinctOf(job, msd),
    }),
    scanPass(job, { ...step, number: 0 }),
  ];
}

function planPass(levels: Levels): Pass {
  const { job, tuning, msd, second, sampled } = levels;
  const { long } = second;
  const clears = groupsColumns(job);
  const { bindings, numbers } = placeBindings(
    [TOTALS, STARTS, FIRST_CHUNKS, CHUNK_LIST, STATUS],
    [
      ["OUTLIERS", sampled === "range" ? [OUTLIERS] : []],
      ["GROUPS", clears ? [chunkGroups(0).counts] : []],
      ["LONG_SEGMENTS", long ? [LONG_SEGMENTS] : []],
    ],
  );
  return {
    program: program("msd_plan", {
      variants: {
        ...sumVariants(tuning),
        after: sampled === "no" ? undefined : "sample",
        clears_groups: clears ? "yes" : undefined,
        lists_long: long ? "yes" : undefined,
      },
      constants: {
        ...numbers,
        // As many as there may be, so that all rows have one program: at least the segments of a digit of 8
        // bits.
        WORKGROUP_SIZE: workgroupSize1d(1024, job.traits.limits),
        SUBGROUP_SIZE: tuning.subgroupSize,
      },
    }),
    bindings,
    params: params("msd_plan", {
      segments: 2 ** msd.digitBits,
      chunk: chunkKeys(msd, second),
      segmentKeys: segmentKeys(long ?? msd.local) * 2 ** second.digitBits,
    }),
    grid: [1, 1, 1],
  };
}

function listedChunks({ job, msd, second }: Levels): ListedChunks {
  return { buffer: CHUNK_LIST, most: maxChunks(job.keyCount, msd, second) };
}

function countSecond(levels: Levels, digit: Digit): Pass {
  const { job, msd, second } = levels;
  return msdCountPass(job, {
    from: job.odd.keys,
    rawInput: false,
    digit,
    digitBits: second.digitBits,
    counts: SEGMENT_COUNTS,
    summed: true,
    workgroupSize: countingSize(msd),
    sampled: sampledAt(2, levels),
    remaps: levels.remaps,
    decimals: takesDecimals(job, msd) ? "to_forms" : undefined,
    // The list of chunks tells whether the pass runs, but only the status whether keys are remapped.
    condition: levels.remaps ? "if_fits" : undefined,
    listed: listedChunks(levels),
  });
}

function scanSecond(levels: Levels): Pass {
  const { job, tuning, msd, second } = levels;
  const { long } = second;
  const { bindings, numbers } = placeBindings(
    [SEGMENT_COUNTS, FIRST_CHUNKS, STARTS, SEGMENT_STARTS, STATUS],
    [["LONG_SEGMENTS", long ? [LONG_SEGMENTS] : []]],
  );
  return {
    program: program("msd_scan", {
      variants: { ...sumVariants(tuning), lists_long: long ? "yes" : undefined },
      constants: {
        ...numbers,
        WORKGROUP_SIZE: Math.max(SCAN_WORKGROUP, 2 ** second.digitBits),
        SUBGROUP_SIZE: tuning.subgroupSize,
      },
    }),
    bindings,
    params: params("msd_scan", {
      keyCount: job.keyCount,
      digits: 2 ** second.digitBits,
      segmentKeys: segmentKeys(msd.local),
      longest: segmentKeys(long ?? msd.local),
    }),
    grid: [2 ** msd.digitBits, 1, 1],
  };
}

function stableScatterPass(levels: Levels, digit: Digit, level: 1 | 2): Pass {
  const { job, msd, second } = levels;
  const { input, odd, even, inputWindows, outputWindows } = job;
  const own =
    level === 1
      ? ({
          from: input,
          to: odd,
          counts: COUNTS,
          start: "scanned",
          digitBits: msd.digitBits,
        } as const)
      : ({
          from: odd,
          to: even,
          counts: SEGMENT_COUNTS,
          start: "listed",
          starts: SEGMENT_STARTS,
          digitBits: second.digitBits,
          listed: listedChunks(levels),
        } as const);
  const step = {
    digit,
    number: 0,
    tile: msd,
    sampled: sampledAt(level, levels),
    remaps: levels.remaps,
    ...conversionAt(level, job),
  } as const;
  return stableScatter(job, { ...step, ...own, condition: "if_fits" }, inputWindows[0]!, outputWindows[0]!);
}

function scatterPass(levels: Levels, digit: Digit, level: 1 | 2): Pass {
  const { job, tuning, msd, second, remaps } = levels;
  const { input, odd, even, inputWindows, outputWindows, columns } = job;
  const conversion = conversionAt(level, job);
  const known = sampledAt(level, levels);
  const { variants, constants } = passKeyParts(job, conversion, known, remaps);
  const { workgroupSize, keysPerInvocation } = msd;
  const digitBits = level === 1 ? msd.digitBits : second.digitBits;
  // Room for the digits of either level, so that one program serves rows whose digits differ.
  const mostBits = Math.max(msd.digitBits, second.digitBits);
  const sector = sectorKeys(job.type.words);
  const slots = workgroupSize * keysPerInvocation + 2 ** mostBits * (sector - 1);
  const counted = countPlaces(job, { digitBits, summed: level === 2 });
  const { bindings, numbers } = placeBindings(
    level === 1
      ? [input.keys, odd.keys, COUNTS, STARTS]
      : [odd.keys, even.keys, SEGMENT_COUNTS, SEGMENT_STARTS],
    [
      ["STATUS", [STATUS]],
      ...sampledBindings(known),
      ...(level === 1 ? [] : [["CHUNKS", [CHUNK_LIST]] as const]),
    ],
  );
  return {
    program: program("msd_aligned_scatter", {
      variants: {
        ...variants,
        ...sumVariants(tuning),
        condition: "if_fits",
        chunk: level === 1 ? "even" : "listed",
      },
      constants: {
        ...constants,
        ...numbers,
        WORKGROUP_SIZE: workgroupSize,
        SUBGROUP_SIZE: tuning.subgroupSize,
        KEYS_PER_INVOCATION: keysPerInvocation,
        DIGIT_BITS: mostBits,
        SECTOR_KEYS: sector,
        CARRIED: Math.ceil((2 ** mostBits * sector) / workgroupSize),
        WRITTEN: Math.ceil(slots / workgroupSize),
        RAW_INPUT: conversion.rawInput ? 1 : 0,
        RAW_OUTPUT: conversion.rawOutput ? 1 : 0,
      },
    }),
    bindings,
    params: parameters(job, { digit, number: 0, counted }, inputWindows[0]!, outputWindows[0]!),
    grid: [level === 1 ? columns : maxChunks(job.keyCount, msd, second), 1, 1],
  };
}
