import type { ElementType } from "../elements.js";
import type { DeviceTraits } from "../plan/traits.js";
import {
  aloneTuning,
  countsAhead,
  type MsdTuning,
  movesValuesByMsd,
  msdTuning,
  paysByMsd,
} from "./msd_tuning.js";
import { lsdTuning, type RadixTuning, type SubgroupTuning, type TunedOptions } from "./radix_tuning.js";

/** The best known tuning for a device, an element type and a number of keys. */
export function radixTuning(
  keyCount: number,
  type: ElementType,
  traits: DeviceTraits,
  options: TunedOptions = {},
): RadixTuning {
  const tuning = lsdTuning(keyCount, type, traits, options);
  const values = Boolean(options.payload);
  if (tuning.family !== "subgroup" || options.counted || type.bytes < 4) return tuning;
  if (values ? !movesValuesByMsd(type) : options.bits) return tuning;
  const alone = values ? undefined : aloneTuning(keyCount, type.words, traits);
  if (alone) return { ...tuning, alone };
  const moved = { words: type.words, values };
  const msd = !options.once && paysByMsd(keyCount, moved) ? msdTuning(keyCount, moved, traits) : undefined;
  return msd ? withMsd(tuning, msd) : tuning;
}

/** A tuning with a sort by the most significant digit first, whose fallback passes have its chunks. */
export function withMsd(tuning: SubgroupTuning, msd: MsdTuning): SubgroupTuning {
  if (!countsAhead(msd)) return { ...tuning, msd };
  const keysPerInvocation = fallbackKeys(msd, tuning.workgroupSize, tuning.keysPerInvocation);
  return { ...tuning, keysPerInvocation, columns: msd.columns, fusedScan: true, msd };
}

/**
 * Keys per invocation of the fallback passes of a sort by MSD. They have the same chunks, so their tiles are
 * at most as long as its own.
 */
function fallbackKeys(msd: MsdTuning, workgroupSize: number, keysPerInvocation: number): number {
  const tile = Math.min(2048, msd.workgroupSize * msd.keysPerInvocation);
  return Math.min(keysPerInvocation, Math.ceil(tile / workgroupSize));
}
