import type { TableFormat } from "./format.js";
import type { TableFormatName } from "./format_name.js";

/** Bytes at the start of a file that show its format. */
export const HEAD_BYTES = 12;

const beginsWith = (head: Uint8Array, magic: string) =>
  Buffer.from(head).toString("latin1").startsWith(magic);

const parquet: TableFormat = {
  name: "parquet",
  title: "a Parquet file",
  extensions: ["parquet"],
  piece: "row group",
  randomAccess: true,
  matches: (head) => beginsWith(head, "PAR1"),
  load: async () => (await import("./parquet.js")).parquet,
};

/** The file format of Arrow IPC, which is also version 2 of Feather. */
const arrowFile: TableFormat = {
  name: "arrow",
  title: "an Arrow file",
  extensions: ["arrow", "feather", "ipc"],
  piece: "batch",
  randomAccess: true,
  matches: (head) => beginsWith(head, "ARROW1"),
  load: async () => (await import("./arrow.js")).arrowFile,
};

/** The stream format of Arrow IPC. */
const arrowStream: TableFormat = {
  name: "arrows",
  title: "an Arrow stream",
  extensions: ["arrows"],
  piece: "batch",
  randomAccess: false,
  // A continuation mark, the length of the schema, which is a multiple of 8, and the offset of its root.
  matches: (head) => {
    const words = new DataView(head.buffer, head.byteOffset, head.byteLength);
    if (head.length < HEAD_BYTES || words.getInt32(0, true) !== -1) return false;
    const [length, root] = [words.getUint32(4, true), words.getUint32(8, true)];
    return length % 8 === 0 && length > root && root >= 4 && root < 256;
  },
  load: async () => (await import("./arrow.js")).arrowStream,
};

/** All formats of tables, in the order in which they are tried. */
const tableFormats: readonly TableFormat[] = [parquet, arrowFile, arrowStream];

/** The names of all formats of tables. */
export const tableFormatNames: readonly TableFormatName[] = tableFormats.map(({ name }) => name);

/** Whether a format is one of tables. */
export function isTableFormat(name: string | undefined): name is TableFormatName {
  return tableFormats.some((format) => format.name === name);
}

export function tableFormat(name: TableFormatName): TableFormat {
  return tableFormats.find((format) => format.name === name)!;
}

/** The format of tables of a path's extension; undefined if it has none. */
export function tableFormatOfPath(path: string): TableFormat | undefined {
  const extension = /\.([a-z]\w*)$/i.exec(path)?.[1]?.toLowerCase();
  return tableFormats.find(({ extensions }) => extension !== undefined && extensions.includes(extension));
}

/** The format of tables that the first bytes of a file show; undefined if they show none. */
export function tableFormatOfBytes(head: Uint8Array): TableFormat | undefined {
  return tableFormats.find((format) => format.matches(head));
}
