import { params, readParams } from "../../../src/core/shaders/kernels.js";
import { type Digit, digitsOf } from "../../../src/core/sort/key.js";
import { UNREAD_PARAMETERS } from "../../../src/core/sort/radix/radix_parts.js";
import { constant, type Dispatch, workgroupCount } from "../../../src/demos/cpu/cpu_kernel.js";
import { type Bits, type KeyOps, keyOps } from "../../../src/demos/cpu/order.js";
import { biasOf, differences } from "./bias.js";
import { chosenDecimals, convertsDecimals, isDecimal } from "./decimals.js";
import { normalization, outsideTest, sampledForms } from "./key_range.js";
import { distinctKeys, isLowCardinality } from "./low_cardinality.js";
import { remapForm } from "./msd_remap.js";
import { comparedForm, nanTest } from "./nans.js";
import { movesKeys, Status } from "./status.js";

/**
 * The CPU versions of the kernels in wgsl/radix/ and wgsl/serial/, and of the fallback. The result does not depend on
 * how a workgroup ranks its keys, so one function serves several kernels. They differ only in the number of columns
 * per workgroup.
 */

/** One pass by one digit, over the columns of this dispatch. */
interface DigitPass {
  readonly ops: KeyOps;
  /** The number of values that the digit has. */
  readonly digits: number;
  readonly columns: number;
  /** The columns that this dispatch processes. */
  readonly dispatched: readonly number[];
  /** The keys of a column, as indices among all keys. */
  readonly range: (column: number) => [begin: number, end: number];
  /** Turns an index among all keys into one within the bound window of the input. */
  readonly bound: (at: number) => number;
  /**
   * Turns a place among all sorted keys into one within the bound window of the output; undefined outside it.
   */
  readonly outputPlace: (place: number) => number | undefined;
  readonly digitOf: (ordered: Bits) => number;
}

/** The count, scan and scatter kernels all have the parameters of wgsl/shared/radix_params.wgsl. */
const digitParams = ({ params }: Dispatch) => readParams("radix_scatter", params);

export function digitPass(dispatch: Dispatch, columnsPerWorkgroup: number): DigitPass {
  const { keyCount, shift, chunk, columns, firstColumn, inputBegin, outputBegin, outputKeys, ...digit } =
    digitParams(dispatch);
  const { SHIFT = shift, MASK = digit.mask, DIGIT_BITS = 0 } = dispatch.constants;
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  const listed = listedChunks(dispatch);
  const chunks = listed ? listed.chunks : columns - firstColumn;
  // Chunks of segments are shared by as many workgroups as there are.
  const isShared = dispatch.variants.chunk === "segmented";
  const reached = isShared ? Infinity : workgroupCount(dispatch.grid) * columnsPerWorkgroup;
  const mine = Math.min(chunks, reached);
  const digitOf = digitFrom(dispatch, ops, SHIFT, MASK);
  const { stretched } = normalization(dispatch, ops.bits);
  return {
    ops,
    digits: digit.digits || 2 ** DIGIT_BITS,
    columns,
    dispatched: Array.from({ length: Math.max(0, mine) }, (_, i) => firstColumn + i),
    range:
      listed?.range ??
      ((column) => [Math.min(column * chunk, keyCount), Math.min((column + 1) * chunk, keyCount)]),
    bound: (at) => at - inputBegin,
    outputPlace: (place) =>
      place < outputBegin || place >= outputBegin + outputKeys ? undefined : place - outputBegin,
    digitOf: (moved) => digitOf(stretched(moved)),
  };
}

/** The chunks that an earlier pass has listed, if the pass takes those; see wgsl/shared/chunk.wgsl. */
export function listedChunks(dispatch: Dispatch) {
  if (dispatch.variants.chunk === "segmented") return segmentedChunks(boundAs(dispatch, "CHUNKS"));
  if (dispatch.variants.chunk !== "listed") return undefined;
  const list = dispatch.bindings[constant(dispatch, "CHUNKS")]!;
  const range = (chunk: number): [number, number] => [list[3 * chunk + 1]!, list[3 * chunk + 2]!];
  return { chunks: list[0]!, range, segment: (chunk: number) => list[3 * chunk + 3]! };
}

/** The chunks of long segments; see wgsl/segments/segments_chunks.wgsl. */
function segmentedChunks(list: Uint32Array) {
  const word = (chunk: number, at: number) => list[4 + 4 * chunk + at]!;
  const segment = (chunk: number) => word(chunk, 2);
  return {
    chunks: list[3]!,
    range: (chunk: number): [number, number] => [word(chunk, 0), word(chunk, 1)],
    segment,
    count: (chunk: number) => word(chunk, 3),
  };
}

/** The groups of neighbouring chunks; see wgsl/radix/radix_count.wgsl. */
function chunkGroups(dispatch: Dispatch) {
  const size = constant(dispatch, "GROUP_CHUNKS");
  const groupOf = (chunk: number) => Math.floor(chunk / size);
  const groups = { size, counts: boundAs(dispatch, "GROUPS"), groupOf };
  if (dispatch.variants.chunk !== "segmented") return { ...groups, isWhole: () => true };
  const { segment, count } = segmentedChunks(boundAs(dispatch, "CHUNKS"));
  const isWhole = (group: number, chunk: number) =>
    group * size >= segment(chunk) && (group + 1) * size <= segment(chunk) + count(chunk);
  return { ...groups, isWhole };
}

/** Extracts a digit of what is compared of a key; see wgsl/shared/digit.wgsl. */
export function digitFrom(
  dispatch: Dispatch,
  ops: KeyOps,
  shift: number,
  mask: number,
): (ordered: Bits) => number {
  const compared = comparedOf(dispatch);
  return (ordered) => ops.digit(compared(ordered), shift, mask);
}

/** What is compared of a key; see wgsl/shared/compared.wgsl. */
export function comparedOf(dispatch: Dispatch): (ordered: Bits) => Bits {
  const { variants, constants } = dispatch;
  const isRemapped = variants.compared === "remapped" && boundAs(dispatch, "STATUS")[0] === Status.REMAPPED;
  return isRemapped ? remapForm(dispatch) : comparedForm(variants.compared, constants);
}

/**
 * How a pass reads and writes keys; see wgsl/shared/radix_keys.wgsl and written_keys.wgsl. The ordered form
 * of an 8-bit or 16-bit key takes a whole word.
 */
export function keyAccess(dispatch: Dispatch, ops: KeyOps) {
  const orderedOps = keyOps(Math.max(32, ops.bits), {});
  const rawInput = constant(dispatch, "RAW_INPUT") === 1;
  const rawOutput = dispatch.constants.RAW_OUTPUT === 1;
  // Values that move without keys take the binding of the keys.
  const dropsKeys = dispatch.constants.OUTPUT_VALUES === 1;
  const { normalized, denormalized } = normalization(dispatch, ops.bits);
  const isSecondLevel = dispatch.variants.chunk === "listed";
  const status = dispatch.bindings[dispatch.constants.STATUS ?? -1];
  const mayEnd = isSecondLevel || dispatch.variants.differing_bits === "read";
  const endsSort = isSecondLevel
    ? status?.[0] === Status.EQUAL_SEGMENTS
    : mayEnd && areLaterSkipped(dispatch);
  const bias = fallbackBias(dispatch);
  const orderedAt = (words: Uint32Array, at: number) => {
    const key = ops.read(words, at);
    return rawInput ? bias.toBiased(ops.toOrdered(key)) : key;
  };
  return {
    orderedAt,
    /** The form in which a key moves. */
    movedAt: (words: Uint32Array, at: number) => normalized(orderedAt(words, at)),
    putOrdered: (words: Uint32Array, place: number, ordered: Bits) => {
      if (dropsKeys) return;
      const key = endsSort ? denormalized(ordered) : ordered;
      const isRaw = rawOutput && (endsSort || !mayEnd);
      orderedOps.write(words, place, isRaw ? ops.fromOrdered(bias.fromBiased(key)) : key);
    },
  };
}

/** The bias of a pass of a fallback whose moves by bits in which no keys differ are skipped. */
function fallbackBias(dispatch: Dispatch) {
  const isKnown = dispatch.variants.differing_bits === "read";
  return biasOf(dispatch, isKnown ? publishedDifferences(dispatch) : 0n);
}

/** How a pass reads and writes the values that move with the keys; see wgsl/shared/values.wgsl. */
export function valuesOf(dispatch: Dispatch) {
  const { values } = dispatch.variants;
  const source = values === "word" ? boundAs(dispatch, "VALUES") : undefined;
  const target = values === undefined ? undefined : boundAs(dispatch, "OUTPUT_VALUES");
  return {
    valueAt: (at: number, bound: number) => source?.[bound] ?? at,
    putValue: (place: number, value: number) => {
      if (target) target[place] = value;
    },
  };
}

/** The binding whose number a constant gives. */
export function boundAs(dispatch: Dispatch, name: string): Uint32Array {
  return dispatch.bindings[constant(dispatch, name)]!;
}

/** Whether an earlier pass found that this pass is not needed; see wgsl/shared/status.wgsl. */
export function isSkipped(dispatch: Dispatch): boolean {
  const { condition, differing_bits } = dispatch.variants;
  if (!condition) return false;
  const status = boundAs(dispatch, "STATUS");
  if (condition === "if_fits" && !movesKeys(status[0]!)) return true;
  const fallsBack = status[0] === Status.FALLBACK || status[0] === Status.DECIMALS;
  if (condition === "if_fallback" && !fallsBack) return true;
  if (differing_bits !== "read") return false;
  const { pairLow, pairHigh } = digitParams(dispatch);
  return (pairLow | pairHigh) !== 0 && !differIn(dispatch, pairLow, pairHigh);
}

/** Whether all moves after this one and the other of its pair are skipped. */
function areLaterSkipped(dispatch: Dispatch): boolean {
  const { laterLow, laterHigh } = digitParams(dispatch);
  return !differIn(dispatch, laterLow, laterHigh);
}

/** Whether keys differ in some bits; see wgsl/msd/differing_bits.wgsl. */
function differIn(dispatch: Dispatch, low: number, high: number): boolean {
  const differing = biasOf(dispatch, publishedDifferences(dispatch)).differing;
  return (differing & (BigInt(low >>> 0) | (BigInt(high >>> 0) << 32n))) !== 0n;
}

function publishedDifferences(dispatch: Dispatch): bigint {
  const [, low = 0, high = 0] = boundAs(dispatch, "STATUS");
  return dispatch.keyBits === 64 ? BigInt(low) | (BigInt(high) << 32n) : BigInt(low);
}

/** Whether the scatter pass sums the counts itself, without a scan pass; see wgsl/shared/digit_start.wgsl. */
function isSummed({ variants }: Dispatch): boolean {
  return ["summed", "grouped"].includes(variants.digit_start ?? "");
}

/**
 * The place of a digit's count for a column: column by column if the scatter pass sums the counts or there are
 * many segments, else digit by digit.
 */
function countPlace(dispatch: Dispatch, { digits, columns }: DigitPass) {
  const { count_order, digit_start = "" } = dispatch.variants;
  const { digitStride, columnStride } = digitParams(dispatch);
  if (columnStride > 0) return (digit: number, column: number) => column * columnStride + digit * digitStride;
  const byColumn =
    count_order === "columns" ||
    isSummed(dispatch) ||
    ["listed", "segmented", "segmented_scanned"].includes(digit_start);
  return (digit: number, column: number) => (byColumn ? column * digits + digit : digit * columns + column);
}

function count(dispatch: Dispatch, columnsPerWorkgroup: number): void {
  if (isLowCardinality(dispatch)) {
    countDistinct(dispatch, columnsPerWorkgroup);
    return;
  }
  if (dispatch.variants.decimals === "tested" && boundAs(dispatch, "STATUS")[0] === Status.DECIMALS) {
    testDecimals(dispatch);
    return;
  }
  if (convertsDecimals(dispatch)) return;
  if (isSkipped(dispatch)) return;
  const [input, counts] = dispatch.bindings as [Uint32Array, Uint32Array];
  const pass = digitPass(dispatch, columnsPerWorkgroup);
  const { orderedAt } = keyAccess(dispatch, pass.ops);
  const place = countPlace(dispatch, pass);
  const extra =
    dispatch.variants.extra_count === "digit"
      ? {
          counts: dispatch.bindings[constant(dispatch, "EXTRA")]!,
          digits: 2 ** constant(dispatch, "EXTRA_BITS"),
          digitOf: digitFrom(
            dispatch,
            pass.ops,
            digitParams(dispatch).extraShift,
            constant(dispatch, "EXTRA_MASK"),
          ),
        }
      : undefined;
  const noteOutlier = outlierNote(dispatch, pass.ops);
  const { keyCount } = digitParams(dispatch);
  const sampled = sampledForms(dispatch, pass.ops.bits, keyCount, (at) => orderedAt(input, at));
  const countInGroup = groupCounter(dispatch, pass);
  const { normalized } = sampled ?? normalization(dispatch, pass.ops.bits);
  const { stretched } = sampled ?? { stretched: (moved: Bits) => moved };
  const noteDifference = differenceNote(dispatch, () => orderedAt(input, 0));
  for (const column of pass.dispatched) {
    for (let digit = 0; digit < pass.digits; digit++) counts[place(digit, column)] = 0;
    extra?.counts.fill(0, column * extra.digits, (column + 1) * extra.digits);
    const [begin, end] = pass.range(column);
    let hasOutlier = false;
    for (let i = begin; i < end; i++) {
      const ordered = orderedAt(input, pass.bound(i));
      counts[place(pass.digitOf(stretched(normalized(ordered))), column)]!++;
      if (extra) extra.counts[column * extra.digits + extra.digitOf(ordered)]!++;
      noteOutlier(ordered);
      noteDifference(ordered);
      hasOutlier ||= sampled?.isOutside(ordered) === true;
    }
    if (hasOutlier) counts[place(0, column)]! += OUTLIER_MARK;
    countInGroup(column);
  }
}

/** Adds the counts of a chunk to those of its group; see wgsl/radix/radix_count.wgsl. */
function groupCounter(dispatch: Dispatch, { digits }: DigitPass): (chunk: number) => void {
  if (dispatch.variants.group_count === undefined) return () => {};
  const { groupOf, isWhole, counts: sums } = chunkGroups(dispatch);
  const counts = dispatch.bindings[1]!;
  return (chunk) => {
    const group = groupOf(chunk);
    if (!isWhole(group, chunk)) return;
    for (let digit = 0; digit < digits; digit++)
      sums[group * digits + digit]! += counts[chunk * digits + digit]!;
  };
}

/** What marks the count of a chunk with outliers; see wgsl/msd/msd_count.wgsl. */
const OUTLIER_MARK = 2 ** 24;

/** Counts the keys of each value instead of each digit; see wgsl/msd/low_cardinality.wgsl. */
function countDistinct(dispatch: Dispatch, columnsPerWorkgroup: number): void {
  const distinct = distinctKeys(dispatch)!;
  const pass = digitPass(dispatch, columnsPerWorkgroup);
  const { orderedAt } = keyAccess(dispatch, pass.ops);
  const numbers = new Map(distinct.keys().map((key, number) => [key, number]));
  for (const column of pass.dispatched) {
    const [begin, end] = pass.range(column);
    for (let i = begin; i < end; i++) {
      const number = numbers.get(orderedAt(dispatch.bindings[0]!, i));
      if (number === undefined) dispatch.bindings[constant(dispatch, "OUTLIERS")]![0] = 1;
      else distinct.totals[number]!++;
    }
  }
}

/** Notes whether some key is no decimal; see wgsl/msd/msd_count.wgsl. */
function testDecimals(dispatch: Dispatch): void {
  const [input] = dispatch.bindings as [Uint32Array];
  const { read } = keyOps(dispatch.keyBits, {});
  const decimals = chosenDecimals(boundAs(dispatch, "STATUS"));
  const { keyCount } = digitParams(dispatch);
  for (let i = 0; i < keyCount; i++) {
    if (!isDecimal(read(input, i) as bigint, decimals)) boundAs(dispatch, "OUTLIERS")[0] = 1;
  }
}

/** Notes whether a key is outside of the range of the samples; see wgsl/msd/outliers.wgsl. */
function outlierNote(dispatch: Dispatch, { bits }: KeyOps): (ordered: Bits) => void {
  if (dispatch.constants.OUTLIERS === undefined) return () => {};
  const isOutside = outsideTest(dispatch.bindings[constant(dispatch, "KEY_RANGE")]!, bits);
  const outliers = dispatch.bindings[constant(dispatch, "OUTLIERS")]!;
  const isNan = dispatch.variants.nans === undefined ? () => false : nanTest(dispatch.constants);
  return (ordered) => {
    if (isOutside(ordered) || isNan(ordered)) outliers[0] = 1;
  };
}

/** Notes in which bits keys differ from the first one; see wgsl/msd/differing_bits.wgsl. */
function differenceNote(dispatch: Dispatch, first: () => Bits): (ordered: Bits) => void {
  if (dispatch.variants.differing_bits !== "published") return () => {};
  const status = boundAs(dispatch, "STATUS");
  const compared = comparedOf(dispatch);
  const differenceFrom = differences(dispatch, BigInt(compared(first())));
  return (ordered) => {
    const difference = differenceFrom(BigInt(compared(ordered)));
    status[1]! |= Number(difference & 0xffff_ffffn);
    status[2]! |= Number(difference >> 32n);
  };
}

/** The CPU version of wgsl/radix/radix_clear.wgsl. */
export function radixClear(dispatch: Dispatch): void {
  if (isSkipped(dispatch)) return;
  dispatch.bindings[0]!.fill(0, 0, workgroupCount(dispatch.grid) * constant(dispatch, "WORKGROUP_SIZE"));
  if (dispatch.variants.differing_bits === "published") boundAs(dispatch, "STATUS").fill(0, 1, 3);
}

/** A bit for each digit by which keys must move; see wgsl/msd/fallback/radix_fallback.wgsl. */
function digitsToMove(differing: bigint, digits: readonly Digit[]): number {
  const varies = digits.map(({ shift, mask }) => ((differing >> BigInt(shift)) & BigInt(mask)) !== 0n);
  const isOff = (varies.filter(Boolean).length - digits.length) % 2 !== 0;
  if (isOff) varies[varies.indexOf(false)] = true;
  return varies.reduce((mask, moves, number) => mask | (moves ? 2 ** number : 0), 0);
}

/** The CPU version of wgsl/msd/fallback/radix_fallback.wgsl. */
export function radixFallback(dispatch: Dispatch): void {
  const [odd, even] = dispatch.bindings as [Uint32Array, Uint32Array];
  if (boundAs(dispatch, "GRID_BARRIER")[0] !== 0) return;
  const { keyCount, begin, end } = readParams("radix_fallback", dispatch.params);
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  const rawOutput = constant(dispatch, "RAW_OUTPUT") === 1;
  const first = dispatch.constants.VALUES;
  let from = { keys: odd, values: first === undefined ? undefined : dispatch.bindings[first]! };
  let to = { keys: even, values: first === undefined ? undefined : dispatch.bindings[first + 1]! };
  const compared = comparedOf(dispatch);
  const differenceFrom = differences(dispatch, BigInt(compared(ops.read(odd, 0))));
  let published = 0n;
  for (let i = 0; i < keyCount; i++) published |= differenceFrom(BigInt(compared(ops.read(odd, i))));
  const digits = digitsOf({ begin, end }, constant(dispatch, "DIGIT_BITS"));
  const { differing, toBiased, fromBiased } = biasOf(dispatch, published);
  for (let i = 0; i < keyCount; i++) ops.write(odd, i, toBiased(ops.read(odd, i)));
  const moved = digitsToMove(differing, digits);
  for (const [number, { shift, mask }] of digits.entries()) {
    if (((moved >> number) & 1) === 0) continue;
    const keys = Array.from({ length: keyCount }, (_, i) => ops.read(from.keys, i));
    const values = keys.map(digitFrom(dispatch, ops, shift, mask));
    const order = keys.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
    order.forEach((i, place) => {
      const isRaw = moved >> number === 1 && rawOutput;
      ops.write(to.keys, place, isRaw ? ops.fromOrdered(fromBiased(keys[i]!)) : keys[i]!);
      if (from.values && to.values) to.values[place] = from.values[i]!;
    });
    [from, to] = [to, from];
  }
}

/** The CPU version of wgsl/radix/radix_count.wgsl and wgsl/msd/msd_count.wgsl. */
export function radixCount(dispatch: Dispatch): void {
  count(dispatch, 1);
}

/** The CPU version of wgsl/serial/radix_serial_count.wgsl. */
export function radixSerialCount(dispatch: Dispatch): void {
  count(dispatch, constant(dispatch, "WORKGROUP_SIZE"));
}

/** The CPU version of wgsl/radix/radix_scan.wgsl and wgsl/serial/radix_serial_scan.wgsl. */
export function radixScan(dispatch: Dispatch): void {
  if (isSkipped(dispatch)) return;
  const [counts, totals] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { columns } = digitParams(dispatch);
  // The serial kernel has one row per invocation, the other one per workgroup.
  const { DIGIT_BITS } = dispatch.constants;
  const rows = DIGIT_BITS === undefined ? dispatch.grid[0] : 2 ** DIGIT_BITS;
  for (let digit = 0; digit < rows; digit++) {
    let start = 0;
    for (let column = 0; column < columns; column++) {
      const count = counts[digit * columns + column]!;
      counts[digit * columns + column] = start;
      start += count;
    }
    totals[digit] = start;
  }
}

/** The CPU version of wgsl/segments/segments_serial_scan.wgsl. */
export function segmentsSerialScan(dispatch: Dispatch): void {
  const counts = dispatch.bindings[0]!;
  const { chunks, segment } = segmentedChunks(boundAs(dispatch, "CHUNKS"));
  const digits = 2 ** constant(dispatch, "DIGIT_BITS");
  for (let chunk = 0; chunk < chunks; chunk++) {
    const first = segment(chunk);
    if (first === chunk) continue;
    for (let digit = 0; digit < digits; digit++) {
      // A segment's first chunk gets the total, and each other one the sum of those before it.
      const count = counts[chunk * digits + digit]!;
      counts[chunk * digits + digit] = counts[first * digits + digit]!;
      counts[first * digits + digit]! += count;
    }
  }
}

/** What to add to the counts of listed chunks to get places; see wgsl/shared/digit_start.wgsl. */
function listedStarts(dispatch: Dispatch, digits: number) {
  if (dispatch.variants.digit_start !== "listed") return undefined;
  const totals = dispatch.bindings[3]!;
  const { segment } = listedChunks(dispatch)!;
  return (chunk: number, digit: number) => totals[segment(chunk) * digits + digit]!;
}

/**
 * The keys with a digit value in the chunks before one, with the counts of whole groups; see
 * wgsl/shared/digit_start.wgsl. Clears the groups that the next count pass adds to.
 */
function groupedSums(dispatch: Dispatch, { digits }: DigitPass): (digit: number, chunk: number) => number {
  const counts = dispatch.bindings[2]!;
  const { size, groupOf, counts: sums } = chunkGroups(dispatch);
  const cleared = dispatch.bindings[constant(dispatch, "GROUPS") + 1]!;
  for (const chunk of digitPass(dispatch, 1).dispatched) {
    if (chunk % size === 0) cleared.fill(0, groupOf(chunk) * digits, (groupOf(chunk) + 1) * digits);
  }
  return (digit, chunk) => {
    const group = groupOf(chunk);
    let sum = 0;
    for (let i = 0; i < group; i++) sum += sums[i * digits + digit]!;
    for (let i = group * size; i < chunk; i++) sum += counts[i * digits + digit]!;
    return sum;
  };
}

/** Where the keys of a chunk of a long segment start, by digit; see wgsl/shared/digit_start.wgsl. */
function segmentedStarts(dispatch: Dispatch, { digits }: DigitPass): (chunk: number) => number[] {
  const counts = dispatch.bindings[2]!;
  const { range, segment, count } = segmentedChunks(boundAs(dispatch, "CHUNKS"));
  const { size, groupOf, isWhole, counts: sums } = chunkGroups(dispatch);
  const cleared = dispatch.bindings[constant(dispatch, "GROUPS") + 1]!;
  const sum = (digit: number, begin: number, end: number) => {
    let all = 0;
    for (let chunk = begin; chunk < end; ) {
      const group = groupOf(chunk);
      const isGroup = chunk % size === 0 && chunk + size <= end && isWhole(group, chunk);
      all += isGroup ? sums[group * digits + digit]! : counts[chunk * digits + digit]!;
      chunk += isGroup ? size : 1;
    }
    return all;
  };
  return (chunk) => {
    if (chunk % size === 0) cleared.fill(0, groupOf(chunk) * digits, (groupOf(chunk) + 1) * digits);
    const first = segment(chunk);
    let start = range(first)[0];
    return Array.from({ length: digits }, (_, digit) => {
      const place = start + sum(digit, first, chunk);
      start += sum(digit, first, first + count(chunk));
      return place;
    });
  };
}

/** The same after a scan; see wgsl/shared/digit_start.wgsl. */
function scannedStarts(dispatch: Dispatch, { digits }: DigitPass): (chunk: number) => number[] {
  const counts = dispatch.bindings[2]!;
  const { range, segment } = segmentedChunks(boundAs(dispatch, "CHUNKS"));
  return (chunk) => {
    const first = segment(chunk);
    let start = range(first)[0];
    return Array.from({ length: digits }, (_, digit) => {
      const place = start + (chunk === first ? 0 : counts[chunk * digits + digit]!);
      start += counts[first * digits + digit]!;
      return place;
    });
  };
}

function scatter(dispatch: Dispatch, columnsPerWorkgroup: number): void {
  if (isSkipped(dispatch)) return;
  const [input, output, counts] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const pass = digitPass(dispatch, columnsPerWorkgroup);
  const { movedAt, putOrdered } = keyAccess(dispatch, pass.ops);
  const { valueAt, putValue } = valuesOf(dispatch);
  const at = countPlace(dispatch, pass);
  const summed = isSummed(dispatch);
  const starts = listedStarts(dispatch, pass.digits);
  const sumBefore = (digit: number, end: number) => {
    let sum = 0;
    for (let column = 0; column < end; column++) sum += counts[at(digit, column)]!;
    return sum;
  };
  const grouped = dispatch.variants.digit_start === "grouped" ? groupedSums(dispatch, pass) : undefined;
  const within = (digit: number, column: number) =>
    grouped?.(digit, column) ?? (summed ? sumBefore(digit, column) : counts[at(digit, column)]!);
  const segmented =
    dispatch.variants.digit_start === "segmented"
      ? segmentedStarts(dispatch, pass)
      : dispatch.variants.digit_start === "segmented_scanned"
        ? scannedStarts(dispatch, pass)
        : undefined;
  const totals =
    starts || segmented
      ? []
      : summed
        ? Array.from({ length: pass.digits }, (_, digit) => (grouped ?? sumBefore)(digit, pass.columns))
        : dispatch.bindings[3]!;
  for (const column of pass.dispatched) {
    const places = segmented?.(column) ?? [];
    let start = 0;
    for (let digit = places.length; digit < pass.digits; digit++) {
      places.push((starts?.(column, digit) ?? start) + within(digit, column));
      start += totals[digit] ?? 0;
    }
    const [begin, end] = pass.range(column);
    for (let i = begin; i < end; i++) {
      const moved = movedAt(input, pass.bound(i));
      const place = pass.outputPlace(places[pass.digitOf(moved)]!++);
      if (place === undefined) continue;
      putOrdered(output, place, moved);
      putValue(place, valueAt(i, pass.bound(i)));
    }
  }
}

/** The CPU version of wgsl/radix/radix_scatter.wgsl and wgsl/radix/radix_workgroup_scatter.wgsl. */
export function radixScatter(dispatch: Dispatch): void {
  scatter(dispatch, 1);
}

/** The CPU version of wgsl/serial/radix_serial_scatter.wgsl. */
export function radixSerialScatter(dispatch: Dispatch): void {
  scatter(dispatch, constant(dispatch, "WORKGROUP_SIZE"));
}

/** The CPU version of wgsl/radix/radix_local.wgsl. */
export function radixLocal(dispatch: Dispatch): void {
  const [input, output] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { keyCount, begin, end } = readParams("radix_local", dispatch.params);
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  const { orderedAt, putOrdered } = keyAccess(dispatch, ops);
  const { valueAt, putValue } = valuesOf(dispatch);
  const compared = comparedForm(dispatch.variants.compared, dispatch.constants);
  const sortedBy = (ordered: Bits) => ops.field(compared(ordered), begin, end);
  const entries = Array.from({ length: keyCount }, (_, i) => ({
    ordered: orderedAt(input, i),
    value: valueAt(i, i),
  }));
  entries.sort((a, b) => compare(sortedBy(a.ordered), sortedBy(b.ordered)));
  entries.forEach(({ ordered, value }, i) => {
    putOrdered(output, i, ordered);
    putValue(i, value);
  });
}

/** Compares ordered forms. */
export const compare = (a: Bits, b: Bits) => (a < b ? -1 : a > b ? 1 : 0);

/** The CPU version of wgsl/radix/radix_pack.wgsl. */
export function radixPack({ bindings, params, constants, keyBits }: Dispatch): void {
  const [ordered, keys] = bindings as [Uint32Array, Uint32Array];
  const { keyCount } = readParams("radix_pack", params);
  const ops = keyOps(keyBits, constants);
  for (let i = 0; i < keyCount; i++) ops.write(keys, i, ops.fromOrdered(ordered[i]!));
}

/** The CPU version of wgsl/radix/counting_fill.wgsl. */
export function countingFill({ bindings, params, constants, keyBits }: Dispatch): void {
  const [totals, keys] = bindings as [Uint32Array, Uint32Array];
  const { keyCount, keyBegin } = readParams("counting_fill", params);
  const ops = keyOps(keyBits, constants);
  let place = -keyBegin;
  totals.forEach((total, ordered) => {
    for (let i = 0; i < total; i++, place++) {
      if (place >= 0 && place < keyCount) ops.write(keys, place, ops.fromOrdered(ordered));
    }
  });
}

/** The CPU version of wgsl/radix/radix_plan_on_device.wgsl. */
export function radixPlanOnDevice(dispatch: Dispatch): void {
  const [words, blocks] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { capacity, chunkUnit, minChunk, maxColumns, begin, end, countAt } = readParams(
    "radix_plan_on_device",
    dispatch.params,
  );
  const keys = Math.min(words[countAt]!, capacity);
  const most = Math.min(maxColumns, Math.max(1, Math.ceil(keys / minChunk)));
  const chunk = Math.max(1, Math.ceil(Math.ceil(keys / most) / chunkUnit)) * chunkUnit;
  const columns = Math.max(1, Math.ceil(keys / chunk));
  let block = 0;
  let shift = begin;
  do {
    const limit = shift < 32 && end > 32 ? 32 : end;
    const after = Math.min(shift + constant(dispatch, "DIGIT_BITS"), limit);
    const none = {
      firstColumn: 0,
      inputBegin: 0,
      outputBegin: 0,
      extraShift: 0,
      segmentKeys: 0,
      ...UNREAD_PARAMETERS,
    };
    const ofDigit = { keyCount: keys, shift, chunk, columns, outputKeys: keys, ...none };
    blocks.set(params("radix_scatter", ofDigit), block);
    block += constant(dispatch, "BLOCK_BYTES") / 4;
    shift = after;
  } while (shift < end);
}

/** The CPU version of wgsl/radix/radix_convert.wgsl. */
export function radixConvert(dispatch: Dispatch): void {
  const keys = dispatch.bindings[0]!;
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  const { keyCount } = readParams("radix_convert", dispatch.params);
  const convert = constant(dispatch, "BACK") === 1 ? ops.fromOrdered : ops.toOrdered;
  for (let i = 0; i < keyCount; i++) ops.write(keys, i, convert(ops.read(keys, i)));
}

/** The CPU version of wgsl/radix/radix_indices.wgsl. */
export function radixIndices({ bindings, params }: Dispatch): void {
  const { count, begin } = readParams("radix_indices", params);
  for (let i = 0; i < count; i++) bindings[0]![i] = begin + i;
}
