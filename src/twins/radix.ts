import { type KeyOps, keyOps } from "./order.js";
import { constant, type Dispatch } from "./twin.js";

/**
 * The twins of wgsl/radix_*.wgsl. Whether a chunk is a workgroup's or an invocation's is the same to the result, so
 * one twin stands for both families' kernels.
 */

const DIGITS = 256;

interface Chunks {
  readonly ops: KeyOps;
  readonly columns: number;
  readonly range: (column: number) => [begin: number, end: number];
  readonly imageOf: (key: bigint) => bigint;
  readonly keyOf: (image: bigint) => bigint;
  readonly digitOf: (image: bigint) => number;
}

function chunks(dispatch: Dispatch): Chunks {
  const [keyCount, shift, chunk, columns] = dispatch.params as [number, number, number, number];
  const ops = keyOps(dispatch.keyWords, dispatch.constants);
  const raw = (name: string) => constant(dispatch, name) === 1;
  return {
    ops,
    columns,
    range: (column) => [Math.min(column * chunk, keyCount), Math.min((column + 1) * chunk, keyCount)],
    imageOf: raw("RAW_INPUT") ? ops.toOrdered : (key) => key,
    keyOf: raw("RAW_OUTPUT") ? ops.fromOrdered : (image) => image,
    digitOf: (image) => Number((image >> BigInt(shift)) & BigInt(DIGITS - 1)),
  };
}

/** The twin of wgsl/radix_count.wgsl and wgsl/radix_serial_count.wgsl. */
export function radixCount(dispatch: Dispatch): void {
  const [input, counts] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { ops, columns, range, imageOf, digitOf } = chunks(dispatch);
  for (let column = 0; column < columns; column++) {
    for (let digit = 0; digit < DIGITS; digit++) counts[digit * columns + column] = 0;
    const [begin, end] = range(column);
    for (let i = begin; i < end; i++) {
      const row = digitOf(imageOf(ops.read(input, i)));
      counts[row * columns + column]!++;
    }
  }
}

/** The twin of wgsl/radix_scan.wgsl. */
export function radixScan({ bindings, params }: Dispatch): void {
  const [counts, totals] = bindings as [Uint32Array, Uint32Array];
  const [columns] = params as [number];
  for (let digit = 0; digit < DIGITS; digit++) {
    let start = 0;
    for (let column = 0; column < columns; column++) {
      const count = counts[digit * columns + column]!;
      counts[digit * columns + column] = start;
      start += count;
    }
    totals[digit] = start;
  }
}

/** The twin of wgsl/radix_scatter.wgsl and wgsl/radix_serial_scatter.wgsl. */
export function radixScatter(dispatch: Dispatch): void {
  const [input, output, counts, totals] = dispatch.bindings as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const { ops, columns, range, imageOf, keyOf, digitOf } = chunks(dispatch);
  for (let column = 0; column < columns; column++) {
    const places: number[] = [];
    let start = 0;
    for (let digit = 0; digit < DIGITS; digit++) {
      places.push(start + counts[digit * columns + column]!);
      start += totals[digit]!;
    }
    const [begin, end] = range(column);
    for (let i = begin; i < end; i++) {
      const image = imageOf(ops.read(input, i));
      ops.write(output, places[digitOf(image)]!++, keyOf(image));
    }
  }
}
