// The kernels that sort rows of text, and merge sorted ones. Each call has the address of the thread's tables
// as a last argument, which most kernels leave out.

import { inspect } from "../inspect";
import { count, scatter, sortParts } from "../radix";

export { compareNeighbours as compare_neighbours } from "./check";
export { codeKeys as code_keys, sampleKeys as sample_keys } from "./coding";
export {
  makeElements as make_elements,
  markAllEqual as mark_all_equal,
  nextElements as next_elements,
  selectElements as select_elements,
} from "./elements";
export { countRows as count_rows, findRows as find_rows, walkRows as walk_rows } from "./find";
export {
  cutRuns as cut_runs,
  findDisorder as find_disorder,
  leastRow as least_row,
  sortRows as sort_rows,
} from "./merge/cuts";
export { mergeRuns as merge_runs } from "./merge/merge";
export { hashRows as hash_rows, measureRows as measure_rows, moveRows as move_rows } from "./move";
export { refine as refine_elements } from "./refine";
export { checkAllKeys as check_keys } from "./tally";

export const inspect_elements = inspect<v128>;
export const count_16 = count<v128>;
export const scatter_16 = scatter<v128>;
export const sort_16 = sortParts<v128>;
