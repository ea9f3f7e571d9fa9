import { expect, it } from "vitest";
import { elementType } from "../../../src/core/elements.js";
import type { RecordItem } from "../../../src/core/items/item.js";
import { recordLimits } from "../../../src/sort/items/record_limits.js";
import { RecordSorter } from "../../../src/sort/items/record_sorter.js";

/** The addresses of WebAssembly, and the positions of a text, which have 31 bits. */
const [ADDRESSES, POSITIONS] = [2 ** 32, 2 ** 31];

const item = (bytes: number): RecordItem => ({
  kind: "record",
  bytes,
  keys: [
    { offset: 0, bytes },
    { offset: bytes - 1, type: elementType("u8") },
  ],
  byteOrder: "little",
});

/** The bytes to which the memory of as many records as fit grows, on a machine with threads. */
async function memoryOf(bytes: number, threads: number): Promise<number> {
  let most = Number.POSITIVE_INFINITY; // more than addresses reach is not asked for
  const isAsked = new Error("how much memory");
  const memory = {
    buffer: new ArrayBuffer(2 ** 26),
    grow(pages: number) {
      most = this.buffer.byteLength + pages * 65536;
      throw isAsked;
    },
  };
  const runner = { threads, threadsFor: () => threads, makeMemory: () => memory, close() {} };
  const sorter = new RecordSorter({ runner: () => runner } as never, item(bytes), {
    descending: false,
    algorithm: "auto",
    verify: true,
  });
  const reading = sorter.sort(sorter.capacity, { read: async () => {} }, {} as never);
  await expect(reading).rejects.toThrow("do not fit in the memory");
  return most;
}

it.each([1, 2, 3, 8, 32, 33, 100, 511, 512, 513, 10_000, 2 ** 20, 2 ** 24, 2 ** 30, 2 ** 31 - 2 ** 16])(
  "as many records of %i bytes as fit take most of the addresses, or of the positions, and no more",
  async (bytes) => {
    const { capacity } = recordLimits(item(bytes));
    expect(capacity).toBeGreaterThan(0);
    expect(capacity * bytes).toBeLessThan(POSITIONS);
    const [few, many] = [await memoryOf(bytes, 1), await memoryOf(bytes, 255)];
    expect(Math.max(few, many)).toBeLessThanOrEqual(ADDRESSES);
    const isFull = (capacity + 1) * bytes > POSITIONS - 2 ** 16 || few > 0.98 * ADDRESSES;
    expect(isFull).toBe(true);
  },
);
