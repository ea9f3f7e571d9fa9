import { InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";

/** The first and last bytes of a Parquet file, and those of one whose footer is encrypted. */
const [PLAIN, ENCRYPTED] = ["PAR1", "PARE"];
const MAGIC_BYTES = 4;
/** The smallest file: both marks, the length of the footer, and a footer of one byte. */
const LEAST_BYTES = 3 * MAGIC_BYTES + 1;

/** The first and the last four bytes of an input. A stream shows the first ones alone. */
async function endsOf(file: InputFile): Promise<readonly [first: string, last: string | undefined]> {
  const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
  const first = textOf(await file.peek(MAGIC_BYTES));
  if (!file.read || file.byteLength === undefined) return [first, undefined];
  const last = new Uint8Array(Math.min(MAGIC_BYTES, file.byteLength));
  await file.read(last, file.byteLength - last.length);
  return [first, textOf(last)];
}

/** Whether either end of an input says that it is a Parquet file. */
export async function hasParquetEnd(file: InputFile): Promise<boolean> {
  return (await endsOf(file)).some((end) => end === PLAIN || end === ENCRYPTED);
}

/**
 * Refuses a file that is no whole Parquet file, of which DuckDB would read some: only the end is read.
 *
 * @throws InputError that says what is wrong with the file.
 */
export async function requireParquet(file: InputFile): Promise<void> {
  const { name, byteLength } = file;
  const [first, last] = await endsOf(file);
  const wrong = (what: string, hint: string) => new InputError(`${name} ${what}`, { hint });
  if (first === ENCRYPTED || last === ENCRYPTED) throw wrong("is encrypted", "decrypt it first");
  if (byteLength === 0) throw wrong("is empty, so it is no Parquet file", "write it again");
  const ends = [first, last].filter((end) => end === PLAIN).length;
  if (ends === 0) throw wrong("is no Parquet file: neither end of it says so", "check what it is");
  if (last !== undefined && (last !== PLAIN || byteLength! < LEAST_BYTES))
    throw wrong("is cut short: it does not end as a Parquet file does", "copy or write it again");
  if (first !== PLAIN) throw wrong("is damaged: it does not begin as a Parquet file does", "copy it again");
}
