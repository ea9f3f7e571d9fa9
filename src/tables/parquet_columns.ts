import type { Data, RecordBatch, Schema } from "apache-arrow";
import { batchOf } from "./batch.js";
import type { Arrow } from "./packages.js";
import {
  type ColumnRange,
  columnBytes,
  type Footer,
  footerOfColumns,
  unpackedBytes,
} from "./parquet_footer.js";
import { firstDifference } from "./schema.js";
import type { ThriftStruct } from "./thrift.js";

/** Columns of fewer bytes are unpacked together, because each file costs some time, too. */
const PART_BYTES = 1 << 20;

/** More parts would not keep more threads busy. */
const MOST_PARTS = 32;

/** Columns that are unpacked together, and the footer of a file that has only them. */
export interface ColumnPart {
  readonly columns: ColumnRange;
  readonly footer: Footer;
}

/**
 * Divides the columns of a file, so that each part of a row group can be read as a file of its own.
 *
 * @param group by whose bytes they are divided.
 * @param schema that of the file.
 * @param schemaIn reads the schema of a file that has this footer.
 * @param isEachAlone whether no columns are put together because they are small.
 * @returns undefined if there is only one part, or if a column cannot be read by itself or had another type.
 */
export async function columnParts(
  arrow: Arrow,
  footer: Footer,
  group: ThriftStruct,
  schema: Schema,
  schemaIn: (footer: Footer) => Promise<Schema>,
  { isEachAlone = false }: { readonly isEachAlone?: boolean } = {},
): Promise<ColumnPart[] | undefined> {
  const bytes = columnBytes(footer, group);
  const enough = isEachAlone ? 0 : Math.max(PART_BYTES, unpackedBytes(group) / MOST_PARTS);
  const parts: ColumnPart[] = [];
  // A schema that cannot be written or read by itself is no error: the group is then read whole, as by one thread.
  const partOf = async (columns: ColumnRange, own: Schema): Promise<ColumnPart | undefined> => {
    const stream = arrow.tableToIPC(new arrow.Table(own), "stream");
    const part = { columns, footer: footerOfColumns(footer, columns, stream) };
    return firstDifference(own, await schemaIn(part.footer)) ? undefined : part;
  };
  let [from, sum] = [0, 0];
  for (let end = 1; end <= bytes.length; end++) {
    sum += bytes[end - 1]!;
    if (end < bytes.length && sum < enough) continue;
    const own = new arrow.Schema(schema.fields.slice(from, end));
    const part = await partOf({ from, end }, own).catch(() => undefined);
    if (!part) return undefined;
    parts.push(part);
    [from, sum] = [end, 0];
  }
  return parts.length > 1 ? parts : undefined;
}

/** Puts batches of the same rows side by side. @throws Error if they have different numbers of rows. */
export function besideEachOther(
  arrow: Arrow,
  schema: Schema,
  parts: readonly (readonly RecordBatch[])[],
): RecordBatch[] {
  const [first = [], ...others] = parts;
  return first.map((one, i) => {
    const columns: Data[] = [...one.data.children];
    for (const batches of others) {
      const batch = batches[i];
      if (batches.length !== first.length || batch?.numRows !== one.numRows)
        throw new Error("its columns have different numbers of rows");
      columns.push(...batch.data.children);
    }
    return batchOf(arrow, schema, columns, one.numRows);
  });
}
