import type { Data, RecordBatch, Schema } from "apache-arrow";
import type { Arrow } from "./packages.js";

/** Makes a batch of its columns. */
export function batchOf(
  { makeData, RecordBatch, Struct }: Arrow,
  schema: Schema,
  children: Data[],
  length: number,
): RecordBatch {
  const type = new Struct(schema.fields);
  return new RecordBatch(schema, makeData({ type, length, nullCount: 0, children }));
}
