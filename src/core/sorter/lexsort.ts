import type { KeyArray } from "../elements.js";
import { InputError } from "../errors.js";
import { requireKnown, requireSwitches, shown } from "../names.js";
import { classOf, gather, memoryGuard, newLike, requireMemory } from "./arrays.js";
import { type LexsortCall, type SortCall, typeOf } from "./calls.js";

/** The compiler asks for a row for each option, so that no option is refused as unknown. */
const callNames = Object.keys({
  verify: true,
  signal: true,
  descending: true,
} satisfies Record<keyof LexsortCall, true>);

/**
 * Sorts indices by each array in turn, the primary one last: each sort is stable, so it keeps the order before.
 *
 * @param argsort that of the sorter.
 */
export async function lexsort(
  argsort: (keys: KeyArray, call: SortCall) => Promise<Uint32Array>,
  keys: readonly KeyArray[],
  call: LexsortCall,
): Promise<Uint32Array> {
  requireArrays(keys);
  requireKnown("a call of lexsort", call, callNames);
  const descending = directionsOf(keys, call);
  const { verify, signal } = call;
  const requireAll = memoryGuard(Object.fromEntries(keys.map((array, i) => [`keys[${i}]`, array])));
  let order: Uint32Array | undefined;
  for (const [i, array] of keys.entries()) {
    requireAll();
    const moved = order ? newLike(array) : array;
    if (order) gather(array, 1, order, moved);
    const next = await argsort(moved, { verify, signal, descending: descending[i] });
    if (order) gather(order, 1, next, next);
    order = next;
  }
  return order!;
}

/** @throws InputError unless there are arrays of keys, of the same length. */
function requireArrays(keys: readonly KeyArray[]): void {
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new InputError(`keys is ${Array.isArray(keys) ? "an empty array" : shown(keys)}`, {
      hint: "pass an array of typed arrays, the primary keys last",
    });
  }
  for (const [i, array] of keys.entries()) {
    if (classOf(array) !== undefined) requireMemory(`keys[${i}]`, array);
    typeOf(array);
    if (array.length === keys[0]!.length) continue;
    throw new InputError(`keys[${i}] has ${array.length} elements, but keys[0] has ${keys[0]!.length}`, {
      hint: "pass typed arrays of the same length",
    });
  }
}

function directionsOf(keys: readonly KeyArray[], call: LexsortCall): readonly (boolean | undefined)[] {
  const { descending } = call;
  if (!Array.isArray(descending)) {
    requireSwitches(call, ["descending"]);
    return keys.map(() => descending as boolean | undefined);
  }
  for (const [i, one] of descending.entries()) {
    const name = `descending[${i}]`;
    requireSwitches({ [name]: one }, [name]);
  }
  if (descending.length === keys.length) return descending;
  throw new InputError(`descending has ${descending.length} values for ${keys.length} arrays of keys`, {
    hint: "pass true or false, or one of them for each array",
  });
}
