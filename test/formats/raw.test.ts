import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementType, elementTypes, type TypeName } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import { keyItem } from "../../src/core/items/item.js";
import type { InputOptions } from "../../src/formats/format.js";
import { raw } from "../../src/formats/raw.js";
import { allItems, byteInput, byteOutput } from "../support/bytes.js";

const zeros = (name: string, length: number) => byteInput(name, new Uint8Array(length));

/** Reverses the bytes of each element of `size` bytes. */
function swapped(bytes: Uint8Array, size: number): Uint8Array {
  return Uint8Array.from(bytes, (_, i) => bytes[i - (i % size) + (size - 1 - (i % size))]!);
}

describe("a raw file", () => {
  it.each(elementTypes)("has type $name if its extension says so", async ({ name, bytes }) => {
    const input = await raw.open(zeros(`keys.${name}`, 10 * bytes), {});
    expect(input).toMatchObject({ itemCount: 10, item: { kind: "key", bytes, type: { name } } });
  });

  it("is u32 if neither an extension nor an option names a type", async () => {
    for (const name of ["keys.bin", "keys", "standard input"]) {
      expect(await raw.open(zeros(name, 8), {})).toMatchObject({
        itemCount: 2,
        item: { type: { name: "u32" } },
      });
    }
  });

  it("has the type of the option, whatever the extension", async () => {
    const input = await raw.open(zeros("keys.f32", 16), { type: "i64" });
    expect(input).toMatchObject({ itemCount: 2, item: { type: { name: "i64" } } });
  });

  it("without bytes has no keys", async () => {
    expect((await raw.open(zeros("keys.f64", 0), {})).itemCount).toBe(0);
  });

  it.each([
    [1, "u32", /1 byte, which .* 1 byte is left over/],
    [5, "u32", /5 bytes, which .* 1 byte is left over/],
    [7, "f32", /3 bytes are left over/],
    [12, "f64", /4 bytes are left over/],
    [23, "i64", /7 bytes are left over/],
  ])("of %i bytes of %s is refused, with the number of bytes left over", async (length, name, leftOver) => {
    const type = name as TypeName;
    const opening = raw.open(zeros("a/keys.bin", length), { type });
    await expect(opening).rejects.toThrow(InputError);
    await expect(opening).rejects.toThrow(/^a\/keys\.bin has /);
    await expect(opening).rejects.toThrow(leftOver);
    await expect(opening).rejects.toHaveProperty("options", ["type", "skipBytes"]);
    const piped = await raw.open(byteInput("standard input", new Uint8Array(length), true), { type });
    await expect(allItems(piped)).rejects.toThrow(leftOver);
  });

  it("that looks like text is refused with a hint to name that format", async () => {
    for (const pipe of [false, true]) {
      const reading = raw
        .open(byteInput("n.csv", Buffer.from("1\n22\n"), pipe), { type: "u32" })
        .then((input) => allItems(input));
      await expect(reading).rejects.toThrow(
        /^n\.csv has 5 bytes, .*: 1 byte is left over; it looks like text$/,
      );
      await expect(reading).rejects.toHaveProperty("options", ["format"]);
    }
  });

  it.each(["f128", ""])("of the unknown type '%s' is refused", async (type) => {
    await expect(raw.open(zeros("keys.f32", 4), { type: type as TypeName })).rejects.toThrow(InputError);
  });

  it.each([
    [{ byteOrder: "middle" }, /^unknown byte order 'middle'/],
    [{ skipBytes: 1.5 }, /^the number of bytes to skip cannot be 1\.5/],
    [{ skipBytes: -1 }, /^the number of bytes to skip cannot be -1/],
    [{ skipBytes: 9 }, /has 8 bytes, fewer than the 9 bytes to skip/],
    [{ skipBytes: 3 }, /5 bytes after the 3 skipped/],
  ])("with %j is refused", async (options, message) => {
    const opening = raw.open(zeros("keys.u32", 8), options as InputOptions);
    await expect(opening).rejects.toThrow(InputError);
    await expect(opening).rejects.toThrow(message);
  });

  it("is read and written in either byte order, with a header skipped, as a file and as a pipe", async () => {
    const cases = fc.record({
      type: fc.constantFrom(...elementTypes),
      byteOrder: fc.constantFrom("little" as const, "big" as const),
      skip: fc.nat(20),
      count: fc.nat(40),
      noise: fc.uint8Array({ minLength: 400, maxLength: 400 }),
      pipe: fc.boolean(),
      seekable: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ type, byteOrder, skip, count, noise, pipe, seekable }) => {
        const bytes = noise.slice(0, skip + count * type.bytes);
        const keys = bytes.subarray(skip);
        const native = byteOrder === "big" ? swapped(keys, type.bytes) : keys;
        const options = { type: type.name, byteOrder, skipBytes: skip };
        const input = await raw.open(byteInput("keys", bytes, pipe), options);
        const read = await allItems(input);
        expect(Buffer.compare(read, native)).toBe(0);
        if (input.source && count > 0) {
          const window = new Uint8Array(native.length - type.bytes);
          await input.source.read(window, type.bytes);
          expect(Buffer.compare(window, native.subarray(type.bytes))).toBe(0);
        }
        const output = byteOutput(seekable);
        const writer = await raw.create(output, input.item, input.style, count);
        const half = (count >> 1) * type.bytes;
        const windows = [writer.write(read.subarray(0, half), 0), writer.write(read.subarray(half), half)];
        await Promise.all(windows);
        await writer.end();
        expect(Buffer.compare(output.bytes(), keys)).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it("of big-endian keys may be longer than the piece whose bytes are swapped at a time", async () => {
    const words = new Uint32Array((3 << 20) / 4 + 5).map((_, i) => Math.imul(i, 0x9e3779b1));
    const big = swapped(new Uint8Array(words.buffer), 4);
    const input = await raw.open(byteInput("k.u32", big), { byteOrder: "big" });
    const read = new Uint8Array(words.byteLength);
    await input.source!.read(read, 0);
    expect(Buffer.compare(read, new Uint8Array(words.buffer))).toBe(0);
    const output = byteOutput(false);
    const writer = await raw.create(output, keyItem(elementType("u32")), input.style, words.length);
    const half = 4 * (words.length >> 1);
    await Promise.all([writer.write(read.subarray(0, half), 0), writer.write(read.subarray(half), half)]);
    expect(Buffer.compare(output.bytes(), big)).toBe(0);
  });
});
