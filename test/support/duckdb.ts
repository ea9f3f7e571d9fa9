import { DuckDBInstance } from "@duckdb/node-api";

const quoted = (path: string) => `'${path.replaceAll("'", "''").replaceAll(/[*?[]/g, "[$&]")}'`;

/**
 * To make a database takes longer than most statements. It keeps nothing of a file, which tests write anew with the
 * same size and time.
 */
const database = DuckDBInstance.create(":memory:", { enable_external_file_cache: "false" });

/** Runs a statement on a connection of its own. @returns its rows. */
export async function run(sql: string): Promise<unknown[][]> {
  const connection = await (await database).connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson();
  } finally {
    connection.closeSync();
  }
}

/** Writes a Parquet file of a query's rows, with further options of COPY. */
export async function writeParquet(path: string, query: string, ...options: string[]): Promise<void> {
  const target = `'${path.replaceAll("'", "''")}'`;
  await run(
    `COPY (${query}) TO ${target} (${["FORMAT parquet", "USE_TMP_FILE false", ...options].join(", ")})`,
  );
}

/** The rows of a Parquet file in its order, or of a query whose FROM it follows. */
export const rowsOf = (path: string, query = "SELECT * FROM read_parquet"): Promise<unknown[][]> =>
  run(query.endsWith("FROM") ? `${query} read_parquet(${quoted(path)})` : `${query}(${quoted(path)})`);

/** The columns of a Parquet file, each with its type. */
export const columnsOf = async (path: string): Promise<string[]> =>
  (await run(`DESCRIBE SELECT * FROM read_parquet(${quoted(path)}, hive_partitioning=false)`)).map(
    ([name, type]) => `${name} ${type}`,
  );
