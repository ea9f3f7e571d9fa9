const SIGN = 0x8000;
const INFINITY = 0x7c00;
const NAN = 0x7e00;
/** Any number above those of other keys. */
const RANK_OF_NANS = 0x10000;

/** A number whose order is that of f16 keys: -0 comes before +0, and all NaNs are equal and last. */
export function float16Rank(bits: number): number {
  if ((bits & ~SIGN) > INFINITY) return RANK_OF_NANS;
  return bits < SIGN ? bits | SIGN : bits ^ 0xffff;
}

/** The bits of f16 keys, which `sort` sorts as the numbers that they are. */
export class Float16Bits extends Uint16Array {
  override sort(compare: (a: number, b: number) => number = (a, b) => float16Rank(a) - float16Rank(b)): this {
    return super.sort(compare);
  }
}

/** The number that an f16 is, by its bits (IEEE 754 binary16). */
export function float16Number(bits: number): number {
  const [exponent, fraction] = [(bits & INFINITY) >>> 10, bits & 0x3ff];
  const sign = bits & SIGN ? -1 : 1;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** The bits of the f16 that is nearest to a number; of two, the even one. */
export function float16Bits(number: number): number {
  if (Number.isNaN(number)) return NAN;
  const sign = number < 0 || Object.is(number, -0) ? SIGN : 0;
  const size = Math.abs(number);
  if (size >= 65520) return sign | INFINITY;
  const high = new Uint32Array(new Float64Array([size]).buffer)[1]!;
  const exponent = Math.max(-14, (high >>> 20) - 1023);
  // A double of this size has no digits after the point, so the sum is rounded to a whole number of units.
  const units = size / 2 ** (exponent - 10) + 2 ** 52 - 2 ** 52;
  // A normal number has 1024 units or more, and the exponent field 1 or more.
  return sign | (units + (exponent + 14) * 1024);
}

/** An element type, as far as it matters here. */
interface Named {
  readonly name: string;
}

/** The number that a key is. @param element the key in an array of its type's class. */
export function keyValue(element: number | bigint, { name }: Named): number | bigint {
  return name === "f16" ? float16Number(element as number) : element;
}

/** What an array of the type's class takes for a number. Such an array rounds it if that is needed. */
export function keyElement(value: number | bigint, { name }: Named): number | bigint {
  return name === "f16" ? float16Bits(value as number) : value;
}
