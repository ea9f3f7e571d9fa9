import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementType, elementTypes, type TypeName } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import { keyItem } from "../../src/core/items/item.js";
import { text } from "../../src/formats/text.js";
import { allItems, byteInput, byteOutput } from "../support/bytes.js";

const style = { format: "text", byteOrder: "little" } as const;

async function read(content: string, type?: string, turnBytes = 64): Promise<(number | bigint)[]> {
  const options = type === undefined ? {} : { type: type as TypeName };
  const input = await text.open(byteInput("n.txt", Buffer.from(content, "latin1")), options);
  const bytes = await allItems(input, turnBytes);
  if (input.item.kind !== "key") throw new TypeError("text holds keys");
  return [...new input.item.type.array(bytes.buffer)];
}

async function write(keys: Uint8Array<ArrayBuffer>, type: string): Promise<string> {
  const output = byteOutput(false);
  const writer = await text.create(output, keyItem(elementType(type)), style, undefined);
  const half = 8 * (keys.length >> 4);
  await Promise.all([writer.write(keys.subarray(0, half), 0), writer.write(keys.subarray(half), half)]);
  await writer.end();
  return Buffer.from(output.bytes()).toString("latin1");
}

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
    ["1\n2\nthree\n4\n", "u32", "n.txt, line 3: 'three' is not a number of type u32"],
    ["1\n\n3\n", "u32", "n.txt, line 2: the line is empty"],
    ["1\n-1\n", "u32", "n.txt, line 2: '-1' does not fit u32"],
    ["4294967295\n4294967296\n", "u32", "n.txt, line 2: '4294967296' does not fit u32"],
    ["2147483648\n", "i32", "n.txt, line 1: '2147483648' does not fit i32"],
    [
      "18446744073709551615\n18446744073709551616",
      "u64",
      "n.txt, line 2: '18446744073709551616' does not fit u64",
    ],
    ["1\n1.5\n", undefined, "n.txt, line 2: '1.5' is not a number of type i64"],
    ["1 2\n", "u32", "n.txt, line 1: '1 2' is not a number of type u32"],
    ["0x10\n", "f64", "n.txt, line 1: '0x10' is not a number of type f64"],
    [`1\n${"9".repeat(100)}x\n`, "f64", `n.txt, line 2: '${"9".repeat(40)}…' is not a number of type f64`],
    ["1".repeat(3 << 20), "f64", "n.txt, line 1: the line is longer than any number"],
  ])("is refused with the number of the wrong line: %j", async (content, type, message) => {
    await expect(read(content, type)).rejects.toThrow(InputError);
    await expect(read(content, type)).rejects.toThrow(message);
  });

  it("that another type would hold is refused with a hint to name such a type", async () => {
    await expect(read("1.5\n")).rejects.toHaveProperty("hint", "name a type that holds it, such as f64");
    await expect(read("one\n")).rejects.toHaveProperty("hint", "write one number on every line");
  });

  it("is read correctly if a line is spread over two pieces", async () => {
    const numbers = Array.from({ length: 300_000 }, (_, i) => Math.imul(i, 0x9e3779b1) | 0);
    expect(await read(`${numbers.join("\n")}\n`, "i32", 1000)).toEqual(numbers);
  });

  it("gives back every key that was written, except for the payloads of NaNs", async () => {
    for (const type of elementTypes) {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ minLength: 16, maxLength: 160 }), async (noise) => {
          const bytes = new Uint8Array(noise.subarray(0, noise.length - (noise.length % 8)));
          const keys = [...new type.array(bytes.buffer)];
          expect(await read(await write(bytes, type.name), type.name)).toEqual(keys);
        }),
        { numRuns: 100 },
      );
    }
  });

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
