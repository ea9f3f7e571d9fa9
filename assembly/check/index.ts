// The kernels that check items: keys by their bytes, and records. A job is what all calls have in common: see
// job.ts for keys, and check/records.ts for records. Each call has the address of the thread's tables as a last
// argument, where elements are made, so that the items stay as they are.

import { checkKeys } from "./keys";

export { checkRecords as check_records } from "./records";

export const check_1 = checkKeys<u8, u32>;
export const check_2 = checkKeys<u16, u32>;
export const check_4 = checkKeys<u32, u32>;
export const check_8 = checkKeys<u64, u64>;
