import fc from "fast-check";
import type { RowComparison, RowKey, RowOrder } from "../../src/rows/order/row_order.js";

/** A text with rows, and how its fields and rows are told apart. */
export interface SomeRows {
  readonly text: Buffer;
  /** As after -t. */
  readonly separator: string | undefined;
  readonly zeroTerminated: boolean;
}

const sign = fc.constantFrom("", "", "-", "+", "--", " -", "  ", "\t");
const digits = fc.oneof(
  fc.constantFrom("", "0", "00", "1", "12", "007", "9", "10", "123456789012345678901234567890"),
  fc.nat(99).map(String),
  fc.bigInt({ min: 0n, max: 10n ** 22n }).map(String),
);
const fraction = fc.constantFrom(
  "",
  "",
  "",
  ".",
  ".0",
  ".5",
  ".50",
  ".05",
  ".123456789012345678901",
  "..5",
  ",5",
);
const unit = fc.constantFrom("", "", "", "K", "k", "M", "m", "G", "T", "P", "E", "Z", "Y", "Ki", "B", "x");

/** Numbers as people and programs write them, some of them wrongly. */
const decimals = fc.tuple(sign, digits, fraction, unit).map((parts) => parts.join(""));

/**
 * Numbers of which a double keeps all digits. GNU sort compares numbers of -g in a longer format, which tells
 * apart numbers that are the same double. There is no nan: GNU sort 9.1 compares unwritten bytes of it.
 */
const floats = fc.oneof(
  fc
    .tuple(
      sign,
      fc.nat(99_999),
      fc.constantFrom("", ".", ".5", ".25", ".125"),
      fc.constantFrom("", "", "e3", "E-2", "e+1", "e", "e+"),
    )
    .map((parts) => parts.join("")),
  fc.constantFrom("inf", "-inf", "INFINITY", "-Infinity", "infx", "0x1F", "0x", "0x1p3", "-0", "+0"),
);

const words = fc.oneof(
  fc.constantFrom(
    "a",
    "A",
    "b",
    "B",
    "ab",
    "aB",
    "a-b",
    "a_b",
    "",
    " ",
    "  a",
    "a ",
    "-",
    ".",
    "\t",
    "\n",
    "\n 2",
    "z",
    "É",
  ),
  fc.constantFrom("JAN", "feb", " Mar", "apr ", "mai", "MAYx", "June", "jul", "AU", "sept", "oct1", "DEC"),
  fc.string({ unit: "binary-ascii", maxLength: 4 }),
);

/** Names of files and versions, of parts that natural order treats in different ways. */
export const fileName = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("a", "b", "B", "Z", ".", ".", "~", "-", "_", "+", "/", ":") },
      {
        weight: 1,
        arbitrary: fc.constantFrom("v", "file", ".tar", ".gz", ".txt~", ".7z", "..", "rc", "\x80", "\xe9"),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom("0", "1", "2", "9", "10", "00", "01", "123", "99999", "100000", "0123456"),
      },
      { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String) },
    ),
    { maxLength: 7 },
  )
  .map((parts) => parts.join(""));

/** Bytes that are no text: NUL, controls, and what is not UTF-8. */
const garbage = fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString("latin1"));

const field = fc.oneof(decimals, floats, words, fileName, garbage);

/** Rows of fields, as Latin-1; some begin alike, or are empty. */
const row = (between: string) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.array(field, { maxLength: 5 }).map((fields) => fields.join(between)) },
    { weight: 1, arbitrary: fc.constant("") },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.nat(40), field)
        .map(([length, end]) => `${"common prefix ".repeat(3).slice(0, length)}${end}`),
    },
  );

export const someRows: fc.Arbitrary<SomeRows> = fc
  .record({
    separator: fc.constantFrom(undefined, undefined, ",", ";", "\\0", "\t", "a", "1"),
    zeroTerminated: fc.constantFrom(false, false, false, true),
    ends: fc.boolean(),
  })
  .chain(({ separator, zeroTerminated, ends }) => {
    const between = separator === undefined ? " " : separator === "\\0" ? "\0" : separator;
    return fc.array(row(between), { maxLength: 30 }).map((rows) => {
      const terminator = zeroTerminated ? "\0" : "\n";
      const again = rows.length > 2 ? [rows[0]!, rows[1]!] : []; // duplicates
      const text = [...rows, ...again].join(terminator) + (ends && rows.length > 0 ? terminator : "");
      return { text: Buffer.from(text, "latin1"), separator, zeroTerminated };
    });
  });

const ordering = fc.constantFrom(
  "",
  "",
  "n",
  "h",
  "g",
  "M",
  "f",
  "d",
  "i",
  "df",
  "di",
  "fi",
  "nf",
  "Mf",
  "hf",
  "V",
  "V",
  "Vf",
  "dV",
  "fiV",
);
const number = fc.constantFrom(1, 1, 2, 2, 3, 4, 9);
const flags = fc
  .tuple(ordering, fc.boolean(), fc.boolean())
  .map(([letters, reverse, blanks]) => `${letters}${reverse ? "r" : ""}${blanks ? "b" : ""}`);

/** A key as after -k. */
export const lineKey: fc.Arbitrary<string> = fc
  .record({
    begin: number,
    offset: fc.option(number, { nil: undefined }),
    letters: flags,
    end: fc.option(number, { nil: undefined }),
    bytes: fc.option(fc.constantFrom(0, 1, 2, 3, 5, 20), { nil: undefined }),
    skipsAtEnd: fc.boolean(),
  })
  .map(({ begin, offset, letters, end, bytes, skipsAtEnd }) => {
    const first = `${begin}${offset === undefined ? "" : `.${offset}`}${letters}`;
    if (end === undefined) return first;
    return `${first},${end}${bytes === undefined ? "" : `.${bytes}`}${skipsAtEnd ? "b" : ""}`;
  });

/** The same with an order that devices know. */
export const deviceLineKey = lineKey.map((key) => key.replaceAll("V", ""));

/**
 * A text that GNU sort 9.1 reads as it should (docs/formats.md). With -n and -h, it skips a byte 0x80 among
 * digits, as if it separated thousands. With -h, it knows no R and Q. With -V, it takes all of .bashrc for a suffix.
 */
export function readableByGnu(text: Buffer, keys: readonly string[]): Buffer {
  const [hasNumbers, hasUnits, hasNames] = [/[nh]/, /h/, /V/].map((letters) =>
    keys.some((key) => letters.test(key)),
  );
  const isUnread = (byte: number) =>
    (hasNumbers && byte === 0x80) || (hasUnits && "QRqr".includes(String.fromCharCode(byte)));
  const replaced = text.map((byte) => (isUnread(byte) ? byte + 2 : byte));
  const before = (place: number) => /[A-Za-z~]/.test(String.fromCharCode(replaced[place] ?? 0));
  return Buffer.from(
    hasNames ? replaced.map((byte, i) => (byte === POINT && before(i + 1) ? COMMA : byte)) : replaced,
  );
}

const [POINT, COMMA] = [46, 44];

/** Whether GNU sort 9.1 takes all of a name for a suffix, some bytes of it left out. */
export const isSuffixAlone = (name: string) =>
  /^(?:\.[A-Za-z~][A-Za-z0-9~]*)+$/.test(name.replace(/[^ -~]/g, ""));

/** Rows without hexadecimal numbers, which a device does not read. */
export const withoutHex = (text: Buffer) =>
  Buffer.from(text.toString("latin1").replace(/0x/gi, "0y"), "latin1");

/**
 * Values of a table, of which some must be in quotes; they are around the lengths of a word and of a vector.
 */
const tableValues = [
  "",
  "a",
  "ab",
  "abcdefg",
  "abcdefgh",
  "abcdefghi",
  "x,y",
  "l\nl",
  "12",
  "-3",
  "5x",
  "1e2",
];
const dates = [
  "2024-02-29",
  "2023-02-29",
  "0000-01-01",
  "9999-12-31T24:00",
  "2024-03",
  "20240301",
  "2024-02-29T23:30-00:30",
  "2024-03-01 00:00:00.5z",
  "20240301T000000,50000000",
  "2024-03-01T00:00:00.50000000000000000001",
  "2024-03-01T00:00:00.5000000000000000000000000001 +0000",
  " 2024-03-01T05:45:60+05:45 ",
  "2024-03-01T05:45:00.",
  "2024-03-01T05",
  "2024-13-01",
];
const longValues = [",", "\n", "x", "\r\n"].flatMap((part) => [13, 17].map((n) => part.repeat(n)));
const withQuotes = ['q"q', '""', '"', ',"\n"'];

/**
 * Rows of comma-separated values, some in quotes, some too short. `doubled`: whether quotes are among the
 * values; `stray`: whether some of these are in fields without quotes around them, where they are plain bytes.
 */
export const someTable = ({ doubled = true, stray = false } = {}): fc.Arbitrary<Buffer> => {
  const texts = fc.constantFrom(...tableValues, ...longValues, ...(doubled ? withQuotes : []));
  const value = fc.oneof(
    { weight: 3, arbitrary: texts },
    { weight: 1, arbitrary: fc.constantFrom(...dates) },
  );
  const field = fc.tuple(value, fc.boolean()).map(([text, always]) => {
    const isPlain = !always && !(stray ? /^"|[,\n]/ : /[",\n]/).test(text);
    return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
  });
  const row = fc.tuple(fc.array(field, { minLength: 1, maxLength: 4 }), fc.constantFrom("\n", "\r\n"));
  return fc
    .array(row, { maxLength: 60 })
    .map((rows) => Buffer.from(rows.map(([fields, end]) => fields.join(",") + end).join("")));
};

/** An order of such rows, by one column or two. */
export const tableOrder = (...compares: readonly RowComparison[]): fc.Arbitrary<RowOrder> =>
  fc
    .array(
      fc.record({
        field: fc.nat(3),
        compare: fc.constantFrom(...compares),
        descending: fc.boolean(),
        invalid: fc.constantFrom("first" as const, "last" as const),
      }),
      { minLength: 1, maxLength: 2 },
    )
    .map((columns) => ({
      terminator: 10,
      separator: 44,
      quotes: true,
      keys: columns.map(({ field, compare, descending, invalid }): RowKey => {
        const place = { begin: { field, offset: 0 }, end: { field }, compare, descending };
        return compare === "bytes" ? place : { ...place, invalid };
      }),
    }));

/** Numbers of which two have more digits in common than the kernels of a device compare. */
export const longNumbers = Buffer.from(`1${"0".repeat(3000)}1\n2\n1${"0".repeat(3000)}2\n`);
