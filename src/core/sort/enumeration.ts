import type { Words32 } from "../bytes.js";
import type { ElementType } from "../elements.js";
import { VerifyError } from "../errors.js";
import { bufferBytes, type Plan } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { program } from "../shaders/kernels.js";
import { allBits, maskOf, type SortOptions } from "./key.js";
import { MOST_ENUMERATED } from "./limits.js";

/** The bytes of the result of an enumeration sort. */
export const ENUMERATED_BYTES = 4 * MOST_ENUMERATED;

/**
 * Plans an enumeration sort: the place of a key is the number of keys before it (D. E. Knuth, "The Art of
 * Computer Programming", volume 3, 5.2: comparison counting). The plan reads `comparedWords` from the buffer
 * "keys". Its result "order" holds the indices of the keys in their order. It is one kernel for all types,
 * directions and numbers of keys, so it is compiled once, and soon.
 */
export function enumerationPlan(traits: DeviceTraits): Plan {
  const workgroupSize = cooperativeWorkgroupSize(64, traits);
  return {
    buffers: {
      keys: { bytes: bufferBytes(8 * (MOST_ENUMERATED + 1)) },
      order: { bytes: bufferBytes(ENUMERATED_BYTES) },
    },
    passes: [
      {
        program: program("enumeration", { constants: { WORKGROUP_SIZE: workgroupSize } }),
        bindings: ["keys", "order"],
        params: [],
        grid: [Math.ceil(MOST_ENUMERATED / workgroupSize), 1, 1],
      },
    ],
    result: "order",
  };
}

/**
 * Turns keys into pairs of words, low and high, whose order as unsigned integers is that of the keys: their
 * ordered forms (wgsl/shared/order.wgsl), of which all NaNs have the outermost, without the bits that are not
 * compared. Their number comes before them, as a pair.
 *
 * @param bytes the keys.
 */
export function comparedWords(
  bytes: Uint8Array,
  type: ElementType,
  { descending, bits = allBits(type) }: SortOptions,
): Words32 {
  const count = bytes.length / type.bytes;
  const pairs = new Uint32Array(2 * (count + 1));
  pairs[0] = count;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [maskLow, maskHigh] = [maskOf(bits, 0), maskOf(bits, 32)];
  const flip = descending ? 0xffff_ffff : 0;
  const isWide = type.bytes === 8;
  for (let i = 0; i < count; i++) {
    const at = i * type.bytes;
    const low = isWide ? view.getUint32(at, true) : wordAt(view, at, type.bytes);
    const high = isWide ? view.getUint32(at + 4, true) : 0;
    const [orderedLow, orderedHigh] = ordered(low, high, type);
    pairs[2 * i + 2] = (orderedLow ^ flip) & maskLow;
    pairs[2 * i + 3] = (orderedHigh ^ flip) & maskHigh;
  }
  return pairs;
}

function wordAt(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  return bytes === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
}

/** The significand's bits that are stored, by the bytes of a float. */
const SIGNIFICAND_BITS: Readonly<Record<number, number>> = { 2: 10, 4: 23, 8: 52 };

/** The ordered form of a key, in ascending order, with the largest for all NaNs. */
function ordered(low: number, high: number, { bytes, order }: ElementType): [low: number, high: number] {
  const isWide = bytes === 8;
  const top = isWide ? high : low;
  const sign = 2 ** Math.min(31, 8 * bytes - 1);
  if (order === "unsigned") return [low, high];
  if (order === "signed") return isWide ? [low, high ^ sign] : [low ^ sign, high];
  const significandBits = SIGNIFICAND_BITS[bytes]! - (isWide ? 32 : 0);
  // The bits of infinity without those of its sign.
  const infinity = sign - 2 ** significandBits;
  const magnitude = top % sign;
  if (magnitude > infinity || (isWide && magnitude === infinity && low !== 0)) return [ALL, ALL];
  const isNegative = top >= sign;
  const flippedTop = (isNegative ? ~top : top ^ sign) >>> 0;
  const negativeNans = 2 ** significandBits - 1;
  if (!isWide) return [(flippedTop % (2 * sign)) - negativeNans, 0];
  // Subtracts 2^52 - 1: adds one to the low word, and subtracts 2^20 from the high one unless that carries.
  const flippedLow = isNegative ? ~low >>> 0 : low;
  const carries = flippedLow === ALL;
  return [(flippedLow + 1) >>> 0, flippedTop - negativeNans - (carries ? 0 : 1)];
}

const ALL = 0xffff_ffff;

/**
 * Checks the result of an enumeration sort, completely.
 *
 * @param pairs what was sorted.
 * @param order the result.
 * @throws VerifyError unless `order` has each index once, in the order of the keys, and in ascending order
 *   where keys are equal.
 */
export function checkOrder(pairs: Uint32Array, order: Uint32Array, device: string): void {
  const count = pairs[0]!;
  const seen = new Uint8Array(count);
  for (const [i, index] of order.entries()) {
    if (index >= count || seen[index] === 1) {
      throw new VerifyError(`${device} sorted wrongly: index ${index} is not there once`, details);
    }
    seen[index] = 1;
    if (i === 0) continue;
    const before = order[i - 1]!;
    const difference =
      pairs[2 * index + 3]! - pairs[2 * before + 3]! ||
      pairs[2 * index + 2]! - pairs[2 * before + 2]! ||
      index - before;
    if (difference < 0) {
      throw new VerifyError(`${device} sorted wrongly: keys ${i - 1} and ${i} are out of order`, details);
    }
  }
}

const details = { hint: "try another device, or the CPU", options: ["device"] as const };
