import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";

const work = await Workplace.create();
afterAll(() => work.remove());

/** Sorts a file with the command, which must say nothing. */
async function sorted(content: string, ...args: string[]): Promise<string> {
  await work.write("in.csv", content);
  const ended = await work.onCpu(["in.csv", "-o", "out.csv", "-q", ...args]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  return (await work.read("out.csv")).toString();
}

/** Checks the order of a file with the command. @returns its exit code. */
async function checked(file: string, ...args: string[]): Promise<number | null> {
  const { code } = await work.run(["verify", file, ...args]);
  expect((await work.run(["-C", file, ...args])).code).toBe(code);
  return code;
}

const prices = [
  "name,price,when",
  "pear,3.50,2024-02-01",
  '"fig, dried",,2023-12-31',
  '"apple ""Gala""",12,2024-01-15',
  "kiwi,-0.5,2024-01-15",
  '"two\nlines",99999999999999999999,2022-01-01',
  "pear,3.5,2021-01-01",
];
const text = (...at: number[]) => `${[prices[0], ...at.map((i) => prices[i])].join("\n")}\n`;
const all = text(1, 2, 3, 4, 5, 6);

describe("gpusort --by sorts CSV", () => {
  it.each([
    [["price"], [4, 1, 6, 3, 5, 2]],
    [["price:desc"], [5, 3, 1, 6, 4, 2]],
    [["price:nulls-first"], [2, 4, 1, 6, 3, 5]],
    [["price:text"], [2, 4, 3, 6, 1, 5]],
    [["when,name"], [6, 5, 2, 3, 4, 1]],
    [["name,when"], [3, 2, 4, 6, 1, 5]],
    [
      ["name", "--by", "price:desc"],
      [3, 2, 4, 1, 6, 5],
    ],
    [["2"], [4, 1, 6, 3, 5, 2]],
    [
      ["price", "--invalid", "first"],
      [2, 4, 1, 6, 3, 5],
    ],
    [
      ["price", "-r"],
      [5, 3, 1, 6, 4, 2],
    ],
    [
      ["price", "-u"],
      [4, 1, 3, 5, 2],
    ],
  ] as const)("%j", async (by, rows) => {
    expect(await sorted(all, "--header", "--by", ...by)).toBe(text(...rows));
  });

  it("ends the last row as -z ends rows, whatever stands before", async () => {
    expect(await sorted("b\r\0a", "--by", "1:text", "--invalid", "last", "-z")).toBe("a\0b\r\0");
  });

  it("refuses rows that are too short for a column, wherever they are", async () => {
    const rows = (short: string) => `${"a,1,x\n".repeat(1500)}${short}\nb,0,y\n`;
    for (const [short, by, key] of [
      ["c,2", "3", "key 1, column 3"],
      ["c", "2:number,3", "key 1, column 2"],
      ["c,2", "2,3", "key 2, column 3"],
    ] as const) {
      await work.write("short.csv", rows(short));
      const { code, stderr } = await work.onCpu(["short.csv", "-o", "none.csv", "-q", "--by", by]);
      const message = `gpusort: short.csv: row 1501 is too short: it has no field for its ${key}\n`;
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    for (const whole of ["c,2,", '"c,2",3,', "", "c,2,x,y"]) await sorted(rows(whole), "--by", "3");
    expect(await sorted("b,2\na\nc,1\n", "--by", "2:number", "--invalid", "first")).toBe("a\nc,1\nb,2\n");
    expect(await sorted("b,2\na\nc,1\n", "--by", "2:text", "--invalid", "last")).toBe("a\nc,1\nb,2\n");
  });

  it("names a column in an error as the header does, without characters that a terminal acts on", async () => {
    const rows = "1,2,3\n".repeat(1500);
    for (const [header, by, column] of [
      ["a,price,c", "price", "'price'"],
      ["a,price,c", "2", "'price'"],
      ["a,,c", "2", "2"],
      ['a,"unit\nprice",c', "2", "'unit\\u000aprice'"],
      ["a,\u001b[31mprice\u202e,c", "2", "'\\u001b[31mprice\\u202e'"],
      [`a,${"p".repeat(60)},c`, "2", `'${"p".repeat(40)}…'`],
    ] as const) {
      for (const [row, what, invalid] of [
        ["4", "is too short: it has no field for its key 1", []],
        ["4,x,5", "has no number as its key 1", ["--invalid", "error"]],
      ] as const) {
        await work.write("named.csv", `${header}\n${rows}${row}\n`);
        const args = ["named.csv", "-o", "none.csv", "-q", "--header", "--by", `${by}:number`, ...invalid];
        const { code, stderr } = await work.onCpu(args);
        const message = `gpusort: named.csv: row 1502 ${what}, column ${column}\n`;
        expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
      }
    }
  });

  it.each([
    [["file:natural"], ["f9.csv", "f10.csv", "\u00c9B", "\u00c9a1", "\u00e9a"]],
    [["file:natural:desc"], ["\u00e9a", "\u00c9a1", "\u00c9B", "f10.csv", "f9.csv"]],
    [
      ["file:natural", "-f"],
      ["f9.csv", "f10.csv", "\u00c9a1", "\u00c9B", "\u00e9a"],
    ],
    [["file:nocase"], ["f10.csv", "f9.csv", "\u00e9a", "\u00c9a1", "\u00c9B"]],
    [
      ["file", "-f"],
      ["f10.csv", "f9.csv", "\u00e9a", "\u00c9a1", "\u00c9B"],
    ],
    [
      ["file:text", "-f", "-r"],
      ["\u00c9B", "\u00c9a1", "\u00e9a", "f9.csv", "f10.csv"],
    ],
    [
      ["n", "-f"],
      ["f9.csv", "\u00e9a", "f10.csv", "\u00c9B", "\u00c9a1"],
    ],
  ] as const)("in the order %j", async (by, files) => {
    const rows = new Map([
      ["f10.csv", 3],
      ["\u00e9a", 2],
      ["f9.csv", 1],
      ["\u00c9B", 4],
      ["\u00c9a1", 5],
    ]);
    const csv = (names: Iterable<string>) =>
      `file,n\n${[...names].map((name) => `"${name}",${rows.get(name)}\n`).join("")}`;
    expect(await sorted(csv(rows.keys()), "--header", "--by", ...by)).toBe(csv(files));
    expect(await checked("out.csv", "--header", "--by", ...by)).toBe(0);
    expect(await checked("in.csv", "--header", "--by", ...by)).toBe(1);
  });

  it("of an empty file to an empty file", async () => {
    expect(await sorted("", "--header", "--by", "price")).toBe("");
    expect(await sorted("", "--by", "2")).toBe("");
    expect(await sorted("a,b\n", "--header", "--by", "b:desc")).toBe("a,b\n");
  });

  it("without a header, by numbers of columns", async () => {
    expect(await sorted("b,2\na,10\nc,-1\n", "--by", "2")).toBe("c,-1\nb,2\na,10\n");
  });

  it("of a pipe that the format names, with the separator that -t names", async () => {
    const args = ["--format", "csv", "-t;", "--by", "a"];
    const { code, stdout } = await work.run(args, 'a;b\n2;x\n1;"y;z"\n');
    expect([code, stdout.toString()]).toEqual([0, 'a;b\n1;"y;z"\n2;x\n']);
  });

  it("and keeps a byte order mark, CRLF and the separator", async () => {
    const content = "\ufeffv;w\r\n10;x\r\n9;y\r\n;z\r\n";
    expect(await sorted(content, "--header", "--by", "v")).toBe("\ufeffv;w\r\n9;y\r\n10;x\r\n;z\r\n");
    expect(await sorted("v w\n10 x\n9 y\n", "--header", "--by", "v", "-t", " ")).toBe("v w\n9 y\n10 x\n");
  });

  it("as JavaScript sorts the table that was written", async () => {
    const word = fc.string({ unit: fc.constantFrom("a", "B", ",", '"', "\n", " ", "é"), maxLength: 4 });
    const whole = fc.option(fc.integer({ min: -30, max: 30 }), { nil: undefined });
    const row = fc.record({
      word,
      whole,
      float: fc.constantFrom("1e3", "-2.5E-1", "7", "inf", "-inf", "0", ""),
    });
    const cell = (value: string) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
    const line = ({
      word: one,
      whole: n,
      float,
    }: {
      word: string;
      whole: number | undefined;
      float: string;
    }) => `${[cell(one), n ?? "", cell(float), "e"].join(",")}\n`;
    const columns = fc.uniqueArray(fc.constantFrom("word:text", "whole:number", "float:number"), {
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 20 }),
        columns,
        fc.boolean(),
        async (rows, by, descending) => {
          const directed = by.map((column) => `${column}${descending ? ":desc" : ""}`);
          const expected = [...rows].sort((a, b) => {
            for (const column of by) {
              const found = compare(a, b, column.split(":")[0] as keyof typeof a, descending ? -1 : 1);
              if (found !== 0) return found;
            }
            return 0;
          });
          const header = "word,whole,float,end\n";
          const result = await sorted(
            header + rows.map(line).join(""),
            "--header",
            "--by",
            directed.join(","),
          );
          expect(result).toBe(header + expected.map(line).join(""));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("and puts what is no number in the order of its bytes, beside numbers of many digits", async () => {
    const values = ["a", "12345678901234567890123x", "b", "-12345678901234567890123x", "-x", "c", "-"];
    const rows = [...values, ...values].map((value, i) => `${value},${i}\n`);
    const number = "0.1234567890123456789012345,\n";
    const inOrder = [...values].sort().flatMap((value) => rows.filter((row) => row.startsWith(`${value},`)));
    const all = [...rows, number].join("");
    expect(await sorted(all, "--by", "1:number")).toBe([number, ...inOrder].join(""));
    expect(await sorted(all, "--by", "1:number", "--invalid", "first")).toBe([...inOrder, number].join(""));
  });

  it("with quotes within fields, which are characters like others", async () => {
    const content = 'size,d"e,n\n5" x,a,3\n6" y,b,2\nx"",c,1\n';
    const reversed = 'size,d"e,n\nx"",c,1\n6" y,b,2\n5" x,a,3\n';
    expect(await sorted(content, "--header", "--by", "n")).toBe(reversed);
    expect(await sorted(content, "--header", "--by", 'd"e:desc')).toBe(reversed);
    expect(await sorted(content, "--header", "--by", "size:desc")).toBe(reversed);
  });

  it("and says how it read the columns", async () => {
    await work.write("in.csv", all);
    const { stderr } = await work.onCpu([
      "in.csv",
      "-o",
      "out.csv",
      "--header",
      "--by",
      "price:desc,name:text",
      "--explain",
    ]);
    const by = "price as a number (guessed), descending, then name as text";
    const read = `${by}; fields are separated by ',' (guessed)`;
    expect(stderr).toContain(`the columns are read so: ${read}\n`);
    expect(stderr).toMatch(
      new RegExp(`in\\.csv -> out\\.csv: \\d lines \\(.*\\), by ${read.replace(/[()]/g, "\\$&")}\n`),
    );
  });

  it("and checks it", async () => {
    await work.write("good.csv", text(4, 1, 6, 3, 5, 2));
    await work.write("bad.csv", all);
    const check = (...args: string[]) => work.run(["-c", ...args, "--header", "--by", "price"]);
    expect(await check("good.csv")).toMatchObject({ code: 0, stderr: "" });
    expect(await check("good.csv", "-r")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("good.csv: row 3 is not in order"),
    });
    expect(await check("good.csv", "-u")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("good.csv: row 4 is a duplicate"),
    });
    expect((await check("bad.csv")).code).toBe(1);
  });
});

/** Compares two rows of the property: text by its bytes, numbers as such, and empty numbers last. */
function compare(
  a: Readonly<Record<string, string | number | undefined>>,
  b: Readonly<Record<string, string | number | undefined>>,
  column: string,
  direction: number,
): number {
  const [one, other] = [a[column] ?? "", b[column] ?? ""];
  if (column === "word") return direction * Buffer.compare(Buffer.from(`${one}`), Buffer.from(`${other}`));
  if (one === "" || other === "") return Number(one === "") - Number(other === "");
  const [x, y] = [one, other].map((value) => Number(`${value}`.replace("inf", "Infinity"))) as [
    number,
    number,
  ];
  return direction * (x < y ? -1 : x > y ? 1 : 0);
}

describe("gpusort --by is refused", () => {
  it.each([
    [
      ["in.csv", "--header", "--by", "prize"],
      /^gpusort: in\.csv has no column 'prize' in its header\n {2}did you mean price\? .*\(--by\)\n$/,
    ],
    [["in.csv", "--header", "--by", "price", "-k2"], /^gpusort: --key cannot be used with --by/],
    [["in.csv", "--header", "--by", "price", "-n"], /^gpusort: --numeric-sort cannot be used with --by/],
    [["in.csv", "--header", "--by", "price", "-t", "u8"], /^gpusort: --type cannot be used with --by/],
    [["in.csv", "--header", "--by", "price:int"], /^gpusort: 'int' is no type of a column of in\.csv/],
    [["in.csv", "--header", "--by", ""], /^gpusort: --by '' names no columns/],
    [
      ["in.csv", "--header", "--by", "price", "--invalid", "never"],
      /^gpusort: 'never' does not say .*\n.*\(--invalid\)\n$/,
    ],
    [["in.csv", "--invalid", "last"], /^gpusort: --invalid has no effect without --by/],
    [
      ["in.csv", "other.csv", "--header", "--by", "price"],
      /^gpusort: in\.csv has the columns .*, but other\.csv has 'a,b'/,
    ],
    [
      ["short.csv", "--header", "--by", "b"],
      /^gpusort: short\.csv: row 3 has 1 field, so it has no column 'b'\n.*\(--field-separator, --invalid\)\n$/,
    ],
    [
      ["inches.csv", "--header", "--by", "n"],
      /^gpusort: inches\.csv: row 3 has text after the closing quote of a field\n.*\(--by, --format\)\n$/,
    ],
    [["open.csv", "--header", "--by", "a"], /^gpusort: open\.csv: a quote in row 3 is not closed\n/],
    [
      ["wrong.csv", "--header", "--by", "c,b:number", "--invalid", "error"],
      /^gpusort: wrong\.csv: row 3 has no number as its key 2, column 'b'\n.*\(--invalid\)\n$/,
    ],
    [
      ["keys.u32", "--by", "1"],
      /^gpusort: columns do not apply to keys\.u32: it is read as raw\n.*\(--by, --format\)\n$/,
    ],
    [["keys.u32", "--by", "1", "--format", "npy"], /^gpusort: columns to sort by do not apply to npy/],
  ])("%j", async (args, message) => {
    await work.write("in.csv", all);
    await work.write("other.csv", "a,b\n1,2\n");
    await work.write("short.csv", "a,b\n1,2\n3\n");
    await work.write("open.csv", 'a,b\n1,2\n3,"4\n5,6\n');
    await work.write("wrong.csv", "a,b,c\n1,2,3\n4,x,6\n");
    await work.write("inches.csv", 'size,n\n7,0\n"5" pipe,2\n');
    await work.write("keys.u32", Buffer.alloc(8));
    const { code, stderr } = await work.onCpu([...args, "-o", "none.csv"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await work.names()).not.toContain("none.csv");
  });
});

describe("several files of CSV", () => {
  const ofMac = '5,a\r2,"b\n"\r';
  beforeAll(async () => {
    await work.write("mac.csv", ofMac);
    await work.write("unix.csv", '4,"a\r"\n6,b\n');
    await work.write("windows.csv", "1,a\r\n3,b\r\n");
    await work.write("one.csv", '9,"a"');
  });

  it.each([
    [
      ["mac.csv", "unix.csv"],
      "mac.csv end with carriage returns alone, but those of unix.csv with line feeds",
    ],
    [
      ["unix.csv", "mac.csv"],
      "unix.csv end with line feeds, but those of mac.csv with carriage returns alone",
    ],
    [["one.csv", "windows.csv", "mac.csv"], "windows.csv end with line feeds, but those of mac.csv"],
  ])(
    "whose rows end in other ways are an error, as one way would read one file as one row: %s",
    async (names, why) => {
      for (const how of [["--by", "1"], ["--by", "1", "-m"], [], ["-c"]]) {
        const output = how.includes("-c") ? [] : ["-o", "none.csv", "--device", "cpu"];
        const { code, stderr } = await work.run([...names, ...how, ...output]);
        expect([code, stderr]).toEqual([2, expect.stringContaining(`the rows of ${why}`)]);
      }
      expect(await work.names()).not.toContain("none.csv");
    },
  );

  it("whose fields are separated by other bytes are an error, if names or rows say so", async () => {
    await work.write("tabs.tsv", "b\t1\na\t2\n");
    await work.write("commas.csv", "a,3\nb,0\n");
    await work.write("semicolons.csv", "b;1\na;2\n");
    for (const [names, why] of [
      [
        ["commas.csv", "semicolons.csv"],
        "commas.csv are separated by ',', but those of semicolons.csv by ';'",
      ],
      [
        ["semicolons.csv", "commas.csv"],
        "semicolons.csv are separated by ';', but those of commas.csv by ','",
      ],
      [["commas.csv", "tabs.tsv"], "commas.csv are separated by ',', but those of tabs.tsv by '\\u0009'"],
      [["tabs.tsv", "commas.csv"], "tabs.tsv are separated by '\\u0009', but those of commas.csv by ','"],
    ] as const) {
      for (const how of [
        ["--by", "1:text"],
        ["--by", "2", "--invalid", "last"],
        ["--by", "1:text", "-m"],
      ]) {
        const { code, stderr } = await work.onCpu([...names, ...how, "-o", "none.csv"]);
        expect([code, stderr]).toEqual([2, expect.stringContaining(`the fields of ${why}`)]);
      }
    }
  });

  it("are read as the first one where they do not show what separates fields", async () => {
    await work.write("tabs.tsv", "d\t1\nb\t2\n");
    await work.write("tabs.csv", "c\t3\n");
    await work.write("words.csv", "e\na\n");
    const ended = await work.onCpu(["tabs.tsv", "words.csv", "tabs.csv", "--by", "1", "-o", "all.tsv", "-q"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect((await work.read("all.tsv")).toString()).toBe("a\nb\t2\nc\t3\nd\t1\ne\n");
  });

  it("end as the others do where one has only a row without an end", async () => {
    for (const names of [
      ["one.csv", "mac.csv"],
      ["mac.csv", "one.csv"],
    ]) {
      const ended = await work.onCpu([...names, "--by", "1", "-o", "both.csv", "-q"]);
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      expect((await work.read("both.csv")).toString()).toBe('2,"b\n"\r5,a\r9,"a"\r');
    }
  });
});
