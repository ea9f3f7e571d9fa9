/** The range that doubles are parsed and printed with (assembly/text/powers.ts). */
const LEAST = -342;
const MOST = 324;

/** From this power on up to 10^-1, a power is rounded up. */
const FIRST_ROUNDED_UP = -27;

/** The bytes of `powersOfTen`. */
export const POWERS_BYTES = 16 * (MOST - LEAST + 1);

let table: BigUint64Array<ArrayBuffer> | undefined;

/**
 * The 128 most significant bits of each power of ten from 10^-342 to 10^324, as two words, the upper one
 * first. Powers that 128 bits do not hold are rounded down, but up from 10^-27 to 10^-1: so Lemire's
 * algorithm needs them ("Number parsing at a gigabyte per second", 2021). They are computed once, in about a
 * millisecond.
 */
export function powersOfTen(): BigUint64Array<ArrayBuffer> {
  if (table) return table;
  table = new BigUint64Array(POWERS_BYTES / 8);
  for (let [n, five] = [0, 1n]; n <= MOST || n <= -LEAST; n++, five *= 5n) {
    const length = bitLength(five);
    if (n <= MOST) putRow(n, length > 128n ? five >> (length - 128n) : five << (128n - length));
    if (n === 0 || -n < LEAST) continue;
    // A power of five is no power of two, so its inverse has one leading zero more than its length says.
    putRow(-n, (1n << (length + 127n)) / five + (-n >= FIRST_ROUNDED_UP ? 1n : 0n));
  }
  return table;
}

function putRow(n: number, bits: bigint): void {
  const at = 2 * (n - LEAST);
  table![at] = bits >> 64n;
  table![at + 1] = BigInt.asUintN(64, bits);
}

/** The digits of a number in base 16 tell its length. */
function bitLength(value: bigint): bigint {
  const hex = value.toString(16);
  return BigInt(4 * hex.length - Math.clz32(Number.parseInt(hex[0]!, 16)) + 28);
}
