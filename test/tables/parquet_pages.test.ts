import { describe, expect, it } from "vitest";
import { type BytesAt, findPages } from "../../src/tables/parquet_pages.js";
import { ThriftType, type ThriftValue, writeStruct } from "../../src/tables/thrift.js";

const BODY_BYTES = 10;
const [DATA, INDEX, DICTIONARY] = [0, 1, 2];

const field = (type: number, value: ThriftValue) => ({ type, value });
const number = (value: number) => field(ThriftType.i32, BigInt(value));

/** A page of three values. @param statisticsBytes those of the least value in its header. */
function page(type: number, statisticsBytes = 0): Uint8Array<ArrayBuffer> {
  const least = field(ThriftType.binary, new Uint8Array(statisticsBytes));
  const data = new Map([[1, number(3)]]).set(5, field(ThriftType.struct, new Map([[2, least]])));
  const header = new Map([
    [1, number(type)],
    [2, number(2 * BODY_BYTES)],
    [3, number(BODY_BYTES)],
    [5, field(ThriftType.struct, data)],
  ]);
  return Buffer.concat([writeStruct(header), new Uint8Array(BODY_BYTES)]) as Uint8Array<ArrayBuffer>;
}

/** Finds the pages of bytes, and notes how many bytes each read asked for. */
async function find(bytes: Uint8Array<ArrayBuffer>) {
  const reads: number[] = [];
  const bytesAt: BytesAt = async (offset, count) => {
    reads.push(count);
    return bytes.subarray(offset, offset + count);
  };
  const found = await findPages({ start: 0, end: bytes.length }, bytesAt).catch((error) => error);
  return { found, reads };
}

const joined = (pages: readonly Uint8Array[]) => Buffer.concat(pages) as Uint8Array<ArrayBuffer>;

describe("the pages of a column", () => {
  it("are found by headers of any length", async () => {
    const pages = [page(DICTIONARY), page(INDEX), page(DATA, 5000), page(DATA)];
    const { found } = await find(joined(pages));
    const ends = pages.map((_, i) => joined(pages.slice(0, i + 1)).length);
    const places = [0, 1, 2, 3].map((i) => ({ start: ends[i - 1] ?? 0, end: ends[i] }));
    expect(found.dictionary).toMatchObject(places[0]!);
    const data = { unpackedBytes: 2 * BODY_BYTES, values: 3 };
    expect(found.data).toEqual([
      { ...places[2], ...data },
      { ...places[3], ...data },
    ]);
  });

  it("are given up if a header is longer than any is, without a longer read", async () => {
    const { found, reads } = await find(page(DATA, 2 ** 24 + 1));
    expect(found).toEqual(new RangeError("the header of a page ends too early"));
    expect(Math.max(...reads)).toBe(2 ** 24);
  });

  it.each([DATA, INDEX, 7])(
    "are not looked at one by one if they are too many: of type %i",
    async (type) => {
      const one = page(type);
      const many = (count: number) =>
        find(new Uint8Array(count * one.length).map((_, i) => one[i % one.length]!));
      const [some, more] = [await many(2 ** 18), await many(2 ** 18 + 1)];
      expect(some.found.data).toHaveLength(type === DATA ? 2 ** 18 : 0);
      expect(more.found).toBeUndefined();
      expect(more.reads).toHaveLength(2 ** 18);
    },
    30_000,
  );

  it("are damaged if two of them are dictionaries", async () => {
    const { found } = await find(joined([page(DICTIONARY), page(DATA), page(DICTIONARY)]));
    expect(found).toEqual(new RangeError("a column has two dictionaries"));
  });

  it("are given up at once if a header is no struct", async () => {
    const { found, reads } = await find(new Uint8Array(10_000).fill(0xff));
    expect(found).toBeInstanceOf(RangeError);
    expect(found.message).toMatch(/^the header of a page has /);
    expect(reads).toHaveLength(1);
  });
});
