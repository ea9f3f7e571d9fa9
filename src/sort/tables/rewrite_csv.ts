import { createReadStream } from "node:fs";
import { beginsWithMark, UTF8_MARK } from "../../core/bytes.js";
import { InputError, textAfterQuote, unclosedQuote } from "../../core/errors.js";
import type { RowOrder } from "../../rows/order/row_order.js";

// DuckDB reads some CSV otherwise than gpusort does: it ends without an error at a quote that is not closed,
// leaves out blanks around quotes, and finds no rows at all if the first line break within quotes is not that
// of the rows. So it gets a file as it is only if that has lines of plain fields. It gets any other one as a
// copy, in which line feeds end rows, and what is not plain is in quotes.

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [10, 13, 34];

/** The lines of a file. */
export interface PlainLines {
  /** Those that are not blank. */
  readonly lines: number;
  readonly blank: number;
}

/**
 * Counts the lines of a file of CSV.
 *
 * @returns undefined if it has quotes, carriage returns or a byte order mark: then it is not plain.
 */
export async function plainLinesOf(path: string): Promise<PlainLines | undefined> {
  let [lines, blank, length] = [0, 0, 0];
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const isMarked = lines + blank + length === 0 && beginsWithMark(piece);
    if (isMarked || piece.includes(QUOTE) || piece.includes(CARRIAGE_RETURN)) return undefined;
    let begin = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, begin)) {
      if (length + end - begin > 0) lines++;
      else blank++;
      [begin, length] = [end + 1, 0];
    }
    length += piece.length - begin;
  }
  return { lines: lines + Number(length > 0), blank };
}

/** How CSV is read that is rewritten. */
export interface CsvRewriting {
  /** The name of the input, for messages. */
  readonly name: string;
  readonly separator: number;
  readonly terminator: RowOrder["terminator"];
  /** How many fields a row must have. */
  readonly columns: number;
  /** The most bytes of a row. */
  readonly rowBytes: number;
}

/** Rewrites CSV as every reader reads it: the same fields, in the same lines. Blank rows stay blank lines. */
export class CsvRewriter {
  readonly #style: CsvRewriting;
  #rest: Buffer = Buffer.alloc(0);
  #row = 0;
  #lines = 0;
  #isBegun = false;
  // Where a row is read, and what is written of it.
  #bytes: Buffer = Buffer.alloc(0);
  #out: Buffer = Buffer.alloc(0);
  #to = 0;

  constructor(style: CsvRewriting) {
    this.#style = style;
  }

  /** The rows so far, the header among them. */
  get lines(): PlainLines {
    return { lines: this.#lines, blank: this.#row - this.#lines };
  }

  /**
   * Rewrites the next bytes.
   *
   * @param isLast whether no bytes follow.
   * @returns the rows that end in them. The next call writes over them.
   * @throws InputError if a row has another number of fields, wrong quotes, or too many bytes.
   */
  rewrite(piece: Uint8Array, isLast: boolean): Uint8Array {
    const { rowBytes, name } = this.#style;
    this.#bytes = Buffer.concat([this.#rest, piece]);
    // A field may get two quotes around it, and each of its quotes a second one.
    const most = 4 * this.#bytes.length + 4;
    if (this.#out.length < most) this.#out = Buffer.allocUnsafe(most);
    this.#to = 0;
    let at = 0;
    if (!this.#isBegun && beginsWithMark(this.#bytes)) at = UTF8_MARK.length;
    this.#isBegun = true;
    while (at < this.#bytes.length) {
      const written = this.#to;
      const end = this.#rewriteRow(at, isLast);
      if (end === undefined) {
        this.#to = written;
        break;
      }
      at = end;
    }
    this.#rest = this.#bytes.subarray(at);
    if (this.#rest.length > rowBytes) {
      throw new InputError(`${name}: row ${this.#row + 1} has more than ${rowBytes} bytes`, {
        hint: "give it more memory: a row may take 8 MiB, or a 32nd of that; or look for a quote that is not closed",
        options: ["memoryBytes"],
      });
    }
    return this.#out.subarray(0, this.#to);
  }

  /** @returns the position after a row that begins at one; undefined if more bytes must tell where it ends. */
  #rewriteRow(begin: number, isLast: boolean): number | undefined {
    const { name, separator, terminator, columns } = this.#style;
    const bytes = this.#bytes;
    const row = this.#row + 1;
    for (let [at, fields] = [begin, 1]; ; fields++) {
      const field = this.#to;
      const isQuoted = bytes[at] === QUOTE;
      if (isQuoted) {
        const end = endOfQuoted(bytes, at);
        if (end === undefined || end === bytes.length) {
          if (!isLast) return undefined;
          if (end === undefined) throw unclosedQuote(name, row);
        }
        this.#to += bytes.copy(this.#out, field, at, end);
        at = end;
      }
      const plain = at;
      const end = endOfField(bytes, at, separator, terminator);
      if (end === bytes.length && !isLast) return undefined;
      const isEnd = bytes[end] !== separator;
      const hasReturn = isEnd && end > at && bytes[end - 1] === CARRIAGE_RETURN;
      at = hasReturn ? end - 1 : end;
      if (isQuoted && at > plain) throw textAfterQuote(name, row);
      if (!isQuoted) this.#writePlain(plain, at);
      at = end + 1;
      if (!isEnd) {
        this.#out[this.#to++] = separator;
        continue;
      }
      const isEmpty = this.#to === field;
      // As DuckDB does it: a separator behind the last field of a row is no field.
      if (isEmpty && fields === columns + 1) this.#to--;
      else if (fields !== columns && !(isEmpty && fields === 1)) throw this.#wrongCount(row, fields);
      this.#row = row;
      if (!isEmpty || fields > 1) this.#lines++;
      this.#out[this.#to++] = LINE_FEED;
      return at;
    }
  }

  /** Writes a field that is not in quotes, in quotes if need be. */
  #writePlain(begin: number, end: number): void {
    const [bytes, out] = [this.#bytes, this.#out];
    let to = this.#to;
    for (let at = begin; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE || byte === CARRIAGE_RETURN || byte === LINE_FEED) {
        const text = bytes.toString("latin1", begin, end).replaceAll('"', '""');
        this.#to += out.write(`"${text}"`, this.#to, "latin1");
        return;
      }
      out[to++] = byte;
    }
    this.#to = to;
  }

  #wrongCount(row: number, fields: number): InputError {
    const { name, columns } = this.#style;
    const hint = "give all rows the same number of fields, or name the byte that separates fields";
    return new InputError(
      `${name}: row ${row} has ${fields} ${fields === 1 ? "field" : "fields"} instead of ${columns}`,
      { hint, options: ["rows"] },
    );
  }
}

/** The position after the closing quote of a field that begins at one; undefined if there is none. */
function endOfQuoted(bytes: Buffer, begin: number): number | undefined {
  for (let at = begin + 1; ; ) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return undefined;
    if (bytes[quote + 1] !== QUOTE) return quote + 1;
    at = quote + 2;
  }
}

function endOfField(bytes: Buffer, from: number, separator: number, terminator: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== separator && bytes[at] !== terminator) at++;
  return at;
}
