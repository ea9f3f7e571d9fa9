import { afterAll, describe, expect, it, vi } from "vitest";
import { parseRowOrder } from "../../src/commands/sort/line_keys.js";
import { mergeRows } from "../../src/rows/merge/merge_inputs.js";
import type { RowComparison } from "../../src/rows/order/row_order.js";
import { rowKernels } from "../../src/rows/row_kernels.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import { sortByGnu, withGnuSort } from "../support/gnu_sort.js";
import { memoryFile } from "../support/memory_file.js";
import { columnKey, eager, LITTLE, sortTexts, table, textInputs } from "../support/row_sorts.js";

const tools = [1, 2].map((count) => new KernelThreads(count, eager));
afterAll(() => {
  for (const one of tools) one.close();
});

/** The same numbers in any order, again and again. */
const scattered = (i: number, n: number) => (Math.imul(i + 1, 0x9e3779b1) >>> 8) % n;

/** Lines that begin with so many bytes of the same, a part repeated, and end with few others. */
function alike(part: string, length: number, count: number): Buffer {
  const ends = ["a", "B", "b", " ", " 10", ".5", "", "\t", "-"];
  const begin = part.repeat(Math.ceil(length / part.length)).slice(0, length);
  const end = (i: number) => `${ends[scattered(i, ends.length)]}${scattered(i * 7, 10)}`;
  return Buffer.from(Array.from({ length: count }, (_, i) => `${begin}${end(i)}\n`).join(""));
}

/** Keys whose ends take long to find. */
const slowKeyLists = ["1ir,2.1b", "1,2.5f", "1,1n", "1.2,1V"];
const otherKeyLists = [
  ...["1", "1i", "1d", "1fr", "1n", "1h", "1M", "1V", "1,1h", "1.3,2", "1,2Vr"],
  ...["1,2.3di", "1b,1.70000f", "2,2n 1.3,2.2", "1,1g 1,2f"],
];

const orderOf = (keys: readonly string[]) => parseRowOrder({ key: keys })!;

const gnu = (text: Buffer, keys: readonly string[], ...more: string[]) =>
  sortByGnu(["-s", ...keys.map((key) => `-k${key}`), ...more], text);

/** Lines of which each begins as all after it do, for another word more. */
const ladder = Buffer.from(
  Array.from({ length: 2500 }, (_, i) => `${"a".repeat(7 * (2499 - i))}b\n`).join(""),
);

/** Lines of words of which each is one of two, after a long beginning that they have in common. */
const tree = Buffer.from(
  Array.from({ length: 12_000 }, (_, i) => {
    const bits = scattered(i, 2 ** 12)
      .toString(2)
      .padStart(12, "0");
    return `${"x".repeat(700)}${bits.replaceAll("0", "aaaaaaa").replaceAll("1", "bbbbbbb")}\n`;
  }).join(""),
);

withGnuSort.describe("lines whose keys are long and begin alike", () => {
  // Where a comparison takes time that grows with the square of the length, some of the longest take an hour.
  // Their places do not fit 16 bits.
  // Each other list of keys sorts two of the six texts, one of which begins with digits.
  describe.each([
    ...["1", "a", "aB-\x01", " ", "0", "12,"].map((part, p) => {
      const others = otherKeyLists.filter((_, i) => (i + p) % 3 === 0);
      return { part, length: 5000, keyLists: [...slowKeyLists, ...others] };
    }),
    ...["1", "aB-\x01"].map((part) => ({ part, length: 70_000, keyLists: slowKeyLists })),
  ])("lines that begin with $length bytes of '$part'", ({ part, length, keyLists }) => {
    const text = alike(part, length, length > 5000 ? 12 : 30);
    const known = new Map<string, Buffer>();
    const expectedBy = (typed: string, ...more: string[]) => {
      const name = [typed, ...more].join(" ");
      const found = known.get(name) ?? gnu(text, typed.split(" "), ...more);
      known.set(name, found);
      return found;
    };

    it.each(keyLists)("are sorted as by GNU sort, by keys %s", async (typed) => {
      const order = orderOf(typed.split(" "));
      const [one, two] = tools as [KernelThreads, KernelThreads];
      const sorted = async (...args: Parameters<typeof sortTexts>) => (await sortTexts(...args)).text;
      const expected = expectedBy(typed);
      expect((await sorted(two, [text], order)).equals(expected)).toBe(true);
      const distinct = await sorted(one, [text], order, { unique: true, memoryBytes: LITTLE });
      expect(distinct.equals(expectedBy(typed, "-u"))).toBe(true);
      const first = await sorted(one, [text], order, { head: 3 });
      expect(expected.subarray(0, first.length).equals(first)).toBe(true);
      expect(first.filter((byte) => byte === 10)).toHaveLength(3);
    });

    it.each(slowKeyLists)("are merged as by GNU sort, by key %s", async (key) => {
      const inputs = textInputs([expectedBy(key), expectedBy(key)]);
      const parts: Buffer[] = [];
      const job = {
        ...{ inputs, order: orderOf([key]), header: false, unique: true, head: Number.POSITIVE_INFINITY },
        ...{ verify: true, memoryBytes: 1 << 29, createStore: async () => memoryFile() },
      };
      const runner = tools[1]!.runner(rowKernels);
      await mergeRows(runner, job, async (bytes) => void parts.push(Buffer.from(bytes)));
      runner.close();
      expect(Buffer.concat(parts).equals(expectedBy(key, "-u"))).toBe(true); // twice the same rows
    });
  });

  describe.each([
    { compare: "bytes", letters: "", part: "a" },
    { compare: "nocase", letters: "f", part: "aB" },
    { compare: "natural", letters: "V", part: "a1" },
    { compare: "number", letters: "n", part: "1" },
  ] as const)("columns whose values begin with 60,000 bytes of the same, as $compare", (given) => {
    const { compare, letters, part } = given as { compare: RowComparison; letters: string; part: string };
    const end =
      compare === "number" ? (i: number) => String(scattered(i, 10)) : (i: number) => `b${scattered(i, 9)}`;
    const values = Array.from({ length: 15 }, (_, i) => part.repeat(60_000 / part.length) + end(i));

    it.each(["", '"'])("are sorted as by GNU sort, with '%s' around them", async (quote) => {
      const text = Buffer.from(values.map((value, i) => `${i},${quote}${value}${quote}\n`).join(""));
      const order = table(columnKey(1, compare, compare === "number" ? { invalid: "last" } : {}));
      const { text: sorted } = await sortTexts(tools[0]!, [text], order);
      const plain = Buffer.from(values.map((value, i) => `${i},${value}\n`).join(""));
      const expected = sortByGnu(["-s", "-t,", `-k2${letters}`], plain);
      expect(sorted.toString().replaceAll('"', "") === expected.toString()).toBe(true);
    });
  });

  it.each([
    { name: "long lines, by words", text: alike("ab", 50_000, 400), keys: ["1"], unique: true },
    { name: "long lines, by comparisons", text: alike("ab", 50_000, 200), keys: ["1,2f"], unique: true },
    { name: "lines of which each begins as the next", text: ladder, keys: ["1"], unique: false },
    { name: "lines that part at each word", text: tree, keys: ["1"], unique: true },
  ])("$name, are sorted further by calls that end early", async ({ text, keys, unique }) => {
    const runner = tools[0]!.runner(rowKernels);
    const run = vi.spyOn(runner, "run");
    const sorted = await sortTexts(tools[0]!, [text], orderOf(keys), { runner, unique });
    const calls = run.mock.calls.filter(([kernel]) => kernel === "refine_elements");
    expect(sorted.text.equals(gnu(text, keys, ...(unique ? ["-u"] : [])))).toBe(true);
    expect(calls.length).toBeGreaterThan(2);
  });

  it("many lines whose keys are long and begin alike are sorted as by GNU sort", async () => {
    const text = alike("ab", 250, 8000);
    for (const keys of [["1,2f"], ["1,2V"]]) {
      const sorted = await sortTexts(tools[1]!, [text], orderOf(keys));
      expect(sorted.text.equals(gnu(text, keys))).toBe(true);
    }
  });
});
