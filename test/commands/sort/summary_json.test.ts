import { describe, expect, it } from "vitest";
import { fromJson, toJson } from "../../../src/commands/sort/summary_json.js";
import { elementType, elementTypes, type TypeName } from "../../../src/core/elements.js";
import { InputError } from "../../../src/core/errors.js";
import { keyElement } from "../../../src/core/float16.js";
import { keyItem } from "../../../src/core/items/item.js";
import { itemOrder } from "../../../src/core/items/order.js";
import { summarize } from "../../support/summarize.js";

function summaryOf(typeName: TypeName, keys: readonly (number | bigint)[]) {
  const type = elementType(typeName);
  const item = keyItem(type);
  const bytes = new Uint8Array(
    new type.array(keys.map((key) => keyElement(key, type)) as never).buffer as ArrayBuffer,
  );
  return { item, descending: false, summary: summarize(bytes, itemOrder(item, false)) };
}

/** The first and the last key as JSON, after a turn through its text. */
function ends(typeName: TypeName, ...keys: (number | bigint)[]) {
  const { first, last } = JSON.parse(JSON.stringify(toJson(summaryOf(typeName, keys))));
  return [first, last];
}

describe("the JSON of a summary", () => {
  it("tells keys as numbers, or as strings where JSON has no such number", () => {
    expect(ends("u8", 0, 255)).toEqual([0, 255]);
    expect(ends("i32", -(2 ** 31), 7)).toEqual([-(2 ** 31), 7]);
    expect(ends("u64", 5n, 2n ** 64n - 1n)).toEqual(["5", "18446744073709551615"]);
    expect(ends("i64", -(2n ** 63n), 1000000000000000n)).toEqual([
      "-9223372036854775808",
      "1000000000000000",
    ]);
    expect(ends("f32", 0.1, 3.4028234663852886e38)).toEqual([0.1, 3.4028235e38]);
    expect(ends("f64", -0, Number.NaN)).toEqual(["-0", "NaN"]);
    expect(ends("f64", -Infinity, Infinity)).toEqual(["-Infinity", "Infinity"]);
    expect(ends("f32")).toEqual([null, null]);
  });

  it.each(elementTypes)("of $name keys is read back with the same bits", ({ name, bytes, order }) => {
    const isBig = bytes === 8 && order !== "float";
    const least = order === "signed" ? -(2 ** (8 * bytes - 1)) : 0;
    const keys =
      order === "float"
        ? [-Infinity, -1.5, -0, 0, 2 ** -149, 0.1, 1e21, 3.4028234663852886e38, Infinity, Number.NaN]
        : [least, 0, 1, 2 ** (8 * bytes - 2), 127].map((key) => (isBig ? BigInt(key) : key));
    for (const key of keys) {
      const summary = summaryOf(name, [key, key]);
      expect(fromJson("s.json", JSON.stringify(toJson(summary)))).toEqual(summary);
    }
  });

  it.each([
    ["u8", 256, "256 is not a key of type u8"],
    ["u8", "5", '"5" is not a key of type u8'],
    ["i16", 1.5, "1.5 is not a key of type i16"],
    ["u64", 5, "5 is not a key of type u64"],
    ["u64", "-1", '"-1" is not a key of type u64'],
    ["i64", "0x10", '"0x10" is not a key of type i64'],
    ["i64", "9223372036854775808", '"9223372036854775808" is not a key of type i64'],
    ["f32", 0.123456789012, "0.123456789012 is not a key of type f32"],
    ["f64", "1", '"1" is not a key of type f64'],
  ] as const)("of %s keys is refused with the key %j", (type, key, message) => {
    const isBig = type.endsWith("64") && type !== "f64";
    const json = { ...toJson(summaryOf(type, [isBig ? 1n : 1])), first: key };
    expect(() => fromJson("s.json", JSON.stringify(json))).toThrow(InputError);
    expect(() => fromJson("s.json", JSON.stringify(json))).toThrow(`s.json is not a summary: ${message}`);
  });

  it.each([
    [3, /^s\.json is not a summary: version: .*2.*3/],
    [undefined, /^s\.json is not a summary: version: it is missing$/],
  ])("of version %s is refused", (version, message) => {
    const json = JSON.stringify({ ...toJson(summaryOf("u8", [1])), version });
    expect(() => fromJson("s.json", json)).toThrow(message);
  });
});
