import { afterAll, describe, expect, it } from "vitest";
// The threads load the built worker, so what uses them comes from the build too.
import { ThreadPool } from "../../dist/core/cpu/thread_pool.js";
import { elementType, type TypeName } from "../../dist/core/elements.js";
import { CpuEngine } from "../../dist/core/engines/cpu.js";
import { keyItem } from "../../dist/core/items/item.js";
import { memorySink, memorySource } from "../../dist/core/streams/item_stream.js";
import type { FormatTools } from "../../dist/formats/format.js";
import { text } from "../../dist/formats/text/text.js";
import { crew } from "../../dist/threads/crew.js";
import { KernelThreads } from "../../dist/threads/kernel_threads.js";
import { allItems, byteInput, byteOutput } from "../support/bytes.js";

/** Threads take part in whatever there is to do. */
const eager = { threadBytes: 1, sharedBytes: 1, freshBytes: 1, startBytes: 1 };

async function print(keys: Uint8Array<ArrayBuffer>, type: TypeName, tools?: FormatTools): Promise<Buffer> {
  const output = byteOutput(true);
  const style = { format: "text", byteOrder: "little" } as const;
  const sink = await text.create(output, keyItem(elementType(type)), style, undefined, tools);
  await sink.write(keys, 0);
  await sink.end();
  return Buffer.from(output.bytes());
}

async function parse(lines: Buffer, type: TypeName, tools?: FormatTools): Promise<Buffer> {
  const input = await text.open(byteInput("n.txt", lines), { type }, tools);
  return Buffer.from(await allItems(input, 1 << 22));
}

/** Keys that are no NaN, of any size. */
function keysOf(type: TypeName, count: number): Uint8Array<ArrayBuffer> {
  const { array } = elementType(type);
  const keys = new array(count);
  const isBig = typeof keys[0] === "bigint";
  for (let i = 0; i < count; i++) {
    const value = type.startsWith("f") ? Math.sin(i) * 10 ** (i % 30) : Math.imul(i, 0x9e3779b1);
    (keys as unknown as (number | bigint)[])[i] = isBig ? BigInt(value) ** 2n : value;
  }
  return new Uint8Array(keys.buffer) as Uint8Array<ArrayBuffer>;
}

describe("threads", () => {
  const tools = new KernelThreads(3, eager);
  afterAll(() => tools.close());

  it.each(["u8", "i16", "u32", "f32", "i64", "f64"] as const)(
    "parse and print %s as one thread does",
    async (type) => {
      for (const count of [0, 1, 4096, 4097, 400_000]) {
        const keys = keysOf(type, count);
        const lines = await print(keys, type, tools);
        expect(lines.equals(await print(keys, type))).toBe(true);
        expect((await parse(lines, type, tools)).equals(keys)).toBe(true);
      }
    },
  );

  it("name the first wrong line of those that they parse at the same time", async () => {
    const lines = Array.from({ length: 400_000 }, (_, i) => String(i));
    const wrong = lines.with(150_000, "x").with(150_500, "y").with(390_000, "z");
    await expect(parse(Buffer.from(wrong.join("\n")), "u32", tools)).rejects.toThrow(
      "n.txt, line 150001: 'x' is not",
    );
    const unusual = lines.map((line, i) => (i % 1000 < 20 ? "0".repeat(30) + line : line));
    const keys = await parse(Buffer.from(unusual.join("\n")), "u32", tools);
    expect(keys.equals(Buffer.from(Uint32Array.from(lines, Number).buffer))).toBe(true);
  });

  it("of several pools take turns, and go on when one pool is closed", async () => {
    const engine = new CpuEngine(new ThreadPool(crew, 2, eager));
    const type = elementType("u32");
    const keys = new Uint32Array(keysOf("u32", 1 << 19).buffer);
    const job = { type, keyCount: keys.length, descending: false, algorithm: "auto", verify: true };
    const sorted = keys.slice().sort();
    const lines = await print(keysOf("f64", 200_000), "f64");
    for (let turn = 0; turn < 8; turn++) {
      const mine = new KernelThreads(2, eager);
      const into = new Uint32Array(keys.length);
      const sorting = engine.sort(job, memorySource(keys), memorySink(into));
      const parsing = [parse(lines, "f64", tools), parse(lines, "f64", mine)];
      const closing = setTimeout(() => mine.close(), 2 * turn);
      const [first, second] = await Promise.allSettled(parsing);
      clearTimeout(closing);
      expect(first).toMatchObject({ status: "fulfilled" });
      if (second?.status === "rejected") expect(second.reason).toBeInstanceOf(Error);
      await sorting;
      mine.close();
      expect(Buffer.compare(Buffer.from(into.buffer), Buffer.from(sorted.buffer))).toBe(0);
    }
    engine.close();
  });
});
