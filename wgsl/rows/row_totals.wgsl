// What an inspection of rows finds, and who finds it.

struct RowTotals {
  sum_a: atomic<u32>,       // rows_inspect and rows_distinct
  sum_b: atomic<u32>,
  seen: atomic<u32>,        // inspected rows: rows_inspect
  malformed: atomic<u32>,   // rows that begin or end elsewhere: rows_inspect
  inversions: atomic<u32>,  // neighbours in the wrong order: rows_compare
  unknown: atomic<u32>,     // neighbours whose order takes too long to find: rows_compare
  equal: atomic<u32>,       // neighbours that are equal: rows_compare
  word_sum: atomic<u32>,    // of the words of the first rows; zeros complete the last one: rows_inspect
  compared: atomic<u32>,    // rows that were compared with the one before, or are the first: rows_compare
}
