import { describe, expect, it } from "vitest";
import { fromJson, toJson } from "../../src/commands/sort/summary_json.js";
import { elementType, elementTypes } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import { keyItem } from "../../src/core/items/item.js";
import { itemOrder } from "../../src/core/items/order.js";
import { combine, emptySummary, scanNeighbours } from "../../src/core/items/summary.js";
import { distribution, distributions } from "../../src/testdata/distributions.js";
import { generate } from "../../src/testdata/generate.js";
import { valuesOf } from "../support/keys.js";
import { summarize } from "../support/summarize.js";

const COUNT = 20_000;

function make(
  name: string,
  type: (typeof elementTypes)[number],
  count = COUNT,
  offset = 0,
  total = COUNT,
  seed = 1,
) {
  const bytes = new Uint8Array(count * type.bytes);
  generate(bytes, keyItem(type), offset, { distribution: distribution(name, [type]), seed, total });
  return bytes;
}

const neighbours = (bytes: Uint8Array, type: (typeof elementTypes)[number], descending = false) =>
  scanNeighbours(bytes, itemOrder(keyItem(type), descending));
const distinct = (bytes: Uint8Array<ArrayBuffer>, type: (typeof elementTypes)[number]) =>
  new Set([...new type.array(bytes.buffer)].map(String)).size;

describe.each(elementTypes)("generated $name keys", (type) => {
  it("have the properties that their distribution is named after", () => {
    expect(neighbours(make("sorted", type), type).inversions).toBe(0);
    expect(neighbours(make("reversed", type), type, true).inversions).toBe(0);
    expect(distinct(make("constant", type), type)).toBe(1);
    expect(distinct(make("few", type), type)).toBe(16);
    const displaced = neighbours(make("nearly-sorted", type), type).inversions;
    expect(displaced).toBeGreaterThan(COUNT / 200);
    expect(displaced).toBeLessThan(COUNT / 25);
    if (type.bytes >= 4) {
      expect(distinct(make("uniform", type), type)).toBeGreaterThan(0.99 * COUNT);
      const zipf = distinct(make("zipf", type), type);
      expect(zipf).toBeGreaterThan(COUNT / 50);
      expect(zipf).toBeLessThan(0.9 * COUNT);
    }
  });

  it("are spread over all values of the type, and floats over all bit patterns", () => {
    const isKey = (key: number | bigint) => !Number.isNaN(key);
    const keys = valuesOf(new type.array(make("uniform", type).buffer)).filter(isKey);
    const share = (of: (key: number | bigint) => boolean) =>
      keys.filter((key) => of(key)).length / keys.length;
    const middle = type.order === "unsigned" ? 2 ** (8 * type.bytes - 1) : 0;
    expect(share((key) => key < middle)).toBeGreaterThan(0.48);
    expect(share((key) => key < middle)).toBeLessThan(0.52);
    if (type.order === "float") {
      expect(share((key) => Math.abs(Number(key)) < 1)).toBeGreaterThan(0.48);
      expect(share((key) => Math.abs(Number(key)) < 1)).toBeLessThan(0.52);
    }
  });

  it("depend only on their index, the total and the seed", () => {
    for (const { name, floatsOnly } of distributions) {
      if (floatsOnly && type.order !== "float") continue;
      const whole = make(name, type, 100, 0, 100);
      expect(Buffer.concat([make(name, type, 37, 0, 100), make(name, type, 63, 37, 100)]).equals(whole)).toBe(
        true,
      );
      // Keys of a narrow type whose topmost bits are equal are all equal.
      if (name === "constant" || 8 * type.bytes <= Number(/^shared-(\d+)$/.exec(name)?.[1])) continue;
      expect(Buffer.from(make(name, type, 100, 0, 100, 2)).equals(whole)).toBe(false);
      // Beyond 2^32 keys, an index takes more than one word.
      const far = 3 * 2 ** 32;
      expect(
        Buffer.from(make(name, type, 100, far, far + 100)).equals(make(name, type, 100, 0, far + 100)),
      ).toBe(false);
    }
  });
});

it("generated NaNs have both signs and many payloads, and integer types refuse them", () => {
  for (const type of elementTypes.filter(({ order }) => order === "float")) {
    const bytes = make("nan-laced", type);
    const keys = valuesOf(new type.array(bytes.buffer)) as number[];
    const nans = keys.flatMap((key, i) =>
      Number.isNaN(key)
        ? [Buffer.from(bytes.subarray(i * type.bytes, (i + 1) * type.bytes)).toString("hex")]
        : [],
    );
    expect(nans.length).toBeGreaterThan(COUNT / 10);
    expect(nans.length).toBeLessThan(COUNT / 6);
    const below = keys.filter((key) => key < 0).length / (COUNT - nans.length);
    expect(below).toBeGreaterThan(0.48);
    expect(below).toBeLessThan(0.52);
    // There are 2046 NaNs of 16 bits.
    expect(new Set(nans).size).toBeGreaterThan(type.bytes === 2 ? 800 : COUNT / 20);
    expect(new Set(nans.map((bits) => Number.parseInt(bits.slice(-2), 16) >> 7)).size).toBe(2);
  }
  for (const type of elementTypes.filter(({ order }) => order !== "float")) {
    expect(() => distribution("nan-laced", [type])).toThrow(InputError);
    expect(() => distribution("nan-laced").fill(new type.array(1), type, 0, 1, 1)).toThrow(
      "is not a float type",
    );
  }
  expect(() => distribution("gauss", [elementType("u32")])).toThrow("unknown distribution 'gauss'");
});

describe("generated records", () => {
  const make = (name: string, count = 1000, offset = 0, total = 1000, length = 30) => {
    const item = {
      kind: "record",
      bytes: length,
      keys: [{ offset: 0, bytes: Math.min(10, length) }],
      byteOrder: "little",
    } as const;
    const bytes = new Uint8Array(count * length);
    generate(bytes, item, offset, { distribution: distribution(name), seed: 1, total });
    return { bytes: Buffer.from(bytes), order: itemOrder(item, false) };
  };
  const keys = (bytes: Buffer) =>
    Array.from({ length: bytes.length / 30 }, (_, i) => bytes.toString("hex", 30 * i, 30 * i + 10));

  it("have keys of the distribution, followed by the number of the record", () => {
    const sorted = make("sorted");
    expect(scanNeighbours(sorted.bytes, sorted.order).inversions).toBe(0);
    expect(new Set(keys(make("constant").bytes)).size).toBe(1);
    expect(new Set(keys(make("few").bytes)).size).toBe(16);
    const uniform = keys(make("uniform").bytes);
    expect(new Set(uniform).size).toBe(1000);
    for (let at = 0; at < 20; at += 2) {
      expect(new Set(uniform.map((key) => key.slice(at, at + 2))).size).toBeGreaterThan(230);
    }
    expect(make("uniform").bytes.toString("latin1", 30 * 171 + 10, 30 * 171 + 26)).toBe("00000000000000AB");
  });

  it("can be made in parts, and can be shorter than a key", () => {
    for (const { name, floatsOnly } of distributions) {
      if (floatsOnly) continue;
      for (const length of [1, 9, 30]) {
        const parts = [make(name, 370, 0, 1000, length), make(name, 630, 370, 1000, length)];
        const whole = make(name, 1000, 0, 1000, length);
        expect(Buffer.concat(parts.map(({ bytes }) => bytes)).equals(whole.bytes)).toBe(true);
      }
    }
    expect(() => make("nan-laced")).toThrow(InputError);
  });
});

describe("a summary", () => {
  const item = { kind: "record", bytes: 9, keys: [{ offset: 0, bytes: 1 }], byteOrder: "little" } as const;
  const bytes = new Uint8Array(9 * 200).map((_, i) => (Math.imul(i, 0x9e3779b1) >>> 9) % 5);

  it("of the whole equals the combined summaries of its parts, in any grouping", () => {
    for (const order of [itemOrder(item, false), itemOrder(item, true)]) {
      const whole = summarize(bytes, order);
      expect(whole.inversions).toBeGreaterThan(0);
      expect(whole.duplicates).toBeGreaterThan(0);
      const part = (from: number, to: number) => summarize(bytes.slice(9 * from, 9 * to), order);
      for (const [a, b] of [
        [0, 0],
        [1, 1],
        [1, 2],
        [50, 150],
        [199, 200],
      ] as const) {
        const parts = [part(0, a), part(a, b), part(b, 200)] as const;
        expect(combine(combine(parts[0], parts[1], order), parts[2], order)).toEqual(whole);
        expect(combine(parts[0], combine(parts[1], parts[2], order), order)).toEqual(whole);
      }
      expect(combine(emptySummary, emptySummary, order)).toEqual(emptySummary);
    }
  });

  it("survives JSON, for keys, for records and for no items", () => {
    for (const one of [item, ...elementTypes.map(keyItem)]) {
      for (const length of [0, 72]) {
        const file = {
          item: one,
          descending: false,
          summary: summarize(bytes.slice(0, length), itemOrder(one, false)),
        };
        expect(fromJson("s.json", JSON.stringify(toJson(file)))).toEqual(file);
      }
    }
  });

  it.each(["", "{}", "[]", '{"type":"u32"}', '{"type":"u99","order":"ascending"}'])(
    "is refused if it is not a summary: '%s'",
    (text) => {
      expect(() => fromJson("s.json", text)).toThrow(InputError);
      expect(() => fromJson("s.json", text)).toThrow(/^s\.json is not a summary: /);
    },
  );

  it.each(["", "{", "3\n1\n", "3"])("is refused by the same words if it is no JSON: %j", (text) => {
    expect(() => fromJson("s.json", text)).toThrow(/^s\.json is not a summary: it holds no object of JSON$/);
  });

  it.each([
    [{ type: "u32" }, "order: it is missing"],
    [{ record: 100, keys: [] }, "keys: Invalid length"],
    [{ type: "u32", order: "up" }, 'order: Invalid type: Expected ("ascending" | "descending")'],
    [{ type: "u32", order: "ascending", count: 1e300 }, "count: Invalid safe integer"],
  ])("is refused with the field that is wrong: %j", (some, objection) => {
    const text = JSON.stringify({ version: 2, ...some });
    expect(() => fromJson("s.json", text)).toThrow(objection);
  });

  it("is refused if a field has an invalid value", () => {
    const file = {
      item: keyItem(elementType("u32")),
      descending: true,
      summary: summarize(bytes.slice(0, 8), itemOrder(keyItem(elementType("u32")), true)),
    };
    const json = toJson(file);
    for (const [field, value] of [
      ["count", -1],
      ["count", 0],
      ["checksum", "12"],
      ["first", "00"],
      ["last", null],
      ["order", "up"],
      ["type", 5],
    ]) {
      expect(() => fromJson("s.json", JSON.stringify({ ...json, [field as string]: value }))).toThrow(
        InputError,
      );
    }
  });
});
