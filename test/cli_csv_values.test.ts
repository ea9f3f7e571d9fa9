import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";

const work = await Workplace.create();
afterAll(() => work.remove());

/** Writes a file, sorts it, and returns what was printed, and the output. */
async function sorted(name: string, content: string | Uint8Array, ...args: string[]) {
  await work.write(name, content);
  const out = name.endsWith(".tsv") ? "out.tsv" : "out.csv";
  const ended = await work.onCpu([name, "-o", out, ...args]);
  return { ...ended, text: ended.code === 0 ? (await work.read(out)).toString() : undefined };
}

/** A table whose late value shows what its many first ones do not. */
const late = (value: string) => {
  const rows = Array.from({ length: 3000 }, (_, i) => `${(i * 7) % 3000},${i}`);
  return `p,i\n${rows.with(2500, `${value},x`).join("\n")}\n`;
};
const firstRows = (text: string | undefined) => text?.split("\n").slice(1, 4);

describe("what a column holds", () => {
  it.each(["1e-5", "-inf", "+0.00001", "0.000000000000000000000000001", "00000.1"])(
    "is decided by all values: numbers of another form stay numbers: %s",
    async (value) => {
      const { text, stderr } = await sorted("in.csv", late(value), "--by", "p");
      expect(firstRows(text)).toEqual(
        value.startsWith("-")
          ? [`${value},x`, "0,0", "7,1"].with(2, "1,2143")
          : ["0,0", `${value},x`, "1,2143"],
      );
      expect(stderr).toContain("by p as a number (guessed)");
      const unique = await sorted("in.csv", late(value), "--by", "p", "-u");
      expect(unique.text).toContain(`\n${value},x\n`);
    },
  );

  it("becomes text where a value is no number, from files, pipes and gzip, and the summary says which", async () => {
    const why = "p as text (guessed, as row 2502 of NAME holds 'N/A'; :number sorts the others as numbers)";
    const file = await sorted("in.csv", late("N/A"), "--by", "p");
    expect(file.stderr).toContain(why.replace("NAME", "in.csv"));
    const inOrder = late("N/A")
      .split("\n")
      .slice(1, -1)
      .sort((a, b) => Buffer.compare(Buffer.from(a.split(",")[0]!), Buffer.from(b.split(",")[0]!)));
    expect(file.text).toBe(`p,i\n${inOrder.join("\n")}\n`);
    const gz = await sorted("in.csv.gz", gzipSync(late("N/A")), "--by", "p");
    expect([gz.text, gz.stderr]).toEqual([
      file.text,
      expect.stringContaining(why.replace("NAME", "in.csv.gz")),
    ]);
    const pipe = await work.onCpu(["-", "--by", "p", "-o", "out.csv"], late("N/A"));
    expect(pipe.stderr).toContain(why.replace("NAME", "standard input"));
    expect((await work.read("out.csv")).toString()).toBe(file.text);
  });

  it("is the same for checks, which read all values too", async () => {
    const { text } = await sorted("in.csv", late("N/A"), "--by", "p");
    await work.write("text.csv", text!);
    expect(await work.run(["-c", "text.csv", "--by", "p"])).toMatchObject({ code: 0 });
    expect((await work.run(["-c", "-", "--by", "p"], text!)).code).toBe(0);
    const verified = await work.run(["verify", "text.csv", "--by", "p"]);
    expect(verified.code).toBe(0);
    expect(verified.stdout.toString()).toContain(
      "by p as text (guessed, as row 3001 of text.csv holds 'N/A'",
    );
    // Numbers in the order of numbers, with a value that shows that they are text.
    const numbers = `p\n${Array.from({ length: 3000 }, (_, i) => i).join("\n")}\nN/A\n`;
    await work.write("numbers.csv", numbers);
    expect(await work.run(["-c", "numbers.csv", "--by", "p"])).toMatchObject({
      code: 1,
      stderr:
        "gpusort: numbers.csv: row 12 is not in order: '10'\n" +
        "  rows are compared by p as text (guessed, as row 3002 of numbers.csv holds 'N/A'; " +
        ":number sorts the others as numbers); fields are separated by ',' (guessed)\n",
    });
    expect((await work.run(["-c", "numbers.csv", "--by", "p:number"])).code).toBe(0);
  });

  it("is not a number if it is said to be one and no value is", async () => {
    for (const args of [[], ["--invalid", "first"]]) {
      const { code, stderr } = await sorted("in.csv", "v\nx\n\ny\n", "--by", "v:number", ...args);
      expect([code, stderr]).toEqual([
        2,
        "gpusort: no value of the column v is a number: row 2 of in.csv holds 'x'\n" +
          "  leave the type out, or name another column (--by)\n",
      ]);
    }
    for (const command of [["-c"], ["verify"]]) {
      const { code, stderr } = await work.run([...command, "in.csv", "--by", "v:date"]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("no value of the column v is a date")]);
    }
    const empty = await sorted("in.csv", "v,w\n,a\n,b\n", "--by", "v:number");
    expect([empty.code, empty.text]).toEqual([0, "v,w\n,a\n,b\n"]);
    await work.write("a.csv", "v\nx\n");
    await work.write("b.csv", "v\ny\n");
    const merge = await work.onCpu(["-m", "a.csv", "b.csv", "--by", "v:number", "-o", "m.csv"]);
    expect([merge.code, merge.stderr]).toEqual([2, expect.stringContaining("no value of the column v")]);
    expect(await work.names()).not.toContain("m.csv");
  });

  it("may be other values, which are counted, and of which -u keeps different ones", async () => {
    const content = "v,i\n2,0\nN/A,1\n,2\n-,3\n1,4\nN/A,5\nnan,6\n";
    const { text, stderr } = await sorted("in.csv", content, "--by", "v:number");
    expect(text).toBe("v,i\n1,4\n2,0\n,2\nnan,6\n-,3\nN/A,1\nN/A,5\n");
    expect(stderr).toContain(
      "3 values of v are no numbers, the first is 'N/A' in row 3 of in.csv; they go last\n",
    );
    const unique = await sorted("in.csv", content, "--by", "v:number:nulls-first", "-u", "--json");
    expect(unique.text).toBe("v,i\n,2\n-,3\nN/A,1\n1,4\n2,0\n");
    const misfits = [
      {
        column: "v",
        what: "a number",
        count: 3,
        place: "first",
        first: { input: "in.csv", row: 3, value: "N/A" },
      },
    ];
    expect(JSON.parse(unique.stdout.toString())).toMatchObject({ misfits });
    await work.write("good.csv", text!);
    const verified = await work.run(["verify", "good.csv", "--by", "v:number"]);
    expect(verified.code).toBe(0);
    expect(verified.stdout.toString()).toMatch(
      /misfits +3 values of v are no numbers, the first is '-' in row 6 of good\.csv; they go last/,
    );
    const json = await work.run(["verify", "good.csv", "--by", "v:number", "--json"]);
    expect(JSON.parse(json.stdout.toString())).toMatchObject({ misfits: [{ count: 3, place: "last" }] });
    await work.write("1.json", json.stdout);
    const combined = await work.run(["verify", "--combine", "1.json", "1.json"]);
    expect(combined.stdout.toString()).toContain("6 values of v are no numbers");
    const refused = await sorted("in.csv", content, "--by", "v:number", "--invalid", "error");
    expect(refused.stderr).toContain("in.csv: row 3 has no number as its key 1, column 'v'");
  });

  it("are shown without the quotes around them and with those in them once", async () => {
    const number = await sorted("in.csv", 'x\n1\n"a""b"\n', "--by", "x:number");
    expect(number.stderr).toContain(`is no number: 'a"b' in row 3 of in.csv`);
    const guessed = await sorted("in.csv", late('"a""""b"'), "--by", "p");
    expect(guessed.stderr).toContain(`row 2502 of in.csv holds 'a""b';`);
    const unquoted = await sorted("in.csv", late('a""b'), "--by", "p");
    expect(unquoted.stderr).toContain(`row 2502 of in.csv holds 'a""b';`);
    const none = await sorted("in.csv", 'x\n"a""b"\n', "--by", "x:number");
    expect(none.stderr).toContain(`row 2 of in.csv holds 'a"b'\n`);
  });

  it("may have words for no value, and other points", async () => {
    const content = "v;i\n1.234,5;0\nNA;1\n-0,5;2\n;3\n1.000;4\n";
    const { text, stderr } = await sorted(
      "in.csv",
      content,
      "--by",
      "v",
      "--null",
      "NA,-",
      "--decimal",
      ",",
      "--thousands",
      ".",
    );
    expect(text).toBe("v;i\n-0,5;2\n1.000;4\n1.234,5;0\nNA;1\n;3\n");
    expect(stderr).toContain("v as a number (guessed); fields are separated by ';' (guessed)");
    const named = await sorted("in.csv", "v;w\n1,5;2\n-0,5;1\n", "--by", "v:number");
    expect([named.code, named.stderr]).toEqual([
      2,
      expect.stringMatching(/holds '1,5'\n {2}if a comma .*\(--decimal, --thousands\)/),
    ]);
    const nulls = await sorted("in.csv", "v\nNA\nNA\n", "--by", "v:number");
    expect(nulls.stderr).toMatch(/holds 'NA'\n {2}if NA stands for no value, say so \(--null\)/);
    for (const [args, message] of [
      [["--decimal", "ab"], "numbers cannot be written with 'ab'"],
      [["--decimal", ",", "--thousands", ","], "',' cannot stand before decimals and between thousands"],
      [["--null", "x".repeat(300)], "the words for no value are longer than 255 bytes"],
      [["--null", ","], "the words for no value have an empty one among them"],
      [["--null", "NA, -"], "the words for no value have blanks around them"],
    ] as const) {
      expect((await sorted("in.csv", content, "--by", "v", ...args)).stderr).toContain(message);
    }
    for (const option of ["--null", "--decimal", "--thousands"]) {
      expect((await sorted("in.csv", content, option, ";")).stderr).toContain(
        `${option} has no effect without --by`,
      );
    }
  });
});

describe("options that no column has a use for", () => {
  const content = "v;d\nx;2024-01-01\ny;2023-01-01\n";

  it.each([
    [
      ["--null", "NA"],
      "v:text,v:nocase",
      /^gpusort: a word for no value has no effect without a column of numbers/,
    ],
    [
      ["--decimal", ","],
      "v:text,d:date",
      /: 'v' is text, 'd' is date\n {2}leave the option out, .*\(--decimal, --by\)/,
    ],
    [["--thousands", ";"], "d:date", /^gpusort: a character between thousands has no effect/],
  ])("are refused if types say so: %j", async (args, by, message) => {
    const { code, stderr } = await sorted("in.csv", content, "--by", by, ...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it("are named if types are guessed", async () => {
    const { code, stderr } = await sorted("in.csv", content, "--by", "v", "--null", "NA", "--decimal", ",");
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("no column holds numbers: a word for no value, a character before decimals;"),
    ]);
    for (const by of ["d", "d:date,v:text"])
      expect((await sorted("in.csv", content, "--by", by, "--null", "NA")).stderr).not.toContain("effect");
  });

  it("do not place empty text, which the summary says", async () => {
    const content = "v;w\nb;1\n2\na;3\n";
    const last = await sorted("in.csv", content, "--by", "w:text", "--invalid", "last");
    expect([last.text, last.stderr]).toEqual([
      "v;w\n2\nb;1\na;3\n",
      expect.stringContaining("w as text, empty text first;"),
    ]);
    const first = await sorted("in.csv", content, "--by", "w:text", "--invalid", "first");
    expect([first.text, first.stderr]).toEqual([last.text, expect.stringContaining("w as text;")]);
  });
});

describe("rows of .csv and .tsv", () => {
  it("are records, with and without columns, and a header is named if one is there", async () => {
    const content = 'name,n\n"b\n2",1\na,3\n"b ""x""\n",2\n';
    const { text, stderr } = await sorted("in.csv", content);
    expect(text).toBe('"b\n2",1\n"b ""x""\n",2\na,3\nname,n\n');
    expect(stderr).toContain(
      "gpusort: the first line of in.csv, 'name,n', looks like a header, but is sorted like the others, as no option says that it is one\n",
    );
    expect(stderr).toContain(", by whole rows as text; fields are separated by ',' (guessed)\n");
    const kept = await sorted("in.csv", content, "--header", "-r");
    expect(kept.text).toBe('name,n\na,3\n"b ""x""\n",2\n"b\n2",1\n');
    expect(kept.stderr).not.toContain("looks like");
    expect((await work.run(["-c", "out.csv", "--header", "-r"])).code).toBe(0);
    const tabs = await sorted("in.tsv", 'b\t"x\ny"\na\t2\n');
    expect(tabs.text).toBe('a\t2\nb\t"x\ny"\n');
    const numbered = await sorted("in.csv", "name,n\nb,2\na,1\n", "--by", "2:number");
    expect(numbered.stderr).toMatch(/looks like a header.*\n/);
    const german = ["--by", "1", "--decimal", ","];
    expect((await sorted("in.csv", "1,5;a\n3;b\n2;c\n", ...german)).stderr).not.toContain("looks like");
    const semicolons = await sorted("in.csv", "n;name\n3,5;b\n2;c\n", ...german);
    expect(semicolons.stderr).toContain("the first line of in.csv, 'n;name', looks like a header");
    const lines = await sorted("in.csv", content, "--format", "lines");
    expect(lines.text).toBe([...content.split("\n")].slice(0, -1).sort().join("\n").concat("\n"));
  });

  it("have names of columns, which need no --header", async () => {
    const { text } = await sorted("in.csv", '"na\nme",n\nb,1\na,2\n', "--by", '"na\nme"');
    expect(text).toBe('"na\nme",n\na,2\nb,1\n');
    expect((await work.run(["-c", "out.csv", "--by", '"na\nme"'])).code).toBe(0);
    expect((await work.run(["verify", "out.csv", "--by", "n:desc"])).code).toBe(0);
    const wrong = await sorted("in.csv", "b,1\na,2\n", "--by", "name");
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("in.csv has no column 'name' in its header"),
    ]);
    const years = await sorted("in.csv", "name,2019,2020\nx,5,3\ny,4,9\n", "--by", '"2020":desc');
    expect(years.text).toBe("name,2019,2020\ny,4,9\nx,5,3\n");
    const outside = await sorted("in.csv", "name,2019\nx,5\n", "--by", "2019");
    expect(outside.stderr).toMatch(/no column 2019\n {2}if its first line is a header, .* \(--header\)\n$/);
    expect((await sorted("in.csv", "name,2019\nx,5\n", "--by", "2019", "--header")).code).toBe(0);
    const constructors = await sorted("in.csv", "b,1\na,2\n", "--by", "1:constructor");
    expect(constructors.stderr).toContain("'constructor' is no type of a column of in.csv");
  });

  it("may end with carriage returns alone, and be longer than a MiB", async () => {
    const mac = await sorted("in.csv", 'n,w\r10,"x\r\ny"\r9,z', "--by", "n");
    expect(mac.text).toBe('n,w\r9,z\r10,"x\r\ny"\r');
    expect((await work.run(["-c", "out.csv", "--by", "n"])).code).toBe(0);
    expect((await sorted("in.csv", "b,1\ra,2\r")).text).toBe("a,2\rb,1\r");
    const long = `"${"x".repeat(1 << 21)}\n",n\n`;
    expect((await sorted("in.csv", `${long}a,2\nb,1\n`, "--by", "n")).text).toBe(`${long}b,1\na,2\n`);
  });

  it("take -t and -r together with columns", async () => {
    const content = "a:b;n\nx;2\ny;1\n";
    expect((await sorted("in.csv", content, "--by", "n", "-t", ";", "-r")).text).toBe("a:b;n\nx;2\ny;1\n");
    expect((await sorted("in.csv", content, "--by", "n", "-t;")).stderr).not.toContain("separated by");
    expect((await work.run(["-c", "in.csv", "--by", "n", "-t", ";", "-r"])).code).toBe(0);
    expect((await work.run(["verify", "in.csv", "--by", "n", "-t", ";", "-r"])).code).toBe(0);
  });

  it("are not written to a name for another separator", async () => {
    await work.write("in.csv", "a,b\n1,2\n");
    await work.write("in.tsv", "a\tb\n1\t2\n");
    await work.write("commas.tsv", "a,b\n1,2\n");
    for (const [args, message] of [
      [
        ["in.csv", "-o", "o.tsv"],
        "the output o.tsv is named for fields between tabs, but would have others between them",
      ],
      [
        ["in.tsv", "-o", "o.csv", "--by", "1"],
        "the output o.csv is named for fields between commas, but would have tabs",
      ],
    ] as const) {
      const { code, stderr } = await work.onCpu(args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(await work.names()).not.toContain("o.tsv");
    expect((await work.onCpu(["commas.tsv", "-t,", "--by", "a", "-o", "o.tsv"])).code).toBe(0);
    expect((await work.onCpu(["in.csv", "-o", "o.tsv", "--to", "lines"])).code).toBe(0);
    expect((await work.onCpu(["in.tsv", "-o", "o.tsv"])).code).toBe(0);
    expect((await work.onCpu(["in.csv", "-o", "o.txt"])).code).toBe(0);
  });

  it("are merged again if a value shows that a guess was wrong", async () => {
    await work.write("a.csv", "v\n1\n10\n2\n");
    await work.write("b.csv", "v\n1.0\n3\nx\n");
    const merged = await work.onCpu(["-m", "a.csv", "b.csv", "--by", "v", "-o", "m.csv"]);
    expect([merged.code, (await work.read("m.csv")).toString()]).toEqual([0, "v\n1\n1.0\n10\n2\n3\nx\n"]);
    const piped = await work.run(["-m", "a.csv", "b.csv", "--by", "v", "-o", "-", "--device", "cpu"], "");
    expect(piped.stdout.toString()).toBe("v\n1\n1.0\n10\n2\n3\nx\n");
    // The first rows of a merge have no numbers, but others have.
    const few = ["--by", "v:number:nulls-first", "--head", "1", "-o", "m.csv"];
    await work.write("c.csv", "v\nx\n1\n");
    expect((await work.onCpu(["-m", "c.csv", "c.csv", ...few])).code).toBe(0);
    const unsorted = await work.onCpu(["-m", "a.csv", "a.csv", "--by", "v", "-o", "m.csv"]);
    expect([unsorted.code, unsorted.stderr]).toEqual([
      2,
      expect.stringContaining("its row 4 is not in order by v as a number (guessed);"),
    ]);
    await work.write("x.csv", "v\n2\n10\nx\n");
    const asText = await work.onCpu(["-m", "x.csv", "x.csv", "--by", "v", "-o", "m.csv"]);
    expect([asText.code, asText.stderr]).toEqual([
      2,
      expect.stringContaining(
        "its row 3 is not in order by v as text (guessed, as row 4 of x.csv holds 'x';",
      ),
    ]);
  });
});
