// The kernels that merge sorted rows of text. They are a module of their own, as it takes less time to compile
// than one with those that sort. Each call has the address of the thread's tables as a last argument.

export { countRows as count_rows, findRows as find_rows, walkRows as walk_rows } from "../rows/find";
export {
  cutRuns as cut_runs,
  findDisorder as find_disorder,
  leastRow as least_row,
  sortRows as sort_rows,
} from "./cuts";
export { mergeRuns as merge_runs } from "./merge";
