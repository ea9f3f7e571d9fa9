import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ElementType, elementType, elementTypes } from "../../../src/core/elements.js";
import { keyElement, keyValue } from "../../../src/core/float16.js";
import { keyItem } from "../../../src/core/items/item.js";
import type { InputOptions } from "../../../src/formats/format.js";
import { keyText, lineParser } from "../../../src/formats/text/numbers.js";
import { text } from "../../../src/formats/text/text.js";
import { allItems, byteInput, byteOutput } from "../../support/bytes.js";

const floats = elementTypes.filter(({ order }) => order === "float");
const integers = elementTypes.filter(({ order }) => order !== "float");

/** The bytes of the keys that lines should hold; the message of the first wrong line if there is one. */
function expectedOf(lines: readonly string[], type: ElementType, options: InputOptions): Buffer | string {
  const parse = lineParser(type, options.textOverflow);
  const keys: (number | bigint)[] = [];
  for (const [i, line] of lines.entries()) {
    const number = line.replace(/\r$/, "").replace(/^[ \t]+|[ \t]+$/g, "");
    if (number === "" && options.blankLines === "skip") continue;
    const parsed = number === "" ? "is not a number of type" : parse(number);
    if (parsed === "is not a number of type" || parsed === "does not fit") return `n.txt, line ${i + 1}: `;
    keys.push(parsed);
  }
  return Buffer.from(new type.array(keys.map((key) => keyElement(key, type)) as never).buffer);
}

/** The same of the lines as they are read, `turnBytes` bytes of keys at a time. */
async function read(
  content: string,
  type: ElementType,
  options: InputOptions,
  turnBytes: number,
): Promise<Buffer | string> {
  const input = byteInput("n.txt", Buffer.from(content, "latin1"));
  try {
    const opened = await text.open(input, { ...options, type: type.name });
    return Buffer.from((await allItems(opened, turnBytes)).buffer);
  } catch (error) {
    return /^n\.txt, line \d+: /.exec((error as Error).message)?.[0] ?? (error as Error).message;
  }
}

async function expectParsed(lines: readonly string[], type: ElementType, options: InputOptions = {}) {
  const content = lines.map((line) => `${line}\n`).join("");
  const expected = expectedOf(lines, type, options);
  // All keys at once, and some at a time.
  for (const turnBytes of [8 * (lines.length + 1), lines.length > 1000 ? 8 * 701 : 8 * 7]) {
    const found = await read(content, type, options, turnBytes);
    if (typeof found === "string" || typeof expected === "string") expect(found).toBe(expected);
    else expect(Buffer.compare(found, expected), `${lines.slice(0, 100)}`).toBe(0);
  }
}

async function printed(keys: Uint8Array<ArrayBuffer>, type: ElementType): Promise<string[]> {
  const output = byteOutput(true);
  const sink = await text.create(output, keyItem(type), { format: "text", byteOrder: "little" }, undefined);
  await sink.write(keys, 0);
  await sink.end();
  return Buffer.from(output.bytes()).toString("latin1").split("\n").slice(0, -1);
}

async function expectPrinted(
  keys: readonly (number | bigint)[] | Uint8Array<ArrayBuffer>,
  type: ElementType,
) {
  const given = keys instanceof Uint8Array ? keys : new Uint8Array(new type.array(keys as never).buffer);
  const bytes = given as Uint8Array<ArrayBuffer>;
  const toText = keyText(type);
  const elements = new type.array(bytes.buffer) as Iterable<number | bigint>;
  const expected = Array.from(elements, (element) => toText(keyValue(element, type)));
  expect(await printed(bytes, type)).toEqual(expected);
}

/** Doubles that follow each other, the middle one of them `value`. */
function neighbours(value: number): number[] {
  const bits = new BigUint64Array(5).fill(new BigUint64Array(Float64Array.of(value).buffer)[0]!);
  return [...new Float64Array(bits.map((word, i) => word + BigInt(i) - 2n).buffer)];
}

/** The f32 with these bits, and those around it. */
const floatsAround = (bits: number) => [
  ...new Float32Array(Uint32Array.from([-2, -1, 0, 1, 2], (i) => bits + i).buffer),
];

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

/** An endless sequence of 32 random bits each. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    return (mixed ^ (mixed >>> 13)) >>> 0;
  };
}

const digits = (least: number, most: number) =>
  fc.stringMatching(new RegExp(`^[0-9]{${least},${most}}$`), { size: "max" });
const sign = fc.constantFrom("", "", "-", "+");
const integerText = fc
  .tuple(sign, fc.oneof(digits(1, 3), digits(1, 9), digits(15, 24)))
  .map((parts) => parts.join(""));
const exponentText = fc
  .tuple(fc.constantFrom("e", "E", "e+", "e-"), fc.integer({ min: 0, max: 400 }))
  .map((parts) => parts.join(""));
const floatText = fc
  .tuple(
    sign,
    fc.oneof(
      digits(1, 5),
      fc.tuple(digits(0, 25), digits(1, 25)).map((parts) => parts.join(".")),
      digits(1, 30).map((all) => `${all}.`),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }).map((value) => value.toPrecision(21)),
    ),
    fc.oneof(fc.constant(""), exponentText),
  )
  .map((parts) => parts.join("").replace(/e.*(e.*)$/i, "$1"));
const word = fc.constantFrom("nan", "NaN", "+NAN", "inf", "-Inf", "Infinity", "-INFINITY", "+infinity");
const padding = fc.constantFrom("", "", "", " ", "\t", " \t  ");
const padded = (line: fc.Arbitrary<string>) =>
  fc.tuple(padding, line, padding, fc.constantFrom("", "", "\r")).map((parts) => parts.join(""));
const odd = fc.constantFrom(
  "",
  " ",
  "\r",
  "x",
  "1x",
  "--1",
  "+-1",
  "+",
  "-",
  ".",
  "-.",
  "e5",
  "1e",
  "1e+",
  "1.2.3",
  "1 2",
  "0x10",
  "infinit",
  "nano",
  "1_0",
  "7\r\r",
  "7\r ",
  "\u00a07",
  "7\v",
  "7x\0",
  "١",
);
const longZeros = digits(1, 19).map((number) => "0".repeat(40) + number);

describe("the kernels for text", () => {
  it.each(elementTypes)("parse lines of $name as each line by itself is parsed", async (type) => {
    const usual = type.order === "float" ? fc.oneof(integerText, floatText, word) : integerText;
    const line = fc.oneof(
      { weight: 60, arbitrary: padded(usual) },
      { weight: 3, arbitrary: padded(longZeros) },
      { weight: 1, arbitrary: odd },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 60 }),
        fc.constantFrom("error", "skip"),
        fc.boolean(),
        async (lines, blankLines, overflows) => {
          const textOverflow = overflows && type.order === "float" ? ("inf" as const) : ("error" as const);
          await expectParsed(lines, type, { blankLines: blankLines as "error" | "skip", textOverflow });
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each(integers)("parse and print $name of every length", async (type) => {
    const bits = BigInt(8 * type.bytes);
    const [least, most] =
      type.order === "signed" ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
    const tens = range(0, 20).flatMap((n) => [-1n, 0n, 1n].map((by) => 10n ** BigInt(n) + by));
    const edges = [0n, ...tens, ...tens.map((ten) => -ten), least, least + 1n, most - 1n, most];
    const keys = edges.filter((key) => key >= least && key <= most);
    await expectPrinted(type.bytes === 8 ? keys : keys.map(Number), type);
    await expectParsed(keys.map(String), type);
    for (const beyond of [least - 1n, most + 1n, 10n * most, 10n * least - 9n, 10n ** 19n, 2n ** 64n + 5n]) {
      if (beyond < least || beyond > most) await expectParsed(["1", `${beyond}`], type);
    }
  });

  it("print every exponent of f64, and the doubles around powers of two and of ten", async () => {
    const values = [
      ...range(-1074, 1024).map((n) => 2 ** n),
      ...range(-323, 309).flatMap((n) => [
        Number(`1e${n}`),
        Number(`9.5e${n - 1}`),
        Number(`123456789e${n - 8}`),
      ]),
    ].flatMap(neighbours);
    const f64 = elementType("f64");
    const next = random(1);
    const bits = new Uint8Array(Uint32Array.from({ length: 60_000 }, next).buffer);
    await expectPrinted(
      [...values, ...values.map((value) => -value), 0, -0, Number.NaN, Infinity, -Infinity],
      f64,
    );
    await expectPrinted(bits, f64);
    await expectPrinted(
      range(0, 30_000).map((i) => (i * 7919) / 10 ** (i % 9)),
      f64,
    );
  });

  it("print all f16, and parse them and the numbers between them", async () => {
    const f16 = elementType("f16");
    const bits = range(0, 65536);
    await expectPrinted(new Uint8Array(Uint16Array.from(bits).buffer), f16);
    const values = bits.map((one) => keyValue(one, f16) as number).filter(Number.isFinite);
    await expectParsed(values.map(String), f16);
    const middles = range(1, 0x7c00).map((one) => Number(keyValue(one - 1, f16)) + 2 ** -25 * (one % 3));
    await expectParsed([...middles, 65519.99, 65504].map(String), f16);
    for (const beyond of ["65520", "-1e9"]) {
      await expectParsed(["1", beyond], f16);
      await expectParsed(["1", beyond], f16, { textOverflow: "inf" });
    }
  });

  it("print every exponent of f32, and the f32 around powers of two and of ten", async () => {
    const next = random(2);
    const exponents = range(0, 256).map((biased) => biased * 2 ** 23);
    const values = [
      ...exponents.flatMap((bits) => floatsAround(Math.max(bits, 2))),
      ...range(0, 23).flatMap((n) => floatsAround(Math.max(2 ** n, 2))),
      ...range(1, 2000).flatMap((bits) => [...new Float32Array(Uint32Array.of(bits).buffer)]),
      ...range(-45, 39).flatMap((n) => range(1, 100).map((m) => Math.fround(Number(`${m}e${n}`)))),
      ...exponents.flatMap((bits) => [
        ...new Float32Array(Uint32Array.from({ length: 100 }, () => bits | (next() >>> 9)).buffer),
      ]),
    ];
    await expectPrinted([...values, ...values.map((value) => -value)], elementType("f32"));
  });

  it("print the one f32 whose shortest number reads as it only because it is rounded twice", async () => {
    const bits = 0x15ae43fe;
    const f32 = elementType("f32");
    expect(await printed(new Uint8Array(Uint32Array.of(bits).buffer), f32)).toEqual(["7.038531e-26"]);
    await expectPrinted(floatsAround(bits), f32);
    await expectParsed(["7.038531e-26", "7.0385307e-26", "7.0385310e-26", "7.03853e-26"], f32);
  });

  it.each(floats)(
    "parse every power of ten with digits of any number, and numbers between two $name",
    async (type) => {
      const next = random(3);
      const one = () => next() / 2 ** 32;
      const powers = range(-345, 310).flatMap((n) =>
        [1, 15, 17, 19, 20, 40].map(
          (length) =>
            `${String(1 + one()).slice(0, 3)}${String(one()).slice(2).padEnd(38, "7").slice(0, length)}e${n}`,
        ),
      );
      const between = range(0, 20_000).map((i) => {
        const value =
          type.bytes === 8 ? (1 + one()) * 2 ** (i % 80) : Math.fround((1 + one()) * 2 ** ((i % 200) - 100));
        const step =
          type.bytes === 8
            ? 2 ** (Math.floor(Math.log2(value)) - 53)
            : 2 ** (Math.floor(Math.log2(value)) - 24);
        if (type.bytes === 4) return `${value + step}`;
        const exact = (BigInt(value / step) + 1n).toString(); // in steps of half the last bit
        return step >= 1 ? `${BigInt(exact) * BigInt(step)}` : `${Number(exact) % 1e15}e-${i % 30}`;
      });
      await expectParsed([...powers, ...between], type, { textOverflow: "inf" });
      const double = range(0, 20_000).map(() => new Float64Array(Uint32Array.of(next(), next()).buffer)[0]!);
      await expectParsed(double.filter(Number.isFinite).map(String), type, { textOverflow: "inf" });
    },
  );

  it("name the right line after many blocks, and after lines that they leave", async () => {
    const type = elementType("i32");
    const next = random(4);
    const lines = range(0, 220_000).map((i) => (i % 5000 < 40 ? `${"0".repeat(30)}${i}` : `${next() | 0}`));
    await expectParsed(lines, type);
    await expectParsed(lines.with(199_999, "").with(219_000, "x"), type, { blankLines: "skip" });
    await expectParsed(lines.with(219_999, "1.5"), type);
    await expectParsed(lines.with(219_999, " \t"), type, { blankLines: "skip" });
    await expectParsed(
      lines.map((line) => `${line}\r`),
      type,
    );
  });

  it("parse the shortest lines, of which a text of any length has the most", async () => {
    await expectParsed(
      range(0, 200_000).map((i) => `${(i * 7) % 10}`),
      elementType("u8"),
    );
  });

  it("parse lines that are all unusual", async () => {
    const type = elementType("u16");
    await expectParsed(
      range(0, 50_000).map((i) => `${"0".repeat(25)}${i}`),
      type,
    );
    await expectParsed([...range(0, 50_000).map((i) => `${"0".repeat(25)}${i}`), "65536"], type);
  });
});
