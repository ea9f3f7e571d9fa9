import { mix } from "../../../src/core/items/mix.js";
import { readParams } from "../../../src/core/rows/kernels.js";
import { QUOTE } from "../../../src/core/rows/reading.js";
import { constant, type Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import { RowKeys } from "./row_keys.js";

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);

const CARRIAGE_RETURN = 13;

/** The bytes that each workgroup of the kernels that find rows looks through. */
const chunkBytesOf = (dispatch: Dispatch) =>
  16 * constant(dispatch, "WORKGROUP_SIZE") * constant(dispatch, "VECTORS");

/** The CPU version of wgsl/rows/rows_quotes.wgsl. */
export function rowsQuotes(dispatch: Dispatch): void {
  const [text, counts] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { bytes, chunks } = readParams("rows_quotes", dispatch.params);
  counts.fill(0, 0, chunks);
  for (const [at, byte] of bytesOf(text).subarray(0, bytes).entries())
    if (byte === QUOTE) counts[Math.floor(at / chunkBytesOf(dispatch))]!++;
}

/** The positions of a text's bytes that end rows, and whether quotes are misplaced. */
function rowEndsOf(dispatch: Dispatch) {
  const { bytes, terminator, separator } = readParams("rows_count", dispatch.params);
  const text = bytesOf(dispatch.bindings[0]!).subarray(0, bytes);
  const isQuoted = dispatch.variants.row_ends === "quoted";
  const begins = [undefined, terminator, separator, QUOTE];
  const mayFollow = [terminator, separator, CARRIAGE_RETURN];
  const ends: number[] = [];
  let inside = false;
  let isMisplaced = false;
  for (const [at, byte] of text.entries()) {
    if (isQuoted && byte === QUOTE) {
      inside = !inside;
      if (inside && !begins.includes(text[at - 1])) isMisplaced = true;
    } else if (!inside) {
      if (isQuoted && text[at - 1] === QUOTE && !mayFollow.includes(byte)) isMisplaced = true;
      if (byte === terminator) ends.push(at);
    }
  }
  return { ends, isMisplaced };
}

/** The CPU version of wgsl/rows/rows_count.wgsl. */
export function rowsCount(dispatch: Dispatch): void {
  const [, counts, misplaced] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { chunks } = readParams("rows_count", dispatch.params);
  const { ends, isMisplaced } = rowEndsOf(dispatch);
  counts.fill(0, 0, chunks);
  for (const at of ends) counts[Math.floor(at / chunkBytesOf(dispatch))]!++;
  if (isMisplaced) misplaced[0] = 1;
}

/** The CPU version of wgsl/rows/rows_find.wgsl. */
export function rowsFind(dispatch: Dispatch): void {
  const [, , starts] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  starts.set([0, ...rowEndsOf(dispatch).ends.map((at) => at + 1)]);
}

/** The CPU version of wgsl/rows/rows_longest.wgsl. */
export function rowsLongest({ bindings, params }: Dispatch): void {
  const [starts, longest] = bindings as [Uint32Array, Uint32Array];
  const { count } = readParams("rows_longest", params);
  for (let row = 0; row < count; row++) longest[0] = Math.max(longest[0]!, starts[row + 1]! - starts[row]!);
}

/** The rows that a kernel reads: all, or those that are tied. */
function rowOf(ties: Uint32Array | undefined): (i: number) => number {
  return ties ? (i) => ties[4 * i + 1]! : (i) => i;
}

/** The CPU version of wgsl/rows/rows_words.wgsl. */
export function rowsWords(dispatch: Dispatch): void {
  const [text, starts, order, ties, words, found] = dispatch.bindings as readonly Uint32Array[];
  const { count, key, stage, prefix, ofTies } = readParams("rows_words", dispatch.params);
  const keys = new RowKeys(text!, order!, dispatch.variants);
  const row = rowOf(ofTies === 1 ? ties : undefined);
  for (let i = 0; i < count; i++) {
    const [begin, next] = [starts![row(i)]!, starts![row(i) + 1]!];
    const { word, more, unread } = keys.word(key, stage, prefix, begin, next);
    const pair = [Number(word & 0xffff_ffffn), Number(word >> 32n)];
    for (const [half, value] of pair.entries()) {
      words![2 * i + half] = value;
      found![half]! |= value;
      found![2 + half]! |= ~value;
    }
    if (more) found![4] = 1;
    if (unread) found![5] = 1;
    if (keys.isWrong(key, begin, next)) found![6] = Math.max(found![6]!, 0xffff_ffff - row(i));
  }
}

/** The CPU version of wgsl/rows/rows_prefix.wgsl. */
export function rowsPrefix(dispatch: Dispatch): void {
  const [text, starts, order, listed, differing] = dispatch.bindings as readonly Uint32Array[];
  const { count, key, passed, ofTies } = readParams("rows_prefix", dispatch.params);
  const most = constant(dispatch, "MOST");
  const keys = new RowKeys(text!, order!, dispatch.variants);
  const ties = ofTies === 1 ? listed! : undefined;
  const row = rowOf(ties);
  const bytesAt = (i: number) => keys.compared(key, starts![row(i)]!, starts![row(i) + 1]!).subarray(passed);
  for (let i = 1; i < count; i++) {
    if (ties && ties[4 * i + 2] !== ties[4 * i - 2]) continue;
    const [a, b] = [bytesAt(i), bytesAt(i - 1)];
    const limit = Math.min(most, a.length, b.length);
    let same = 0;
    while (same < limit && a[same] === b[same]) same++;
    if (same < a.length || same < b.length) differing![0] = Math.max(differing![0]!, most + 1 - same);
  }
}

/** What the kernels for ties know of each place in the order. */
function tiesOf(dispatch: Dispatch) {
  const [sorted, words, listed] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { count, chunks, flip, ofTies } = readParams("rows_tie_count", dispatch.params);
  const isFirst = ofTies === 0;
  const ties = isFirst ? undefined : listed;
  const wordAt = (place: number) => {
    const at = isFirst ? place : sorted[place]!;
    return [words[2 * at]!, words[2 * at + 1]!] as const;
  };
  const isLikeLast = (place: number) => {
    if (place === 0 || place >= count) return false;
    const [a, b] = [wordAt(place), wordAt(place - 1)];
    return a[0] === b[0] && a[1] === b[1] && (!ties || ties[4 * place + 2] === ties[4 * place - 2]);
  };
  return {
    count,
    chunks,
    flip,
    wordAt,
    chunkRows: constant(dispatch, "WORKGROUP_SIZE") * constant(dispatch, "ROWS_PER_INVOCATION"),
    isLikeLast,
    isTied: (place: number) => isLikeLast(place) || isLikeLast(place + 1),
    tieAt: (place: number) =>
      ties ? [ties[4 * place]!, ties[4 * sorted[place]! + 1]!] : [place, sorted[place]!],
  };
}

/** The CPU version of wgsl/rows/rows_tie_count.wgsl. */
export function rowsTieCount(dispatch: Dispatch): void {
  const [, , , counts, goesOn] = dispatch.bindings as readonly Uint32Array[];
  const { count, chunks, chunkRows, flip, wordAt, isLikeLast, isTied } = tiesOf(dispatch);
  counts!.fill(0, 0, 2 * chunks);
  for (let place = 0; place < count; place++) {
    if (!isTied(place)) continue;
    const chunk = Math.floor(place / chunkRows);
    counts![chunk]!++;
    if (!isLikeLast(place)) counts![chunks + chunk]!++;
    if (((wordAt(place)[0] ^ flip) & 0xff) === 8) goesOn![0] = 1;
  }
}

/** The CPU version of wgsl/rows/rows_tie_move.wgsl. */
export function rowsTieMove(dispatch: Dispatch): void {
  const [, , , , next, permutation] = dispatch.bindings as readonly Uint32Array[];
  const { count, isLikeLast, isTied, tieAt } = tiesOf(dispatch);
  let to = 0;
  let group = 0;
  for (let place = 0; place < count; place++) {
    const [own, row] = tieAt(place) as [number, number];
    permutation![own] = row;
    if (!isTied(place)) continue;
    if (!isLikeLast(place)) group++;
    next!.set([own, row, group, 0], 4 * to++);
  }
}

/** The CPU version of wgsl/rows/rows_tie_groups.wgsl. */
export function rowsTieGroups({ bindings, params }: Dispatch): void {
  const [byWords, ties, keys] = bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { count } = readParams("rows_tie_groups", params);
  for (let i = 0; i < count; i++) keys.set([ties[4 * byWords[i]! + 2]!, 0], 2 * i);
}

/** The CPU version of wgsl/rows/rows_tie_order.wgsl. */
export function rowsTieOrder({ bindings, params }: Dispatch): void {
  const [byWords, byGroups, sorted] = bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { count } = readParams("rows_tie_order", params);
  for (let i = 0; i < count; i++) sorted[i] = byWords[byGroups[i]!]!;
}

/** The CPU version of wgsl/rows/rows_measure.wgsl. */
export function rowsMeasure(dispatch: Dispatch): void {
  const [starts, permutation, sources, places, counts] = dispatch.bindings as readonly Uint32Array[];
  const { count, chunks } = readParams("rows_measure", dispatch.params);
  const chunkRows = constant(dispatch, "WORKGROUP_SIZE") * constant(dispatch, "ROWS_PER_INVOCATION");
  counts!.fill(0, 0, chunks);
  for (let place = 0; place < count; place++) {
    const row = permutation![place]!;
    sources![place] = starts![row]!;
    places![place] = starts![row + 1]! - starts![row]!;
    counts![Math.floor(place / chunkRows)]! += places![place]!;
  }
}

/** The CPU version of wgsl/rows/rows_place.wgsl. */
export function rowsPlace(dispatch: Dispatch): void {
  const [, places, firstRows] = dispatch.bindings as readonly Uint32Array[];
  const { count, tiles } = readParams("rows_place", dispatch.params);
  const tileBytes = constant(dispatch, "TILE_BYTES");
  let at = 0;
  for (let i = 0; i < count; i++) {
    const next = at + places![i]!;
    places![i] = at;
    for (let tile = Math.ceil(at / tileBytes); tile * tileBytes < next; tile++) firstRows![tile] = i;
    at = next;
  }
  places![count] = at;
  firstRows![tiles] = count - 1;
}

/** The CPU version of wgsl/rows/rows_gather.wgsl. */
export function rowsGather({ bindings, params }: Dispatch): void {
  const [text, sources, places, , output] = bindings as readonly Uint32Array[];
  const { bytes } = readParams("rows_gather", params);
  const [from, to] = [bytesOf(text!), bytesOf(output!)];
  to.fill(0, 0, Math.min(to.length, Math.ceil(bytes / 16) * 16));
  for (let row = 0; places![row]! < bytes; row++) {
    const length = places![row + 1]! - places![row]!;
    to.set(from.subarray(sources![row]!, sources![row]! + length), places![row]!);
  }
}

/** The CPU version of wgsl/rows/rows_inspect.wgsl. */
export function rowsInspect(dispatch: Dispatch): void {
  const [text, starts, totals] = dispatch.bindings as readonly Uint32Array[];
  const { count, bytes: length, terminator, firstRows } = readParams("rows_inspect", dispatch.params);
  const bytes = bytesOf(text!);
  const keys = new RowKeys(text!, new Uint32Array(), dispatch.variants);
  const rangeOf = (row: number) => [starts![row]!, starts![row + 1]!] as const;
  for (let row = 0; row < count; row++) {
    const [begin, next] = rangeOf(row);
    const own = bytes.subarray(begin, next);
    const [a, b] = hashesOf(own);
    totals![0]! += a;
    totals![1]! += b;
    totals![2]!++;
    if (row < firstRows)
      for (const [i, byte] of own.entries()) totals![7]! += byte << (8 * ((begin + i) % 4));
    const ends = keys.outsideQuotes(own, terminator);
    const isLast = row + 1 === count;
    const isWhole = ends.length === 1 && ends[0] === own.length - 1;
    if (!isWhole || (row === 0 && begin !== 0) || (isLast && next !== length)) totals![3]!++;
  }
}

/** The CPU version of wgsl/rows/rows_compare.wgsl. */
export function rowsCompare(dispatch: Dispatch): void {
  const [text, starts, order, isDistinct, totals] = dispatch.bindings as readonly Uint32Array[];
  const { count, stores } = readParams("rows_compare", dispatch.params);
  const stages = constant(dispatch, "MOST_STAGES");
  const keys = new RowKeys(text!, order!, dispatch.variants);
  const rangeOf = (row: number) => [starts![row]!, starts![row + 1]!] as const;
  for (let row = 0; row < count; row++) {
    const compared = row === 0 ? -1 : keys.compare(rangeOf(row - 1), rangeOf(row), stages);
    if (stores === 1) isDistinct![row] = Number(compared !== 0);
    totals![8]!++;
    if (compared === undefined) totals![5]!++;
    else if (compared > 0) totals![4]!++;
    else if (compared === 0) totals![6]!++;
  }
}

/** The CPU version of wgsl/rows/rows_distinct.wgsl. */
export function rowsDistinct(dispatch: Dispatch): void {
  const [text, starts, isDistinct, counts, sums] = dispatch.bindings as readonly Uint32Array[];
  const { count, chunks } = readParams("rows_distinct", dispatch.params);
  const chunkRows = constant(dispatch, "WORKGROUP_SIZE") * constant(dispatch, "ROWS_PER_INVOCATION");
  counts!.fill(0, 0, 2 * chunks);
  for (let row = 0; row < count; row++) {
    if (isDistinct![row] === 0) continue;
    const own = bytesOf(text!).subarray(starts![row]!, starts![row + 1]!);
    const chunk = Math.floor(row / chunkRows);
    counts![chunk]!++;
    counts![chunks + chunk]! += own.length;
    for (const [i, hash] of hashesOf(own).entries()) sums![i]! += hash;
  }
}

function hashesOf(row: Uint8Array): [number, number] {
  let [a, b] = [row.length ^ 0x9e3779b9, row.length ^ 0x7f4a7c15];
  for (let at = 0; at < row.length; at += 4) {
    let word = 0;
    for (let i = 0; i < 4; i++) word = (word << 8) | (row[at + i] ?? 0);
    a = mix(a ^ word);
    b = mix(b + word);
  }
  return [a, b];
}
