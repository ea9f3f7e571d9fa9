import { InputError } from "../../core/errors.js";
import { type DuckDb, loadDuckDb } from "./duckdb.js";
import { requireReadable, type SchemaNode, schemaDifference, schemaOf } from "./schema.js";
import { type Column, hasTypes, isName, pathSql, placeSql, rowOf, type Source } from "./sql.js";

/** An input as DuckDB gets it. */
export interface TablePath {
  readonly path: string;
  /** As the user named it. */
  readonly name: string;
  readonly bytes: number;
}

/** Parquet files of the same columns, as one source. */
export interface ParquetSource extends Source {
  readonly schema: readonly SchemaNode[];
  /** Of the first file; undefined if DuckDB cannot read it. */
  readonly codec: string | undefined;
  /** Rows of the largest row group; undefined if there is none, or if DuckDB cannot read it. */
  readonly groupRows: number | undefined;
  /** Of all values before they are compressed, in the first file; undefined likewise. */
  readonly rowBytes: number | undefined;
  /**
   * Key-value metadata of the first file: what pyarrow and pandas make time zones, categories and indices of.
   */
  readonly metadata: readonly (readonly [key: string, value: Uint8Array])[];
  /** What is read otherwise than it is written, a line for each. */
  readonly notices: readonly string[];
  /** What a Parquet file that is written of it cannot keep, a line for each. */
  readonly losses: readonly string[];
}

/** The relation of some Parquet files. @param count how many columns they have. */
export function parquetSql(paths: readonly string[], count: number): string {
  const columns = Array.from({ length: count }, (_, i) => `c${i}`).join(", ");
  return `read_parquet([${paths.map(pathSql).join(", ")}], hive_partitioning=false) AS t(${columns})`;
}

/**
 * Opens Parquet files.
 *
 * @throws InputError if DuckDB cannot read one, or names the first difference between their columns.
 */
export async function openParquet(duckDb: DuckDb, files: readonly TablePath[]): Promise<ParquetSource> {
  const [first] = files as readonly [TablePath];
  const schema = await schemaOf(duckDb, first.path);
  for (const { path, name } of files.slice(1)) {
    const difference = schemaDifference(schema, await schemaOf(duckDb, path));
    if (difference === undefined) continue;
    throw new InputError(`${first.name} and ${name} differ: ${difference}`, {
      hint: "sort them one by one, or give them the same columns",
    });
  }
  for (const file of files) await requirePlain(duckDb, file);
  requireNames(first.name, schema);
  const notices = requireReadable(first.name, schema);
  const from = parquetSql(
    files.map(({ path }) => path),
    schema.length,
  );
  const columns = await columnsOf(
    duckDb,
    from,
    schema.map(({ name }) => name),
  );
  const variant = columns.find((column) => hasTypes(column, "VARIANT"));
  if (variant) {
    throw new InputError(`${first.name} has a column ${variant.name} of the type VARIANT`, {
      hint: "make other types of it first: DuckDB would divide its values otherwise",
    });
  }
  const { metadata, losses } = await metadataOf(duckDb, first);
  const layout = await layoutOf(duckDb, first);
  if (!layout)
    losses.push(`${first.name}: DuckDB cannot read its codec, so the output is compressed by snappy`);
  return {
    from,
    place: placeSql(files.length),
    schema,
    metadata,
    notices: [...notices, ...(await arrowNotices(duckDb, files))],
    losses,
    columns,
    codec: layout?.codec,
    groupRows: layout?.groupRows,
    rowBytes: layout?.rowBytes,
  };
}

/** The columns of a relation: their names, and the types that DuckDB gives them. */
export async function columnsOf(duckDb: DuckDb, from: string, names: readonly string[]): Promise<Column[]> {
  const all = names.map((_, place) => rowOf("t")(place)).join(", ");
  const rows = await duckDb.rows<[string, string]>(`DESCRIBE SELECT ${all} FROM ${from}`);
  return names.map((name, place) => ({ name, type: rows[place]![1] }));
}

/** @throws InputError if a column has a name that SQL cannot write. */
function requireNames(file: string, nodes: readonly SchemaNode[]): void {
  const place = nodes.findIndex(({ name }) => !isName(name));
  if (place < 0) return;
  throw new InputError(`${file}: column ${place + 1} has no name, or a zero byte in it`, {
    hint: "name it first, for example with pyarrow",
  });
}

/**
 * Refuses encrypted columns, of which DuckDB reads other bytes. A footer that is not encrypted names the
 * encryption, but rarely in UTF-8, on which DuckDB fails.
 *
 * @throws InputError if a column may be encrypted.
 */
async function requirePlain(duckDb: DuckDb, { path, name }: TablePath): Promise<void> {
  const sql = `SELECT encryption_algorithm FROM parquet_file_metadata(${pathSql(path)})`;
  const [row] = await duckDb.rows<[string | null]>(sql).catch(() => [["unknown"]]);
  if (row![0] === null) return;
  throw new InputError(`${name} has encrypted columns, or texts in its footer that are not UTF-8`, {
    hint: "decrypt it first",
  });
}

/**
 * Some statistics, such as those of very early times, are an error for DuckDB, although it reads the values.
 */
async function layoutOf(duckDb: DuckDb, { path }: TablePath) {
  const sql = `SELECT any_value(compression ORDER BY column_id), max(row_group_num_rows),
      sum(total_uncompressed_size) / sum(row_group_num_rows) FILTER (column_id = 0)
    FROM parquet_metadata(${pathSql(path)}) WHERE row_group_num_rows > 0`;
  type Layout = [codec: string | null, groupRows: string | null, rowBytes: number | null];
  const rows = await duckDb.rows<Layout>(sql).catch(() => undefined);
  if (!rows) return undefined;
  const [codec, groupRows, rowBytes] = rows[0]!;
  return {
    codec: codec ?? "SNAPPY",
    groupRows: groupRows === null ? undefined : Number(groupRows),
    rowBytes: rowBytes ?? undefined,
  };
}

async function metadataOf(duckDb: DuckDb, { path, name }: TablePath) {
  const sql = `SELECT hex(key), hex(value) FROM parquet_kv_metadata(${pathSql(path)})`;
  const rows = await duckDb.rows<[string, string | null]>(sql);
  const metadata = new Map<string, Uint8Array>();
  const losses: string[] = [];
  for (const [key, value] of rows) {
    const bytes = Buffer.from(key, "hex");
    const text = bytes.toString("utf8");
    const isKept =
      text !== "" && !text.includes("\0") && Buffer.from(text).equals(bytes) && !metadata.has(text);
    if (isKept && value !== null) metadata.set(text, Buffer.from(value, "hex"));
    else losses.push(`${name}: its metadata '${text}' cannot be kept`);
  }
  return { metadata: [...metadata], losses };
}

/**
 * Says which files have another Arrow schema than the first one. That alone tells what some numbers are, such as
 * durations of seconds and of milliseconds.
 */
async function arrowNotices(duckDb: DuckDb, [first, ...others]: readonly TablePath[]): Promise<string[]> {
  if (others.length === 0) return [];
  const schemaIn = async ({ path }: TablePath) => {
    const sql = `SELECT hex(value) FROM parquet_kv_metadata(${pathSql(path)}) WHERE key = 'ARROW:schema'::BLOB`;
    return (await duckDb.rows<[string]>(sql))[0]?.[0];
  };
  const own = await schemaIn(first!);
  const different: string[] = [];
  for (const file of others) if ((await schemaIn(file)) !== own) different.push(file.name);
  if (different.length === 0) return [];
  const more = different.length > 1 ? ` and ${different.length - 1} more` : "";
  return [
    `${different[0]}${more}: another Arrow schema than in ${first!.name}, which is taken for all: ` +
      "units of durations, time zones, categories and indices may differ",
  ];
}

/** How a Parquet file is written. */
export interface ParquetStyle {
  readonly codec: string;
  /** The input whose row groups and metadata are kept, if that is Parquet, too. */
  readonly like: ParquetSource | undefined;
  /** Whether no column has a dictionary. */
  readonly isPlain: boolean;
  /** The most rows of a row group. */
  readonly mostRows: number;
}

/** Rows of a row group that has no example, as DuckDB itself writes them; and what sizes are rounded up to. */
const [GROUP_ROWS, LEAST_ROWS] = [122_880, 2048];

/** The options of COPY that write a Parquet file, and their parameters. */
export async function parquetOptions({ codec, like, isPlain, mostRows }: ParquetStyle) {
  const { STRUCT, BLOB, structValue, blobValue } = await loadDuckDb();
  const metadata = like?.metadata ?? [];
  const options = [
    "FORMAT parquet",
    "USE_TMP_FILE false", // the output is a file that is there
    `COMPRESSION ${codec.toLowerCase()}`,
    `ROW_GROUP_SIZE ${Math.max(LEAST_ROWS, Math.floor(Math.min(like?.groupRows ?? GROUP_ROWS, mostRows)))}`,
    ...(isPlain ? ["DICTIONARY_SIZE_LIMIT 0"] : []),
    ...(metadata.length > 0 ? ["KV_METADATA $metadata"] : []),
  ];
  const parameters =
    metadata.length === 0
      ? {}
      : {
          values: { metadata: structValue(Object.fromEntries(metadata.map(([k, v]) => [k, blobValue(v)]))) },
          types: { metadata: STRUCT(Object.fromEntries(metadata.map(([k]) => [k, BLOB]))) },
        };
  return { sql: options.join(", "), parameters };
}
