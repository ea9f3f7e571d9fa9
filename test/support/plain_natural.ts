/**
 * Natural order in plain JavaScript, written after "Version sort ordering" in the manual of GNU coreutils: the
 * reference of test/support/plain_rows.ts. A text has a character for each byte.
 */
export function compareNaturally(a: string, b: string): number {
  const special = placeOf(a) - placeOf(b);
  if (special !== 0 || placeOf(a) < PLAIN) return special;
  return compareVersions(withoutSuffix(a), withoutSuffix(b)) || compareVersions(a, b);
}

const PLAIN = 3;

/** Nothing, one point, two of them, other names that begin with one, and all others. */
function placeOf(name: string): number {
  const place = ["", ".", ".."].indexOf(name);
  return place >= 0 ? place : name.startsWith(".") ? PLAIN : PLAIN + 1;
}

const withoutSuffix = (name: string) => name[0] + name.slice(1).replace(/(?:\.[A-Za-z~][A-Za-z0-9~]*)*$/, "");

/** Compares what is no number by characters, then a number, and so on. */
function compareVersions(a: string, b: string): number {
  const [first, second] = [partsOf(a), partsOf(b)];
  for (let i = 0; i < Math.max(first.length, second.length); i++) {
    const [x, y] = [first[i] ?? noPart, second[i] ?? noPart];
    for (let at = 0; at < Math.max(x.text.length, y.text.length); at++) {
      const found = weightOf(x.text[at]) - weightOf(y.text[at]);
      if (found !== 0) return found;
    }
    if (x.number !== y.number) return x.number < y.number ? -1 : 1;
  }
  return 0;
}

const noPart = { text: "", number: 0n };

const partsOf = (text: string) =>
  [...text.matchAll(/(\D*)(\d*)/g)].map(([, before, digits]) => ({
    text: before!,
    number: BigInt(`0${digits}`),
  }));

/** ~ goes before the end of a part, and letters before all others. */
function weightOf(character: string | undefined): number {
  if (character === undefined) return 0;
  if (character === "~") return -1;
  return character.charCodeAt(0) + (/[A-Za-z]/.test(character) ? 0 : 256);
}
