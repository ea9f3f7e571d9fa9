// What a call leaves to be sorted, so that it may end early and another one goes on: ranges of elements in the
// order of words, as a stack, and a sort by comparisons that has begun. src/rows/workspace.ts knows the size.

import { ComparisonSort } from "./comparison_sort";

/** A range of elements in the order of words, of which equal ones are to be sorted further. */
@unmanaged
class Range {
  /** The first element that is not sorted yet, and the end of all. */
  from: usize;
  end: usize;
  /**
   * The largest group of equal words, which comes last; 0 for none. Any other group has at most half of the
   * elements, so the stack has hardly more ranges than the number of elements has bits.
   */
  largest: usize;
  largestEnd: usize;
  /** The key that the words are of, how many words of it came before, and 1 if it goes on, else 0. */
  number: u32;
  stage: u32;
  more: u32;
}

@unmanaged
export class Pending {
  private depth: u32;
  /** Whether a sort by comparisons has begun, which comes before the ranges. */
  compares: u32;

  get isEmpty(): bool {
    return this.depth === 0 && this.compares === 0;
  }

  get sort(): ComparisonSort {
    return changetype<ComparisonSort>(changetype<usize>(this) + offsetof<Pending>());
  }

  /** The last range that was pushed. */
  get last(): Range {
    const first = changetype<usize>(this.sort) + offsetof<ComparisonSort>();
    return changetype<Range>(first + (<usize>this.depth - 1) * offsetof<Range>());
  }

  push(
    from: usize,
    end: usize,
    largest: usize,
    largestEnd: usize,
    number: u32,
    stage: u32,
    more: bool,
  ): void {
    this.depth++;
    const range = this.last;
    range.from = from;
    range.end = end;
    range.largest = largest;
    range.largestEnd = largestEnd;
    range.number = number;
    range.stage = stage;
    range.more = <u32>more;
  }

  pop(): void {
    this.depth--;
  }
}
