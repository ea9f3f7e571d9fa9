import { readParams } from "../../../src/core/primitives/kernels.js";
import { constant, type Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";

/** The chunk of a workgroup, of which the elements are counted from the begin of the window. */
interface Chunk {
  readonly number: number;
  readonly begin: number;
  readonly end: number;
}

/** The CPU version of wgsl/primitives/sum_scan.wgsl: calls back for each workgroup. */
function forEachChunk(dispatch: Dispatch, visit: (chunk: Chunk) => void): void {
  const { elementCount, begin, chunk, firstChunk, countAt } = readParams("scan_reduce", dispatch.params);
  const elements = elementsInWindow(dispatch, begin, elementCount, countAt);
  for (let i = 0; i < dispatch.grid[0]; i++) {
    visit({ number: firstChunk + i, begin: i * chunk, end: Math.min((i + 1) * chunk, elements) });
  }
}

function elementsInWindow(dispatch: Dispatch, begin: number, planned: number, countAt: number): number {
  if (dispatch.variants.key_total !== "counted") return planned;
  const count = dispatch.bindings[constant(dispatch, "COUNT")]![countAt]!;
  return Math.max(0, Math.min(planned, count - begin));
}

/**
 * The numbers of a buffer, and what an element adds to a sum: the variants of wgsl/primitives/sum_scan.wgsl.
 */
function summandOf({ variants: { summand } }: Dispatch) {
  const isFloat = summand === "f32";
  return {
    view: (words: Uint32Array) =>
      isFloat ? new Float32Array(words.buffer, words.byteOffset, words.length) : words,
    add: (sum: number, element: number) => {
      if (isFloat) return Math.fround(sum + element);
      return (sum + (summand === "flag" ? Number(element !== 0) : element)) >>> 0;
    },
    join: (a: number, b: number) => (isFloat ? Math.fround(a + b) : (a + b) >>> 0),
  };
}

/** The CPU version of wgsl/primitives/scan_reduce.wgsl. */
export function scanReduce(dispatch: Dispatch): void {
  const { view, add } = summandOf(dispatch);
  const [elements, sums] = dispatch.bindings.map(view);
  forEachChunk(dispatch, ({ number, begin, end }) => {
    let sum = 0;
    for (let i = begin; i < end; i++) sum = add(sum, elements![i]!);
    sums![number] = sum;
  });
}

/**
 * Calls back for each element of a window with the sum of those before it, and writes the total: the CPU
 * version of wgsl/primitives/scan_tile.wgsl and of the loops over tiles.
 */
function forEachSum(dispatch: Dispatch, visit: (i: number, element: number, before: number) => void): void {
  const { view, add, join } = summandOf(dispatch);
  const [elements, sums, total] = dispatch.bindings.map(view);
  const { chunks, totalAt } = readParams("scan_write", dispatch.params);
  forEachChunk(dispatch, ({ number, begin, end }) => {
    let sum = 0;
    for (let i = 0; i < number; i++) sum = join(sum, sums![i]!);
    for (let i = begin; i < end; i++) {
      const element = elements![i]!;
      visit(i, element, sum);
      sum = add(sum, element);
    }
    if (number === chunks - 1) total![totalAt] = sum;
  });
}

/** The CPU version of wgsl/primitives/scan_write.wgsl. */
export function scanWrite(dispatch: Dispatch): void {
  const apart = dispatch.variants.scan_output === "apart";
  const output = summandOf(dispatch).view(dispatch.bindings[apart ? constant(dispatch, "OUTPUT") : 0]!);
  forEachSum(dispatch, (i, _, before) => {
    output[i] = before;
  });
}

/** The CPU version of wgsl/primitives/scan_compact.wgsl. */
export function scanCompact(dispatch: Dispatch): void {
  const { begin, outputBegin, outputCount } = readParams("scan_compact", dispatch.params);
  const { kept_values: values, kept_indices: indices } = dispatch.variants;
  forEachSum(dispatch, (i, flag, before) => {
    const place = before - outputBegin;
    if (flag === 0 || place < 0 || place >= outputCount) return;
    if (indices === "all") dispatch.bindings[constant(dispatch, "INDICES")]![place] = begin + i;
    if (values !== "words") return;
    const [first, words] = [constant(dispatch, "VALUES"), constant(dispatch, "VALUE_WORDS")];
    const [from, to] = dispatch.bindings.slice(first);
    to!.set(from!.subarray(i * words, (i + 1) * words), place * words);
  });
}

/** The CPU version of wgsl/primitives/histogram_clear.wgsl. */
export function histogramClear({ bindings, params }: Dispatch): void {
  bindings[0]!.fill(0, 0, readParams("histogram_clear", params).bins);
}

/** The CPU version of wgsl/primitives/histogram_count.wgsl. */
export function histogramCount(dispatch: Dispatch): void {
  const { begin, keyCount, shift, mask, bins, countAt } = readParams("histogram_count", dispatch.params);
  const [keys, counts] = dispatch.bindings;
  const end = elementsInWindow(dispatch, begin, keyCount, countAt);
  for (let i = 0; i < end; i++) {
    const bin = ((keys![i]! >>> shift) & mask) >>> 0;
    if (bin < bins) counts![bin]!++;
  }
}
