import { describe, expect, it } from "vitest";
import { elementTypes } from "../../src/elements.js";
import { InputError } from "../../src/errors.js";
import { rawLayout } from "../../src/formats/raw.js";

describe("the layout of a raw file", () => {
  it.each(elementTypes)("tells $name by its extension", ({ name, bytes }) => {
    expect(rawLayout(`keys.${name}`, 10 * bytes, undefined)).toMatchObject({ type: { name }, keyCount: 10 });
  });

  it("is u32 where neither an extension nor an option tells", () => {
    for (const name of ["keys.bin", "keys", "standard input"]) {
      expect(rawLayout(name, 8, undefined)).toMatchObject({ type: { name: "u32" }, keyCount: 2 });
    }
  });

  it("is what the option says, whatever the extension", () => {
    expect(rawLayout("keys.f32", 16, "i64")).toMatchObject({ type: { name: "i64" }, keyCount: 2 });
  });

  it("of nothing is no keys", () => {
    expect(rawLayout("keys.f64", 0, undefined).keyCount).toBe(0);
  });

  it.each([
    [1, "u32", "1 byte is left over"],
    [5, "u32", "1 byte is left over"],
    [7, "f32", "3 bytes are left over"],
    [12, "f64", "4 bytes are left over"],
    [23, "i64", "7 bytes are left over"],
  ])("of %i bytes of %s is refused with what is left over", (byteLength, type, leftOver) => {
    const layout = () => rawLayout("a/keys.bin", byteLength, type);
    expect(layout).toThrow(InputError);
    expect(layout).toThrow(/^a\/keys\.bin has /);
    expect(layout).toThrow(leftOver);
    expect(layout).toThrow(`no whole number of ${type} keys`);
  });

  it("of an unknown type is refused", () => {
    expect(() => rawLayout("keys.f32", 4, "f16")).toThrow(InputError);
    expect(() => rawLayout("keys.f32", 4, "")).toThrow(InputError);
  });
});
