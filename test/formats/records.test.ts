import { describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { parseRecordKey, records } from "../../src/formats/records.js";
import { detect, formatOfPath } from "../../src/formats/registry.js";
import { byteInput } from "../support/bytes.js";

describe("the key of a record", () => {
  it("is bytes at an offset, or a typed number", () => {
    expect(parseRecordKey("0:10", 100)).toEqual({ offset: 0, bytes: 10 });
    expect(parseRecordKey("8:f64", 16)).toMatchObject({ offset: 8, type: { name: "f64" } });
  });

  it.each(["", "10", "0:", ":4", "0:0", "-1:4", "95:6", "97:u32", "0:1e1", "0:4 "])(
    "is refused as '%s'",
    (key) => {
      expect(() => parseRecordKey(key, 100)).toThrow(InputError);
      expect(() => parseRecordKey(key, 100)).toThrow(
        `--key ${key === "" || !/^\d+:\d+$|^\d+:u32$/.test(key) ? "'" : ""}`,
      );
    },
  );
});

describe("records", () => {
  const open = (length: number, options: object) =>
    records.open(byteInput("r.bin", new Uint8Array(length)), options);

  it("have the length that was given, and the whole record for a key unless one is named", async () => {
    expect(await open(300, { record: "100" })).toMatchObject({
      itemCount: 3,
      item: { kind: "record", bytes: 100, keys: [{ offset: 0, bytes: 100 }], byteOrder: "little" },
    });
    expect(await open(300, { record: "10", key: ["2:u16", "0:2"].slice(1), byteOrder: "big" })).toMatchObject(
      {
        itemCount: 30,
        item: { keys: [{ offset: 0, bytes: 2 }], byteOrder: "big" },
      },
    );
  });

  it.each([
    [{}, /records have a length/],
    [{ record: "0" }, /--record '0'/],
    [{ record: "7" }, /which is no whole number of records of 7 bytes: 6 bytes are left over/],
    [{ record: "100", type: "u32" }, /--type means nothing for records/],
  ])("with %j are refused", async (options, message) => {
    await expect(open(300, options)).rejects.toThrow(InputError);
    await expect(open(300, options)).rejects.toThrow(message);
  });
});

describe("what a file is", () => {
  const input = (name: string, bytes: Uint8Array) => byteInput(name, bytes);
  const magic = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0);
  const none = new Uint8Array(8);

  it.each([
    ["k.u32", none, undefined, {}, "raw"],
    ["k", none, undefined, {}, "raw"],
    ["k.txt", none, undefined, {}, "text"],
    ["k.npy", none, undefined, {}, "npy"],
    ["k.u32", magic, undefined, {}, "npy"],
    ["standard input", magic, undefined, {}, "npy"],
    ["k.npy", magic, "raw", {}, "raw"],
    ["k", none, undefined, { record: "8" }, "records"],
  ])(
    "%s: the format that was asked for, else the magic, else the name, else raw",
    async (name, bytes, asked, options, format) => {
      expect((await detect(input(name, bytes), asked, options)).name).toBe(format);
    },
  );

  it("is refused where there is no such format", async () => {
    await expect(detect(input("k", none), "parquet", {})).rejects.toThrow("unknown format 'parquet'");
    expect(formatOfPath("a/b.NPY")?.name).toBe("npy");
    expect(formatOfPath("a.b/c")).toBeUndefined();
  });
});
