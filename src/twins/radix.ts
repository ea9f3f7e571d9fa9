import { type KeyOps, keyOps } from "./order.js";
import { constant, type Dispatch } from "./twin.js";

/**
 * The twins of wgsl/radix_*.wgsl and wgsl/counting_fill.wgsl. How a workgroup ranks its keys is the same to the result, so
 * one twin stands for all families' kernels, but for how many columns of counts are a workgroup's.
 */

/** One pass by one digit, over the columns that this dispatch does. */
interface DigitPass {
  readonly ops: KeyOps;
  readonly digits: number;
  readonly columns: number;
  readonly dispatched: readonly number[];
  /** The keys of a column, of all keys, and by their place among those that are bound. */
  readonly range: (column: number) => [begin: number, end: number];
  readonly bound: (at: number) => number;
  /** A place among all keys by its place among those that are bound for the output; undefined outside. */
  readonly outputPlace: (place: number) => number | undefined;
  readonly digitOf: (image: bigint) => number;
}

function digitPass(dispatch: Dispatch, columnsAWorkgroup: number): DigitPass {
  const [keyCount, shift, chunk, columns, first, inputBegin, outputBegin, outputKeys] = dispatch.params as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const mask = constant(dispatch, "MASK");
  const mine = Math.min(columns - first, dispatch.grid[0] * columnsAWorkgroup);
  return {
    ops: keyOps(dispatch.keyBits, dispatch.constants),
    digits: 2 ** constant(dispatch, "DIGIT_BITS"),
    columns,
    dispatched: Array.from({ length: Math.max(0, mine) }, (_, i) => first + i),
    range: (column) => [Math.min(column * chunk, keyCount), Math.min((column + 1) * chunk, keyCount)],
    bound: (at) => at - inputBegin,
    outputPlace: (place) =>
      place < outputBegin || place >= outputBegin + outputKeys ? undefined : place - outputBegin,
    digitOf: (image) => Number((image >> BigInt(shift)) & BigInt(mask)),
  };
}

/** How a pass takes keys in and gives them out; see wgsl/shared/radix.wgsl. Images of narrow keys are words. */
function ends(dispatch: Dispatch, ops: KeyOps) {
  const images = keyOps(Math.max(32, ops.bits), {});
  const rawInput = constant(dispatch, "RAW_INPUT") === 1;
  const rawOutput = dispatch.constants.RAW_OUTPUT === 1;
  return {
    imageAt: (words: Uint32Array, at: number) => {
      const key = ops.read(words, at);
      return rawInput ? ops.toOrdered(key) : key;
    },
    putImage: (words: Uint32Array, place: number, image: bigint) =>
      images.write(words, place, rawOutput ? ops.fromOrdered(image) : image),
  };
}

/** How the values travel; see wgsl/shared/values_*.wgsl. */
function valuesOf(dispatch: Dispatch) {
  const first = dispatch.constants.VALUES ?? 0;
  const indices = dispatch.uses.includes("values_index");
  const none = dispatch.uses.includes("values_none");
  const [source, target] = indices ? [undefined, dispatch.bindings[first]] : dispatch.bindings.slice(first);
  return {
    valueAt: (at: number, bound: number) => source?.[bound] ?? at,
    putValue: (place: number, value: number) => {
      if (!none) target![place] = value;
    },
  };
}

/** Whether an earlier pass found that this one is not needed; see wgsl/shared/unless_fits.wgsl. */
function isLeftOut(dispatch: Dispatch): boolean {
  return dispatch.uses.includes("unless_fits") && dispatch.bindings[constant(dispatch, "FITS")]![0] !== 0;
}

/** A count is of a digit and a column: a row a digit, or where the scatter adds up, a row a column. */
function countPlace(dispatch: Dispatch, { digits, columns }: DigitPass) {
  const byColumn = dispatch.constants.FUSED_SCAN === 1 || dispatch.uses.includes("fused_scan");
  return (digit: number, column: number) => (byColumn ? column * digits + digit : digit * columns + column);
}

function count(dispatch: Dispatch, columnsAWorkgroup: number): void {
  const [input, counts] = dispatch.bindings as [Uint32Array, Uint32Array];
  const pass = digitPass(dispatch, columnsAWorkgroup);
  const { imageAt } = ends(dispatch, pass.ops);
  const place = countPlace(dispatch, pass);
  const also = dispatch.uses.includes("counts_two")
    ? { counts: dispatch.bindings[constant(dispatch, "ALSO")]!, digitOf: nextDigit(dispatch, "ALSO_MASK") }
    : undefined;
  if (also) clearColumns(pass, dispatch.bindings[constant(dispatch, "ALSO") + 1]!);
  for (const column of pass.dispatched) {
    for (let digit = 0; digit < pass.digits; digit++) counts[place(digit, column)] = 0;
    also?.counts.fill(0, column * pass.digits, (column + 1) * pass.digits);
    const [begin, end] = pass.range(column);
    for (let i = begin; i < end; i++) {
      const image = imageAt(input, pass.bound(i));
      counts[place(pass.digitOf(image), column)]!++;
      if (also) also.counts[column * pass.digits + also.digitOf(image)]!++;
    }
  }
}

/** The digit that follows, or goes with, the pass's own. */
function nextDigit(dispatch: Dispatch, maskName: string): (image: bigint) => number {
  const shift = BigInt((dispatch.params as readonly number[])[8]!);
  const mask = BigInt(constant(dispatch, maskName));
  return (image) => Number((image >> shift) & mask);
}

/** Clears the counts that the next pass adds to. */
function clearColumns({ digits, dispatched }: DigitPass, counts: Uint32Array): void {
  for (const column of dispatched) counts.fill(0, column * digits, (column + 1) * digits);
}

/** Counts the next digit of a key where it goes; see wgsl/shared/counts_next.wgsl. */
function nextCounter(dispatch: Dispatch, pass: DigitPass): (image: bigint, place: number) => void {
  if (!dispatch.uses.includes("counts_next")) return () => {};
  const first = constant(dispatch, "NEXT");
  const counts = dispatch.bindings[first]!;
  clearColumns(pass, dispatch.bindings[first + 1]!);
  const [, , chunk] = dispatch.params as [number, number, number];
  const digitOf = nextDigit(dispatch, "NEXT_MASK");
  return (image, place) => {
    counts[Math.floor(place / chunk) * pass.digits + digitOf(image)]!++;
  };
}

/** The twin of wgsl/radix_count.wgsl. */
export function radixCount(dispatch: Dispatch): void {
  count(dispatch, 1);
}

/** The twin of wgsl/radix_serial_count.wgsl. */
export function radixSerialCount(dispatch: Dispatch): void {
  count(dispatch, constant(dispatch, "WORKGROUP_SIZE"));
}

/** The twin of wgsl/radix_scan.wgsl and wgsl/radix_serial_scan.wgsl. */
export function radixScan(dispatch: Dispatch): void {
  const [counts, totals] = dispatch.bindings as [Uint32Array, Uint32Array];
  const columns = dispatch.params[3]!;
  for (let digit = 0; digit < totals.length; digit++) {
    let start = 0;
    for (let column = 0; column < columns; column++) {
      const count = counts[digit * columns + column]!;
      counts[digit * columns + column] = start;
      start += count;
    }
    totals[digit] = start;
  }
}

function scatter(dispatch: Dispatch, columnsAWorkgroup: number): void {
  if (isLeftOut(dispatch)) return;
  const [input, output, counts] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const pass = digitPass(dispatch, columnsAWorkgroup);
  const { imageAt, putImage } = ends(dispatch, pass.ops);
  const { valueAt, putValue } = valuesOf(dispatch);
  const at = countPlace(dispatch, pass);
  const fused = dispatch.uses.includes("fused_scan");
  const sumBefore = (digit: number, end: number) => {
    let sum = 0;
    for (let column = 0; column < end; column++) sum += counts[at(digit, column)]!;
    return sum;
  };
  const within = (digit: number, column: number) =>
    fused ? sumBefore(digit, column) : counts[at(digit, column)]!;
  const totals = fused
    ? Array.from({ length: pass.digits }, (_, digit) => sumBefore(digit, pass.columns))
    : dispatch.bindings[3]!;
  if (dispatch.uses.includes("totals_kept")) dispatch.bindings[constant(dispatch, "TOTALS")]!.set(totals);
  const countNext = nextCounter(dispatch, pass);
  for (const column of pass.dispatched) {
    const places: number[] = [];
    let start = 0;
    for (let digit = 0; digit < pass.digits; digit++) {
      places.push(start + within(digit, column));
      start += totals[digit]!;
    }
    const [begin, end] = pass.range(column);
    for (let i = begin; i < end; i++) {
      const image = imageAt(input, pass.bound(i));
      const place = pass.outputPlace(places[pass.digitOf(image)]!++);
      if (place === undefined) continue;
      putImage(output, place, image);
      putValue(place, valueAt(i, pass.bound(i)));
      countNext(image, place);
    }
  }
}

/** The twin of wgsl/radix_scatter.wgsl and wgsl/radix_workgroup_scatter.wgsl. */
export function radixScatter(dispatch: Dispatch): void {
  scatter(dispatch, 1);
}

/** The twin of wgsl/radix_serial_scatter.wgsl. */
export function radixSerialScatter(dispatch: Dispatch): void {
  scatter(dispatch, constant(dispatch, "WORKGROUP_SIZE"));
}

/** The twin of wgsl/radix_local.wgsl. */
export function radixLocal(dispatch: Dispatch): void {
  const [input, output, totals, fits] = dispatch.bindings as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const [keyCount, begin, end] = dispatch.params as [number, number, number];
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  const { imageAt, putImage } = ends(dispatch, ops);
  const { valueAt, putValue } = valuesOf(dispatch);
  const tile = constant(dispatch, "WORKGROUP_SIZE") * constant(dispatch, "TILE_KEYS");
  const segmented = constant(dispatch, "SEGMENTS") === 1;
  const sizes = segmented ? [...totals] : [keyCount];
  if (segmented) {
    fits[0] = sizes.every((size) => size <= tile) ? 1 : 0;
    if (fits[0] === 0) return;
  }
  const mask = (1n << BigInt(end - begin)) - 1n;
  const sortedBy = (image: bigint) => (image >> BigInt(begin)) & mask;
  let first = 0;
  for (const size of sizes) {
    const entries = Array.from({ length: size }, (_, i) => ({
      image: imageAt(input, first + i),
      value: valueAt(first + i, first + i),
    }));
    entries.sort((a, b) => Number(sortedBy(a.image) - sortedBy(b.image)));
    entries.forEach(({ image, value }, i) => {
      putImage(output, first + i, image);
      putValue(first + i, value);
    });
    first += size;
  }
}

/** The twin of wgsl/radix_pack.wgsl. */
export function radixPack({ bindings, params, constants, keyBits }: Dispatch): void {
  const [images, keys] = bindings as [Uint32Array, Uint32Array];
  const ops = keyOps(keyBits, constants);
  for (let i = 0; i < params[0]!; i++) ops.write(keys, i, ops.fromOrdered(BigInt(images[i]!)));
}

/** The twin of wgsl/counting_fill.wgsl. */
export function countingFill({ bindings, params, constants, keyBits }: Dispatch): void {
  const [totals, keys] = bindings as [Uint32Array, Uint32Array];
  const [keyCount, keyBegin] = params as [number, number];
  const ops = keyOps(keyBits, constants);
  let place = -keyBegin;
  totals.forEach((total, image) => {
    for (let i = 0; i < total; i++, place++) {
      if (place >= 0 && place < keyCount) ops.write(keys, place, ops.fromOrdered(BigInt(image)));
    }
  });
}

/** The twin of wgsl/radix_share_out.wgsl. */
export function radixShareOut(dispatch: Dispatch): void {
  const [keyCount, blocks] = dispatch.bindings as [Uint32Array, Uint32Array];
  const [capacity, unit, least, mostColumns, begin, end] = dispatch.params as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const keys = Math.min(keyCount[0]!, capacity);
  const wanted = Math.min(mostColumns, Math.max(1, Math.ceil(keys / least)));
  const chunk = Math.max(1, Math.ceil(Math.ceil(keys / wanted) / unit)) * unit;
  const columns = Math.max(1, Math.ceil(keys / chunk));
  let block = 0;
  let shift = begin;
  do {
    const limit = shift < 32 && end > 32 ? 32 : end;
    const after = Math.min(shift + constant(dispatch, "DIGIT_BITS"), limit);
    blocks.set([keys, shift, chunk, columns, 0, 0, 0, keys, 0], block);
    block += constant(dispatch, "BLOCK");
    shift = after;
  } while (shift < end);
}
