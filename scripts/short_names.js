/**
 * Gives the names in the WGSL of a package one to three letters. The lines stay, so an error still names the
 * right line of the right file.
 */
import { BUILTIN } from "./shaders.js";

/** Attributes and comments have words of their own; a swizzle is no name. */
const WORD = /@\w+(?:\([a-z_]\w*\))?|\/\/.*|\.[xyzwrgba]{1,4}\b|\b[A-Za-z_]\w*/g;
const NAME = /^[A-Za-z_]/;

/** What is neither a builtin of WGSL nor ours: the entry point, and members of what builtins return. */
const FIXED = ["main", "exchanged", "old_value"];

const lower = [..."abcdefghijklmnopqrstuvwxyz"];
const upper = lower.map((letter) => letter.toUpperCase());
const pairs = lower.flatMap((first) => [...upper, ..."0123456789"].map((second) => first + second));
const singles = lower.filter((letter) => !"xyzwrgba".includes(letter));
/** No reserved word of WGSL is among these, and no swizzle. */
const SHORT = [
  ...singles,
  ...upper,
  ...pairs,
  ...pairs.flatMap((pair) => lower.map((third) => pair + third)),
];

/**
 * @param {{ source: string, constants: string[] }[]} units all that may be linked together. Constants keep their
 * names, which programs use.
 * @returns {(source: string) => string} what shortens the source of each unit.
 */
export function shortNames(units) {
  const fixed = new Set([...FIXED, ...BUILTIN, ...units.flatMap(({ constants }) => constants)]);
  const uses = new Map();
  for (const [word] of units.flatMap(({ source }) => [...source.matchAll(WORD)])) {
    if (NAME.test(word)) uses.set(word, (uses.get(word) ?? 0) + 1);
  }
  const names = [...uses.keys()].filter((name) => !fixed.has(name) && name.length > 2);
  const free = SHORT.filter((name) => !uses.has(name));
  names.sort((a, b) => uses.get(b) - uses.get(a)); // what is used most gets the shortest names
  const short = new Map(names.map((name, i) => [name, free[i]]));
  return (source) => source.replace(WORD, (word) => short.get(word) ?? word);
}
