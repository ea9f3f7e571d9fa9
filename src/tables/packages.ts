import { optionalPackages } from "../report/optional_packages.js";

/** The package that reads and writes Arrow, and whose types describe every table. */
export type Arrow = typeof import("apache-arrow");
/** The package that reads and writes Parquet. */
export type ParquetWasm = typeof import("parquet-wasm");

/** @throws InputError if the package is not installed. */
export function loadArrow(): Promise<Arrow> {
  return optionalPackages(["apache-arrow"], "an Arrow file", () => import("apache-arrow"));
}

/** @throws InputError if a package is not installed, with the command that installs both. */
function packagesOfParquet<T>(load: () => Promise<T>): Promise<T> {
  return optionalPackages(["apache-arrow", "parquet-wasm"], "a Parquet file", load);
}

/** @throws InputError as `loadArrowOfParquet` does. */
export function loadParquetWasm(): Promise<ParquetWasm> {
  return packagesOfParquet(() => import("parquet-wasm"));
}

/** @throws InputError if a package is not installed, with the command that installs both. */
export function loadArrowOfParquet(): Promise<Arrow> {
  return packagesOfParquet(async () => {
    const arrow = await import("apache-arrow");
    await import("parquet-wasm"); // now, so that an error names both
    return arrow;
  });
}

/** Turns packed bytes into the bytes that were packed. */
type Unpack = (packed: Uint8Array) => Uint8Array;

/** @throws InputError if the package is not installed. */
export async function loadLz4(): Promise<Unpack> {
  const { default: lz4 } = await optionalPackages(
    ["lz4js"],
    "an Arrow file with LZ4 compression",
    () => import("lz4js"),
  );
  return (packed) => lz4.decompress(packed);
}

/** @throws InputError if the package is not installed. */
export async function loadZstd(): Promise<Unpack> {
  const { decompress } = await optionalPackages(
    ["fzstd"],
    "an Arrow file with zstd compression",
    () => import("fzstd"),
  );
  return (packed) => decompress(packed);
}
