import { compressionNames, compressionOf } from "../core/compression.js";
import { InputError } from "../core/errors.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { HEAD_BYTES, isText } from "./looks_like_text.js";

/** A kind of file that holds no raw keys, told by its first bytes. */
interface Kind {
  /** With its article, as in "a gzip file". */
  readonly name: string;
  /** The first bytes of every such file, as Latin-1. */
  readonly magic: string;
  /** Whether the first bytes, as Latin-1, are also those of this kind beyond the magic. */
  readonly also?: (head: string) => boolean;
  /** What to do with the file at a path, which is empty for a stream. */
  readonly wayOut: (path: string) => string;
}

const unpack = (command: string) => (path: string) => `unpack it: ${command} ${path}| gpusort -`;
const saveColumn = () => "save one of its columns with np.save";

/** Raw keys may begin with such bytes by chance, so at least four bytes tell each kind. */
const kinds: readonly Kind[] = [
  { name: "an xz file", magic: "\xfd7zXZ\0", wayOut: unpack("xzcat") },
  {
    name: "a bzip2 file",
    magic: "BZh",
    also: (head) => head.startsWith("1AY&SY", 4),
    wayOut: unpack("bzcat"),
  },
  {
    name: "an .npz file",
    magic: "PK\x03\x04",
    // The name of the first packed file begins at byte 30, its length is at byte 26.
    also: (head) => head.slice(30, 30 + head.charCodeAt(26)).endsWith(".npy"),
    wayOut: () => "save one of its arrays: np.save(FILE, np.load(NPZ)['name'])",
  },
  { name: "a zip file", magic: "PK\x03\x04", wayOut: unpack("unzip -p") },
  { name: "a Parquet file", magic: "PAR1", wayOut: saveColumn },
  { name: "an Arrow file", magic: "ARROW1\0\0", wayOut: saveColumn },
  {
    name: "an HDF5 file",
    magic: "\x89HDF\r\n\x1a\n",
    wayOut: () => "save one of its data sets with np.save",
  },
  { name: "an SQLite database", magic: "SQLite format 3\0", wayOut: saveColumn },
];

/** What is inside a compressed file is not decompressed once more. */
function compressedTwice(head: Uint8Array): Pick<Kind, "name" | "wayOut"> | undefined {
  const compression = compressionOf(head);
  if (!compression) return undefined;
  const name = `compressed twice: a ${compressionNames[compression]} file is inside`;
  return { name, wayOut: unpack(compression === "gz" ? "zcat" : "zstdcat") };
}

/**
 * Refuses an input that would be read as raw keys only because nobody named its format.
 *
 * @param typeIsKnown whether somebody named the type of the keys: then text may be meant as keys.
 * @throws InputError if it is of a known kind that holds no raw keys, or looks like text.
 */
export async function refuseForeign(input: ByteInput, typeIsKnown: boolean): Promise<void> {
  const { name, byteLength } = input;
  const head = await input.peek(HEAD_BYTES);
  const start = Buffer.from(head.buffer, head.byteOffset, head.length).toString("latin1");
  const kind =
    compressedTwice(head) ??
    kinds.find(({ magic, also }) => start.startsWith(magic) && (also?.(start) ?? true));
  if (kind) {
    const path = byteLength === undefined ? "" : `${name} `;
    throw new InputError(`${name} is ${kind.name}`, {
      hint: `${kind.wayOut(path)}; if it holds keys nevertheless, name the format raw`,
      options: ["format"],
    });
  }
  if (typeIsKnown || !isText(head)) return;
  throw new InputError(`${name} looks like text`, {
    hint: "name its format: text, with one number on every line, or raw, if its bytes are keys",
    options: ["format"],
  });
}
