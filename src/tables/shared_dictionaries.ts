import { InputError } from "../core/errors.js";
import type { Column, ColumnOf } from "./column.js";
import { requireIndices } from "./concatenate.js";
import { DistinctRows } from "./distinct.js";
import { packedBytes } from "./pack.js";

/** Bytes that a value takes in a `Map`, besides its own. */
const ENTRY_BYTES = 100;

/** Collects the dictionaries of columns that come in parts, each with a dictionary of its own. */
export class SharedDictionaries {
  readonly #values = new Map<string, DistinctRows>();
  readonly #complete = new Map<string, Column>();
  #bytes = 0;

  /** About how many bytes of memory the dictionaries take. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds the dictionaries of a part.
   *
   * @param names those of the columns, for errors.
   * @returns the columns, with indices of the shared dictionaries. They still hold their own dictionaries.
   * @throws InputError if there are more values than the indices of a column can tell, or if values of a
   *   dictionary have dictionaries themselves.
   */
  add(columns: readonly Column[], names: readonly string[]): Column[] {
    return columns.map((column, i) =>
      mapDictionaries(column, `${i}`, (own, path) => this.#addOne(own, path, names[i]!)),
    );
  }

  /** Gives columns the shared dictionaries, once all parts are added. */
  complete(columns: readonly Column[]): Column[] {
    return columns.map((column, i) =>
      mapDictionaries(column, `${i}`, (own, path) => {
        const dictionary = this.#complete.get(path) ?? this.#values.get(path)!.column();
        this.#complete.set(path, dictionary);
        return { ...own, dictionary };
      }),
    );
  }

  #addOne(own: ColumnOf<"dictionary">, path: string, name: string): Column {
    let isNested = false;
    mapDictionaries(own.dictionary, "", (inner) => {
      isNested = true;
      return inner;
    });
    if (isNested) {
      throw new InputError(
        `the column ${name} has dictionaries within dictionaries, which are sorted only in memory`,
        {
          hint: "give the sort more memory, or write the column as plain values",
          options: ["memoryBytes"],
        },
      );
    }
    const values = this.#values.get(path) ?? new DistinctRows();
    this.#values.set(path, values);
    const before = values.length;
    const places = values.add(own.dictionary);
    requireIndices(name, own.type, values.length);
    const { length } = own.dictionary;
    const each = length === 0 ? 0 : (2 * packedBytes([own.dictionary])) / length + ENTRY_BYTES;
    this.#bytes += each * (values.length - before);
    return { ...own, indices: own.indices.map((index) => places[index] ?? 0) };
  }
}

type Change = (column: ColumnOf<"dictionary">, path: string) => Column;

/** Changes the columns that have dictionaries, also those inside of other ones. */
function mapDictionaries(column: Column, path: string, change: Change): Column {
  switch (column.kind) {
    case "dictionary":
      return change(column, path);
    case "list":
    case "fixed list":
      return { ...column, child: mapDictionaries(column.child, `${path}.0`, change) };
    case "struct":
      return {
        ...column,
        children: column.children.map((child, i) => mapDictionaries(child, `${path}.${i}`, change)),
      };
    default:
      return column;
  }
}
