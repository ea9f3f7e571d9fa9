/** A format that tables are written in. Those of CSV are separated by commas, or by tabs in a file named .tsv. */
export type TableFormatName = "parquet" | "csv";

/** What tables are read from. JSON has one object in each line. */
export type TableKind = TableFormatName | "json";

export function isTableFormat(name: string | undefined): name is TableFormatName {
  return name === "parquet" || name === "csv";
}
