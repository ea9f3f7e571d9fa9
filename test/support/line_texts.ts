import fc from "fast-check";
import { someRows } from "./row_cases.js";

/** Lines of a kind, without line breaks, as Latin-1: each character is a byte. */
const utf8 = (text: string) => Buffer.from(text).toString("latin1");
const small = fc.nat(9);
const word = fc.constantFrom("pear", "Apple", "fig", "apple", "FIG", "", " ", "the", "The");

const logLine = fc
  .record({
    hour: fc.nat(23),
    level: fc.constantFrom("INFO", "WARN", "error"),
    host: small,
    size: fc.nat(99_999),
  })
  .map(
    ({ hour, level, host, size }) =>
      `2024-05-0${host} ${hour}:00:0${host} ${level} 10.0.${host}.${size % 256} ${size}`,
  );
const colour = fc
  .tuple(fc.constantFrom(31, 32, 33), word, small)
  .map(([code, text, n]) => `\x1b[${code};1m${text}\x1b[0m ${n}`);
const json = fc
  .record({ id: fc.nat(999), name: word, tags: fc.array(small, { maxLength: 4 }) })
  .map((value) => JSON.stringify(value));
const unicode = fc
  .array(fc.constantFrom("é", "日本", "🙂", "e\u0301", "ß", "Ω", "a", " "), { maxLength: 6 })
  .map((parts) => utf8(parts.join("")));
const latin1 = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
const crlf = fc.tuple(word, small).map(([text, n]) => `${text},${n}\r`);
const long = fc
  .tuple(fc.constantFrom("x", "ab ", "\t", "0", "日"), fc.integer({ min: 1000, max: 60_000 }), word)
  .map(([part, length, end]) => utf8(part).repeat(length).slice(0, length) + end);
/** Of these, many begin with the same, up to a whole length, and only their ends differ. */
const alike = fc
  .tuple(
    fc.constantFrom("1", "0", "a", " ", "aB-\x01", "12,", "a1 "),
    fc.constantFrom(500, 20_000, 60_000),
    fc.constantFrom("a", "B", "b", " 1", " ", ".5", "9", "\t2", "-", ""),
  )
  .map(([part, length, end]) => part.repeat(Math.ceil(length / part.length)).slice(0, length) + end);
const nearlyEqual = fc.constantFrom("", " ", ".", "0", "0.", ".x", "00", "x 1", "commonprefix", "-0");
const numbers = fc.oneof(
  fc.integer().map(String),
  fc.integer({ min: -1e9, max: 1e9 }).map((x) => (x / 1000).toFixed(3)), // nearly all doubles are 0.000
  fc.tuple(fc.nat(999), fc.constantFrom("K", "M", "G", "", "k")).map((parts) => parts.join("")),
  fc.constantFrom("JAN", "feb", " Mar 3", "dec", "sept"),
);

const kinds = [logLine, colour, json, unicode, latin1, crlf, long, alike, nearlyEqual, numbers, word];

/** A text, and how its fields and lines are told apart. */
export interface LineText {
  readonly lines: readonly string[];
  readonly separator: string | undefined;
  readonly zeroTerminated: boolean;
  /** Whether the last line has a terminator. */
  readonly ends: boolean;
}

const separator = fc.constantFrom(undefined, undefined, ",", ";", " ", "\t", "\\0", ":");

/**
 * Lines of one or two kinds, of which many are the same, many or few. Of long lines there are few.
 */
const ofKinds: fc.Arbitrary<LineText> = fc
  .record({
    pool: fc
      .subarray(kinds, { minLength: 1, maxLength: 2 })
      .chain((some) => fc.array(fc.oneof(...some), { minLength: 1, maxLength: 40 })),
    count: fc.oneof(
      { weight: 6, arbitrary: fc.nat(50) },
      { weight: 2, arbitrary: fc.nat(5000) },
      { weight: 2, arbitrary: fc.integer({ min: 50_000, max: 150_000 }) },
    ),
    seed: fc.nat(),
    numbered: fc.boolean(),
    separator,
    zeroTerminated: fc.constantFrom(false, false, false, true),
    ends: fc.boolean(),
  })
  .map(({ pool, count, seed, numbered, zeroTerminated, ...rest }) => {
    const bytes = pool.reduce((sum, line) => sum + line.length, 0) / pool.length;
    const most = Math.min(count, Math.floor(4e6 / (bytes + 1)));
    const terminator = zeroTerminated ? /\0/g : /\n/g;
    const clean = pool.map((line) => line.replace(terminator, ""));
    const lines = Array.from({ length: most }, (_, i) => {
      const place = Math.imul(i + seed, 0x9e3779b1) >>> 7;
      return `${clean[place % clean.length]}${numbered ? (place >>> 3) % 1_000_003 : ""}`;
    });
    return { lines, zeroTerminated, ...rest };
  });

const ofRows: fc.Arbitrary<LineText> = someRows.map(({ text, separator, zeroTerminated }) => {
  const terminator = zeroTerminated ? "\0" : "\n";
  const lines = text.toString("latin1").split(terminator);
  const ends = lines.at(-1) === "";
  return { lines: ends ? lines.slice(0, -1) : lines, separator, zeroTerminated, ends };
});

/** A whole document in one line, as minified JSON is. */
const oneLine: fc.Arbitrary<LineText> = fc
  .tuple(fc.array(json, { maxLength: 3000 }), fc.boolean())
  .map(([values, ends]) => ({
    lines: [`[${values.join(",")}]`],
    ...{ separator: undefined, zeroTerminated: false, ends },
  }));

/** Texts of all kinds: words, numbers, logs, JSON, CRLF, UTF-8, Latin-1, colours, long lines, any bytes. */
export const lineText: fc.Arbitrary<LineText> = fc.oneof(
  { weight: 12, arbitrary: ofKinds },
  { weight: 5, arbitrary: ofRows },
  { weight: 1, arbitrary: oneLine },
);

/**
 * Makes lines such that GNU sort 9.1 and gpusort compare them alike (docs/formats.md). It skips a byte 0x80
 * among digits, knows no units R and Q, takes all of .bashrc for a suffix, compares numbers of -g in a longer
 * format than doubles, and NaNs by bytes that it never wrote.
 */
export function comparable(lines: readonly string[], letters: string): readonly string[] {
  const changes: [letters: RegExp, change: (line: string) => string][] = [
    [/[nh]/, (line) => line.replaceAll("\x80", "\x81")],
    [/h/, (line) => line.replace(/[rq]/gi, "s")],
    [/V/, (line) => line.replaceAll(".", ",")],
    [/g/, withoutRareNumbers],
  ];
  const needed = changes.filter(([some]) => some.test(letters));
  return lines.map((line) => needed.reduce((changed, [, change]) => change(changed), line));
}

const withoutRareNumbers = (line: string) =>
  line
    .replace(/nan/gi, "nxn")
    .replace(/0x/gi, "0y")
    .replace(/[\d.]{15,}/g, (digits) => digits.slice(0, 14))
    .replace(/e([+-]?)\d{2,}/gi, "e$15");
