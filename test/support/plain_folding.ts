/**
 * The simple case folding of Unicode in plain JavaScript, by the cases of characters: the reference of
 * test/support/plain_rows.ts. test/rows/order/case_folding.test.ts compares it with what others say.
 */
export function foldSimply(character: string): string {
  const special = specials.get(character);
  if (special !== undefined) return special;
  const upper = single(character.toUpperCase()) ?? character;
  if (/\p{Script=Cherokee}/u.test(character)) return upper;
  return single(upper.toLowerCase()) ?? upper;
}

/** Of characters whose upper case is of several characters, and İ and ı, which only Turkish folds. */
const specials = new Map([
  ["\u{130}", "\u{130}"],
  ["\u{131}", "\u{131}"],
  ["\u{1fd3}", "\u{390}"],
  ["\u{1fe3}", "\u{3b0}"],
  ["\u{fb05}", "\u{fb06}"],
]);

const single = (text: string) => ([...text].length === 1 ? text : undefined);

/** Bytes that are a character of UTF-8, as Latin-1 (The Unicode Standard, table 3-7). */
const character = new RegExp(
  [
    "[\\xc2-\\xdf][\\x80-\\xbf]",
    "\\xe0[\\xa0-\\xbf][\\x80-\\xbf]",
    "[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]{2}",
    "\\xed[\\x80-\\x9f][\\x80-\\xbf]",
    "\\xf0[\\x90-\\xbf][\\x80-\\xbf]{2}",
    "[\\xf1-\\xf3][\\x80-\\xbf]{3}",
    "\\xf4[\\x80-\\x8f][\\x80-\\xbf]{2}",
    "[A-Z]",
  ].join("|"),
  "g",
);

/** The bytes of folded characters by those of the characters: texts have the same ones again and again. */
const foldedBytes = new Map<string, string>();

/** Folds the characters of a text in UTF-8. Bytes that are none stay. */
export function foldBytes(bytes: Buffer): Buffer {
  const folded = bytes.toString("latin1").replace(character, (one) => {
    let known = foldedBytes.get(one);
    if (known === undefined) {
      known = Buffer.from(foldSimply(Buffer.from(one, "latin1").toString())).toString("latin1");
      foldedBytes.set(one, known);
    }
    return known;
  });
  return Buffer.from(folded, "latin1");
}
