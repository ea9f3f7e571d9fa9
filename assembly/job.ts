// What all calls of one sort have in common, as words in memory. src/core/cpu/sort/work.ts writes them.

/** The bits of an element's first word that decide the order: from `begin` to `end` - 1. */
const BEGIN: usize = 0;
const END: usize = 4;
/** The lowest bit in which elements differ: those below it need no sorting. */
const LOWEST: usize = 8;
/** Whether elements are pairs of a key and an index. */
const PAIRS: usize = 12;
/** How keys are ordered: see order.ts. */
const ORDER: usize = 16;
/** Whether keys are sorted in descending order. */
const DESCENDING: usize = 20;
/** Bytes of a key. */
const KEY_BYTES: usize = 24;
/** The address of the first element, and that of the first key. */
const ELEMENTS: usize = 28;
const KEYS: usize = 32;
/** The address of the first thread's buffer, and that of its tables. */
const BUFFERS: usize = 36;
const TABLES: usize = 40;
/** The bytes of a thread's buffer, divided by those of its tables. */
const BUFFER_FACTOR: usize = 44;
/** How many of the next ranges are taken for skewed, with many elements equal in the upper bits. */
const SKEWED: usize = 48;
/** What came of a sort of few keys: see few_keys.ts. */
const OUTCOME: usize = 52;
/** The address of a table of buckets, by which elements are divided; 0 if they are divided by a digit. */
const BUCKETS: usize = 56;

export function beginBit(job: usize): u32 {
  return load<u32>(job, BEGIN);
}
export function endBit(job: usize): u32 {
  return load<u32>(job, END);
}
export function lowestOf(job: usize): u32 {
  return load<u32>(job, LOWEST);
}
export function sortsPairs(job: usize): bool {
  return load<u32>(job, PAIRS) !== 0;
}
export function orderOf(job: usize): u32 {
  return load<u32>(job, ORDER);
}
export function isDescending(job: usize): bool {
  return load<u32>(job, DESCENDING) !== 0;
}
export function keyBytesOf(job: usize): u32 {
  return load<u32>(job, KEY_BYTES);
}
export function elementsOf(job: usize): usize {
  return load<u32>(job, ELEMENTS);
}
export function keysOf(job: usize): usize {
  return load<u32>(job, KEYS);
}
/** The buffer of the thread that has these tables. */
export function bufferOf(job: usize, tables: usize): usize {
  return load<u32>(job, BUFFERS) + (tables - load<u32>(job, TABLES)) * load<u32>(job, BUFFER_FACTOR);
}
export function skewedOf(job: usize): u32 {
  return load<u32>(job, SKEWED);
}
export function setSkewed(job: usize, ranges: u32): void {
  store<u32>(job, ranges, SKEWED);
}
export function setLowest(job: usize, lowest: u32): void {
  store<u32>(job, lowest, LOWEST);
}
export function bucketsOf(job: usize): usize {
  return load<u32>(job, BUCKETS);
}
export function setOutcome(job: usize, outcome: u32): void {
  store<u32>(job, outcome, OUTCOME);
}
