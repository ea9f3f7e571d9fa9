import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ElementType, elementType, elementTypes, type TypeName } from "../../../src/core/elements.js";
import { InputError } from "../../../src/core/errors.js";
import { keyElement, keyValue } from "../../../src/core/float16.js";
import { keyItem } from "../../../src/core/items/item.js";
import { concatenate } from "../../../src/formats/concatenate.js";
import type { InputOptions } from "../../../src/formats/format.js";
import { text } from "../../../src/formats/text/text.js";
import { allItems, byteInput, byteOutput } from "../../support/bytes.js";

const style = { format: "text", byteOrder: "little" } as const;

async function read(
  content: string | Uint8Array,
  type?: string,
  options: InputOptions = {},
  turnBytes = 64,
): Promise<(number | bigint)[]> {
  const input = await open(content, type, options);
  const bytes = await allItems(input, turnBytes);
  if (input.item.kind !== "key") throw new TypeError("text holds keys");
  return [...new input.item.type.array(bytes.buffer)];
}

function open(content: string | Uint8Array, type: string | undefined, options: InputOptions) {
  const bytes = Buffer.from(content as string);
  return text.open(byteInput("n.txt", bytes), { ...options, ...(type && { type: type as TypeName }) });
}

async function write(keys: Uint8Array<ArrayBuffer>, type: string): Promise<string> {
  const output = byteOutput(false);
  const writer = await text.create(output, keyItem(elementType(type)), style, undefined);
  const half = 8 * (keys.length >> 4);
  await Promise.all([writer.write(keys.subarray(0, half), 0), writer.write(keys.subarray(half), half)]);
  await writer.end();
  return Buffer.from(output.bytes()).toString("latin1");
}

/** The bytes of a bit pattern, in little-endian order. */
const bytesOf = (bits: bigint, bytes: number) =>
  Array.from({ length: bytes }, (_, i) => Number((bits >> BigInt(8 * i)) & 255n));

/** Bit patterns at the edges of a type: zeros, ones, subnormals, infinities, NaNs, and their neighbours. */
function edgeBits({ bytes, order }: ElementType): bigint[] {
  const sign = 1n << BigInt(8 * bytes - 1);
  const infinity = { 2: 0x7c00n, 4: 0x7f800000n }[bytes as number] ?? 0x7ff0000000000000n;
  const one = { 2: 0x3c00n, 4: 0x3f800000n }[bytes as number] ?? 0x3ff0000000000000n;
  const edges = order === "float" ? [0n, infinity, one, infinity >> 4n] : [0n, sign, 2n ** 53n, 10n ** 15n];
  return edges.flatMap((edge) => [edge - 1n, edge, edge + 1n]).flatMap((edge) => [edge, edge ^ sign]);
}

/** The keys with the bits that "nan" is read as in place of those of every NaN. */
function withOneNaN(keys: Uint8Array<ArrayBuffer>, type: ElementType): Buffer {
  const copy = keys.slice();
  if (type.order === "float") {
    const floats = new type.array(copy.buffer) as unknown as number[];
    const nan = keyElement(Number.NaN, type) as number;
    for (let i = 0; i < floats.length; i++) if (Number.isNaN(keyValue(floats[i]!, type))) floats[i] = nan;
  }
  return Buffer.from(copy.buffer);
}

const refusal = (message: string) => ({ name: "InputError", message });

describe("text", () => {
  it("holds one number per line, of type i64 unless a type is given", async () => {
    expect(await read("3\n-1\n+2\n9223372036854775807\n-9223372036854775808\n")).toEqual([
      3n,
      -1n,
      2n,
      9223372036854775807n,
      -9223372036854775808n,
    ]);
  });

  it("may have spaces around numbers, CRLF or LF line breaks, and no line break at the end", async () => {
    expect(await read(" 1 \r\n\t2\r\n3", "u32")).toEqual([1, 2, 3]);
    expect(await read("", "u32")).toEqual([]);
    expect(await read("7", "u32")).toEqual([7]);
  });

  it("may hold floats in any notation, infinities and NaNs", async () => {
    const content = "1.5\n-2e3\n.5\n5.\n1E-400\n-0\n0\ninf\n-Infinity\nNaN\n123456789012345678901234567890\n";
    expect(await read(content, "f64")).toEqual([
      1.5,
      -2000,
      0.5,
      5,
      0,
      -0,
      0,
      Infinity,
      -Infinity,
      Number.NaN,
      1.2345678901234568e29,
    ]);
  });

  it.each([
    ["1\n2\nthree\n4\n", "u32", "line 3: 'three' is not a number of type u32 (0 to 4294967295)"],
    ["1\n\n3\n", "u32", "line 2: the line is empty instead of a number of type u32 (0 to 4294967295)"],
    ["1\n \t\n3\n", "u8", "line 2: the line is empty instead of a number of type u8 (0 to 255)"],
    ["1\n-1\n", "u32", "line 2: '-1' does not fit u32 (0 to 4294967295)"],
    ["4294967295\n4294967296\n", "u32", "line 2: '4294967296' does not fit u32 (0 to 4294967295)"],
    ["2147483648\n", "i32", "line 1: '2147483648' does not fit i32 (-2147483648 to 2147483647)"],
    [
      "18446744073709551615\n18446744073709551616",
      "u64",
      "line 2: '18446744073709551616' does not fit u64 (0 to 18446744073709551615)",
    ],
    [
      "1\n1.5\n",
      undefined,
      "line 2: '1.5' is not a number of type i64 (-9223372036854775808 to 9223372036854775807)",
    ],
    ["1 2\n", "u32", "line 1: '1 2' is not a number of type u32 (0 to 4294967295)"],
    [
      "0x10\n",
      "f64",
      "line 1: '0x10' is not a number of type f64 " +
        "(-1.7976931348623157e+308 to 1.7976931348623157e+308, inf, nan)",
    ],
    [
      `1\n${"9".repeat(100)}x\n`,
      "i8",
      `line 2: '${"9".repeat(40)}…' is not a number of type i8 (-128 to 127)`,
    ],
    ["7\r", "u8", "line 1: '7\\u000d' is not a number of type u8 (0 to 255)"],
    ["7\r\r\n", "u8", "line 1: '7\\u000d' is not a number of type u8 (0 to 255)"],
    ["7\v\n", "u8", "line 1: '7\\u000b' is not a number of type u8 (0 to 255)"],
    ["7\u00a0\n", "u8", "line 1: '7\\u00a0' is not a number of type u8 (0 to 255)"],
    ["1\n\ufeff7\n", "u8", "line 2: '\\ufeff7' is not a number of type u8 (0 to 255)"],
    ["\u20287\n", "u8", "line 1: '\\u20287' is not a number of type u8 (0 to 255)"],
    ["\u{1d7d9}\u{e0031}é\n", "u8", "line 1: '\u{1d7d9}\\u{e0031}é' is not a number of type u8 (0 to 255)"],
    [Uint8Array.of(55, 0xa0, 10), "u8", "line 1: '7\\xa0' is not a number of type u8 (0 to 255)"],
  ])(
    "is refused with the number of the wrong line, its text and the type's range: %j",
    async (content, type, message) => {
      const reading = read(content, type);
      await expect(reading).rejects.toMatchObject(refusal(`n.txt, ${message}`));
    },
  );

  it("that another type would hold is refused with a hint to name such a type", async () => {
    await expect(read("1.5\n")).rejects.toHaveProperty("hint", "name a type that holds it, such as f64");
    await expect(read("300\n", "u8")).rejects.toHaveProperty(
      "hint",
      "name a type that holds it, such as i64",
    );
    await expect(read(`${2n ** 64n - 1n}\n`)).rejects.toHaveProperty(
      "hint",
      "name a type that holds it, such as u64",
    );
    await expect(read("1\none\n")).rejects.toMatchObject({
      hint: "write one number on every line, or name the format lines to sort the lines as text",
      options: ["format"],
    });
  });

  it.each(["f32", "f64"])("that is too large for %s is refused, or becomes inf by option", async (type) => {
    const largest = type === "f32" ? "3.4028235e38" : "1.7976931348623157e308";
    const larger = type === "f32" ? "1e39" : "1e400";
    const content = `${largest}\n-${largest}\n1e-999\n`;
    expect(await read(content, type)).not.toContain(Infinity);
    for (const sign of ["", "-", "+"]) {
      const reading = read(`${content}${sign}${larger}\n`, type);
      await expect(reading).rejects.toThrow(InputError);
      await expect(reading).rejects.toThrow(`n.txt, line 4: '${sign}${larger}' does not fit ${type} (-`);
    }
    const overflowing = `${larger}\n-${larger}\n-inf\n1\n`;
    const infinities = [Infinity, -Infinity, -Infinity, 1];
    expect(await read(overflowing, type, { textOverflow: "inf" })).toEqual(infinities);
  });

  it("that no float holds is refused with a hint to allow infinities", async () => {
    await expect(read("1e400\n", "f64")).rejects.toMatchObject({ options: ["textOverflow"] });
    await expect(read("1e39\n", "f32")).rejects.toMatchObject({ options: ["type"] });
  });

  it("may have lines of any length", async () => {
    for (const length of [4095, 4097, 600_000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5_000_000]) {
      const spaces = " ".repeat(length);
      const zeros = "0".repeat(length);
      expect(await read(`1\n${spaces}2\n${zeros}3\n-${zeros}4${spaces}\n`, "i16")).toEqual([1, 2, 3, -4]);
      expect(await read(`7\n${zeros}.${zeros}5\n`, "f64")).toEqual([7, 0]);
    }
    const digits = "1".repeat(3 << 20);
    await expect(read(`1\n${digits}\n`, "u64")).rejects.toThrow(
      `line 2: '${"1".repeat(40)}…' does not fit u64 (`,
    );
    await expect(read(`1\n${digits}x\n`, "f64")).rejects.toThrow("1…' is not a number of type f64 (");
    await expect(read(`1\n${digits}\n`, "f64")).rejects.toThrow("1…' does not fit f64 (");
  });

  it("is refused as soon as a long line holds a byte 0, as in a binary file", async () => {
    let reads = 0;
    const endless = {
      ...byteInput("zeros", new Uint8Array(8), true),
      next: async (into: Uint8Array) => {
        if (reads++ > 3) throw new Error("it was read on");
        return into.fill(0).length;
      },
    };
    const input = await text.open(endless, {});
    await expect(input.next(new Uint8Array(8))).rejects.toMatchObject(
      refusal("zeros, line 1: the line has a byte 0, as no text has"),
    );
  });

  it.each(["7", " "])("is refused if a line has no end, before it fills the memory: %j", async (byte) => {
    let bytes = 0;
    const endless = {
      ...byteInput("endless", Buffer.from("12\n"), true),
      next: async (into: Uint8Array) => {
        bytes += into.length;
        if (bytes > 1 << 26) throw new Error("it was read on");
        return into.fill(bytes === into.length ? 10 : byte.charCodeAt(0)).length;
      },
    };
    const input = await text.open(endless, { blankLines: "skip" });
    await expect(input.next(new Uint8Array(8))).rejects.toMatchObject({
      message: expect.stringMatching(
        /^endless, line \d+: the line has more than 16777216 bytes, as no number has$/,
      ),
      options: ["format"],
    });
  });

  it("may begin with a byte order mark of UTF-8, which is skipped", async () => {
    expect(await read("\ufeff1\n2\n", "u8")).toEqual([1, 2]);
    expect(await read("\ufeff", "u8")).toEqual([]);
    expect((await open("\ufeffn\n1\n", "u8", { header: true })).style.header).toEqual(new Uint8Array([110]));
  });

  it.each([
    ["UTF-16 with a mark", Buffer.from("\ufeff12\n", "utf16le")],
    ["UTF-16 in big-endian order with a mark", Buffer.from("\ufeff12\n", "utf16le").swap16()],
    ["UTF-16", Buffer.from("12\n", "utf16le")],
    ["UTF-16 in big-endian order", Buffer.from("12\n", "utf16le").swap16()],
  ])("is refused in %s", async (_, bytes) => {
    await expect(read(bytes, "u8")).rejects.toMatchObject(
      refusal("n.txt is text in UTF-16 or UTF-32, whose lines cannot be told apart byte by byte"),
    );
    await expect(read(bytes, "u8")).rejects.toHaveProperty("hint", expect.stringContaining("iconv"));
  });

  it("may have blank lines by option", async () => {
    expect(await read("\n1\n\n \t\r\n2\n\n", "u8", { blankLines: "skip" })).toEqual([1, 2]);
    await expect(read("1\n\nx\n", "u8", { blankLines: "skip" })).rejects.toThrow("n.txt, line 3: 'x' is not");
    await expect(read("1\n\n", "u8")).rejects.toMatchObject({ options: ["blankLines"] });
  });

  it("may have a header line by option, which its style keeps", async () => {
    const input = await open("délai (s)\r\n3\n1\n", "u8", { header: true });
    expect(Buffer.from(input.style.header!).toString()).toBe("délai (s)");
    expect([...(await allItems(input))]).toEqual([3, 1]);
    await expect(read("n\n3\nx\n", "u8", { header: true })).rejects.toThrow("n.txt, line 3: 'x' is not");
    await expect(read("n\n3\n", "u8")).rejects.toMatchObject({ options: ["header", "format"] });
    await expect(read("", "u8", { header: true })).rejects.toThrow("n.txt has no header line: it is empty");
    expect(await read("n", "u8", { header: true })).toEqual([]);
    const long = "h".repeat(3 << 20);
    expect((await open(`${long}\n1\n`, "u8", { header: true })).style.header).toHaveLength(3 << 20);
  });

  it("of several files must have the same header line", async () => {
    const [a, b, c] = await Promise.all(
      ["n\n3\n", "n\r\n1\n", "m\n2\n"].map((content) => open(content, "u8", { header: true })),
    );
    expect([...(await allItems(concatenate([a!, b!])))]).toEqual([3, 1]);
    expect(() => concatenate([a!, c!])).toThrow("n.txt has the header line 'n', but n.txt has 'm'");
  });

  it.each([
    [{ blankLines: "none" }, "u8", "what to do with blank lines cannot be 'none'"],
    [{ header: "yes" }, "u8", "whether there is a header line cannot be 'yes'"],
    [{ textOverflow: "max" }, "f32", "what to do with numbers that are too large cannot be 'max'"],
    [{ textOverflow: "inf" }, "u8", "numbers that are too large for u8 cannot become inf: it has none"],
  ])("is refused with the wrong option %j", async (options, type, message) => {
    await expect(read("1\n", type, options as InputOptions)).rejects.toMatchObject(refusal(message));
  });

  it("holds the keys of a file that has grown since it was measured", async () => {
    const keys = Array.from({ length: 100_000 }, (_, i) => i - 50_000);
    const file = { ...byteInput("n.txt", Buffer.from(keys.join("\n"))), byteLength: 10 };
    const bytes = await allItems(await text.open(file, { type: "i32" }));
    expect([...new Int32Array(bytes.buffer)]).toEqual(keys);
  });

  it("is read correctly if a line is spread over two pieces", async () => {
    const numbers = Array.from({ length: 300_000 }, (_, i) => Math.imul(i, 0x9e3779b1) | 0);
    expect(await read(`${numbers.join("\n")}\n`, "i32", {}, 1000)).toEqual(numbers);
  });

  it.each(elementTypes)(
    "gives back the bits of every $name that was written, but not those of NaNs",
    async (type) => {
      const bits = 8 * type.bytes;
      const edge = fc.constantFrom(...edgeBits(type).map((value) => BigInt.asUintN(bits, value)));
      const patterns = fc.oneof(fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n }), edge);
      await fc.assert(
        fc.asyncProperty(fc.array(patterns, { minLength: 1, maxLength: 60 }), async (values) => {
          const keys = new Uint8Array(values.flatMap((value) => bytesOf(value, type.bytes)));
          const again = await read(await write(keys, type.name), type.name);
          expect(Buffer.from(new type.array(again as never).buffer)).toEqual(withOneNaN(keys, type));
        }),
        { numRuns: 50 },
      );
    },
  );

  it("has the fewest digits that identify an f32", async () => {
    const keys = Float32Array.of(
      0.1,
      1 / 3,
      16777216,
      3.4028234663852886e38,
      1e-45,
      -0,
      Number.NaN,
      -Infinity,
    );
    expect(await write(new Uint8Array(keys.buffer), "f32")).toBe(
      "0.1\n0.33333334\n16777216\n3.4028235e+38\n1e-45\n-0\nnan\n-inf\n",
    );
  });
});
