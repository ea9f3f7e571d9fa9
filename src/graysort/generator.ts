/** The generator of assembly/graysort/generator.ts. */
const A = 0x2360ed051fc65da44385df649fccf645n;
const C = 0x4a696d47726179524950202020202001n;

const modulo = (value: bigint) => BigInt.asUintN(128, value);

/** The random number that the key of a record is made of. @param record its number, from 0. */
export function randomNumberOf(record: number): bigint {
  let random = 0n;
  // A step over 2^i numbers is a multiplication and an addition, too: those of a step over 2^(i-1), twice.
  let [a, c] = [A, C];
  for (let steps = BigInt(record) + 1n; steps > 0n; steps >>= 1n) {
    if (steps & 1n) random = modulo(a * random + c);
    [a, c] = [modulo(a * a), modulo(a * c + c)];
  }
  return random;
}
