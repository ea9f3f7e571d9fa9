import { execFileSync } from "node:child_process";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { RowOrder } from "../../src/rows/order/row_order.js";
import { countRows, findRows, RowScan } from "../../src/rows/row_finder.js";
import { rowKernels } from "../../src/rows/row_kernels.js";
import { RowWorkspace } from "../../src/rows/workspace.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import { needs } from "../support/needs.js";
import { keyOf, rowsOf } from "../support/plain_rows.js";
import { pythonThat } from "../support/python.js";

const python = pythonThat("import csv");
const withPython = needs(python, "Python");

const tools = new KernelThreads(1);
const runner = tools.runner(rowKernels);
afterAll(() => {
  runner.close();
  tools.close();
});

const csv: RowOrder = { terminator: 10, separator: 44, quotes: true, keys: [] };
const space = new RowWorkspace(runner, csv, false, 1 << 20);
space.reserve(space.at.text + (1 << 18));

/** Where rows end, as the kernels find them in pieces of `pieceBytes`. */
async function scanned(text: Buffer, pieceBytes: number) {
  space.bytes(space.at.text, text.length).set(text);
  space.writeOrder(0);
  const rows = new RowScan(0);
  await countRows(space, [{ scan: rows, bytes: text.length, pieceBytes }], undefined);
  const to = space.at.text + (1 << 17);
  await findRows(space, [{ scan: rows, to }], undefined);
  return { ends: [...space.words(to, rows.rows)], misquoted: rows.misquoted, isOpen: rows.state === 1 };
}

const token = fc.constantFrom(
  '"',
  '"',
  '""',
  ",",
  ",",
  "\n",
  "\n",
  "a",
  "bc",
  "\r\n",
  '"x"',
  ',"',
  '",',
  "plain text",
);
const texts = fc.array(token, { maxLength: 60 }).map((tokens) => `${tokens.join("")}`);

describe("rows with quotes anywhere", () => {
  it("end where a reader says that looks at one byte after the other", async () => {
    const seen = { odd: 0, misquoted: 0, open: 0 };
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 70 }), async (text, pieceBytes) => {
        const actual = await scanned(Buffer.from(text), pieceBytes);
        const expected = walked(text);
        expect(actual).toEqual(expected);
        seen.misquoted += Number(expected.misquoted !== undefined);
        seen.open += Number(expected.isOpen);
        seen.odd += Number(/[a-z]"/.test(text));
      }),
      { numRuns: 750 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
  });

  it("are misquoted where text follows a closing quote, wherever that is in vectors and pieces", async () => {
    for (let before = 0; before < 40; before++) {
      for (const pieceBytes of [16, 32, 100]) {
        const text = Buffer.from(`x\n"${"a".repeat(before)}"b${"c".repeat(40)}\n`);
        expect((await scanned(text, pieceBytes)).misquoted, `${before}, ${pieceBytes}`).toBe(1);
      }
    }
  });

  /** Texts whose quotes are right, and their fields. */
  async function quoted(): Promise<{ readonly text: string; readonly fields: string[][] }[]> {
    const cases: { readonly text: string; readonly fields: string[][] }[] = [];
    for (const text of fc.sample(texts, { numRuns: 300, seed: 7 })) {
      const whole = `${text.replaceAll("\r", "")}\n`;
      const { ends, misquoted, isOpen } = await scanned(Buffer.from(whole), 17);
      if (misquoted !== undefined || isOpen) continue;
      cases.push({
        text: whole,
        fields: ends.map((end, i) => fieldsOf(whole.slice(ends[i - 1] ?? 0, end - 1))),
      });
    }
    expect(cases.length).toBeGreaterThan(100);
    return cases;
  }

  it("have the fields that csv-parse finds", async () => {
    const options = { relax_quotes: true, relax_column_count: true, record_delimiter: "\n" };
    for (const { text, fields } of await quoted()) expect(parse(text, options)).toEqual(fields);
  });

  withPython.it("have the fields that Python's csv finds", async () => {
    const cases = await quoted();
    const program =
      "import csv, io, json, sys\n" +
      "rows = lambda text: list(csv.reader(io.StringIO(text, newline='')))\n" +
      "json.dump([rows(text) for text in json.load(sys.stdin)], sys.stdout)";
    const input = JSON.stringify(cases.map(({ text }) => text));
    const read: string[][][] = JSON.parse(
      execFileSync(python!, ["-c", program], { input, encoding: "utf8" }),
    );
    // Python has no fields in an empty row.
    const rows = read.map((some) => some.map((fields) => (fields.length === 0 ? [""] : fields)));
    expect(rows).toEqual(cases.map(({ fields }) => fields));
  });
});

/** The fields of one row, by the reference for keys. */
function fieldsOf(row: string): string[] {
  expect(rowsOf(Buffer.from(`${row}\n`), csv)).toHaveLength(1);
  const count = row.length + 1;
  const all = Array.from({ length: count }, (_, field) => {
    const key = { begin: { field, offset: 0 }, end: { field }, compare: "bytes" } as const;
    return keyOf(Buffer.from(row), key, csv).toString();
  });
  return all.slice(0, fieldCount(row));
}

function fieldCount(row: string): number {
  return row.replace(/(^|,)"(?:[^"]|"")*"/g, "$1").split(",").length;
}

/** What a reader finds that knows before each byte whether it is in a field, and in which kind. */
function walked(text: string) {
  let state: "begin" | "plain" | "quoted" | "closed" = "begin";
  const ends: number[] = [];
  let misquoted: number | undefined;
  for (const [i, byte] of [...text].entries()) {
    if (state === "quoted") state = byte === '"' ? "closed" : "quoted";
    else if (byte === "\n") {
      ends.push(i + 1);
      state = "begin";
    } else if (byte === ",") state = "begin";
    else if (byte === '"' && state !== "plain") state = "quoted";
    else {
      if (state === "closed" && byte !== "\r") misquoted ??= ends.length;
      state = "plain";
    }
  }
  return { ends, misquoted, isOpen: state === "quoted" };
}
