/** How files are compressed, or that they are not. */
export const fileCompressions = ["gz", "zst", "none"] as const;
/** A compression of files, by the extension that their names get. */
export type Compression = Exclude<(typeof fileCompressions)[number], "none">;

/** How an output is compressed: as other files are, or, if it is of Parquet, by snappy. */
export const outputCompressions = [...fileCompressions, "snappy"] as const;
export type OutputCompression = (typeof outputCompressions)[number];

/** What a compressed file is called in messages. */
export const compressionNames: Readonly<Record<Compression, "gzip" | "zstd">> = { gz: "gzip", zst: "zstd" };

/**
 * How many of a file's first bytes tell whether it is compressed. A header takes less, but a zstd file may
 * begin with a skippable frame of any length.
 */
export const COMPRESSION_HEAD_BYTES = 4096;

const compressedPath = new RegExp(
  String.raw`^(.*[^/\\])\.(${Object.keys(compressionNames).join("|")})$`,
  "is",
);

/**
 * Splits a path that names a compression: "keys.f64.gz" is "keys.f64" and "gz". All that reads a format or a
 * type out of a path asks here for the inner path.
 */
export function splitCompression(path: string): { inner: string; compression: Compression | undefined } {
  const [, inner, extension] = compressedPath.exec(path) ?? [];
  if (inner === undefined) return { inner: path, compression: undefined };
  return { inner, compression: extension!.toLowerCase() as Compression };
}

/** The first bytes of compressed files. */
export const compressionMagic: Readonly<Record<Compression, readonly number[]>> = {
  gz: [0x1f, 0x8b, 8],
  zst: [0x28, 0xb5, 0x2f, 0xfd],
};

/**
 * The compression that a file's first bytes show. Raw keys may begin with such bytes by chance, so more bits
 * than those of the magic are looked at, unless the file's name says the same.
 *
 * @param head the first `COMPRESSION_HEAD_BYTES` bytes, or all if there are fewer.
 * @param named the compression that the file's name says.
 */
export function compressionOf(head: Uint8Array, named?: Compression): Compression | undefined {
  const begins = (bytes: readonly number[], at = 0) => bytes.every((byte, i) => head[at + i] === byte);
  if (begins(compressionMagic.gz) && (named === "gz" || hasGzipHeader(head))) return "gz";
  const skipped = skippableBytes(head);
  if (named === "zst" && skipped > 0) return "zst";
  if (begins(compressionMagic.zst, skipped) && (named === "zst" || hasZstdHeader(head.subarray(skipped))))
    return "zst";
  return undefined;
}

/** Whether a gzip header (RFC 1952) has no reserved flags, and known extra flags and operating system. */
function hasGzipHeader(head: Uint8Array): boolean {
  const [flags = 255, extra = 255, system = 254] = [head[3], head[8], head[9]];
  const LAST_SYSTEM = 19; // Darwin; 255 is unknown
  return flags < 32 && [0, 2, 4].includes(extra) && (system <= LAST_SYSTEM || system === 255);
}

/** Whether the reserved bit of a zstd frame's descriptor (RFC 8878) is 0. */
function hasZstdHeader(head: Uint8Array): boolean {
  return ((head[4] ?? 255) & 8) === 0;
}

/** The length of the skippable frame that a zstd file may begin with, as from pzstd; 0 if there is none. */
function skippableBytes(head: Uint8Array): number {
  const isSkippable = head.length >= 8 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18;
  if (!isSkippable || head[0]! >> 4 !== 5) return 0;
  return 8 + new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(4, true);
}
