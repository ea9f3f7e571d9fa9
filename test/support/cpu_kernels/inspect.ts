import { mix } from "../../../src/core/items/mix.js";
import { readParams } from "../../../src/core/shaders/kernels.js";
import { constant, type Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import { type Bits, keyOps } from "../../../src/demos/cpu/order.js";
import { comparedForm, isSame } from "./nans.js";

/** The CPU version of wgsl/inspect/inspect.wgsl. */
export function inspect(dispatch: Dispatch): void {
  const { bindings, params, constants, keyBits, variants } = dispatch;
  const ops = keyOps(keyBits, constants);
  const [keys, totals] = bindings as [Uint32Array, Uint32Array];
  const { keyCount, begin, neighbours: pairs, boundLow, boundHigh } = readParams("inspect", params);
  const valueWords = constant(dispatch, "VALUE_WORDS");
  const values = bindings[constants.VALUES ?? 0]!;
  const valueWord = (i: number, word: number) =>
    variants.inspected_value === "index" ? begin + i : values[i * valueWords + word]!;
  const add = (word: number, value: number) => {
    totals[word] = totals[word]! + value;
  };
  const words = keyBits === 64 ? ([0, 1] as const) : ([0] as const);
  const { formOf, compare, isInversion } = neighbours(dispatch, valueWord);
  const unique = constants.UNIQUE === 1;
  const same = isSame(keyBits, constants);
  const counting = constant(dispatch, "COUNTING");
  const nan = ops.of(0xffff_ffff, 0xffff_ffff);
  /** Adds a key to the sums of those that are kept. */
  const want = (key: Bits) => {
    for (const word of words) add(9 + word, ops.word(key, word));
    if (unique) add(11, 1);
  };
  for (let i = 0; i < keyCount; i++) {
    const key = ops.read(keys, i);
    const form = formOf(key);
    if (constants.BOUNDED === 1 && compare(form, ops.of(boundLow, boundHigh)) > 0) continue;
    for (const [word, seed] of [0x9e3779b9, 0x7f4a7c15].entries()) {
      const isCounted = counting > 0 && word === 1 && same(key, nan);
      let hash = ops.hash(isCounted ? nan : key, seed);
      if (counting === 2) hash = word === 0 ? valueWord(i, 0) : Math.imul(hash, valueWord(i, 0));
      else for (let part = 0; part < valueWords; part++) hash = mix(hash ^ valueWord(i, part));
      add(word, hash);
    }
    add(4, 1);
    if (!unique || begin + i === 0) want(key);
    for (const word of words) {
      totals[5 + word]! |= ops.word(form, word);
      totals[7 + word]! |= ~ops.word(form, word);
    }
    if (i >= pairs) continue;
    const next = ops.read(keys, i + 1);
    if (unique && !same(key, next)) want(next);
    if (isInversion(i, form)) {
      add(2, 1);
      totals[3] = Math.max(totals[3]!, ~(begin + i) >>> 0);
    }
  }
}

/** Which neighbours are in the wrong order; see wgsl/inspect/inspected_order.wgsl. */
function neighbours(
  { bindings, constants, keyBits, variants }: Dispatch,
  valueWord: (i: number, word: number) => number,
) {
  const ops = keyOps(keyBits, constants);
  const keys = bindings[0]!;
  const masks = [constants.MASK_LOW!, constants.MASK_HIGH!] as const;
  const compared = comparedForm(variants.compared, constants);
  const formOf = (key: Bits) => compared(ops.toOrdered(key));
  /** Compares two forms by the bits of the masks: negative, 0 or positive. */
  const compare = (a: Bits, b: Bits) => {
    const difference = (word: 0 | 1) =>
      ((ops.word(a, word) & masks[word]) >>> 0) - ((ops.word(b, word) & masks[word]) >>> 0);
    return difference(1) || difference(0);
  };
  const isInversion = (i: number, form: Bits) => {
    const order = compare(form, formOf(ops.read(keys, i + 1)));
    return order > 0 || (constants.STABLE === 1 && order === 0 && valueWord(i + 1, 0) <= valueWord(i, 0));
  };
  return { formOf, compare, isInversion };
}

/** The CPU version of wgsl/inspect/inspect_segments.wgsl. */
export function inspectSegments(dispatch: Dispatch): void {
  const { bindings, params, constants, keyBits } = dispatch;
  const [keys, found] = bindings as [Uint32Array, Uint32Array];
  const { keyCount, neighbours: count } = readParams("inspect_segments", params);
  const offsets = bindings[constant(dispatch, "OFFSETS")]!.subarray(0, count);
  const values = bindings[constants.VALUES ?? 0]!;
  const ops = keyOps(keyBits, constants);
  const { formOf, isInversion } = neighbours(dispatch, (i) => values[i]!);
  for (const at of new Set(offsets)) {
    if (at === 0 || at >= keyCount) continue;
    if (isInversion(at - 1, formOf(ops.read(keys, at - 1)))) found[0] = found[0]! + 1;
  }
}

/** The CPU version of wgsl/inspect/inspect_first.wgsl, which compares the keys themselves. */
export function inspectFirst(dispatch: Dispatch): void {
  const { bindings, params, constants, keyBits } = dispatch;
  const [keys, firsts, starts, found] = bindings as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  const { keyCount, segments } = readParams("inspect_first", params);
  const offsets = bindings[constant(dispatch, "SOURCE")]!;
  const places = bindings[constants.VALUES ?? 0]!;
  const ops = keyOps(keyBits, constants);
  const isStable = constants.STABLE === 1;
  const { formOf, compare } = neighbours(dispatch, () => 0);
  const itemOf = (words: Uint32Array, i: number, place: number) => ({ key: ops.read(words, i), place });
  type Item = ReturnType<typeof itemOf>;
  const order = (a: Item, b: Item) =>
    compare(formOf(a.key), formOf(b.key)) || (isStable ? a.place - b.place : 0);
  const texts = (items: Item[]) => items.map(({ key, place }) => `${key} ${isStable ? place : ""}`).sort();
  for (let segment = 0; segment < segments; segment++) {
    const [begin, end] = [starts[segment]!, starts[segment + 1]!];
    const all: Item[] = [];
    for (let i = offsets[segment]!; i < Math.min(offsets[segment + 1]!, keyCount); i++)
      all.push(itemOf(keys, i, i));
    const own: Item[] = [];
    for (let i = begin; i < end; i++) own.push(itemOf(firsts, i, places[i]!));
    const wanted = texts(all.sort(order).slice(0, end - begin));
    if (wanted.join() !== texts(own).join()) found[0]!++;
    found[1]!++;
  }
}
