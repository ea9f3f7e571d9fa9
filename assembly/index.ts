// The kernels of the CPU's sort, by the bytes of a key and of an element. Each call has the address of the
// thread's tables as a last argument, which most kernels leave out.

import { decode, extract } from "./convert";
import { sortFewKeys } from "./few_keys";
import { keepBefore } from "./filter";
import { count, scatter, sortParts } from "./radix";
import { collect, read, sortSpread } from "./spread";
import { countFirsts, keepFirsts } from "./unique";

export { makeBuckets as make_buckets } from "./buckets";
export { totalBytes as total_bytes } from "./spread";

export const encode_1_4 = read<u8, u32>;
export const encode_2_4 = read<u16, u32>;
export const encode_4_4 = read<u32, u32>;
export const encode_8_8 = read<u64, u64>;
export const encode_1_8 = read<u8, u64>;
export const encode_2_8 = read<u16, u64>;
export const encode_4_8 = read<u32, u64>;
export const encode_8_16 = read<u64, v128>;
export const decode_1_4 = decode<u8, u32>;
export const decode_2_4 = decode<u16, u32>;
export const decode_4_4 = decode<u32, u32>;
export const decode_8_8 = decode<u64, u64>;
export const extract_8 = extract<u64>;
export const extract_16 = extract<v128>;
export const count_4 = count<u32>;
export const scatter_4 = scatter<u32>;
export const sort_4 = sortParts<u32>;
export const count_8 = count<u64>;
export const scatter_8 = scatter<u64>;
export const sort_8 = sortParts<u64>;
export const count_16 = count<v128>;
export const scatter_16 = scatter<v128>;
export const sort_16 = sortParts<v128>;
export const count_firsts_1 = countFirsts<u8>;
export const keep_firsts_1 = keepFirsts<u8>;
export const count_firsts_2 = countFirsts<u16>;
export const keep_firsts_2 = keepFirsts<u16>;
export const count_firsts_4 = countFirsts<u32>;
export const keep_firsts_4 = keepFirsts<u32>;
export const count_firsts_8 = countFirsts<u64>;
export const keep_firsts_8 = keepFirsts<u64>;
export const keep_before_1 = keepBefore<u8>;
export const keep_before_2 = keepBefore<u16>;
export const keep_before_4 = keepBefore<u32>;
export const keep_before_8 = keepBefore<u64>;
export const collect_4 = collect<u32>;
export const sort_spread_4 = sortSpread<u32>;
export const collect_8 = collect<u64>;
export const sort_spread_8 = sortSpread<u64>;
export const collect_16 = collect<v128>;
export const sort_spread_16 = sortSpread<v128>;
export const sort_few_4 = sortFewKeys<u32>;
export const sort_few_8 = sortFewKeys<u64>;
export const sort_few_16 = sortFewKeys<v128>;
