import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ElementType, elementType, elementTypes } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import { keyElement } from "../../src/core/float16.js";
import { type ByteOrder, keyItem } from "../../src/core/items/item.js";
import { npy } from "../../src/formats/npy.js";
import { npyHeader, readNpyHeader } from "../../src/formats/npy_header.js";
import { allItems, byteInput, byteOutput } from "../support/bytes.js";
import { loadWithNumpy, numpy, withNumpy } from "../support/numpy.js";

/** Makes a file by hand, as the documentation of the format describes it. */
function file(header: string, data = new Uint8Array(), version = 1): Uint8Array {
  const preamble = version === 1 ? 10 : 12;
  const bytes = Buffer.alloc(preamble + header.length);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0]);
  if (version === 1) bytes.writeUInt16LE(header.length, 8);
  else bytes.writeUInt32LE(header.length, 8);
  bytes.write(header, preamble, "latin1");
  return Buffer.concat([bytes, data]);
}

const header = (descr: string, shape: string, fortran = "False") =>
  `{'descr': ${descr}, 'fortran_order': ${fortran}, 'shape': ${shape}, }\n`;
const keys = Uint32Array.of(5, 0xffffffff, 7);
const data = new Uint8Array(keys.buffer);

describe("a .npy file", () => {
  it.each([1, 2, 3])("of version %i is read, from a file and from a pipe", async (version) => {
    const bytes = file(header("'<u4'", "(3,)"), data, version);
    for (const pipe of [false, true]) {
      const input = await npy.open(byteInput("a.npy", bytes, pipe), {});
      expect(input).toMatchObject({
        itemCount: 3,
        item: { type: { name: "u32" } },
        style: { npyVersion: version },
      });
      expect(Buffer.compare(await allItems(input), data)).toBe(0);
    }
  });

  it.each([
    [header("'>u4'", "(3,)", "True"), "big", "u32"],
    [`{"shape":(3,),"fortran_order":False,"descr":"<f4"}`, "little", "f32"],
    ["{'descr': '<i4', 'fortran_order': False, 'shape': (3L,)}   \n", "little", "i32"],
  ])("may have a header as other programs write it: %s", async (text, byteOrder, name) => {
    const input = await npy.open(byteInput("a.npy", file(text, data)), {});
    expect(input).toMatchObject({ itemCount: 3, item: { type: { name } }, style: { byteOrder } });
  });

  it.each([
    [header("'<u4'", "(3, 1)"), /has 2 dimensions instead of 1: its shape is \(3, 1\)/],
    [header("'<u4'", "()"), /has 0 dimensions/],
    [header("'|O'", "(3,)"), /holds Python objects/],
    [header("[('a', '<u4'), ('b', '<f8')]", "(3,)"), /holds structured elements with the fields a, b/],
    [header("'<c8'", "(3,)"), /cannot sort \(dtype '<c8'\)/],
    [header("'<U5'", "(3,)"), /cannot sort \(dtype '<U5'\)/],
    [header("'|b1'", "(3,)"), /cannot sort \(dtype '\|b1'\)/],
    [header("'<M8[ns]'", "(3,)"), /cannot sort \(dtype '<M8\[ns\]'\)/],
    [
      header("'<u4'", "(4,)"),
      /is cut short: its header states 4 u32 elements, 16 bytes, but 12 bytes follow/,
    ],
    [header("'<u4'", "(2,)"), /holds more than its array/],
    [header("'<u4'", "(99999999999999999999,)"), /the number '9{20}' in its header is too large/],
    ["{'descr': '<u4'}\n", /its header has no 'fortran_order'/],
    ["[1, 2]\n", /its header is not a dictionary/],
    [header("'<u4'", "(3,)").replace(" }", " 'x': 1}"), /has other fields than descr/],
  ])("is refused, with what is wrong in its header: %s", async (text, message) => {
    const opening = npy.open(byteInput("a.npy", file(text, data)), {});
    await expect(opening).rejects.toThrow(InputError);
    await expect(opening).rejects.toThrow(/^a\.npy /);
    await expect(opening).rejects.toThrow(message);
  });

  it("is refused if it is another file, of an unknown version, or not of the requested type", async () => {
    const bytes = file(header("'<u4'", "(3,)"), data);
    const opened = (changed: Uint8Array, options = {}) => npy.open(byteInput("a.npy", changed), options);
    await expect(opened(data)).rejects.toThrow("a.npy is not a .npy file");
    for (const length of [6, 7, 9])
      await expect(opened(bytes.subarray(0, length))).rejects.toThrow("it ends inside its header");
    await expect(opened(file(header("'<u4'", "(3,)"), data, 4))).rejects.toThrow("unknown version 4.0");
    await expect(opened(bytes, { type: "f32" })).rejects.toThrow("a.npy holds u32 keys, not f32");
  });

  it.each([
    [-4, /is cut short: .* 12 bytes, but 8 bytes follow/],
    [-1, /is cut short: .* 12 bytes, but 11 bytes follow/],
    [1, /holds more than its array: .* 12 bytes, but 13 bytes follow/],
    [12, /holds more than its array: .* 12 bytes, but 24 bytes follow/],
    [3 << 20, /holds more than its array: .* 12 bytes, but at least 1048588 bytes follow/],
  ])("from a pipe is refused if it is %i bytes longer than its header states", async (more, message) => {
    const whole = file(header("'<u4'", "(3,)"), data);
    const bytes = more < 0 ? whole.subarray(0, more) : Buffer.concat([whole, new Uint8Array(more)]);
    for (const turnBytes of [4, 12, 64]) {
      const input = await npy.open(byteInput("-", bytes, true), {});
      const reading = allItems(input, turnBytes);
      await expect(reading).rejects.toThrow(InputError);
      await expect(reading).rejects.toThrow(message);
    }
  });

  it("with any header is read or refused with an InputError, without any other error", () => {
    const base = file(header("'<u4'", "(3,)"), data);
    const mutations = fc.array(
      fc.record({ at: fc.nat(base.length - 1), to: fc.integer({ min: 0, max: 255 }) }),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    const tokens = fc.array(
      fc.constantFrom(
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ":",
        "'descr'",
        "'shape'",
        "'<u4'",
        "3",
        "True",
        "None",
        " ",
        "\\",
        "'",
      ),
      { maxLength: 40 },
    );
    const attempt = (bytes: Uint8Array) => {
      try {
        const { count } = readNpyHeader("a.npy", bytes);
        expect(Number.isSafeInteger(count)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
      }
    };
    fc.assert(
      fc.property(mutations, fc.nat(base.length), (changes, cut) => {
        const bytes = Uint8Array.from(base);
        for (const { at, to } of changes) bytes[at] = to;
        attempt(bytes);
        attempt(base.subarray(0, cut));
      }),
      { numRuns: 1500 },
    );
    fc.assert(
      fc.property(tokens, (words) => attempt(file(words.join("")))),
      { numRuns: 1500 },
    );
    attempt(file("(".repeat(60_000)));
  });

  it("is written and read back in every type, byte order and version, to files and to pipes", async () => {
    for (const type of elementTypes) {
      for (const byteOrder of ["little", "big"] as const) {
        for (const npyVersion of [1, 2, 3] as const) {
          const bytes = Uint8Array.from({ length: 5 * type.bytes }, (_, i) => 17 * i + 3);
          const style = { format: "npy", byteOrder, npyVersion };
          for (const [seekable, known] of [
            [true, 5],
            [true, undefined],
            [false, 5],
          ] as const) {
            const output = byteOutput(seekable);
            const writer = await npy.create(output, keyItem(type), style, known);
            await writer.write(bytes, 0);
            await writer.end();
            const input = await npy.open(byteInput("o.npy", output.bytes()), {});
            expect(input).toMatchObject({ itemCount: 5, item: { type }, style: { npyVersion } });
            expect(Buffer.compare(await allItems(input), bytes)).toBe(0);
          }
        }
      }
    }
  });

  it("has its data at a multiple of 64 bytes, at the same offset for every count", () => {
    for (const count of [0, 1, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      const bytes = npyHeader(elementType("f64"), "big", 2, count);
      expect(bytes.length).toBe(128);
      expect(readNpyHeader("o.npy", bytes)).toMatchObject({ count, dataOffset: 128 });
    }
  });
});

withNumpy.describe("NumPy", () => {
  const cases = elementTypes.flatMap((type) =>
    (["little", "big"] as const).flatMap((byteOrder) =>
      ([1, 2, 3] as const).map((npyVersion) => ({ type, byteOrder, npyVersion })),
    ),
  );
  const keysOf = (type: ElementType) => {
    const isBig = type.bytes === 8 && type.order !== "float";
    const array = new type.array([1, 2, 3].map((n) => (isBig ? BigInt(n) : keyElement(n, type))) as never);
    return new Uint8Array(array.buffer as ArrayBuffer);
  };
  const dtypeOf = (type: ElementType, byteOrder: ByteOrder) => {
    const order = type.bytes === 1 ? "|" : byteOrder === "big" ? ">" : "<";
    return `${order}${{ unsigned: "u", signed: "i", float: "f" }[type.order]}${type.bytes}`;
  };

  it("reads the files that gpusort writes, in every type, byte order and version", async () => {
    const files = await Promise.all(
      cases.map(async ({ type, ...style }) => {
        const output = byteOutput(true);
        const writer = await npy.create(output, keyItem(type), { format: "npy", ...style }, 3);
        await writer.write(keysOf(type), 0);
        await writer.end();
        return output.bytes();
      }),
    );
    const expected = cases.map(({ type, byteOrder }) => {
      const data = Buffer.from(keysOf(type));
      if (byteOrder === "big")
        for (let at = 0; at < 3; at++)
          data
            .subarray(at * type.bytes)
            .subarray(0, type.bytes)
            .reverse();
      return { dtype: dtypeOf(type, byteOrder), shape: [3], data: data.toString("hex") };
    });
    expect(loadWithNumpy(files)).toEqual(expected);
  });

  it("writes files that gpusort reads, in every type, byte order and version", async () => {
    const arrays = cases.map(({ type, byteOrder, npyVersion }) => [dtypeOf(type, byteOrder), npyVersion]);
    const script = `
import io, json, sys
import numpy as np
def save(dtype, version):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([1, 2, 3], dtype), (version, 0))
    return file.getvalue().hex()
json.dump([save(*array) for array in json.load(sys.stdin)], sys.stdout)
`;
    const input = JSON.stringify(arrays);
    const files = JSON.parse(execFileSync(numpy!, ["-c", script], { input, encoding: "utf8" })) as string[];
    expect(files.length).toBe(6 * elementTypes.length);
    for (const [i, { type, npyVersion }] of cases.entries()) {
      const opened = await npy.open(byteInput("i.npy", Buffer.from(files[i]!, "hex")), {});
      expect(opened).toMatchObject({ itemCount: 3, item: { type }, style: { npyVersion } });
      expect(Buffer.compare(await allItems(opened), keysOf(type))).toBe(0);
    }
  });
});
