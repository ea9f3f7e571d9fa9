import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { elementType } from "../src/core/elements.js";
import { npyHeader } from "../src/formats/npy_header.js";
import { Workplace } from "./support/command.js";

const places: Workplace[] = [];
afterAll(() => Promise.all(places.map((place) => place.remove())));
let work: Workplace;
beforeEach(async () => {
  work = await Workplace.create();
  places.push(work);
});

const keys = Uint32Array.from({ length: 3000 }, (_, i) => Math.imul(i % 2000, 0x9e3779b1) >>> 12);
const sorted = keys.slice().sort();
const distinct = Uint32Array.from(new Set(sorted));
const bytes = (array: ArrayBufferView) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
const npyFile = (array: Uint32Array) =>
  Buffer.concat([npyHeader(elementType("u32"), "little", 1, array.length), bytes(array)]);
const big = (array: Uint32Array) => Buffer.from(bytes(array)).swap32();
const lines = (array: ArrayLike<number>) => `${Array.from(array).join("\n")}\n`;

describe("gpusort of several files", () => {
  it("sorts all keys together", async () => {
    await work.write("a.u32", bytes(keys.subarray(0, 1000)));
    await work.write("b.npy", npyFile(keys.subarray(1000, 1003)));
    await work.write("c.u32", bytes(keys.subarray(1003)));
    const { code, stderr } = await work.onCpu(["a.u32", "b.npy", "c.u32", "-o", "all.u32"]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("a.u32 and 2 more -> all.u32: 3,000 u32 keys"),
    ]);
    expect((await work.read("all.u32")).equals(bytes(sorted))).toBe(true);
  });

  it("reads standard input as one of them, and refuses to read it twice", async () => {
    await work.write("a.u32", bytes(keys.subarray(0, 1000)));
    const { code, stdout } = await work.onCpu(
      ["a.u32", "-", "-t", "u32", "-o", "-", "-q"],
      bytes(keys.subarray(1000)),
    );
    expect(code).toBe(0);
    expect(stdout.equals(bytes(sorted))).toBe(true);
    expect((await work.onCpu(["-", "-", "-o", "-"], "")).stderr).toContain("standard input is named twice");
  });

  it("refuses files of different types, and names them", async () => {
    await work.write("a.u32", bytes(keys));
    await work.write("b.f32", bytes(keys));
    const { code, stderr } = await work.onCpu(["a.u32", "b.f32", "-o", "c"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^gpusort: a\.u32 holds u32 keys, but b\.f32 holds f32 keys\n/),
    ]);
    expect(await work.names()).toEqual(["a.u32", "b.f32"]);
  });
});

describe("formats", () => {
  it.each([
    [
      "big-endian keys after a header",
      ["in.bin", "--byte-order", "big", "--skip-bytes", "5"],
      Buffer.concat([Buffer.from("hello"), big(keys)]),
      big(sorted),
    ],
    ["a .npy file, recognized by its first bytes,", ["in.bin"], npyFile(keys), npyFile(sorted)],
    ["text", ["in.bin", "--format", "text", "-t", "u32"], lines(keys), Buffer.from(lines(sorted))],
  ] as const)("%s: the output has the input's format", async (_, args, input, expected) => {
    await work.write("in.bin", input);
    expect(await work.onCpu([...args, "-o", "out.bin", "-q"])).toMatchObject({ code: 0, stderr: "" });
    expect((await work.read("out.bin")).equals(expected)).toBe(true);
  });

  it("indices of big-endian keys are little-endian, as a file that is named .u32 is", async () => {
    await work.write("in.bin", big(keys));
    const args = ["in.bin", "-t", "u32", "--byte-order", "big", "--argsort", "-o", "order.u32", "-q"];
    expect(await work.onCpu(args)).toMatchObject({ code: 0, stderr: "" });
    const order = [...keys.keys()].sort((a, b) => keys[a]! - keys[b]! || a - b);
    const indices = new Uint32Array(new Uint8Array(await work.read("order.u32")).buffer);
    expect([...indices]).toEqual(order);
  });

  it.each([
    ["out.npy", [], npyFile(sorted)],
    ["out.txt", [], Buffer.from(lines(sorted))],
    ["out.u32", [], bytes(sorted)],
    ["out.txt", ["--to", "raw"], bytes(sorted)],
    ["-", ["--to", "npy"], npyFile(sorted)],
  ] as const)(
    "the output's format follows from its name, %s, unless --to says otherwise: %j",
    async (name, args, expected) => {
      await work.write("keys.u32", bytes(keys));
      const { code, stdout } = await work.onCpu(["keys.u32", "-o", name, "-q", ...args]);
      expect(code).toBe(0);
      expect((name === "-" ? stdout : await work.read(name)).equals(expected)).toBe(true);
    },
  );

  it("pass through pipes of unknown length, also .npy, whose header holds the length", async () => {
    expect((await work.onCpu(["-", "-q"], npyFile(keys))).stdout.equals(npyFile(sorted))).toBe(true);
    expect((await work.onCpu(["-", "-q", "-u"], npyFile(keys))).stdout.equals(npyFile(distinct))).toBe(true);
    const text = await work.onCpu(["-", "-q", "--format", "text", "-t", "u32", "--to", "npy"], lines(keys));
    expect(text.stdout.equals(npyFile(sorted))).toBe(true);
  });

  it("refuse a line of text that is not a number where an option says that all are, and write nothing", async () => {
    await work.write("n.txt", "3\n2\nx\n");
    for (const [options, message] of [
      [["-t", "i64"], "n.txt, line 3: 'x' is not a number of type i64 "],
      [
        ["--format", "text"],
        "n.txt: line 3 is no number: 'x'\n  name the format lines, which sorts lines as text (--format)\n",
      ],
    ] as const) {
      const { code, stderr } = await work.onCpu(["n.txt", ...options]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`gpusort: ${message}`)]);
      expect(await work.names()).toEqual(["n.txt"]);
    }
    await work.write("n.txt", Buffer.from("1\xa0000\n", "latin1"));
    const latin1 = await work.onCpu(["n.txt", "--format", "text"]);
    expect(latin1.stderr).toContain("gpusort: n.txt: line 1 is no number: '1\\xa0000'\n");
    await work.write("n.txt", `3\n\n${"x".repeat(50)}\n`);
    const blank = await work.onCpu(["n.txt", "--format", "text"]);
    expect(blank.stderr).toContain("gpusort: n.txt: line 2 is blank, and no number\n");
    const checked = await work.run(["-c", "n.txt", "--format", "text"]);
    expect([checked.code, checked.stderr]).toEqual([2, expect.stringContaining("n.txt: line 2 is blank")]);
    expect((await work.onCpu(["n.txt", "-q", "--format", "lines"])).code).toBe(0);
  });

  it("move lines of numbers as they are, in the order of the numbers if all lines are some", async () => {
    const numbers = "10\r\n00501\n+7\n1e1\n-inf\n\n123456789012345678901\n123456789012345678900\n";
    await work.write("n.txt", numbers);
    const sorted = "-inf\n+7\n10\r\n1e1\n00501\n123456789012345678900\n123456789012345678901\n\n";
    expect(await work.onCpu(["n.txt", "-q", "-o", "out.txt"])).toMatchObject({ code: 0, stderr: "" });
    expect((await work.read("out.txt")).toString()).toBe(sorted);
    const piped = await work.onCpu(["-q"], numbers);
    expect(piped.stdout.toString()).toBe(sorted);
    expect((await work.run(["-c", "out.txt"])).code).toBe(0);
    expect((await work.run(["-c", "n.txt"])).code).toBe(1);
  });

  it("sort lines as text if one of them is no number, wherever it is, and say which", async () => {
    const numbers = `${Array.from({ length: 30_000 }, (_, i) => 30_000 - i).join("\n")}\nN/A\n5\n`;
    await work.write("n.txt", numbers);
    const { code, stderr } = await work.onCpu(["n.txt", "-o", "out.txt"]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("as line 30001 of n.txt is no number: 'N/A'"),
    ]);
    const expected = numbers.trimEnd().split("\n").sort().join("\n");
    expect((await work.read("out.txt")).toString()).toBe(`${expected}\n`);
    const piped = await work.onCpu(["-q", "-S", "64K"], numbers);
    expect(piped.stdout.toString()).toBe(`${expected}\n`);
  });
});

describe("a header line of text", () => {
  beforeEach(async () => {
    await work.write("a.txt", "delay\n3\n1\n");
    await work.write("b.txt", "delay\r\n2\r\n");
    await work.write("c.txt", "late\n2\n");
  });

  it.each([
    ["stays first in a text output", ["a.txt", "--header", "-o", "out"], "delay\n1\n3\n"],
    [
      "stays first with -u, --head and -r",
      ["a.txt", "--header", "-ur", "--head", "1", "-o", "out"],
      "delay\n3\n",
    ],
    ["of several files stays first", ["a.txt", "b.txt", "--header", "-o", "out"], "delay\n1\n2\r\n3\n"],
    ["is left out of indices", ["a.txt", "--header", "--argsort", "-o", "out"], "1\n0\n"],
    ["is left out of raw keys", ["a.txt", "--header", "-t", "u8", "--to", "raw", "-o", "out"], "\x01\x03"],
  ])("%s", async (_, args, expected) => {
    expect(await work.onCpu([...args, "-q"])).toMatchObject({ code: 0, stderr: "" });
    expect((await work.read("out")).toString()).toBe(expected);
  });

  it("is left out of a .npy file", async () => {
    expect(await work.onCpu(["a.txt", "--header", "-t", "u32", "-q", "-o", "o.npy"])).toMatchObject({
      code: 0,
    });
    expect((await work.read("o.npy")).equals(npyFile(Uint32Array.of(1, 3)))).toBe(true);
  });

  it("passes through a pipe, and is left out by verify and --check", async () => {
    const piped = await work.onCpu(["-", "--format", "text", "--header", "-q"], "n\n2\n1\n");
    expect([piped.code, piped.stdout.toString()]).toEqual([0, "n\n1\n2\n"]);
    const verified = await work.run(["verify", "a.txt", "--header", "--json"]);
    expect(JSON.parse(verified.stdout.toString())).toMatchObject({ count: 2, inversions: 1 });
    expect(await work.run(["-c", "a.txt", "--header"])).toMatchObject({
      code: 1,
      stderr:
        "gpusort: a.txt:3: not in order: '1'\n  rows are compared by the number on each line (guessed)\n",
    });
  });

  it.each([
    [["a.txt", "c.txt", "--header", "-o", "out"], "a.txt and c.txt differ in their header lines"],
    [["a.txt", "-t", "i8", "-o", "o"], "a.txt, line 1: 'delay' is not a number of type i8"],
    [["k.u32", "--header"], "a header line does not apply to k.u32: it is read as raw keys"],
    [["k.u32", "--blank-lines", "skip"], "a choice about blank lines does not apply to k.u32: it is read as"],
    [
      ["k.u32", "--text-overflow", "inf"],
      "a choice about numbers that are too large does not apply to k.u32",
    ],
    [["a.txt", "--blank-lines", "keep"], "what to do with blank lines cannot be 'keep'"],
  ])("is refused: %j", async (args, message) => {
    await work.write("k.u32", bytes(keys));
    const { code, stderr } = await work.onCpu(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`gpusort: ${message}`)]);
    expect(stderr).toMatch(/ \(--\S.*\)\n$/);
  });
});

describe("the other options of text", () => {
  it("skip blank lines, after which --check names keys instead of lines", async () => {
    await work.write("n.txt", "\n3\n\n1\n\n");
    expect(await work.onCpu(["n.txt", "--blank-lines", "skip", "-q", "-o", "out"])).toMatchObject({
      code: 0,
    });
    expect((await work.read("out")).toString()).toBe("1\n3\n");
    const checked = await work.run(["-c", "n.txt", "--blank-lines", "skip"]);
    expect(checked.stderr).toBe("gpusort: n.txt: key 1 is out of order: 1 after 3\n");
    const typed = await work.onCpu(["n.txt", "-t", "i32"]);
    expect(typed.stderr).toMatch(/, or skip blank lines \(--blank-lines\)\n$/);
  });

  it("read numbers that are too large as infinities", async () => {
    await work.write("n.txt", "1e400\n-1e400\n0\n");
    const refused = await work.onCpu(["n.txt", "-t", "f64"]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/'1e400' .* \(--text-overflow\)\n$/s),
    ]);
    const read = await work.onCpu(["n.txt", "-t", "f64", "--text-overflow", "inf", "-q", "-o", "out"]);
    expect(read.code).toBe(0);
    expect((await work.read("out")).toString()).toBe("-inf\n0\ninf\n");
  });
});

describe("the output", () => {
  beforeEach(() => work.write("keys.u32", bytes(keys)));

  it.each([
    ["-u", ["-u"], distinct],
    ["--head", ["--head", "7"], sorted.slice(0, 7)],
    ["--head of more keys than there are", ["--head", "5000"], sorted],
    ["-r --head", ["-r", "--head", "7"], sorted.slice().reverse().slice(0, 7)],
    ["-u --head", ["-u", "--head", "7"], distinct.slice(0, 7)],
    ["-u in little memory", ["-u", "-S", "2K"], distinct],
    ["--head in little memory", ["--head", "70", "-S", "2K"], sorted.slice(0, 70)],
    ["all in little memory", ["-S", "2K"], sorted],
    ["all in little memory, descending", ["-S", "2000b", "-r"], sorted.slice().reverse()],
  ] as const)("is right with %s", async (_, args, expected) => {
    const { code, stderr } = await work.onCpu(["keys.u32", "-o", "out.u32", ...args]);
    expect(code).toBe(0);
    expect((await work.read("out.u32")).equals(bytes(expected))).toBe(true);
    if (expected.length < 3000)
      expect(stderr).toContain(`, ${expected.length.toLocaleString("en-US")} written\n`);
    const piped = await work.onCpu(["-", "-t", "u32", ...args, "-q"], bytes(keys));
    expect(piped.stdout.equals(bytes(expected))).toBe(true);
  });

  it.each([
    [["--head", "0"], /^gpusort: --head '0'/],
    [["-S", "much"], /^gpusort: --memory 'much' is not an amount of memory\n/],
    [["-S", "0"], /^gpusort: --memory '0'/],
    [["-S", "2K", "-T", "none"], /^gpusort: cannot keep temporary files in none: ENOENT/],
  ])("is not written for the invalid options %j", async (args, message) => {
    const { code, stderr } = await work.onCpu(["keys.u32", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await work.names()).toEqual(["keys.u32"]);
  });

  it("may be the input itself, also in little memory", async () => {
    expect((await work.onCpu(["keys.u32", "-o", "keys.u32", "-S", "2K"])).code).toBe(0);
    expect((await work.read("keys.u32")).equals(bytes(sorted))).toBe(true);
    expect(await work.names()).toEqual(["keys.u32"]);
  });
});

describe("gpusort --merge", () => {
  it.each([[], ["-S", "2K"]])("merges sorted files: %j", async (...args) => {
    await work.write("a.u32", bytes(keys.slice(0, 900).sort()));
    await work.write("b.u32", bytes(keys.slice(900).sort()));
    const { code, stderr } = await work.onCpu(["-m", "a.u32", "b.u32", "-o", "all.u32", ...args]);
    expect([code, /temporary files/.test(stderr)]).toEqual([0, false]);
    expect((await work.read("all.u32")).equals(bytes(sorted))).toBe(true);
  });

  it("refuses files that are not sorted", async () => {
    await work.write("a.u32", bytes(keys.slice(0, 1500)));
    await work.write("b.u32", bytes(keys.slice(1500).sort()));
    const { code, stderr } = await work.onCpu(["-m", "a.u32", "b.u32", "-o", "all.u32", "-S", "2K"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("cannot merge a.u32 and 1 more: not all inputs are sorted\n  check each input"),
    ]);
    expect(await work.names()).toEqual(["a.u32", "b.u32"]);
  });
});

describe("gpusort --check", () => {
  it("exits with 0 and prints nothing if the keys are in order", async () => {
    await work.write("keys.u32", bytes(sorted));
    expect(await work.run(["-c", "keys.u32"])).toMatchObject({ code: 0, stderr: "" });
    expect(await work.run(["-c", "-", "-t", "u32"], bytes(sorted))).toMatchObject({ code: 0, stderr: "" });
    await work.write("down.u32", bytes(sorted.slice().reverse()));
    expect(await work.run(["-c", "-r", "down.u32"])).toMatchObject({ code: 0, stderr: "" });
    await work.write("distinct.u32", bytes(distinct));
    expect(await work.run(["-c", "-u", "distinct.u32"])).toMatchObject({ code: 0, stderr: "" });
    expect(await work.run(["-c", "distinct.u32", "distinct.u32"])).toMatchObject({ code: 1 });
  });

  it("exits with 1 and prints the first key that is out of order", async () => {
    await work.write("keys.i32", bytes(Int32Array.of(1, 2, 2, -5, 3)));
    const check = async (...args: string[]) => {
      const { code, stdout, stderr } = await work.run(["-c", ...args]);
      expect([code, stdout.toString()]).toEqual([1, ""]);
      return stderr;
    };
    expect(await check("keys.i32")).toBe("gpusort: keys.i32: key 3 is out of order: -5 after 2\n");
    expect(await check("keys.i32", "-u")).toBe("gpusort: keys.i32: key 2 is a duplicate: 2\n");
    expect(await check("keys.i32", "-r")).toBe("gpusort: keys.i32: key 1 is out of order: 2 after 1\n");
    expect(await check("keys.i32", "-q")).toBe("");
    await work.write("two.bin", bytes(Uint16Array.of(3, 5, 3, 4, 3, 4)));
    const [first, second] = ["0:u16", "2:u16"].map((key) => ["--key", key]) as [string[], string[]];
    expect(await check("two.bin", "--record", "4", ...first, ...second)).toBe(
      "gpusort: two.bin: record 1 is out of order: 4 after 5\n",
    );
    expect(await check("two.bin", "--record", "4", ...first, "-u")).toBe(
      "gpusort: two.bin: record 1 is a duplicate: 3\n",
    );
    await work.write("n.txt", "1.5\n-inf\n");
    expect(await check("n.txt", "-t", "f64")).toBe(
      "gpusort: n.txt: line 2 is out of order: -inf after 1.5\n",
    );
  });

  it("exits with 2 if the input cannot be read", async () => {
    expect((await work.run(["-c", "none"])).code).toBe(2);
  });
});

describe("gpusort verify", () => {
  it("counts keys, and computes a checksum that does not depend on their order", async () => {
    await work.write("keys.u32", bytes(keys));
    await work.write("sorted.u32", bytes(sorted));
    const before = await work.run(["verify", "keys.u32", "--json"]);
    const after = await work.run(["verify", "sorted.u32", "--json"]);
    expect([before.code, after.code]).toEqual([1, 0]);
    const [a, b] = [JSON.parse(before.stdout.toString()), JSON.parse(after.stdout.toString())];
    expect(b).toMatchObject({
      type: "u32",
      order: "ascending",
      count: 3000,
      inversions: 0,
      firstInversion: null,
    });
    expect(b).toMatchObject({ duplicates: 3000 - distinct.length, checksum: a.checksum });
    expect(a.inversions).toBeGreaterThan(0);
    const text = (await work.run(["verify", "sorted.u32"])).stdout.toString();
    expect(text).toMatch(
      /^ {2}sorted\.u32 +u32 keys\n {2}count +3,000\n {2}in order +yes, ascending\n {2}duplicates +/,
    );
    expect(text).toContain(b.checksum);
  });

  it("combines the summaries of parts", async () => {
    await work.write("all.u32", bytes(sorted));
    for (const [name, from, to] of [
      ["a", 0, 1200],
      ["b", 1200, 1201],
      ["c", 1201, 3000],
    ] as const) {
      await work.write(`${name}.u32`, bytes(sorted.subarray(from, to)));
      await work.write(`${name}.json`, (await work.run(["verify", `${name}.u32`, "--json"])).stdout);
    }
    const whole = await work.run(["verify", "all.u32", "--json"]);
    const combined = await work.run(["verify", "--combine", "a.json", "b.json", "c.json", "--json"]);
    expect([combined.code, combined.stdout.toString()]).toEqual([0, whole.stdout.toString()]);
    const piped = await work.run(["verify", "--combine", "a.json", "-"], await work.read("b.json"));
    expect([piped.code, piped.stderr]).toEqual([0, ""]);
    const swapped = await work.run(["verify", "--combine", "b.json", "a.json", "--json"]);
    expect([swapped.code, JSON.parse(swapped.stdout.toString())]).toEqual([
      1,
      expect.objectContaining({ firstInversion: 0 }),
    ]);
    await work.write("d.json", "{}");
    const refused = await work.run(["verify", "--combine", "a.json", "d.json"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("d.json is not a summary")]);
  });
});

describe("gpusort verify --json", () => {
  it("tells keys as numbers, or as strings, and its parts combine to the whole", async () => {
    for (const [name, keys, ends] of [
      ["f64", Float64Array.of(-0, 1.5, Number.NaN), ["-0", "NaN"]],
      ["i64", BigInt64Array.of(-(2n ** 63n), 7n, 2n ** 63n - 1n), [`${-(2n ** 63n)}`, `${2n ** 63n - 1n}`]],
      ["f32", Float32Array.of(-Infinity, 0.1, 0.1), ["-Infinity", 0.1]],
      ["u16", Uint16Array.of(3, 2, 1), [3, 1]],
    ] as const) {
      const all = bytes(keys);
      await work.write(`all.${name}`, all);
      await work.write(`a.${name}`, all.subarray(0, keys.BYTES_PER_ELEMENT));
      await work.write(`b.${name}`, all.subarray(keys.BYTES_PER_ELEMENT));
      for (const part of ["a", "b"]) {
        await work.write(`${part}.json`, (await work.run(["verify", `${part}.${name}`, "--json"])).stdout);
      }
      const whole = await work.run(["verify", `all.${name}`, "--json"]);
      const { version, first, last } = JSON.parse(whole.stdout.toString());
      expect([version, first, last]).toEqual([2, ...ends]);
      const combined = await work.run(["verify", "--combine", "a.json", "b.json", "--json"]);
      expect([combined.code, combined.stdout.toString()]).toEqual([whole.code, whole.stdout.toString()]);
    }
  });
});

describe("gpusort gen", () => {
  it("makes the same keys for the same seed, whole or in parts, and others for other seeds", async () => {
    for (const [type, distribution] of [
      ["u32", "uniform"],
      ["i64", "sorted"],
      ["f32", "nan-laced"],
      ["u64", "zipf"],
    ] as const) {
      const gen = async (...args: string[]) => {
        const { code, stdout, stderr } = await work.run([
          "gen",
          ...args,
          "-o",
          "-",
          "-t",
          type,
          "--dist",
          distribution,
        ]);
        expect([code, stderr]).toEqual([0, ""]);
        return stdout;
      };
      const whole = await gen("1000");
      const parts = [
        await gen("600", "--total", "1000"),
        await gen("400", "--offset", "600", "--total", "1000"),
      ];
      expect(Buffer.concat(parts).equals(whole)).toBe(true);
      expect((await gen("1000")).equals(whole)).toBe(true);
      expect((await gen("1000", "--seed", "2")).equals(whole)).toBe(false);
    }
  });

  it("writes the format and type of the output's name, and does not replace a file", async () => {
    expect((await work.run(["gen", "10", "-o", "k.npy", "-t", "f64"])).code).toBe(0);
    expect((await work.read("k.npy")).subarray(1, 6).toString()).toBe("NUMPY");
    expect((await work.run(["gen", "10", "-o", "k.npy"])).stderr).toContain(
      "the output k.npy exists already",
    );
    expect((await work.run(["gen", "3", "-o", "k.txt", "-t", "i32"])).code).toBe(0);
    expect((await work.read("k.txt")).toString()).toMatch(/^(-?\d+\n){3}$/);
  });

  it.each([
    [["x"], /^gpusort: n 'x' is not a whole number from 1 to 2\^52\n/],
    [["10", "--dist", "gauss"], /^gpusort: unknown distribution 'gauss'\n {2}use one of uniform, /],
    [["10", "--dist", "nan-laced"], /^gpusort: u32 is not a float type/],
    [["10", "--offset", "5", "--total", "14"], /^gpusort: --offset 5 plus 10 keys is more than --total 14/],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await work.run(["gen", ...args, "-o", "k.u32"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await work.names()).toEqual([]);
  });
});
