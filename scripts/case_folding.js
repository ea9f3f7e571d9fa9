/**
 * Prints src/rows/order/case_folding.ts: Unicode's simple case folding, the lines C and S of CaseFolding.txt.
 * Which characters are folded to the same one, Node's regular expressions say (ECMAScript, Canonicalize with
 * the flags i and u); which of them it is, their lower and upper case do. Run it where process.versions.unicode
 * is the version that is wanted, and format the result. The build does not run it: the order of text would then
 * depend on the version of Node that built gpusort.
 */
const characters = [];
for (let code = 0; code < 0x11_0000; code++) {
  const character = String.fromCodePoint(code);
  if (/[\p{Cased}\p{Changes_When_Casemapped}]/u.test(character)) characters.push(character);
}
const all = characters.join("");

/** @param {string} character */
const codeOf = (character) => /** @type {number} */ (character.codePointAt(0));

/**
 * A character, if the text is one, else another one.
 *
 * @param {string} text
 * @param {string} other
 */
const single = (text, other) => ([...text].length === 1 ? text : other);

/** Pairs whose cases do not tell which one is folded, as their upper case is of several characters. */
const others = new Map([
  ["\u{1fd3}", "\u{390}"],
  ["\u{1fe3}", "\u{3b0}"],
  ["\u{fb05}", "\u{fb06}"],
]);

/** @param {string} character */
function foldedOf(character) {
  if (all.match(new RegExp(character, "giu"))?.length === 1) return character;
  const upper = single(character.toUpperCase(), character);
  // Cherokee had upper case first, so that is what its letters are folded to.
  if (/\p{Script=Cherokee}/u.test(upper)) return upper;
  return others.get(character) ?? single(upper.toLowerCase(), upper);
}

/**
 * Ranges of code points that lie as far from each other, and from what they are folded to.
 *
 * @type {{ first: number, last: number, step: number | undefined, distance: number }[]}
 */
const ranges = [];
for (const character of characters) {
  const code = codeOf(character);
  const distance = codeOf(foldedOf(character)) - code;
  if (distance === 0) continue;
  const range = ranges.at(-1);
  const step = code - (range?.last ?? 0);
  if (range?.distance === distance && step <= 2 && (range.step ?? step) === step)
    Object.assign(range, { last: code, step });
  else ranges.push({ first: code, last: code, step: undefined, distance });
}

const rows = ranges.map(
  ({ first, last, step = 1, distance }) =>
    `[0x${first.toString(16)}, 0x${last.toString(16)}, ${step}, ${distance}],`,
);
console.log(`/** Printed by scripts/case_folding.js. */
export const unicodeVersion = "${process.versions.unicode}";

/**
 * Which code points are folded, as ranges: the first one, the last one, their distance, and what is added to
 * each of them.
 */
export const foldedRanges: readonly (readonly [first: number, last: number, step: number, added: number])[] = [
${rows.join("\n")}
];`);
