import { describe, expect, it } from "vitest";
import type { TypeName } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import type { InputOptions } from "../../src/formats/format.js";
import { records } from "../../src/formats/records.js";
import { byteInput } from "../support/bytes.js";

describe("records", () => {
  const open = (length: number, options: InputOptions) =>
    records.open(byteInput("r.bin", new Uint8Array(length)), options);

  it("have the given length, and as their key the whole record unless keys are given", async () => {
    expect(await open(300, { recordBytes: 100 })).toMatchObject({
      itemCount: 3,
      item: { kind: "record", bytes: 100, keys: [{ offset: 0, bytes: 100 }], byteOrder: "little" },
    });
    expect(await open(300, { recordBytes: 10, keys: [{ offset: 0, bytes: 2 }] })).toMatchObject({
      itemCount: 30,
      item: { keys: [{ offset: 0, bytes: 2 }] },
    });
    const keys = [{ offset: 0, type: "u16" }] as const;
    expect(await open(300, { recordBytes: 10, keys, byteOrder: "big" })).toMatchObject({
      item: { byteOrder: "big" },
    });
    expect(await open(300, { recordBytes: 20, keys: [{ offset: 8, type: "f64" }] })).toMatchObject({
      item: { keys: [{ offset: 8, type: { name: "f64" } }] },
    });
  });

  it.each<[InputOptions, RegExp]>([
    [{}, /the length of a record in r\.bin is not known/],
    [{ recordBytes: 0 }, /the length of a record cannot be 0/],
    [{ recordBytes: 1.5 }, /the length of a record cannot be 1\.5/],
    [{ recordBytes: 7 }, /which is not a whole number of records of 7 bytes: 6 bytes are left over/],
    [{ recordBytes: 100, keys: [{ offset: 95, bytes: 6 }] }, /the key 95:6 does not lie in a record of 100/],
    [{ recordBytes: 100, keys: [{ offset: 97, type: "u32" }] }, /the key 97:u32 does not lie in a record/],
    [{ recordBytes: 100, keys: [{ offset: 0, bytes: 0 }] }, /the key 0:0 does not lie in a record/],
    [{ recordBytes: 100, keys: [{ offset: -1, bytes: 4 }] }, /the key -1:4 does not lie in a record/],
    [{ recordBytes: 100, keys: [{ offset: 0, type: "f99" as TypeName }] }, /unknown element type 'f99'/],
    [
      { recordBytes: 100, byteOrder: "big" },
      /a byte order does not apply to the keys of r\.bin: they are bytes/,
    ],
  ])("with %j are refused", async (options, message) => {
    await expect(open(300, options)).rejects.toThrow(InputError);
    await expect(open(300, options)).rejects.toThrow(message);
  });
});
