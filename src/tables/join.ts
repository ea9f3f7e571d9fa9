import type { Column, ColumnOf } from "./column.js";

/**
 * Copies pieces of a column into one. Pieces of a column with a dictionary must share it.
 *
 * @param pieces at least one. Unlike those of other columns, their values may lie anywhere in their buffers.
 */
export function joinColumns(pieces: readonly Column[]): Column {
  const { type } = pieces[0]!;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const base = { type, length, valid: joinValid(pieces, length) };
  switch (pieces[0]!.kind) {
    case "null":
      return { ...base, kind: "null" };
    case "bool":
      return { ...base, kind: "bool", values: joinBytes(all(pieces, "bool").map(({ values }) => values)) };
    case "fixed": {
      const some = all(pieces, "fixed");
      return {
        ...base,
        kind: "fixed",
        width: some[0]!.width,
        values: joinBytes(some.map(({ values }) => values)),
      };
    }
    case "bytes": {
      const some = all(pieces, "bytes");
      return {
        ...base,
        kind: "bytes",
        offsets: joinOffsets(some),
        values: joinBytes(some.map(({ values }) => values)),
      };
    }
    case "list": {
      const some = all(pieces, "list");
      return {
        ...base,
        kind: "list",
        offsets: joinOffsets(some),
        child: joinColumns(some.map(({ child }) => child)),
      };
    }
    case "fixed list": {
      const some = all(pieces, "fixed list");
      return {
        ...base,
        kind: "fixed list",
        size: some[0]!.size,
        child: joinColumns(some.map(({ child }) => child)),
      };
    }
    case "struct": {
      const some = all(pieces, "struct");
      const children = some[0]!.children.map((_, i) => joinColumns(some.map(({ children }) => children[i]!)));
      return { ...base, kind: "struct", children };
    }
    case "dictionary": {
      const some = all(pieces, "dictionary");
      const indices = new Uint32Array(length);
      let at = 0;
      for (const piece of some) {
        indices.set(piece.indices, at);
        at += piece.length;
      }
      return { ...base, kind: "dictionary", indices, dictionary: some[0]!.dictionary };
    }
    default:
      return pieces[0] as never;
  }
}

/** Copies tables of the same columns into one, column by column. */
export function joinTables(tables: readonly (readonly Column[])[]): Column[] {
  return tables[0]!.map((_, i) => joinColumns(tables.map((columns) => columns[i]!)));
}

const all = <Kind extends Column["kind"]>(pieces: readonly Column[], _kind: Kind) =>
  pieces as readonly ColumnOf<Kind>[];

function joinValid(pieces: readonly Column[], length: number): Uint8Array | undefined {
  if (!pieces.some(({ valid }) => valid)) return undefined;
  const joined = new Uint8Array(length).fill(1);
  let at = 0;
  for (const piece of pieces) {
    if (piece.valid) joined.set(piece.valid, at);
    at += piece.length;
  }
  return joined;
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

function joinOffsets(
  pieces: readonly { readonly length: number; readonly offsets: Uint32Array }[],
): Uint32Array {
  const joined = new Uint32Array(pieces.reduce((sum, { length }) => sum + length, 1));
  let [at, start] = [0, 0];
  for (const { length, offsets } of pieces) {
    for (let row = 1; row <= length; row++) joined[at + row] = start + offsets[row]!;
    at += length;
    start += offsets[length]!;
  }
  return joined;
}
