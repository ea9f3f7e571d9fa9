import type { ElementType } from "../../elements.js";
import { linearGrid } from "../../plan/grid.js";
import type { Pass } from "../../plan/plan.js";
import { type DeviceTraits, PROCESSORS } from "../../plan/traits.js";
import { program } from "../../shaders/kernels.js";
import { comparedParts, type Digit, keyParts, type SortOptions, type ValuesVariant } from "../key.js";
import { type KeyBuffers, type RadixJob, radixJob } from "../radix/radix_job.js";
import { chunkGroups } from "../radix/radix_moves.js";
import { GROUP_COUNTS, placeBindings, rankConstants, rankVariants } from "../radix/radix_parts.js";
import { countPass, type ListedChunks, scatterPass } from "../radix/radix_passes.js";
import {
  type LocalTuning,
  lsdTuning,
  type RadixTuning,
  roomForKeys,
  type SerialTuning,
  type SubgroupTuning,
  slotBytes,
} from "../radix/radix_tuning.js";

/** The buffer of the places where segments begin, and of the place where the last one ends. */
export const SEGMENTS = "segments";
/** The buffer of the lists: see wgsl/segments/segments_lister.wgsl. */
export const LISTS = "lists";
/** The buffer of the counts of all chunks. */
const COUNTS = "chunk_counts";

/** Words before the first chunk in the lists: how many entries each has. */
export const HEAD_WORDS = 4;

/** How the segments that are not sorted with a window are sorted. */
export interface ListsTuning {
  /** The family of the kernels that move the chunks of long segments, and their tiles. */
  readonly radix: RadixTuning;
  /** Keys per chunk: whole tiles. */
  readonly chunkKeys: number;
  /** Chunks per group, whose counts are added up. Undefined if a scan pass adds up the counts of chunks. */
  readonly groupChunks?: number | undefined;
  /** The tiles of workgroups that sort a segment each, the smaller first: none, one or two. */
  readonly locals: readonly LocalTuning[];
  /** The most workgroups of each pass over a list. If there are more entries, each takes several. */
  readonly mostWorkgroups: ListedWorkgroups;
}

/** Workgroups of the passes over the lists. */
export interface ListedWorkgroups {
  /** That sort a small segment each, or a medium one. */
  readonly small: number;
  readonly medium: number;
  /** That count a chunk each, or move it. */
  readonly count: number;
  readonly scatter: number;
}

/** Keys per invocation of the tiles for segments of medium length. */
const LOCAL_KEYS = [4, 16] as const;

/**
 * These fill a large GPU, and small ones a few times over, so that the last ones do not keep it waiting for
 * long. If there is nothing to do, each takes time nevertheless: the larger its workgroup memory, the more.
 * Measured on an H200 by `node bench/segments.js`: see docs/notes/kernels.md.
 */
const MOST_WORKGROUPS = { small: 8 * PROCESSORS, medium: 2 * PROCESSORS, count: 4 * PROCESSORS } as const;
/**
 * Workgroups that move chunks, by the words of a key. On an H200, 2^24 u64 keys in segments of 2^14 take 1.67
 * ms with these, and 2.08 with a quarter of them; in segments of 16 keys, where there is nothing to move, 0.253
 * and 0.243.
 */
const MOST_MOVING = { 1: 2 * PROCESSORS, 2: 8 * PROCESSORS } as const;

/** A chunk has enough tiles that there are not many more chunks than this. */
const MANY_CHUNKS = 1024;

/** Chunks per group: each workgroup adds up the counts of up to this many chunks, and those of all groups. */
const SEGMENT_GROUP_CHUNKS = 32;

/** Workgroups on a software adapter. They keep all cores busy, and idle ones take next to no time. */
const MOST_SERIAL = { small: 0, medium: 0, count: 256, scatter: 256 } as const;
/** Chunks of a software adapter are not shorter, unless a segment is. */
const MIN_SERIAL_CHUNK = 2048;

/** The best known tuning. */
export function listsTuning(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
): ListsTuning {
  const radix = lsdTuning(keyCount, type, traits, options);
  if (radix.family === "serial") {
    const chunkKeys = Math.max(MIN_SERIAL_CHUNK, Math.ceil(keyCount / radix.columns));
    return { radix, chunkKeys, locals: [], mostWorkgroups: MOST_SERIAL };
  }
  // Larger chunks have fewer counts, but a device must be busy with them.
  const tiles = keyCount / (radix.workgroupSize * radix.keysPerInvocation);
  const tilesPerChunk = Math.max(radix.family === "workgroup" ? 3 : 1, Math.floor(tiles / MANY_CHUNKS));
  const shared = {
    mostWorkgroups: { ...MOST_WORKGROUPS, scatter: MOST_MOVING[type.words] },
    chunkKeys: tilesPerChunk * radix.workgroupSize * radix.keysPerInvocation,
    groupChunks: SEGMENT_GROUP_CHUNKS,
  };
  if (radix.family === "workgroup") return { ...shared, radix, locals: [] };
  const workgroupSize = 256;
  const room = roomForKeys(workgroupSize, radix.digitBits, slotBytes(type), traits);
  const sizes = new Set(LOCAL_KEYS.map((keys) => Math.min(keys, room)));
  const locals = [...sizes].map((keysPerInvocation) => ({ workgroupSize, keysPerInvocation }));
  return { ...shared, radix, locals };
}

/** What the passes over the lists must know of the segmented sort. */
interface Sort {
  readonly keyCount: number;
  readonly type: ElementType;
  readonly options: SortOptions;
  readonly traits: DeviceTraits;
  readonly tuning: {
    readonly shortKeys: number;
    readonly windowKeys: number;
  };
  readonly buffers: Readonly<Record<"even" | "odd" | "evenValues" | "oddValues", string>>;
  readonly moved: ValuesVariant;
}

/** The lists of a segmented sort. */
export interface Lists {
  readonly tuning: ListsTuning;
  /** Keys per chunk. */
  readonly chunk: number;
  /** The most entries of each list. */
  readonly chunks: number;
  readonly small: number;
  readonly medium: number;
  /** The most keys of a segment of the lists for one workgroup each; 0 without such a list. */
  readonly smallKeys: number;
  readonly mediumKeys: number;
}

/**
 * Sizes the lists, for segments that are longer than those that are sorted with a window, up to the longest
 * one.
 */
export function listsOf(keyCount: number, shortKeys: number, longest: number, tuning: ListsTuning): Lists {
  const { chunkKeys: chunk, locals } = tuning;
  const tileKeys = (tile: LocalTuning | undefined) =>
    tile ? tile.workgroupSize * tile.keysPerInvocation : 0;
  const mediumKeys = tileKeys(locals.at(-1));
  const smallKeys = locals.length > 1 ? tileKeys(locals[0]) : 0;
  /** The most segments of more than `keys` keys. */
  const longerThan = (keys: number) => Math.floor(keyCount / (Math.max(keys, shortKeys) + 1));
  // Segments have the most chunks per key if all are the shortest, or the shortest that take another chunk.
  const shortest = Math.max(mediumKeys, shortKeys) + 1;
  const withAnother = Math.ceil((shortest - 1) / chunk) * chunk + 1;
  const chunksOf = (length: number) => Math.floor((keyCount * Math.ceil(length / chunk)) / length);
  return {
    tuning,
    chunk,
    chunks:
      longest < shortest
        ? 0
        : Math.max(chunksOf(shortest), longest < withAnother ? 0 : chunksOf(withAnother)),
    small: smallKeys > shortKeys ? longerThan(shortKeys) : 0,
    medium: mediumKeys > shortKeys && longest > smallKeys ? longerThan(smallKeys) : 0,
    smallKeys,
    mediumKeys,
  };
}

/** Bytes of the buffers of the lists, and of the passes over them. */
export function listBytes({ tuning, chunks, small, medium }: Lists): Record<string, number> {
  const digits = 2 ** tuning.radix.digitBits;
  const { groupChunks } = tuning;
  const groupBytes = groupChunks ? 4 * digits * Math.max(1, Math.ceil(chunks / groupChunks)) : 0;
  return {
    [LISTS]: 4 * (HEAD_WORDS + 4 * chunks + small + medium),
    ...(groupChunks ? { [GROUP_COUNTS[0]]: groupBytes } : {}),
    ...(chunks > 0 ? { [COUNTS]: 4 * digits * chunks } : {}),
    ...(chunks > 0 && groupChunks ? { [GROUP_COUNTS[1]]: groupBytes } : {}),
  };
}

/** The constants of wgsl/segments/segments_lister.wgsl. */
export function listerConstants({ smallKeys, mediumKeys }: Lists) {
  return { SMALL_KEYS: smallKeys, MEDIUM_KEYS: mediumKeys };
}

/**
 * The passes that sort listed segments: of up to a tile by one workgroup each, and longer ones by a radix sort
 * by the least significant digit first.
 */
export function listedPasses(sort: Sort, lists: Lists, passParams: Pass["params"]): Pass[] {
  const { radix, locals } = lists.tuning;
  const kinds =
    radix.family === "subgroup"
      ? ([
          ["small", locals[0]],
          ["medium", locals.at(-1)],
        ] as const)
      : [];
  return [
    ...kinds.flatMap(([list, tile]) =>
      lists[list] > 0 && tile ? [localPass(sort, lists, list, tile, passParams)] : [],
    ),
    ...(lists.chunks > 0 ? chunkPasses(sort, lists) : []),
  ];
}

/** The pass that sorts the segments of a list by one workgroup each. */
function localPass(
  { type, options, tuning, traits, buffers, moved }: Sort,
  lists: Lists,
  list: "small" | "medium",
  tile: LocalTuning,
  passParams: Pass["params"],
): Pass {
  const isInPlace = buffers.even === "keys";
  const key = keyParts(type, options);
  const compared = comparedParts(type, options);
  const subgroup = lists.tuning.radix as SubgroupTuning;
  const { bindings, numbers } = placeBindings(
    [SEGMENTS, LISTS, buffers.even, buffers.odd],
    [
      ["INPUT", isInPlace ? [] : ["keys"]],
      ["VALUES", moved === undefined ? [] : [buffers.evenValues, buffers.oddValues]],
    ],
  );
  return {
    program: program("segments_local", {
      variants: {
        ...key.variants,
        ...compared.variants,
        ...rankVariants(subgroup),
        segments_input: isInPlace ? "in_place" : "apart",
        segments_values: moved,
      },
      constants: {
        ...key.constants,
        ...compared.constants,
        ...numbers,
        ...rankConstants(subgroup, tile),
        WINDOW_KEYS: tuning.windowKeys,
        SHORT_KEYS: tuning.shortKeys,
        RAW_KEYS: type.bytes < 4 ? 0 : 1,
        LIST: list === "small" ? 1 : 2,
      },
    }),
    bindings,
    params: passParams,
    grid: linearGrid(Math.min(lists[list], lists.tuning.mostWorkgroups[list]), traits.limits),
  };
}

/** The passes that sort the chunks of long segments. */
function chunkPasses(sort: Sort, lists: Lists): Pass[] {
  const { keyCount, type, options, traits, buffers, moved } = sort;
  const { radix, groupChunks, mostWorkgroups } = lists.tuning;
  const job = radixJob(keyCount, type, options, traits, radix);
  const jobOf = (workgroups: number) => {
    const [columns] = linearGrid(Math.min(lists.chunks, workgroups), traits.limits);
    return { ...job, columns };
  };
  const hasValues = moved !== undefined;
  const input: KeyBuffers = { keys: "keys", values: moved === "word" ? "values" : undefined };
  const even: KeyBuffers = { keys: buffers.even, values: hasValues ? buffers.evenValues : undefined };
  const odd: KeyBuffers = { keys: buffers.odd, values: hasValues ? buffers.oddValues : undefined };
  const digits = movesOf(job, even.keys === input.keys || moved === "word");
  const [window, output] = [job.inputWindows[0]!, job.outputWindows[0]!];
  return digits.flatMap((digit, number) => {
    const isLast = number === digits.length - 1;
    const to = (digits.length - number) % 2 === 1 ? even : odd;
    const from = number === 0 ? input : to === even ? odd : even;
    const rawInput = number === 0 && !job.ordered;
    const groups = groupChunks ? chunkGroups(number, groupChunks) : undefined;
    const step = { from, rawInput, digit, number: 0, counts: COUNTS, groups };
    const listedFor = (workgroups: number): ListedChunks => ({
      kind: "segmented",
      buffer: LISTS,
      most: lists.chunks,
      workgroups,
    });
    return [
      countPass(
        jobOf(mostWorkgroups.count),
        { ...step, listed: listedFor(mostWorkgroups.count), summed: true },
        window,
      ),
      ...(radix.family === "serial" ? [scanPass(radix)] : []),
      scatterPass(
        jobOf(mostWorkgroups.scatter),
        {
          ...step,
          listed: listedFor(mostWorkgroups.scatter),
          to,
          rawOutput: isLast && !job.ordered && !job.narrow,
          start: groups ? "segmented" : "segmented_scanned",
        },
        window,
        output,
      ),
    ];
  });
}

/** The pass that adds up the counts of the chunks of each segment. */
function scanPass({ workgroupSize, digitBits }: SerialTuning): Pass {
  return {
    program: program("segments_serial_scan", {
      constants: { CHUNKS: 1, WORKGROUP_SIZE: workgroupSize, DIGIT_BITS: digitBits },
    }),
    bindings: [COUNTS, LISTS],
    params: [],
    grid: [Math.ceil(2 ** digitBits / workgroupSize), 1, 1],
  };
}

/**
 * The digits to move keys by. If the last move must end where the first one begins, there is an even number of
 * them: the topmost digit is cut in two.
 */
function movesOf({ digits }: RadixJob, isInPlace: boolean): readonly Digit[] {
  if (!isInPlace || digits.length % 2 === 0) return digits;
  const { shift, mask } = digits.at(-1)!;
  const bits = Math.log2(mask + 1);
  const low = Math.floor(bits / 2);
  return [
    ...digits.slice(0, -1),
    { shift, mask: 2 ** low - 1 },
    { shift: shift + low, mask: 2 ** (bits - low) - 1 },
  ];
}
