/** What all calls of one sort have in common, as words in memory. src/core/cpu/sort/work.ts writes them. */
@unmanaged
export class Job {
  /** The bits of an element's first word that decide the order: from `begin` to `end` - 1. */
  begin: u32;
  end: u32;
  /** The lowest bit in which elements differ: those below it need no sorting. */
  lowest: u32;
  /** Whether elements are pairs of a key and an index. */
  sortsPairs: bool;
  /** How keys are ordered: see order.ts. */
  order: u32;
  isDescending: bool;
  keyBytes: u32;
  /** The address of the first element, and that of the first key. */
  elements: usize;
  keys: usize;
  /** The address of the first thread's buffer, and that of its tables. */
  buffers: usize;
  tables: usize;
  /** The bytes of a thread's buffer, divided by those of its tables. */
  bufferFactor: usize;
  /** How many of the next ranges are taken for skewed, with many elements equal in the upper bits. */
  skewed: u32;
  /** What came of a sort of few keys: see few_keys.ts. */
  outcome: u32;
  /** The address of a table of buckets, by which elements are divided; 0 if they are divided by a digit. */
  buckets: usize;

  /** The buffer of the thread that has these tables. */
  bufferOf(tables: usize): usize {
    return this.buffers + (tables - this.tables) * this.bufferFactor;
  }
}
