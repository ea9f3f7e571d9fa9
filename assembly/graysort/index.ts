// The kernels for records of the sort benchmark, which have 100 bytes each: they make them as gensort does, and
// check them as valsort does.

export { ascii } from "./ascii";
export { binary } from "./binary";
export { check } from "./check";
export { sum_crcs } from "./crc32";
