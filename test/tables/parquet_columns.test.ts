import * as arrow from "apache-arrow";
import * as parquet from "parquet-wasm";
import { expect, it } from "vitest";
import { besideEachOther, columnParts } from "../../src/tables/parquet_columns.js";
import { groupOfColumns, parseFooter } from "../../src/tables/parquet_footer.js";

const ROWS = 200_000;
const numbers = () => Float64Array.from({ length: ROWS }, (_, i) => Math.sin(i));
const table = new arrow.Table({
  small: arrow.makeVector(new Uint8Array(ROWS)),
  a: arrow.makeVector(numbers()),
  b: arrow.makeVector(numbers()),
  last: arrow.makeVector(new Uint8Array(ROWS)),
});
const file = parquet.writeParquet(parquet.Table.fromIPCStream(arrow.tableToIPC(table, "stream")));
const length = new DataView(file.buffer, file.byteOffset + file.length - 8).getUint32(0, true);
const footer = parseFooter(file.subarray(file.length - 8 - length, file.length - 8));
const [group] = footer.groups;

it("puts small columns together with the next ones", async () => {
  const [small, a, b, last] = table.schema.fields as [arrow.Field, arrow.Field, arrow.Field, arrow.Field];
  const schemas = [[small, a], [b], [last]].values();
  const schemaIn = async () => new arrow.Schema(schemas.next().value);
  const parts = await columnParts(arrow, footer, group!, table.schema, schemaIn);
  expect(parts?.map(({ columns }) => columns)).toEqual([
    { from: 0, end: 2 },
    { from: 2, end: 3 },
    { from: 3, end: 4 },
  ]);
});

it("does not divide columns one of which has another type by itself", async () => {
  const other = new arrow.Schema([new arrow.Field("a", new arrow.Float32(), true)]);
  expect(await columnParts(arrow, footer, group!, table.schema, async () => other)).toBeUndefined();
});

it("refuses a row group that lacks a column, and columns of different numbers of rows", () => {
  const lacking = groupOfColumns(footer, group!, { from: 0, end: 3 });
  expect(() => groupOfColumns(footer, lacking, { from: 0, end: 1 })).toThrow(RangeError);
  const [batch] = table.batches;
  const parts = [[batch!], [batch!.slice(1)]];
  expect(() => besideEachOther(arrow, table.schema, parts)).toThrow("different numbers of rows");
  expect(() => besideEachOther(arrow, table.schema, [[batch!], []])).toThrow("different numbers of rows");
});
