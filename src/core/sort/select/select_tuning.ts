// When a device selects the first keys instead of sorting all of them. On hardware, these numbers are estimates
// from the bytes that both read and write and from 2 us per dispatch; on software adapters they are measured.

/**
 * From this number of keys on: a sort of fewer keys takes fewer dispatches. Hardware that must sort more of the
 * selected keys than one workgroup can sorts 2^20 uniform keys in 0.8 (u32) or 0.9 (u64) of the time of a
 * selection of 2^16, and 2^21 u32 keys in the same time.
 */
export const LEAST_KEYS = { hardware: 2 ** 20, hardwareSorting: 2 ** 21, software: 2 ** 16 };

/**
 * From this number of keys on if one workgroup selects the first keys from the candidates, and another sorts
 * them. That takes about as long as a sort of as many uniform keys, and less than half of the time for others.
 */
export const LEAST_REFINED_KEYS = 2 ** 17;

/** All keys are more than the selected ones by this factor or more. */
export const LEAST_RATIO = 4;

/**
 * There is room for this many candidates more than the selected keys, or more where a sample needs it. Each
 * takes less time to sort than the keys of another digit would take to be counted.
 */
export const SPARE_KEYS = 2 ** 14;

/**
 * At most this many keys are read to find a bound of the candidates. One workgroup does it. Fewer samples
 * give more candidates. Powers of two.
 */
export const SAMPLES = { hardware: 2 ** 14, software: 2 ** 12 };

/** The tiles of the sorts by one workgroup that follow a selection by one workgroup. */
export const REFINED_TILES = [2 ** 10, 2 ** 11, 2 ** 12, 9216];

/**
 * If the bound of a sample does not hold, one workgroup selects among up to this many keys. That takes longer
 * than many workgroups would, but it saves their dispatches when the bound holds, as it nearly always does.
 */
export const MOST_REFINED_BY_ONE = 2 ** 24;

/**
 * From `least` keys on, hardware selects by a workgroup for each of some parts of the keys, and by one among
 * what these have selected; up to `most` keys, as a sample then reads the keys less often.
 */
export const FIRST_KEYS = { least: 2 ** 14, most: 2 ** 20 };

/** Workgroups among which keys are divided to select first ones: enough to keep a device busy. */
export const FIRST_GROUPS = { hardware: 512, software: 64 };

/** Parts have about LEAST_PART keys or more, and PARTS_PER_TOP times the selected ones. */
export const LEAST_PART = 2 ** 12;
export const PARTS_PER_TOP = 8;

/**
 * The keys that a workgroup sorts in its memory at last, or as many as the memory holds: the more, the fewer
 * digits are counted before. A power of two. If more keys are selected, they are copied, and sorted as
 * segments. With room for 4,096 keys, an H200 takes 0.24 ms for 1,024 of each of 64 rows of 128,256 f32 keys
 * with indices, and 0.36 for 4,096; with room for 512 it takes 0.14 and 0.16.
 */
export const MOST_ROOM = 2 ** 9;

/**
 * Hardware that would copy selected keys sorts all segments instead, unless all keys are this many times as
 * many as are selected of one segment. An H200 sorts 8 rows of 128,256 f32 keys with indices in 0.11 ms, and
 * takes 0.145 to select 4,096 of each.
 */
export const LEAST_COPIED_RATIO = 256;

/**
 * More segments than FIRST_GROUPS are sorted as a whole if they have fewer keys than this: a workgroup for each
 * would have too little to do. An H200 sorts 16,384 segments of 128 keys in 0.06 ms, and takes 0.20 to select 8
 * of each. Of 128 such segments it selects in 0.023, and sorts and keeps in 0.027.
 */
export const LEAST_SEGMENT = { hardware: 256, software: 64 };
