import {
  COMPRESSION_HEAD_BYTES,
  type Compression,
  compressionNames,
  compressionOf,
  splitCompression,
} from "../core/compression.js";
import { InputError } from "../core/errors.js";
import { typedPath } from "../core/names.js";
import type { InputFile } from "../files/input_file.js";
import { latin1Of } from "./content.js";
import { extensionOf } from "./names.js";

/** A kind of file that holds neither raw keys nor lines of text, told by its first bytes. */
interface ForeignKind {
  /** With its article, as in "a gzip file". */
  readonly name: string;
  /** The first bytes of every such file, as Latin-1. */
  readonly magic: string;
  /** The extensions by which such files are named, without the dot. None: they have no name of their own. */
  readonly extensions?: readonly string[];
  /** Whether the first bytes, as Latin-1, are also those of this kind beyond the magic, or its name says so. */
  readonly also?: (head: string, path: string) => boolean;
  /** Whether an earlier gpusort read such files: then the extension alone is enough to refuse one. */
  readonly wasReadBefore?: boolean;
  /** What to do with the file at a path. For what comes through a pipe, the path is empty. */
  readonly wayOut: (path: string, pipe: string) => string;
}

/** @param piped the command that reads a pipe. */
const unpack =
  (command: string, piped = command) =>
  (path: string, pipe: string) =>
    `unpack it: ${path === "" ? `${pipe}${piped} ` : `${command} ${path}`}| gpusort -`;
/** @param command one that finds its way in a file from its end, so that it cannot read a pipe. */
const unpackFile = (command: string) => (path: string) =>
  path === "" ? `save it to a file, and unpack that: ${command} FILE | gpusort -` : unpack(command)(path, "");
/** Neither Arrow nor ORC is read. A line of Python makes Parquet of it, which is. */
const asParquet = (module: string, read: string) => (path: string) => {
  const file = path.trim() || "FILE";
  return (
    "make Parquet of it, which gpusort sorts by columns: " +
    `python3 -c "import ${module}, pyarrow.parquet as p; p.write_table(${read.replace("FILE", `'${file}'`)}, 'table.parquet')"`
  );
};
const saveColumn = () => "save one of its columns with np.save";
const savePixels = () => "save its pixels with np.save";

/** Raw keys may begin with such bytes by chance, so at least four bytes tell each kind. */
const kinds: readonly ForeignKind[] = [
  { name: "an xz file", magic: "\xfd7zXZ\0", extensions: ["xz"], wayOut: unpack("xzcat") },
  {
    name: "a bzip2 file",
    magic: "BZh",
    extensions: ["bz2"],
    also: (head) => head.startsWith("1AY&SY", 4),
    wayOut: unpack("bzcat"),
  },
  {
    name: "an .npz file",
    magic: "PK\x03\x04",
    extensions: ["npz"],
    // The name of the first packed file begins at byte 30, its length is at byte 26.
    also: (head) => head.slice(30, 30 + head.charCodeAt(26)).endsWith(".npy"),
    wayOut: () => "save one of its arrays: np.save(FILE, np.load(NPZ)['name'])",
  },
  {
    name: "an Office document",
    magic: "PK\x03\x04",
    extensions: ["xlsx", "docx", "ods"],
    also: (head) => head.startsWith("[Content_Types].xml", 30),
    wayOut: () => "save one of its sheets as CSV",
  },
  { name: "a zip file", magic: "PK\x03\x04", extensions: ["zip"], wayOut: unpackFile("unzip -p") },
  {
    name: "an Arrow file",
    magic: "ARROW1",
    extensions: ["arrow", "feather", "ipc"],
    wasReadBefore: true,
    wayOut: asParquet("pyarrow.feather as f", "f.read_table(FILE)"),
  },
  {
    name: "an Arrow stream",
    magic: "\xff\xff\xff\xff",
    extensions: ["arrows"],
    wasReadBefore: true,
    also: isArrowStream,
    wayOut: asParquet("pyarrow as a", "a.ipc.open_stream(FILE).read_all()"),
  },
  {
    name: "a Feather file",
    magic: "FEA1",
    wasReadBefore: true,
    wayOut: asParquet("pyarrow.feather as f", "f.read_table(FILE)"),
  },
  {
    name: "an ORC file",
    magic: "ORC",
    extensions: ["orc"],
    // Three bytes are too few to tell it without its name.
    also: (_, path) => extensionOf(path) === "orc",
    wayOut: asParquet("pyarrow.orc as o", "o.read_table(FILE)"),
  },
  {
    name: "an HDF5 file",
    magic: "\x89HDF\r\n\x1a\n",
    extensions: ["h5", "hdf5"],
    wayOut: () => "save one of its data sets with np.save",
  },
  { name: "an SQLite database", magic: "SQLite format 3\0", extensions: ["sqlite"], wayOut: saveColumn },
  { name: "an lz4 file", magic: "\x04\x22\x4d\x18", extensions: ["lz4"], wayOut: unpack("lz4cat") },
  { name: "an lzip file", magic: "LZIP\x01", extensions: ["lz"], wayOut: unpack("lzip -dc") },
  { name: "a 7z file", magic: "7z\xbc\xaf\x27\x1c", extensions: ["7z"], wayOut: unpackFile("7z e -so") },
  { name: "a RAR file", magic: "Rar!\x1a\x07", extensions: ["rar"], wayOut: unpackFile("unrar p -inul") },
  {
    name: "a tar file",
    magic: "",
    extensions: ["tar"],
    also: (head) => head.startsWith("ustar", 257),
    wayOut: unpack("tar xOf", "tar xOf -"),
  },
  { name: "an Avro file", magic: "Obj\x01", extensions: ["avro"], wayOut: saveColumn },
  {
    name: "a NetCDF file",
    magic: "CDF",
    extensions: ["nc"],
    also: (head) => "\x01\x02\x05".includes(head[3]!),
    wayOut: saveColumn,
  },
  { name: "a FITS file", magic: "SIMPLE  =", extensions: ["fits"], wayOut: saveColumn },
  { name: "a MATLAB file", magic: "MATLAB 5.0 MAT-file", extensions: ["mat"], wayOut: saveColumn },
  {
    name: "an Office document",
    magic: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    extensions: ["xls", "doc"],
    wayOut: () => "save one of its sheets as CSV",
  },
  {
    name: "a PDF document",
    magic: "%PDF-",
    extensions: ["pdf"],
    wayOut: () => "extract its text, for example with pdftotext",
  },
  { name: "a PNG image", magic: "\x89PNG\r\n\x1a\n", extensions: ["png"], wayOut: savePixels },
  {
    name: "a JPEG image",
    magic: "\xff\xd8\xff",
    extensions: ["jpg", "jpeg"],
    also: (head) => head[3] === "\xdb" || /^(JFIF|Exif)\0/.test(head.slice(6)),
    wayOut: savePixels,
  },
  {
    name: "a GIF image",
    magic: "GIF8",
    extensions: ["gif"],
    also: (head) => /^[79]a/.test(head.slice(4)),
    wayOut: savePixels,
  },
  {
    name: "a WAVE, AVI or WebP file",
    magic: "RIFF",
    extensions: ["wav", "avi", "webp"],
    also: (head) => /^(WAVE|AVI |WEBP)/.test(head.slice(8)),
    wayOut: () => "save its samples with np.save",
  },
  { name: "a FLAC file", magic: "fLaC", extensions: ["flac"], wayOut: () => "save its samples with np.save" },
  {
    name: "an Ogg file",
    magic: "OggS\0",
    extensions: ["ogg"],
    wayOut: () => "save its samples with np.save",
  },
  {
    name: "an MP4 file",
    magic: "",
    extensions: ["mp4"],
    also: (head) => /^\0\0\0.ftyp/s.test(head),
    wayOut: () => "save its samples with np.save",
  },
  { name: "a program (ELF)", magic: "\x7fELF", wayOut: () => "name a file of data" },
  { name: "a program (WebAssembly)", magic: "\0asm", wayOut: () => "name a file of data" },
  { name: "a program (Mach-O)", magic: "\xcf\xfa\xed\xfe", wayOut: () => "name a file of data" },
];

/** The kind of such files that the extension of a path names, with its article; undefined if it names none. */
export const foreignOfPath = (path: string): string | undefined => foreignKindOfPath(path)?.name;

function foreignKindOfPath(path: string): ForeignKind | undefined {
  const extension = extensionOf(path);
  return kinds.find(({ extensions }) => extensions?.includes(extension));
}

/** Whether a continuation mark is followed by the length of a schema, a multiple of 8, and a place in it. */
function isArrowStream(head: string): boolean {
  const words = Buffer.from(head.slice(0, 12), "latin1");
  if (words.length < 12) return false;
  const [length, root] = [words.readUInt32LE(4), words.readUInt32LE(8)];
  return length % 8 === 0 && length > root && root >= 4 && root < 256;
}

/** The commands that unpack to standard output. */
const cats: Readonly<Record<Compression, string>> = { gz: "zcat", zst: "zstdcat" };
const catOf = (compression: Compression = "gz") => cats[compression];

/** What is inside a compressed file is not decompressed once more. */
function compressedTwice(head: Uint8Array): Pick<ForeignKind, "name" | "wayOut"> | undefined {
  const compression = compressionOf(head);
  if (!compression) return undefined;
  const name = `compressed twice: a ${compressionNames[compression]} file is inside`;
  const once = unpack(catOf(compression));
  // Once is enough: gpusort does the rest.
  return { name, wayOut: (path, pipe) => (pipe === "" ? once(path, "") : `unpack it: ${pipe}gpusort -`) };
}

/**
 * Refuses an input that would be read as raw keys or as text only because nobody named its format.
 *
 * @throws InputError if it is of a known kind that holds neither.
 */
export async function refuseForeign(input: InputFile): Promise<void> {
  const { name, byteLength, stats } = input;
  // More would find a compression that was not found before, and say that it is inside another one.
  const head = await input.peek(COMPRESSION_HEAD_BYTES);
  const start = latin1Of(head);
  const kind =
    compressedTwice(head) ??
    kinds.find(({ magic, also }) => start.startsWith(magic) && (also?.(start, name) ?? true)) ??
    [foreignKindOfPath(name)].find((named) => named?.wasReadBefore);
  if (!kind) return;
  const path =
    name === "standard input" || (byteLength === undefined && !stats?.isFile()) ? "" : `${typedPath(name)} `;
  // A file without a length is what a compressed one holds.
  const pipe =
    path !== "" && byteLength === undefined ? `${catOf(splitCompression(name).compression)} ${path}| ` : "";
  throw new InputError(`${name} is ${kind.name}`, {
    hint: `${kind.wayOut(pipe === "" ? path : "", pipe)}; if it holds keys or lines nevertheless, name the format raw, lines or csv`,
    options: ["format"],
  });
}
