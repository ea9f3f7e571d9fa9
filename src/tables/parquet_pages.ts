import type { Range } from "./parquet_footer.js";
import { readStructAtStart, type ThriftStruct, type ThriftValue, TooShortError } from "./thrift.js";

/**
 * The pages of a column of a Parquet file.
 *
 * Source: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */

const PageType = { data: 0n, dictionary: 2n, dataV2: 3n } as const;
const Header = { type: 1, unpacked: 2, packed: 3, data: 5, dataV2: 8 } as const;
const VALUES = 1;

/** Most headers are shorter. They have the least and the greatest value of the page. */
const HEADER_BYTES = 256;
/** No header is longer. */
const LONGEST_HEADER = 1 << 24;
/** More pages are not looked at one by one. */
const MOST_PAGES = 1 << 18;

/** A page, with its header. */
interface Page {
  /** Where it is in the file. */
  readonly start: number;
  readonly end: number;
  /** Bytes without the header, unpacked. */
  readonly unpackedBytes: number;
  /** The values and nulls in it, which are its rows if the column is flat. */
  readonly values: number;
}

/** The pages of a column in a row group. */
export interface ColumnPages {
  readonly dictionary: Page | undefined;
  /** Those of data, in order. */
  readonly data: readonly Page[];
}

/** Bytes of a file. */
export type BytesAt = (offset: number, count: number) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Finds the pages of a column by their headers.
 *
 * @returns undefined if there are too many, of whatever type.
 * @throws RangeError if one is damaged, or if there are two dictionaries.
 */
export async function findPages({ start, end }: Range, bytesAt: BytesAt): Promise<ColumnPages | undefined> {
  let dictionary: Page | undefined;
  const data: Page[] = [];
  for (let [at, found] = [start, 0]; at < end; found++) {
    if (found === MOST_PAGES) return undefined;
    const { header, length } = await readHeader(at, end, bytesAt);
    const body = numberOf(header, Header.packed);
    const next = at + length + body;
    if (next > end) throw new RangeError("a page lies outside of its column");
    const type = header.get(Header.type)?.value;
    const page = { start: at, end: next, unpackedBytes: numberOf(header, Header.unpacked) };
    if (type === PageType.dictionary) {
      if (dictionary) throw new RangeError("a column has two dictionaries");
      dictionary = { ...page, values: 0 };
    }
    if (type === PageType.data || type === PageType.dataV2) {
      const inside = header.get(type === PageType.data ? Header.data : Header.dataV2)?.value;
      if (!(inside instanceof Map)) throw new RangeError("a page has no header");
      data.push({ ...page, values: numberOf(inside, VALUES) });
    }
    at = next;
  }
  return { dictionary, data };
}

async function readHeader(
  at: number,
  end: number,
  bytesAt: BytesAt,
): Promise<{ header: ThriftStruct; length: number }> {
  for (let most = HEADER_BYTES; ; most = Math.min(8 * most, LONGEST_HEADER)) {
    const bytes = await bytesAt(at, Math.min(most, end - at));
    try {
      const { struct, length } = readStructAtStart(bytes, "the header of a page");
      return { header: struct, length };
    } catch (error) {
      const hasMore = bytes.length === most && most < LONGEST_HEADER;
      if (!(error instanceof TooShortError && hasMore)) throw error;
    }
  }
}

function numberOf(struct: Map<number, { readonly value: ThriftValue }>, field: number): number {
  const value = struct.get(field)?.value;
  if (typeof value === "bigint" && value >= 0n && value <= 0x7fff_ffffn) return Number(value);
  throw new RangeError("a page has a number that is missing or wrong");
}
