import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import type { Compression } from "../../core/compression.js";

/** A decoder of Node's zlib: compressed bytes are written to it, and it is read. */
export type Decoder = Transform & {
  /** Bytes that it has taken from what was written to it. */
  readonly bytesWritten: number;
};

interface Sizes {
  readonly chunkSize: number;
  readonly readableHighWaterMark?: number;
}

type Done = (error: Error | null, bytes: Buffer) => void;

/** What Node's zlib has since it reads and writes zstd. Its declared types are those of an older Node. */
interface Zstd {
  readonly constants: { readonly ZSTD_c_compressionLevel: number; readonly ZSTD_c_checksumFlag: number };
  createZstdDecompress(options: Sizes): Decoder;
  zstdCompress(bytes: Uint8Array, options: Sizes & { params: Record<number, number> }, done: Done): void;
  zstdDecompress(bytes: Uint8Array, options: Sizes, done: Done): void;
}

/** One compression, by Node's zlib. What compresses and decompresses works in libuv's threads. */
export interface Codec {
  createDecoder(sizes: Sizes): Decoder;
  /** Compresses bytes to one member (gzip) or one frame (zstd), with a checksum. */
  encode(bytes: Uint8Array): Promise<Uint8Array>;
  /** Decompresses what `encode` made of `length` bytes. */
  decode(bytes: Uint8Array, length: number): Promise<Uint8Array>;
}

/**
 * What suits sorted numbers (see docs/notes/files.md): higher levels take several times as long and save
 * little. What resembles a number is near it, so a window of 4 KiB finds it sooner than the usual one of 32
 * KiB, and its distance takes fewer bits.
 */
const gzipEffort = { level: 3, windowBits: 12 };
const ZSTD_LEVEL = 1;

/** More than a block's headers take, and more than incompressible bytes grow by. */
const sizeFor = (length: number) => ({ chunkSize: length + (length >> 6) + 1024 });

const gzip: Codec = {
  createDecoder: (sizes) => zlib.createGunzip(sizes),
  encode: (bytes) => called((done) => zlib.gzip(bytes, { ...gzipEffort, ...sizeFor(bytes.length) }, done)),
  decode: (bytes, length) => called((done) => zlib.gunzip(bytes, sizeFor(length), done)),
};

const zstdOf = ({ constants, ...node }: Zstd): Codec => ({
  createDecoder: (sizes) => node.createZstdDecompress(sizes),
  encode: (bytes) => {
    const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL, [constants.ZSTD_c_checksumFlag]: 1 };
    return called((done) => node.zstdCompress(bytes, { params, ...sizeFor(bytes.length) }, done));
  },
  decode: (bytes, length) => called((done) => node.zstdDecompress(bytes, sizeFor(length), done)),
});

const codecs: Readonly<Record<Compression, () => Codec | undefined>> = {
  gz: () => gzip,
  zst: () => ("createZstdDecompress" in zlib ? zstdOf(zlib as unknown as Zstd) : undefined),
};

/** The versions of Node that have all of them. */
export const NODE_WITH_CODECS = "Node 22.15, 23.8 or later";

/** The codec of a compression; undefined if this Node has none. */
export function codecOf(compression: Compression): Codec | undefined {
  return codecs[compression]();
}

function called(start: (done: Done) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    start((error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
}
