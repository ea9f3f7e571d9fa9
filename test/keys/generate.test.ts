import { describe, expect, it } from "vitest";
import { elementType, elementTypes } from "../../src/elements.js";
import { InputError } from "../../src/errors.js";
import { keyItem } from "../../src/formats/format.js";
import { distribution, generate } from "../../src/keys/generate.js";
import { itemOrder } from "../../src/keys/order.js";
import { placements as distributions } from "../../src/keys/placements.js";
import { scanNeighbours } from "../../src/keys/scan.js";
import { combine, emptySummary, summarize } from "../../src/keys/summary.js";
import { fromJson, toJson } from "../../src/keys/summary_json.js";

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
  generate(bytes, keyItem(type), offset, { distribution: distribution(name, type), seed, total });
  return bytes;
}

const neighbours = (bytes: Uint8Array, type: (typeof elementTypes)[number], descending = false) =>
  scanNeighbours(bytes, itemOrder(keyItem(type), descending));
const distinct = (bytes: Uint8Array<ArrayBuffer>, type: (typeof elementTypes)[number]) =>
  new Set([...new type.array(bytes.buffer)].map(String)).size;

describe.each(elementTypes)("keys to test with, $name", (type) => {
  it("are what their distribution is called", () => {
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

  it("are spread over all of the type, or from 0 to 1", () => {
    const keys = new type.array(make("uniform", type).buffer);
    const share = (of: (key: number | bigint) => boolean) =>
      [...keys].filter((key) => of(key)).length / COUNT;
    const middle = type.order === "float" ? 0.5 : type.order === "signed" ? 0 : 2 ** (8 * type.bytes - 1);
    expect(share((key) => key < middle)).toBeGreaterThan(0.48);
    expect(share((key) => key < middle)).toBeLessThan(0.52);
    if (type.order === "float") expect(share((key) => key >= 0 && key < 1)).toBe(1);
  });

  it("depend on nothing but their number, the total and the seed", () => {
    for (const { name, floatsOnly } of distributions) {
      if (floatsOnly && type.order !== "float") continue;
      const whole = make(name, type, 100, 0, 100);
      expect(Buffer.concat([make(name, type, 37, 0, 100), make(name, type, 63, 37, 100)]).equals(whole)).toBe(
        true,
      );
      if (name === "constant") continue;
      expect(Buffer.from(make(name, type, 100, 0, 100, 2)).equals(whole)).toBe(false);
      // Past 2^32 keys, where a number takes more than a word.
      const far = 3 * 2 ** 32;
      expect(
        Buffer.from(make(name, type, 100, far, far + 100)).equals(make(name, type, 100, 0, far + 100)),
      ).toBe(false);
    }
  });
});

it("NaNs have both signs and many payloads, and there are none of integers", () => {
  for (const type of elementTypes.filter(({ order }) => order === "float")) {
    const bytes = make("nan-laced", type);
    const keys = [...new type.array(bytes.buffer)] as number[];
    const nans = keys.flatMap((key, i) =>
      Number.isNaN(key)
        ? [Buffer.from(bytes.subarray(i * type.bytes, (i + 1) * type.bytes)).toString("hex")]
        : [],
    );
    expect(nans.length).toBeGreaterThan(COUNT / 10);
    expect(new Set(nans).size).toBeGreaterThan(COUNT / 20);
    expect(new Set(nans.map((bits) => Number.parseInt(bits.slice(-2), 16) >> 7)).size).toBe(2);
  }
  expect(() => distribution("nan-laced", elementType("u32"))).toThrow(InputError);
  expect(() => distribution("gauss", elementType("u32"))).toThrow("unknown distribution 'gauss'");
});

describe("a summary", () => {
  const item = { kind: "record", bytes: 9, keys: [{ offset: 0, bytes: 1 }], byteOrder: "little" } as const;
  const bytes = new Uint8Array(9 * 200).map((_, i) => (Math.imul(i, 0x9e3779b1) >>> 9) % 5);

  it("of parts, put together in any grouping, is that of the whole", () => {
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

  it("goes through JSON, of keys, of records and of nothing", () => {
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
    "that is none is refused: '%s'",
    (text) => {
      expect(() => fromJson("s.json", text)).toThrow(InputError);
      expect(() => fromJson("s.json", text)).toThrow(/^s\.json is no summary: /);
    },
  );

  it("with a field that is not what it was is refused", () => {
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
