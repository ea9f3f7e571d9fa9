import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";
import { runGnu, sortByGnu, withGnuSort } from "./support/gnu_sort.js";
import { lineKey, readableByGnu, someRows } from "./support/row_cases.js";

const work = await Workplace.create();
afterAll(() => work.remove());
const cwd = work.folder;

const sales = [
  "name,price,when,size",
  "pear,3.50,2024-02-01,10K",
  "Apple,12,2023-12-31,2M",
  "apple,-0.5,2024-01-15,900",
  "fig,,2024-02-01,1G",
  "  plum,007,MAR,0",
  "fig,1e3,jan,-4K",
  "Éclair,99999999999999999999999,DEC,4k",
  "kiwi,-0,,",
  "",
  ",,,",
  "pear,3.5,2024-02-01,10K",
  "no field",
].join("\n");
const blanks = "a  10 x\n b 9 y\n\tb\t 9 z\nA 10  w\n\n   \n-b 1.5 Q\nc 1.25 q\nb 9 y\n";
const names = ["f10.txt", "f9.txt", ".x1", "F9", "f9~", "f09.txt.gz", "f-1,1.10~rc", "f-1,1.9", ""].join(
  "\n",
);
const longest = `${"x".repeat(70_000)} 2\n${"x".repeat(70_000)} 1\n${"x".repeat(69_999)}y\nshort\n`;

beforeAll(async () => {
  await work.write("sales.csv", `${sales}\n`);
  await work.write("unended.csv", sales);
  await work.write("blanks.log", blanks);
  await work.write("names.log", names);
  await work.write("zero", "b\n1\0a 2\0\0\nc 3\0a\0");
  await work.write("longest.log", longest);
  await work.write("empty.csv", "");
  await work.write("crlf.csv", "b,2\r\na,10\r\n\r\na,9\r\n");
  await work.write("numbers.txt", "10\n9\n 007\n-1.5\n1e1\n");
  await work.write("words.txt", "pear\nApple\nfig\napple\n");
  await work.write("garbage.log", Buffer.from("b\0\xff\xfe\n\x80a\nb\0\n\0\n\xff\n", "latin1"));
});

/** Sorts a file with the command, which must say nothing. */
async function sorted(file: string, ...args: string[]): Promise<string> {
  const ended = await work.onCpu([file, "-o", "out", "-q", ...args]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  return (await work.read("out")).toString("latin1");
}

const gnu = (file: string, ...args: string[]) =>
  sortByGnu(["-s", ...args, file], Buffer.alloc(0), cwd).toString("latin1");

withGnuSort.describe("gpusort sorts lines as GNU sort does", () => {
  it.each([
    ...[[], ["-r"], ["-f"], ["-u"], ["-fu"], ["-d"], ["-i"], ["-b"], ["-n"], ["-g"], ["-M"]],
    ...[
      ["-nr"],
      ["-nu"],
      ["-df"],
      ["-bf"],
      ["-ru"],
      ["-s"],
      ["-sn"],
      ["--sort=numeric"],
      ["--stable", "-gr"],
    ],
    ...[
      ["-h"],
      ["-rh"],
      ["--human-numeric-sort"],
      ["--sort=human-numeric", "-r"],
      ["-f", "--human-numeric-sort"],
      ["-V"],
      ["-Vr"],
      ["-Vfu"],
      ["-dV"],
      ["--sort=version"],
      ["--version-sort", "-t,", "-k2,2", "-k1,1r"],
      ["-t,", "-k1,1V", "-k2,2n"],
      ["--sort", "month"],
      ["--ignore-case"],
    ],
    ...[
      ["-t,", "-k2,2n"],
      ["-t,", "-k2"],
      ["-t", ",", "-k", "2,2nr"],
      ["-t,", "-k2,2g"],
      ["-t,", "-k3,3M"],
    ],
    ...[
      ["-t,", "-k4,4h"],
      ["-t,", "-k4,4hr", "-k1,1"],
      ["-t,", "-k1,1f", "-k2,2n"],
      ["-t,", "-nk2"],
    ],
    ...[
      ["-t,", "-rnk2"],
      ["-t,", "-k1.2,1.3"],
      ["-t,", "-k1.2b,1.3b"],
      ["-t,", "-k2.1,3.2r"],
      ["-t,", "-uk1,1"],
    ],
    ...[
      ["-k2"],
      ["-k2n"],
      ["-k2,2"],
      ["-k2b,2"],
      ["-k1.2b,1.3b"],
      ["-k2.2,2.3"],
      ["-k3,1"],
      ["-k9"],
      ["-b", "-k2,2"],
    ],
    ...[
      ["-k2,2n", "-k1,1r"],
      ["-k1,1df", "-k2,2nr"],
      ["-f", "-k1,1", "-k2,2n"],
      ["-r", "-k2,2", "-k1,1n"],
    ],
    ...[
      ["--key=2,2n", "--field-separator=-"],
      ["-t", "\\0", "-k2"],
      ["-k1,1i", "-u"],
      ["-k2,2nb", "-u"],
    ],
  ])("%j", async (...args) => {
    for (const file of [
      "sales.csv",
      "unended.csv",
      "blanks.log",
      "crlf.csv",
      "garbage.log",
      "empty.csv",
      "names.log",
    ]) {
      expect([file, await sorted(file, ...args)]).toEqual([file, gnu(file, ...args)]);
    }
  });

  it.each([[["-z"]], [["-zu"]], [["-zk2n"]], [["-zr", "-t", " "]]])("%j", async (args) => {
    expect(await sorted("zero", ...args)).toBe(gnu("zero", ...args));
  });

  it("if lines are long and begin alike", async () => {
    for (const args of [[], ["-r"], ["-k2n"], ["-f"]]) {
      expect(await sorted("longest.log", ...args)).toBe(gnu("longest.log", ...args));
    }
  });

  it("if zeros have signs or lie beyond the key, beside numbers of many digits", async () => {
    const zeros = ["-0", "b", "0", "-", "--5", "-0.00", "00", "-0;7", "0.0", "-x", "-.", "c", "-0000000000"];
    const long = ["0.000000000000000000000001", "-0.000000000000000000000001", "12345678901234567890123456"];
    await work.write("zeros.log", [...zeros, ...long, ...zeros].join("\n"));
    for (const args of [["-n"], ["-nr"], ["-nu"], ["--sort=human-numeric"], ["-t;", "-k1,1n"]]) {
      expect(await sorted("zeros.log", ...args)).toBe(gnu("zeros.log", ...args));
    }
    const rows = [...zeros.map((zero) => `  ${zero}`), "401025854283596638027209 x"];
    await work.write("beyond.log", ["a", ...rows, "b"].join("\n"));
    expect(await sorted("beyond.log", "-t ", "-k1n,2.1")).toBe(gnu("beyond.log", "-t ", "-k1n,2.1"));
  });

  it("if they are numbers, byte by byte with an option of lines, and their bytes stay", async () => {
    for (const args of [["-n"], ["-g"], ["-k1"], ["-b"], ["--format", "lines"], ["-t", ","]]) {
      const others = args[0] === "--format" ? [] : args;
      expect(await sorted("numbers.txt", ...args)).toBe(gnu("numbers.txt", ...others));
    }
  });

  it("of several files", async () => {
    for (const args of [["-t,", "-k2,2n"], ["-u"], ["-r", "-m"]]) {
      await work.write("first.csv", gnu("sales.csv", ...args.filter((arg) => arg !== "-m")));
      await work.write("second.csv", gnu("unended.csv", ...args.filter((arg) => arg !== "-m")));
      const files = ["second.csv", "first.csv"];
      expect(await sorted("first.csv", "second.csv", "empty.csv", ...args)).toBe(
        sortByGnu(["-s", ...args, "first.csv", "second.csv", "empty.csv"], Buffer.alloc(0), cwd).toString(
          "latin1",
        ),
      );
      await work.write("names", `${files.join("\0")}\0`);
      expect((await work.onCpu(["--files0-from", "names", "-o", "out", "-q", ...args])).stderr).toBe("");
      expect((await work.read("out")).toString("latin1")).toBe(
        sortByGnu(["-s", ...args, ...files], Buffer.alloc(0), cwd).toString("latin1"),
      );
    }
  });

  it("of any bytes, by any keys", async () => {
    const keys = fc.array(lineKey, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(someRows, keys, fc.boolean(), async (some, keys, unique) => {
        const { separator, zeroTerminated } = some;
        const text = readableByGnu(some.text, keys);
        const args = [
          ...keys.map((key) => `-k${key}`),
          ...(separator === undefined ? [] : ["-t", separator]),
          ...(zeroTerminated ? ["-z"] : []),
          ...(unique ? ["-u"] : []),
        ];
        await work.write("some", text);
        const mine = await sorted("some", "--format", "lines", ...args);
        expect([args, mine]).toEqual([args, sortByGnu(["-s", ...args], text).toString("latin1")]);
      }),
      { numRuns: 150 },
    );
  });

  it("whose keys are nearly all equal, in parts that threads share", async () => {
    // All but one of these are 0, some with a decimal point.
    const words = ["", " ", "commonprefix", ".", ".x", "0.", "0266", "x 1"];
    const lines = Array.from({ length: 200_000 }, (_, i) => words[(Math.imul(i, 0x9e3779b1) >>> 13) % 8]);
    const text = Buffer.from(`${lines.join("\n")}\n`);
    await work.write("equal", text);
    const expected = sortByGnu(["-s", "-n"], text);
    for (const threads of [1, 2, 3]) {
      const args = ["--format", "lines", "-n", "-S", "1", "--threads", `${threads}`, "-o", "out", "-q"];
      expect((await work.onCpu(["equal", ...args])).stderr).toBe("");
      expect((await work.read("out")).equals(expected)).toBe(true);
    }
  });

  it("checks as it does", async () => {
    await work.write("ordered.csv", gnu("sales.csv", "-t,", "-k2,2n"));
    for (const args of [["-t,", "-k2,2n"], ["-t,", "-k2,2nr"], ["-u", "-t,", "-k2,2n"], [], ["-r"], ["-f"]]) {
      for (const file of ["ordered.csv", "sales.csv", "blanks.log", "empty.csv"]) {
        const { code, stderr } = await work.run(["-c", file, ...args]);
        const { status, stderr: said } = runGnu(["-c", ...args, file], Buffer.alloc(0), cwd);
        // Without -s, sort -c compares whole lines last, and names other lines than this stable order.
        const [stable, unordered] = [args, args.filter((arg) => arg !== "-u")].map((some) =>
          runGnu(["-sc", ...some, file], Buffer.alloc(0), cwd),
        );
        expect([file, args, code]).toEqual([file, args, stable!.status]);
        expect(status === 0 ? code : 0).toBe(0);
        const [, line] = /:(\d+): disorder/.exec(stable!.stderr) ?? [];
        expect(said === "" || said.includes("disorder")).toBe(true);
        if (line === undefined) expect(stderr).toBe("");
        // Without keys, rows of CSV are records, whose places are not those of lines.
        const isRecords = file.endsWith(".csv") && !args.some((arg) => /^-[tkf]/.test(arg));
        const place = isRecords ? `: row ${line} is` : `:${line}:`;
        const guess = isRecords ? "  rows are compared by whole rows as text.*;.*\n" : "";
        const how = stable!.stderr === unordered!.stderr ? "not in order" : "a duplicate";
        if (line !== undefined)
          expect(stderr).toMatch(new RegExp(`^gpusort: ${file}${place} ${how}: '.*'\n${guess}$`));
        expect((await work.run(["-C", file, ...args])).stderr).toBe("");
      }
    }
  });
});

describe("lines", () => {
  it("are sorted from a pipe to a pipe", async () => {
    const { code, stdout } = await work.onCpu(["-q"], "pear\nfig\napple");
    expect([code, stdout.toString()]).toEqual([0, "apple\nfig\npear\n"]);
  });

  it("are counted by the summary", async () => {
    const { stderr } = await work.onCpu(["words.txt", "-o", "out.txt"]);
    expect(stderr).toMatch(/^words\.txt -> out\.txt: 4 lines \(21 B\), ascending\n.*lines\/s\n$/s);
    const { stdout } = await work.onCpu(["words.txt", "-o", "out.txt", "-r", "--json", "-q"]);
    const summary = JSON.parse(stdout.toString());
    expect(summary).toMatchObject({ type: "line", itemBytes: 0, keyCount: 4, bytes: 21, descending: true });
    expect((await work.read("out.txt")).toString()).toBe("pear\nfig\napple\nApple\n");
  });

  it("have all their keys in the summary", async () => {
    const keys = ["-t,", "-k2,2nr", "-k1,1"];
    const { stderr } = await work.onCpu(["sales.csv", "-o", "out.csv", ...keys]);
    expect(stderr).toContain(", by field 2 as a decimal number, descending, then by field 1\n");
  });

  it("have a default output beside the input", async () => {
    expect((await work.onCpu(["words.txt", "-q", "--force"])).code).toBe(0);
    expect((await work.read("words.sorted.txt")).toString()).toBe("Apple\napple\nfig\npear\n");
  });

  it("keep their header, which is not sorted", async () => {
    await work.write("one.csv", "name,n\nb,2\na,1\n");
    await work.write("two.csv", "name,n\nc,0");
    expect(await sorted("one.csv", "two.csv", "--header", "-t,", "-k2,2nr")).toBe("name,n\nb,2\na,1\nc,0\n");
    await work.write("other.csv", "price\nc,0");
    const { code, stderr } = await work.onCpu(["one.csv", "other.csv", "--header", "-o", "out"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/one\.csv .* other\.csv .*\(--header\)\n$/s)]);
  });

  it("can be replaced by their sorted form", async () => {
    await work.write("same.csv", "b\na\n");
    expect((await work.onCpu(["same.csv", "-o", "same.csv", "-q"])).code).toBe(0);
    expect((await work.read("same.csv")).toString()).toBe("a\nb\n");
  });

  it("are told by their numbers, from 0, in text or as u32", async () => {
    await work.write("fruit.csv", "name,n\nfig,2\npear,1\nkiwi,10\nplum,1\n");
    const run = async (...args: string[]) => {
      const { code, stderr } = await work.onCpu(["fruit.csv", "--header", "--argsort", "-q", ...args]);
      expect([code, stderr]).toEqual([0, ""]);
    };
    await run("-t,", "-k2,2n", "-o", "order");
    expect((await work.read("order")).toString()).toBe("1\n3\n0\n2\n");
    await run("--by", "n:desc,name:desc", "-o", "order.u32");
    expect([...(await work.read("order.u32"))]).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0]);
    await run("-t,", "-k2,2n", "-u", "--head", "2", "--force");
    expect((await work.read("fruit.argsort.txt")).toString()).toBe("1\n0\n");
    await run("-t,", "-k2,2n", "-o", "order.npy");
    expect((await work.read("order.npy")).subarray(-16)).toEqual(
      Buffer.from(Uint32Array.of(1, 3, 0, 2).buffer),
    );
    await run("-t,", "-k2,2n", "--to", "raw", "-o", "raw");
    expect((await work.read("raw")).length).toBe(16);
  });

  it("of sorted files are merged", async () => {
    await work.write("a.log", "a 1\nc 1\n");
    await work.write("b.log", "a 2\nb\n");
    const { code, stderr } = await work.onCpu(["-m", "b.log", "a.log", "-k1,1", "-o", "out", "--explain"]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("a merge of 2 sorted inputs, as they are read\n"),
    ]);
    expect((await work.read("out")).toString()).toBe("a 2\na 1\nb\nc 1\n");
    const few = await work.onCpu(["-m", "b.log", "b.log", "--threads", "2", "-o", "few", "--explain"]);
    expect(few.stderr).toContain("CPU, on one thread"); // few whole rows: it would wait for the other one
    await work.write("down.log", "b\na\n");
    const down = await work.onCpu([
      "-mr",
      "down.log",
      "down.log",
      "--threads",
      "2",
      "-o",
      "few",
      "--explain",
    ]);
    expect(down.stderr).toContain("CPU, on one thread");
    const refused = await work.onCpu(["-m", "b.log", "a.log", "-r", "-o", "none"]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^gpusort: cannot merge b\.log: its row 2 is not in order\n .* \(--merge\)\n$/s),
    ]);
  });

  it("are explained in words", async () => {
    const { stderr } = await work.onCpu(["sales.csv", "-o", "out", "-t,", "-k2,2nr", "-k1", "--explain"]);
    expect(stderr).toContain(
      [
        "lines by field 2 as a decimal number, descending, then by the whole line;",
        "fields are separated by ','; lines with equal keys keep their order\n",
      ].join(" "),
    );
  });
});

describe("what does not fit lines is refused:", () => {
  it.each([
    [
      ["sales.csv", "--argsort", "--to", "lines"],
      /^gpusort: indices cannot be written as lines: sales\.csv\n {2}write raw, npy or text/,
    ],
    [["sales.csv", "--argsort", "-o", "out.f64"], /^gpusort: the output out\.f64 is named for f64 keys/],
    [
      ["sales.csv", "--to", "npy"],
      /^gpusort: lines cannot be written as npy: sales\.csv\n {2}write lines or csv/,
    ],
    [
      ["sales.csv", "--blank-lines", "skip", "--format", "lines"],
      /^gpusort: a choice about blank lines does not/,
    ],
    [
      ["sales.csv", "-o", "out.npy"],
      /^gpusort: the output out\.npy is named for a NumPy array, but would hold lines/,
    ],
    [
      ["sales.csv", "-o", "out.u32"],
      /^gpusort: the output out\.u32 is named for u32 keys, but would hold lines/,
    ],
    [
      ["sales.csv", "-o", "out.PARQUET"],
      /^gpusort: sales\.csv is a table, so the columns to sort by must be named/,
    ],
    [["sales.csv", "-o", "out.arrow.gz"], /^gpusort: the output out\.arrow\.gz is named for an Arrow file/],
    [
      ["numbers.txt", "-o", "out.u32"],
      /would hold [a-z0-9]+ keys\n {2}name the type of its keys, such as u32; .* \(--type, --output, --to\)\n$/,
    ],
    [["sales.csv", "-o", "out.xlsx"], /^gpusort: the output out\.xlsx is named for an Office document/],
    [
      ["keys.u32", "-o", "out.npz"],
      /^gpusort: the output out\.npz is named for an \.npz file, but would hold u32/,
    ],
    [["keys.u32", "-o", "out.feather"], /^gpusort: the output out\.feather is named for an Arrow file/],
    [
      ["keys.u32", "-n"],
      /^gpusort: keys of lines do not apply to keys\.u32: it is read as raw\n.*\(--numeric-sort, --format\)\n$/,
    ],
    [["keys.u32", "--sort", "month", "-k2"], /\(--key, --sort, --format\)\n$/],
    [["keys.u32", "-V"], /\(--version-sort, --format\)\n$/],
    [["verify", "--combine"], /^gpusort: --combine needs summaries, and no file is named\n/],
    [["keys.u32", "-k2"], /^gpusort: keys of lines do not apply to keys\.u32: it is read as raw/],
    [["keys.u32", "-k2", "--format", "raw"], /^gpusort: keys of lines do not apply to the format raw/],
    [
      ["keys.u32", "-k2", "--record", "4"],
      /^gpusort: --key '2' is not a key of a record\n {2}write OFFSET:BYTES/,
    ],
    [["keys.u32", "-n", "--record", "4"], /^gpusort: --record cannot be used with --numeric-sort/],
    [
      ["keys.u32", "-t,", "--argsort"],
      /^gpusort: keys of lines do not apply to keys\.u32.*\n.*\(--field-separator, --format\)\n$/,
    ],
    [["keys.u32", "-n", "-t", "u32"], /^gpusort: --type cannot be used with --numeric-sort/],
    [
      ["keys.u32", "-s", "--algorithm", "bitonic"],
      /^gpusort: --stable cannot be used with --algorithm bitonic/,
    ],
    [
      ["keys.u32", "-o", "out.csv"],
      /^gpusort: the output out\.csv is named for lines of text, but would hold u32/,
    ],
    [
      ["keys.u32", "--record", "4", "-o", "out.npy"],
      /^gpusort: the output out\.npy is named for a NumPy array/,
    ],
    [["keys.u32", "--record", "4", "-o", "out.f64"], /^gpusort: the output out\.f64 is named for f64 keys/],
    [["keys.u32", "--to", "lines", "-o", "out"], /^gpusort: numbers cannot be written as lines/],
    [["verify", "sales.csv", "-n", "-t", "u32"], /^gpusort: --type cannot be used with --numeric-sort/],
    [["verify", "sales.csv", "--invalid", "last"], /^gpusort: --invalid has no effect without --by/],
    [["verify", "keys.u32", "-k2"], /^gpusort: keys of lines do not apply to keys\.u32/],
    [["verify", "--combine", "-n", "sales.csv"], /^gpusort: --numeric-sort cannot be used with --combine/],
    [["--files0-from", "none", "sales.csv"], /^gpusort: --files0-from names the files, so sales\.csv cannot/],
    [["--files0-from", "none"], /^gpusort: --files0-from none names no files/],
    [["--files0-from", "gone"], /^gpusort: --files0-from gone cannot be read: ENOENT/],
    [["verify", "--combine", "gone"], /^gpusort: --combine gone cannot be read: ENOENT/],
    [["--files0-from", "wrong"], /^gpusort: --files0-from wrong: name 2 is empty/],
    [
      ["sales.csv", "--threads", "1", "--parallel", "2"],
      /^gpusort: --parallel cannot be used with --threads/,
    ],
    [["sales.csv", "--sort=random"], /^gpusort: --sort 'random' is not an order of lines/],
  ])("%j", async (args, message) => {
    await work.write("keys.u32", Buffer.alloc(8));
    await work.write("none", "");
    await work.write("wrong", "sales.csv\0\0");
    const before = await work.names();
    const onCpu = args[0] === "verify" ? args : [...args, "--device", "cpu"];
    const { code, stderr } = await work.run(onCpu);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await work.names()).toEqual(before);
  });

  it("but a format that is named is written under any name", async () => {
    for (const args of [
      ["sales.csv", "--to", "lines", "-o", "lines.npy"],
      ["keys.u32", "--to", "raw", "-o", "raw.csv"],
      ["keys.u32", "--record", "4", "--to", "records", "-o", "records.npy"],
      ["numbers.txt", "-t", "f64", "-o", "numbers.csv"],
    ]) {
      expect([args, (await work.onCpu([...args, "-q"])).stderr]).toEqual([args, ""]);
    }
    expect((await work.read("numbers.csv")).toString()).toBe("-1.5\n7\n9\n10\n10\n");
  });
});
