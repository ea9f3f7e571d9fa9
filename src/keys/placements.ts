/**
 * Keys to test sorts with. A distribution gives the place of key i of n between the type's least value and its
 * greatest, as a number from 0 up to 1: so it serves every type, and since key i depends on nothing but i, n and the
 * seed, parts can be made on several machines.
 */
export interface Placement {
  readonly name: string;
  readonly description: string;
  /** For types that have NaNs only. */
  readonly floatsOnly?: boolean;
  /** @param random evenly from 0 up to 1, another for another k, and the same for the same i and k. */
  place(i: number, total: number, random: (k: number) => number): number;
}

/** One of so many keys a file has is out of its place. */
const DISPLACED = 100;
const NAN_SHARE = 1 / 8;
const FEW = 16;
/** Of a power law, the ranks: key r comes 1/r as often as the first. */
const ZIPF_RANKS = 2 ** 20;

/** Evenly within each of as many strips as there are keys: in order, and as irregular as sorted random keys. */
const sorted: Placement["place"] = (i, total, random) => (i + random(0)) / total;

export const placements: readonly Placement[] = [
  { name: "uniform", description: "evenly over all values", place: (_i, _n, random) => random(0) },
  { name: "sorted", description: "in ascending order", place: sorted },
  {
    name: "reversed",
    description: "in descending order",
    place: (i, total, random) => sorted(total - 1 - i, total, random),
  },
  { name: "constant", description: "one value", place: () => 0.5 },
  {
    name: "few",
    description: `${FEW} values`,
    place: (_i, _n, random) => Math.floor(random(0) * FEW) / FEW,
  },
  {
    name: "zipf",
    description: "few values often, many seldom: the r-th 1/r as often as the first",
    // The inverse of the continuous law's distribution function, log(r) / log(ranks).
    place: (_i, _n, random) => (Math.floor(ZIPF_RANKS ** random(0)) - 1) / ZIPF_RANKS,
  },
  {
    name: "nearly-sorted",
    description: `in ascending order but for one in ${DISPLACED}`,
    place: (i, total, random) => (random(1) < 1 / DISPLACED ? random(2) : sorted(i, total, random)),
  },
  {
    name: "nan-laced",
    description: "evenly, with NaNs of many payloads in between; floats only",
    floatsOnly: true,
    place: (_i, _n, random) => (random(1) < NAN_SHARE ? Number.NaN : random(0)),
  },
];
