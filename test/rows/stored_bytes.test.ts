import { describe, expect, it } from "vitest";
import { BlockReader, BlockWriter } from "../../src/rows/stored_bytes.js";
import { memoryFile } from "../support/memory_file.js";

const BLOCK = 1 << 16;
const AT = 1000;
const bytes = new Uint8Array(5 * BLOCK + 123).map((_, i) => (i * 2654435761) >>> 24);

async function stored() {
  const store = memoryFile();
  const writer = new BlockWriter(store, AT);
  for (let from = 0; from < bytes.length; from += 50_000)
    await writer.write(bytes.subarray(from, from + 50_000));
  return { store, stored: writer.stored };
}

const changed = { message: "a temporary file does not hold what was written to it" };

describe("stored bytes", () => {
  it.each([997, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, bytes.length, 2 ** 20])(
    "come back in pieces of %i",
    async (piece) => {
      const { store, stored: own } = await stored();
      const reader = new BlockReader(store, own);
      const actual: Buffer[] = [];
      for (;;) {
        const into = new Uint8Array(piece);
        const some = await reader.read(into);
        actual.push(Buffer.from(into.subarray(0, some)));
        if (some < into.length) break;
      }
      expect(Buffer.concat(actual).equals(bytes)).toBe(true);
      expect(reader.bytesRead).toBe(bytes.length);
    },
  );

  it("are refused before any byte of a block is given that was changed", async () => {
    for (let place = 0; place < bytes.length; place += 17_393) {
      const { store, stored: own } = await stored();
      await store.write(Uint8Array.of(bytes[place]! ^ (1 << (place % 8))), AT + place);
      const reader = new BlockReader(store, own);
      const sound = place - (place % BLOCK);
      expect(await reader.read(new Uint8Array(sound))).toBe(sound);
      await expect(reader.read(new Uint8Array(1 + (place % BLOCK)))).rejects.toMatchObject(changed);
      const atOnce = new BlockReader(store, own).read(new Uint8Array(bytes.length));
      await expect(atOnce).rejects.toMatchObject(changed);
    }
  });

  it("are refused if two blocks, or two bytes, change places", async () => {
    for (const length of [1, BLOCK]) {
      const { store, stored: own } = await stored();
      await store.write(bytes.subarray(BLOCK, BLOCK + length), AT);
      await store.write(bytes.subarray(0, length), AT + BLOCK);
      await expect(new BlockReader(store, own).read(new Uint8Array(10))).rejects.toMatchObject(changed);
    }
  });

  it("are those that were written when they were named, if more follow", async () => {
    const store = memoryFile();
    const writer = new BlockWriter(store, 0);
    await writer.write(bytes.subarray(0, 100));
    const first = writer.stored;
    await writer.write(bytes.subarray(100));
    const into = new Uint8Array(1000);
    expect(await new BlockReader(store, first).read(into)).toBe(100);
    expect(into.subarray(0, 100)).toEqual(bytes.subarray(0, 100));
  });
});
