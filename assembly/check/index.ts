// The kernels that check items: keys by their bytes, and records. A job is what all calls have in common: see
// job.ts for keys, and check/records.ts for records. Each call has the address of the thread's tables as a last
// argument, where elements are made, so that the items stay as they are.

import { checkKeys } from "./keys";
import { checkRecords } from "./records";

export function check_1(
  keys: usize,
  n: usize,
  sumsUp: bool,
  findings: usize,
  job: usize,
  scratch: usize,
): void {
  checkKeys<u8, u32>(keys, n, sumsUp, findings, job, scratch);
}
export function check_2(
  keys: usize,
  n: usize,
  sumsUp: bool,
  findings: usize,
  job: usize,
  scratch: usize,
): void {
  checkKeys<u16, u32>(keys, n, sumsUp, findings, job, scratch);
}
export function check_4(
  keys: usize,
  n: usize,
  sumsUp: bool,
  findings: usize,
  job: usize,
  scratch: usize,
): void {
  checkKeys<u32, u32>(keys, n, sumsUp, findings, job, scratch);
}
export function check_8(
  keys: usize,
  n: usize,
  sumsUp: bool,
  findings: usize,
  job: usize,
  scratch: usize,
): void {
  checkKeys<u64, u64>(keys, n, sumsUp, findings, job, scratch);
}
export function check_records(records: usize, n: usize, sumsUp: bool, findings: usize, job: usize): void {
  checkRecords(records, n, sumsUp, findings, job);
}
