import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvRewriter, type CsvRewriting } from "../../../src/sort/tables/rewrite_csv.js";

const style: CsvRewriting = { name: "a.csv", separator: 44, terminator: 10, columns: 2, rowBytes: 1 << 10 };

/** Rewrites a text that comes in pieces. */
function rewritten(
  text: string,
  { pieceBytes = 1 << 20, ...own }: Partial<CsvRewriting> & { pieceBytes?: number } = {},
) {
  const rewriter = new CsvRewriter({ ...style, ...own });
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; ; at += pieceBytes) {
    const isLast = at + pieceBytes >= bytes.length;
    pieces.push(Buffer.from(rewriter.rewrite(bytes.subarray(at, at + pieceBytes), isLast)));
    if (isLast) return { text: Buffer.concat(pieces).toString(), lines: rewriter.lines };
  }
}

const relaxed = { record_delimiter: ["\r\n", "\n"], relax_quotes: true };

describe("CSV that is rewritten", () => {
  it("has the fields that csv-parse finds, in whatever pieces it comes", () => {
    const field = fc.constantFrom(
      ...[
        "",
        "a",
        " b ",
        '"q"',
        '"a,b"',
        '"a\nb"',
        '""',
        '"say ""x"""',
        'in"ner',
        ' "x"',
        "a\rb",
        '"x\r\n"',
        "é",
      ],
    );
    const rows = fc.array(fc.tuple(field, field), { maxLength: 8 });
    const ends = fc.constantFrom("\n", "\r\n");
    fc.assert(
      fc.property(
        rows,
        fc.array(ends, { minLength: 9, maxLength: 9 }),
        fc.nat({ max: 9 }),
        (records, after, pieceBytes) => {
          // csv-parse takes a carriage return at the end of a row for another end of it.
          const text = records.map((fields, i) => fields.join(",").replace(/\r+$/, "") + after[i]).join("");
          const expected = parse(text, relaxed);
          const { text: found, lines } = rewritten(text, { pieceBytes: pieceBytes + 3 });
          expect(parse(found, { record_delimiter: "\n" })).toEqual(expected);
          expect(found.replaceAll(/"[^"]*"/g, "")).not.toMatch(/["\r]/);
          expect(lines).toEqual({ lines: records.length, blank: 0 });
        },
      ),
      { numRuns: 500 },
    );
  });

  it("keeps empty fields apart from those in quotes, and blank rows as lines", () => {
    expect(rewritten('\u{feff},""\r\n\r\n"",\r\n\n')).toEqual({
      text: ',""\n\n"",\n\n',
      lines: { lines: 2, blank: 2 },
    });
    expect(rewritten('\n""\r\na\r', { columns: 1 })).toEqual({
      text: '\n""\na\n',
      lines: { lines: 2, blank: 1 },
    });
  });

  it("has line feeds behind rows that carriage returns end", () => {
    expect(rewritten('a,"b\r"\r"x\n",2\r', { terminator: 13 }).text).toBe('a,"b\r"\n"x\n",2\n');
    expect(rewritten("a,x\ny\r", { terminator: 13 }).text).toBe('a,"x\ny"\n');
  });

  it.each([
    ['a,b\n1,"x', "a.csv: a quote in row 2 is not closed"],
    ['a,b\n1,"x" \n', "a.csv: row 2 has text after the closing quote of a field"],
    ['a,b\n1,"x"\r\r\n', "a.csv: row 2 has text after the closing quote of a field"],
    ["a,b\n\n1\n", "a.csv: row 3 has 1 field instead of 2"],
    ["a,b\n1,2,3\n", "a.csv: row 2 has 3 fields instead of 2"],
    [`a,b\n1,"${"x".repeat(2000)}"\n`, "a.csv: row 2 has more than 1024 bytes"],
  ])("is refused if it can be read in several ways, or not at all: %j", (text, message) => {
    expect(() => rewritten(text, { pieceBytes: 100 })).toThrow(message);
  });

  it("may have a separator behind the last field of a row", () => {
    expect(rewritten("a,b\n1,2,\n").text).toBe("a,b\n1,2\n");
  });
});
