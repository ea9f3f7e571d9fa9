import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldedRanges, unicodeVersion } from "../../../src/rows/order/case_folding.js";
import type { RowKey, RowOrder } from "../../../src/rows/order/row_order.js";
import { needs } from "../../support/needs.js";
import { foldSimply } from "../../support/plain_folding.js";
import { sortPlainly } from "../../support/plain_rows.js";
import { LITTLE } from "../../support/row_sorts.js";
import { sortedRows } from "../../support/sorted_rows.js";

const python = ["/usr/bin/python3", "python3"].find((command) => {
  try {
    return execFileSync(command, ["-c", "print(1)"], { stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
});
const withPython = needs(python, "Python");

const folded = new Map<number, number>();
for (const [first, last, step, added] of foldedRanges) {
  for (let code = first; code <= last; code += step) folded.set(code, code + added);
}

/** What is folded to one character here, but to several by the full folding: the lines S of CaseFolding.txt. */
const shorter = new Map([[0x1e9e, 0xdf]]);
for (const first of [0x1f88, 0x1f98, 0x1fa8]) {
  for (let code = first; code < first + 8; code++) shorter.set(code, code - 8);
}
for (const code of [0x1fbc, 0x1fcc, 0x1ffc]) shorter.set(code, code - 9);
for (const [code, to] of [
  [0x1fd3, 0x390],
  [0x1fe3, 0x3b0],
  [0xfb05, 0xfb06],
] as const) {
  shorter.set(code, to);
}

describe("simple case folding", () => {
  it("makes those characters equal that regular expressions take for equal", () => {
    const cased: string[] = [];
    for (let code = 0; code < 0x11_0000; code++) {
      const one = String.fromCodePoint(code);
      if (/[\p{Cased}\p{Changes_When_Casemapped}]/u.test(one)) cased.push(one);
    }
    const foldOf = (one: string) => folded.get(one.codePointAt(0)!) ?? one.codePointAt(0)!;
    const all = cased.join("");
    const groups = new Map<number, string[]>();
    for (const one of cased) groups.set(foldOf(one), [...(groups.get(foldOf(one)) ?? []), one]);
    // A later version may have more characters than the table, but none of another kind.
    const isLater = Number(process.versions.unicode) > Number(unicodeVersion);
    for (const one of cased) {
      const equal = all.match(new RegExp(one, "giu"))!;
      const known = isLater
        ? equal.filter((other) => folded.has(other.codePointAt(0)!) || other === one)
        : equal;
      const wrong = [
        ...known.filter((other) => foldOf(other) !== foldOf(one)),
        ...groups.get(foldOf(one))!.filter((other) => !equal.includes(other)),
      ];
      if (wrong.length > 0) expect([one, wrong]).toEqual([one, []]);
    }
    expect(folded.size).toBe(1512); // as in CaseFolding.txt of Unicode 17: 1481 lines C, and 31 S
  });

  it("is that of the reference, which goes by the cases of characters", () => {
    for (let code = 0; code < 0x2_0000; code++) {
      const one = String.fromCodePoint(code);
      if (!/\p{Assigned}/u.test(one) || /\p{Surrogate}/u.test(one)) continue;
      const expected = String.fromCodePoint(folded.get(code) ?? code);
      if (foldSimply(one) !== expected) expect([one, foldSimply(one)]).toEqual([one, expected]);
    }
  });

  withPython.it("is that of Python, where it folds to one character too", () => {
    const program = `
import json, unicodedata
print(json.dumps([[c, [ord(x) for x in chr(c).casefold()]] for c in range(0x110000)
  if unicodedata.category(chr(c)) not in ("Cn", "Cs") and chr(c).casefold() != chr(c)]))`;
    const all: [number, number[]][] = JSON.parse(execFileSync(python!, ["-c", program]).toString());
    expect(all.length).toBeGreaterThan(1400);
    const isSingle = ([, to]: [number, number[]]) => to.length === 1;
    expect(all.filter(isSingle).filter(([code, [to]]) => folded.get(code) !== to)).toEqual([]);
    const others = all.filter((one) => !isSingle(one)).map(([code]) => code);
    expect(new Map([...folded].filter(([code]) => others.includes(code)))).toEqual(shorter);
  });
});

const text = fc.constantFrom(
  ...["a", "A", "z", "Z", "_", "[", "0", " ", "abcdefg", "ABCDEFGH"],
  ...[
    "\u00e9",
    "\u00c9",
    "\u00df",
    "\u1e9e",
    "\u017f",
    "S",
    "\u212a",
    "k",
    "\u2126",
    "\u03c9",
    "\u03a3",
    "\u03c2",
  ],
  ...["\u0130", "\u0131", "i", "\u023a", "\u2c65", "\u023e", "\u13a0", "\uab70", "\u{10400}", "\u{10428}"],
  ...["\ufb05", "\ufb06", "\u1fd3", "\u0390", "\u1f88", "\u1f80", "\u4e2d", "\u{1f600}", "\uffff"],
);
/** Bytes that are no UTF-8: cut short, longer than need be, surrogates, too large. */
const noText = fc.constantFrom(
  ...["\xff", "\x80", "\xc3", "\xe1\xbc", "\xc1\x81", "\xe0\x81\x81", "\xed\xa0\x80"],
  ...["\xf0\x80\x80\x80", "\xf0\x90\x90", "\xf4\x90\x80\x80", "\xc8"],
);
/** A name, as Latin-1. */
const name = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: text.map((one) => Buffer.from(one).toString("latin1")) },
      { weight: 1, arbitrary: noText },
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

const key: RowKey = { begin: { field: 0, offset: 0 }, compare: "nocase" };
const lines: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [key] };
const bytesOf = (names: readonly string[]) => Buffer.from(names.map((one) => `${one}\n`).join(""), "latin1");

const sortedByPython = new Map<string, Buffer>();

/** The stable order of a text's lines by their simple case folding, as Python makes it of the full one. */
function sortByPython(bytes: Buffer, unique = false): Buffer {
  const program = `
import functools, json, sys
shorter = {int(code): to for code, to in json.loads(sys.argv[1])}
@functools.cache
def folded(c):
  full = c.casefold()
  return full if len(full) == 1 else chr(shorter.get(ord(c), ord(c)))
def key(line):
  text = line.decode("utf-8", "surrogateescape")
  return "".join(map(folded, text)).encode("utf-8", "surrogateescape")
lines, out = sorted(sys.stdin.buffer.read().split(b"\\n")[:-1], key=key), []
for line in lines:
  if sys.argv[2] == "all" or not out or key(out[-1]) != key(line): out.append(line)
sys.stdout.buffer.write(b"".join(line + b"\\n" for line in out))`;
  const args = ["-c", program, JSON.stringify([...shorter]), unique ? "distinct" : "all"];
  const name = `${bytes.length} ${unique}`; // the texts have different lengths
  const known = sortedByPython.get(name) ?? execFileSync(python!, args, { input: bytes, maxBuffer: 1 << 28 });
  sortedByPython.set(name, known);
  return known;
}

describe("order without case", () => {
  it("is that of the reference, for text and for what is none", async () => {
    const flags = fc.record({ unique: fc.boolean(), threads: fc.constantFrom(1 as const, 2 as const) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(name, { maxLength: 40 }),
        fc.boolean(),
        flags,
        async (names, descending, given) => {
          const order = { ...lines, keys: [{ ...key, descending }] };
          const expected = sortPlainly([bytesOf(names)], order, given);
          const actual = await sortedRows(bytesOf(names), order, given);
          expect(actual.text.toString("latin1")).toBe(expected.toString("latin1"));
        },
      ),
      { numRuns: Number(process.env.GPUSORT_ROW_RUNS ?? 75) },
    );
  });

  it("is that of the reference in columns, whose fields may be in quotes", async () => {
    const field = fc.tuple(name, fc.boolean(), fc.nat(2)).map(([text, isQuoted, quotes]) => {
      const content = text.replaceAll("[", '"').slice(0, 7) + '"'.repeat(quotes) + text.slice(7);
      return isQuoted || /^"|[,\n]/.test(content) ? `"${content.replaceAll('"', '""')}"` : content;
    });
    const column = (field: number, compare: RowKey["compare"]) =>
      ({ begin: { field, offset: 0 }, end: { field }, compare }) as const;
    const keys = fc.constantFrom(
      [column(1, "nocase")],
      [column(0, "nocase"), column(1, "natural")],
      [column(1, "natural"), column(0, "nocase")],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(field, field), { maxLength: 30 }), keys, async (rows, keys) => {
        const order: RowOrder = { terminator: 10, separator: 44, quotes: true, keys };
        const text = bytesOf(rows.map((row) => row.join(",")));
        const actual = (await sortedRows(text, order)).text.toString("latin1");
        expect(actual).toBe(sortPlainly([text], order).toString("latin1"));
      }),
      { numRuns: 75 },
    );
  });

  const random = fc.sample(name, { numRuns: 5000, seed: 1 });
  const long = random.map((one, i) => `Common Prefix \u00c9${random[(i * 7) % 5000]!.slice(0, 3)}${one}`);
  const many = bytesOf([...random, ...long.flatMap((one) => [one, one.toLowerCase()]), ...random, ...long]);

  withPython.it.each<[string, Parameters<typeof sortedRows>[2]]>([
    ["in memory", {}],
    ["by one thread", { threads: 1 }],
    ["out of core", { memoryBytes: LITTLE }],
    ["out of core, distinct", { memoryBytes: LITTLE, unique: true }],
    ["distinct", { unique: true }],
  ])("is that of Python for many rows that begin alike, %s", async (_, given) => {
    const times = given?.memoryBytes ? 3 : 1;
    const text = Buffer.concat(Array.from({ length: times }, () => many));
    const { text: actual, report } = await sortedRows(text, lines, given);
    expect(actual.equals(sortByPython(text, given?.unique))).toBe(true);
    if (given?.memoryBytes) expect(report.external!.runs).toBeGreaterThan(1);
  });

  it("takes long rows in time that their lengths tell", async () => {
    const names = ["\u00c9", "\u00e9", "a", "A"].flatMap((one) => [
      `${one.repeat(300_000)}b`,
      one.repeat(300_000),
    ]);
    const text = Buffer.from(names.map((one) => `${one}\n`).join(""));
    expect((await sortedRows(text, lines)).text.equals(sortPlainly([text], lines))).toBe(true);
  });
});
