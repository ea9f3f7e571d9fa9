import type { MsdTuning, SegmentTuning } from "../../src/core/sort/msd/msd_tuning.js";
import type { SubgroupTuning } from "../../src/core/sort/radix/radix_tuning.js";

/** How many neighbouring slots an invocation of a local sort sorts. */
export type Network = SegmentTuning["keysPerInvocation"];

/** A sort by MSD of small workgroups, so that few keys fill several tiles, chunks and segments. */
export function smallMsd(
  subgroupSize: number,
  keysPerInvocation: Network,
  levels: Pick<MsdTuning, "digitBits" | "second" | "samples" | "rangeSamples" | "maxDistinct">,
  some: Partial<SubgroupTuning> = {},
): SubgroupTuning {
  const msd: MsdTuning = {
    ...levels,
    workgroupSize: 32,
    keysPerInvocation: 2,
    columns: 3,
    local: { workgroupSize: 32, keysPerInvocation, binBits: 7 },
    localWorkgroups: 7, // fewer than segments
  };
  return {
    family: "subgroup",
    digitBits: 4, // an even number of digits for both types
    workgroupSize: 32,
    subgroupSize,
    keysPerInvocation: 2,
    columns: 3,
    lockstep: false,
    fusedScan: levels.second === undefined,
    msd,
    ...some,
  };
}

/** A small sort that remaps floats over 256 segments, whose tiles have 96 keys, or 192 if they are long. */
export function smallRemap(subgroupSize: number): SubgroupTuning {
  const second = {
    digitBits: 3,
    tilesPerChunk: 2,
    long: { workgroupSize: 64, keysPerInvocation: 3, binBits: 7 },
    remap: { samples: 2 ** 16, rows: 4 },
  } as const;
  return smallMsd(subgroupSize, 3, { digitBits: 5, second, samples: 512 }, { fusedScan: false });
}

/** The items in an order that is neither sorted nor random. */
export function shuffled<T>(items: readonly T[]): T[] {
  const step = items.length % 379 === 0 ? 383 : 379; // a prime that does not divide the length
  return items.map((_, i) => items[(i * step) % items.length]!);
}
