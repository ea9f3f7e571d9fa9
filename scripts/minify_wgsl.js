/**
 * Makes WGSL shorter for scripts/standalone.js: without spaces that nothing needs, and with short names. Lines
 * stay, so that an error still names the line of a file of wgsl/.
 */
import { BUILTIN } from "./shaders/units.js";

const NAME = /\b[A-Za-z_]\w*/g;
const DECLARED = [
  /\b(?:fn|struct|alias|let|const)\s+(\w+)/g,
  /\bvar\s*(?:<[^>]*>)?\s+(\w+)/g,
  /(\w+)\s*:(?!:)/g, // parameters and members
];
/** Names that WGSL itself gives a meaning where they stand: attributes, their values, and parts of vectors. */
const GIVEN = [/@(\w+)/g, /@builtin\((\w+)\)/g];
const VECTOR_PART = /^(?:[xyzw]{1,4}|[rgba]{1,4})$/;

/** @param {string} line */
const shortened = (line) => line.replace(/ *([,;:{}()[\]]) */g, "$1");

/**
 * @param {string} text
 * @param {readonly RegExp[]} patterns
 */
const matches = (text, patterns) =>
  patterns.flatMap((one) => [...text.matchAll(one)].map(([, name]) => name));

/**
 * @param {readonly { source: string, constants?: readonly string[] }[]} sections of all files that may be
 *   linked together. A name is replaced wherever it stands, and always by the same one, so that it means what
 *   it meant.
 * @returns {(source: string) => string} what shortens the source of one of them.
 */
export function wgslMinifier(sections) {
  const all = sections.map(({ source }) => source).join("\n");
  const kept = new Set([
    ...BUILTIN,
    ...matches(all, GIVEN),
    ...sections.flatMap(({ constants = [] }) => constants),
    "main",
  ]);
  const names = [...new Set(matches(all, DECLARED))].filter(
    (name) => name.length > 2 && /^[A-Za-z_]/.test(name) && !kept.has(name) && !VECTOR_PART.test(name),
  );
  const used = new Set(all.match(NAME));
  const uses = new Map(names.map((name) => [name, 0]));
  for (const name of all.match(NAME) ?? []) if (uses.has(name)) uses.set(name, (uses.get(name) ?? 0) + 1);
  const short = new Map();
  let number = 0;
  for (const [name] of [...uses].sort(([, a], [, b]) => b - a)) {
    let next;
    do next = `${LETTERS[number % LETTERS.length]}${Math.floor(number++ / LETTERS.length) || ""}`;
    while (used.has(next) || kept.has(next) || VECTOR_PART.test(next));
    short.set(name, next);
  }
  return (source) =>
    source
      .replace(/^ +/gm, "")
      .replace(NAME, (name) => short.get(name) ?? name)
      .split("\n")
      .map(shortened)
      .join("\n");
}
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
