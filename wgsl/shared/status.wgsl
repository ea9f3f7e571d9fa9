// What the word `status` says of a sort by the most significant digit first.

// Some bin overflows its tile: the fallback sorts all keys.
const FALLBACK = 0u;
// All segments fit their tiles, as far as they are known.
const FITS = 1u;
// The samples have so few distinct values that keys are counted by their values, and not moved.
const LOW_CARDINALITY = 2u;
// Digits are taken of the codes that the equi-depth remap gives to floats, and all segments fit their tiles.
const REMAPPED = 3u;
