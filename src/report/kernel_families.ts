import { elementType } from "../core/elements.js";
import type { DeviceTraits } from "../core/plan/traits.js";
import { chooseAlgorithm } from "../core/sort/algorithms.js";
import { radixTuning } from "../core/sort/radix/best_tuning.js";
import { formatPowerOfTwo } from "./units.js";

const EXPONENTS = Array.from({ length: 18 }, (_, i) => 10 + i);

/** The kernels that sort u32 keys, or such keys with values of a word, on a device. */
function familyOf(keyCount: number, values: boolean, traits: DeviceTraits): string {
  const type = elementType("u32");
  const options = { descending: false, ...(values ? { payload: 4 } : {}) };
  if (chooseAlgorithm(keyCount, type, options, traits).name === "bitonic") return "bitonic";
  const tuning = radixTuning(keyCount, type, traits, options);
  return tuning.family === "subgroup" ? `subgroup, of ${tuning.subgroupSize}` : tuning.family;
}

/** Which kernels sort how many keys: "bitonic to 2^12; workgroup". */
export function familiesText(traits: DeviceTraits, values = false): string {
  const families = EXPONENTS.map((exponent) => familyOf(2 ** exponent, values, traits));
  return families
    .flatMap((family, i) => {
      if (family === families[i + 1]) return [];
      return i === families.length - 1 ? [family] : [`${family} to ${formatPowerOfTwo(2 ** EXPONENTS[i]!)}`];
    })
    .join("; ");
}
