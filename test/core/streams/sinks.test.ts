import fc from "fast-check";
import { expect, it } from "vitest";
import { elementType } from "../../../src/core/elements.js";
import { keyItem } from "../../../src/core/items/item.js";
import { itemOrder } from "../../../src/core/items/order.js";
import { HeadSink, UniqueSink } from "../../../src/core/streams/sinks.js";

const order = itemOrder(keyItem(elementType("u32")), false);

function collector() {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const write = async (from: Uint8Array, offset: number) => {
    expect(offset).toBe(length);
    length += from.length;
    pieces.push(from.slice());
  };
  let ended = 0;
  const end = async () => void ended++;
  return {
    write,
    end,
    ends: () => ended,
    keys: () => [...new Uint32Array(new Uint8Array(Buffer.concat(pieces)).buffer)],
  };
}

it("UniqueSink keeps one of each key, however the keys are cut into windows", async () => {
  const windows = fc.array(fc.array(fc.nat(30), { maxLength: 20 }), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(windows, async (lists) => {
      const sorted = lists.flat().sort((a, b) => a - b);
      const sink = collector();
      const unique = new UniqueSink(order, sink);
      let at = 0;
      const writes = lists.map(({ length }) => {
        at += length;
        const window = Uint32Array.from(sorted.slice(at - length, at));
        return unique.write(new Uint8Array(window.buffer));
      });
      await Promise.all(writes);
      const expected = [...new Set(sorted)];
      await unique.end();
      expect(sink.keys()).toEqual(expected);
      expect(sink.ends()).toBe(1);
    }),
    { numRuns: 250 },
  );
});

it("UniqueSink keeps all distinct keys of long inputs with many, few or no duplicates", async () => {
  for (const every of [2, 1000, 20_000, 1e9]) {
    const keys = new Uint32Array(300_000).map((_, i) => i - Math.floor(i / every));
    const sink = collector();
    const unique = new UniqueSink(order, sink);
    const bytes = new Uint8Array(keys.buffer);
    await Promise.all([unique.write(bytes.subarray(0, 444_444)), unique.write(bytes.subarray(444_444))]);
    await unique.end();
    const expected = new Set(keys);
    expect(sink.keys().length).toBe(expected.size);
    expect(sink.keys().every((key, i) => key === i)).toBe(true);
  }
});

it("UniqueSink keeps both -0 and 0, and one of all NaNs", async () => {
  const sink = collector();
  const unique = new UniqueSink(itemOrder(keyItem(elementType("f32")), false), sink);
  const keys = Uint32Array.of(0x80000000, 0x80000000, 0, 0, 0x3f800000, 0x7fc00000, 0x7fc00001, 0xffc00000);
  await unique.write(new Uint8Array(keys.buffer));
  await unique.end();
  expect(sink.keys()).toEqual([0x80000000, 0, 0x3f800000, 0x7fc00000]);
});

it("HeadSink passes on the first bytes and no more", async () => {
  const sink = collector();
  const head = new HeadSink(12, sink);
  const window = (...keys: number[]) => new Uint8Array(Uint32Array.from(keys).buffer);
  await head.write(window(1, 2), 0);
  await head.write(window(3, 4), 8);
  await head.write(window(5), 16);
  await head.end();
  expect([sink.keys(), head.bytes, sink.ends()]).toEqual([[1, 2, 3], 12, 1]);
});
