import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../../src/commands/program.js";
import { type LineArguments, moveSeparator, parseRowOrder } from "../../../src/commands/sort/line_keys.js";
import { InputError } from "../../../src/core/errors.js";
import { runGnu, withGnuSort } from "../../support/gnu_sort.js";

/** The order that a command line means. */
function orderOf(...words: string[]) {
  const program = createProgram();
  const sort = program.commands.find((command) => command.name() === "sort")!;
  sort.action(() => {}).exitOverride();
  sort.parse(words, { from: "user" });
  moveSeparator(sort);
  return parseRowOrder(sort.opts<LineArguments>());
}

const whole = { field: 0, offset: 0 };

it("is a key of records if their length is given", () => {
  expect(() => parseRowOrder({ record: "10", key: ["0"] })).toThrow("--key '0' is not a key of a record");
});

describe("the keys of sort(1)", () => {
  it.each([
    [["-k", "2"], { begin: { field: 1, offset: 0 }, compare: "bytes" }],
    [["-k2,2"], { begin: { field: 1, offset: 0 }, end: { field: 1 }, compare: "bytes" }],
    [["--key=2.3,4.5"], { begin: { field: 1, offset: 2 }, end: { field: 3, bytes: 5 }, compare: "bytes" }],
    [["-k1.2,1.0n"], { begin: { field: 0, offset: 1 }, end: { field: 0 }, compare: "decimal" }],
    [["-k3nr"], { begin: { field: 2, offset: 0 }, compare: "decimal", descending: true }],
    [
      ["-k3r,3n"],
      { begin: { field: 2, offset: 0 }, end: { field: 2 }, compare: "decimal", descending: true },
    ],
    [["-k1g"], { begin: whole, compare: "float" }],
    [["-k1h"], { begin: whole, compare: "human" }],
    [["-k1Mf"], { begin: whole, compare: "month" }],
    [["-k1df"], { begin: whole, compare: "bytes", foldCase: true, ignore: "punctuation" }],
    [["-k1i"], { begin: whole, compare: "bytes", ignore: "nonprinting" }],
    [["-k1id"], { begin: whole, compare: "bytes", ignore: "punctuation" }],
    [["-k1V"], { begin: whole, compare: "natural" }],
    [["-k1Vf"], { begin: whole, compare: "natural", foldCase: true }],
    [["-k1diV"], { begin: whole, compare: "natural", ignore: "punctuation" }],
    [["-k1b,2"], { begin: { ...whole, skipBlanks: true }, end: { field: 1 }, compare: "bytes" }],
    [["-k1,2.3b"], { begin: whole, end: { field: 1, bytes: 3, skipBlanks: true }, compare: "bytes" }],
    [["-k99999999999999999999"], { begin: { field: 2 ** 31 - 2, offset: 0 }, compare: "bytes" }],
  ])("%j", (words, key) => {
    expect(orderOf(...words)).toEqual({ terminator: 10, separator: undefined, quotes: false, keys: [key] });
  });

  it("inherit options of the command line only if they have no letters of their own", () => {
    expect(orderOf("-nr", "-k2", "-k3b", "-k4r")?.keys).toEqual([
      { begin: { field: 1, offset: 0 }, compare: "decimal", descending: true },
      { begin: { field: 2, offset: 0, skipBlanks: true }, compare: "bytes" },
      { begin: { field: 3, offset: 0 }, compare: "bytes", descending: true },
    ]);
    expect(orderOf("-b", "-k1.2,2.3")?.keys).toEqual([
      {
        begin: { field: 0, offset: 1, skipBlanks: true },
        end: { field: 1, bytes: 3, skipBlanks: true },
        compare: "bytes",
      },
    ]);
  });

  it.each([
    [["-n"], { begin: whole, compare: "decimal" }],
    [["-rn"], { begin: whole, compare: "decimal", descending: true }],
    [["-g"], { begin: whole, compare: "float" }],
    [["--human-numeric-sort"], { begin: whole, compare: "human" }],
    [["-M"], { begin: whole, compare: "month" }],
    [["-V"], { begin: whole, compare: "natural" }],
    [["--version-sort", "-r"], { begin: whole, compare: "natural", descending: true }],
    [["--sort=version"], { begin: whole, compare: "natural" }],
    [["-fd"], { begin: whole, compare: "bytes", foldCase: true, ignore: "punctuation" }],
    [["-b"], { begin: { ...whole, skipBlanks: true }, compare: "bytes" }],
    [["--sort=general-numeric"], { begin: whole, compare: "float" }],
    [["-r", "-z"], { begin: whole, compare: "bytes", descending: true }],
  ])("%j without a key is a key of whole lines", (words, key) => {
    expect(orderOf(...words)?.keys).toEqual([key]);
  });

  it("are none if only options are given that numbers have too", () => {
    for (const words of [[], ["-r"], ["-u"], ["-s"], ["-t", "u32"], ["--key", "0:10"], ["-m"], ["-c"]]) {
      expect([words, orderOf(...words)]).toEqual([words, undefined]);
    }
    expect(orderOf("-z")).toEqual({ terminator: 0, separator: undefined, quotes: false, keys: [] });
  });

  it("may follow other letters in one word", () => {
    const key = { begin: { field: 1, offset: 0 }, end: { field: 1 }, compare: "decimal" };
    expect(orderOf("-t,", "-k2,2n")).toMatchObject({ separator: 44, keys: [key] });
    expect(orderOf("-rnk2,2")?.keys).toEqual([{ ...key, descending: true }]);
    expect(orderOf("-snt:")).toMatchObject({ separator: 58, keys: [{ compare: "decimal" }] });
    expect(orderOf("-zt", "-", "-k2")).toMatchObject({ separator: 45, terminator: 0 });
  });
});

describe("the separator", () => {
  it.each([
    [",", 44],
    ["\t", 9],
    ["\\t", 9],
    ["\\0", 0],
    ["\\", 92],
    ["-", 45],
  ])("%j is the byte %i", (text, byte) => {
    expect(orderOf("-t", text)?.separator).toBe(byte);
    expect(orderOf("--field-separator", text)?.separator).toBe(byte);
  });

  it.each([
    [["-t", "ab"], "or, to separate the fields of lines, one byte"],
    [["-t", ""], "or, to separate the fields of lines, one byte"],
    [["-t", "é"], "or, to separate the fields of lines, one byte"],
    [["-t", "double"], "did you mean f64?"],
    [["--field-separator", "ab"], "one character of ASCII"],
    [["--field-separator", ""], "one character of ASCII"],
    [["-t,", "--field-separator", ";"], "leave one of them out"],
    [["-t,", "-t;"], "one separator"],
    [["-t,", "-t", "u8"], "or one type"],
  ])("%j is refused", (words, hint) => {
    expect(() => orderOf(...words)).toThrow(
      expect.objectContaining({ name: "InputError", hint: expect.stringContaining(hint) }),
    );
  });
});

describe("keys that are wrong", () => {
  it.each([
    ["0", "fields are counted from 1"],
    ["1,0", "fields are counted from 1"],
    ["1.0", "bytes are counted from 1"],
    ["1.", "a point is followed by the number of a byte"],
    ["x", "no pair of positions"],
    ["", "no pair of positions"],
    ["1,", "no pair of positions"],
    ["-1", "no pair of positions"],
    ["1x", "there is no letter x"],
    ["2,2R", "gpusort has no order R"],
  ])("'%s' are refused", (text, why) => {
    expect(() => orderOf("--key", text)).toThrow(
      expect.objectContaining({ name: "InputError", message: expect.stringContaining(why) }),
    );
  });

  it("are refused beside keys of records", () => {
    expect(() => orderOf("-k1", "-k", "0:4")).toThrow(
      "'0:4' is a key of records, but --key '1' is one of lines",
    );
  });

  it.each(["-n", "-b", "-z", "-t,", "--sort=version", "-rV"])(
    "of records are refused beside %s",
    (option) => {
      expect(() => orderOf(option, "-k", "1:2")).toThrow("'1:2' is a key of records, but other options");
      expect(orderOf("-r", "-k", "1:2")).toBeUndefined();
    },
  );

  it("are refused if their letters cannot be combined", () => {
    expect(() => orderOf("-n", "-d")).toThrow("-n and -d cannot be combined");
    expect(() => orderOf("-k2nM")).toThrow("--key '2nM': -M and -n cannot be combined");
    expect(() => orderOf("-k2,2Vh")).toThrow("--key '2,2Vh': -h and -V cannot be combined");
    expect(() => orderOf("--sort", "random")).toThrow("--sort 'random' is not an order of lines");
  });

  const letters = fc.array(fc.constantFrom(..."bdfghiMnrVx"), { maxLength: 3 }).map((some) => some.join(""));
  const number = fc.constantFrom("", "0", "1", "2", "12");
  const position = fc
    .tuple(
      number,
      fc.option(
        number.map((text) => `.${text}`),
        { nil: "" },
      ),
      letters,
    )
    .map((parts) => parts.join(""));
  const key = fc.oneof(
    position,
    fc.tuple(position, position).map((both) => both.join(",")),
  );

  withGnuSort.it("are those that GNU sort refuses", () => {
    fc.assert(
      fc.property(
        key,
        fc.subarray(["-b", "-d", "-f", "-g", "-i", "-M", "-n", "-r", "-V"]),
        (text, globals) => {
          const args = [...globals, `-k${text}`];
          const { status, stderr } = runGnu(args, Buffer.alloc(0));
          let mine = 0;
          try {
            if (text === "") throw new InputError("commander takes the next word");
            orderOf(...args);
          } catch (error) {
            if (!(error instanceof InputError)) throw error;
            mine = 2;
          }
          expect([args, mine]).toEqual([args, stderr.includes("requires an argument") ? 2 : status]);
        },
      ),
      { numRuns: 250 },
    );
  });
});
