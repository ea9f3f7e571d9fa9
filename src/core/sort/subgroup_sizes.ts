import type { Plan } from "../plan/plan.js";
import { params, program } from "../shaders/kernels.js";

/** The words that an invocation of the kernels for few and for many keys holds in registers. */
const WORDS = [2, 8, 36];
/** Wider subgroups count as this wide. */
const WIDEST = 64;
const INPUT_WORDS = 1024;

/**
 * Plans passes that find the sizes of the subgroups that a device runs kernels with. The result has a word for
 * each pass: the size, or 64 if it is larger, or 1 if the invocations of a subgroup are not numbered in order.
 *
 * @param words a pass for each of these numbers of words that an invocation holds in registers.
 */
export function subgroupSizesPlan(words: readonly number[] = WORDS, workgroupSize = 256): Plan {
  const sizes = words.map((_, i) => ({ buffer: "sizes", offset: 256 * i, bytes: 4 }));
  return {
    buffers: { input: { bytes: 4 * INPUT_WORDS }, sizes: { bytes: 256 * words.length } },
    passes: sizes.map((range, i) => ({
      program: program("subgroup_sizes", {
        constants: { WORKGROUP_SIZE: workgroupSize, SUBGROUP_SIZE: WIDEST, WORDS: words[i]! },
      }),
      bindings: ["input", range],
      params: params("subgroup_sizes", { words: INPUT_WORDS }),
      grid: [1, 1, 1],
    })),
    result: "sizes",
  };
}

/** The smallest size that the result of the plan has. */
export function smallestSize(result: Uint32Array): number {
  return Math.min(...result.filter((_, i) => i % 64 === 0));
}
