import { availableParallelism } from "node:os";
import { type Compression, compressionNames } from "../../core/compression.js";
import { InputError, VerifyError } from "../../core/errors.js";
import { serialQueue } from "../../core/streams/serial_queue.js";
import type { OutputFile } from "../output_file.js";
import { type Codec, codecOf, NODE_WITH_CODECS } from "./zlib.js";

/**
 * Bytes that are compressed by themselves. With fewer, text gets longer; with more, cores wait for the last.
 */
const BLOCK_BYTES = 1 << 20;

/** Blocks for each thread: one is compressed, another waits, so that no thread does. */
const BLOCKS_PER_THREAD = 2;

/** The usual size of libuv's thread pool here. Blocks that wait for it only take memory. */
const MOST_THREADS = 16;

export interface CompressionSettings {
  /** The most threads that compress. Default: one per core. */
  readonly threads?: number | undefined;
  /** Whether each block is decompressed again, and compared. Default: false. */
  readonly check?: boolean | undefined;
}

/**
 * Finds what compresses, before there is an output.
 *
 * @param name the name of the output, for errors.
 * @returns a function that wraps an output: what is written in order is compressed, in blocks of 1 MiB,
 *   several at a time. Each becomes a gzip member or a zstd frame, as in the files of pigz and pzstd; a
 *   decompressor reads them as one.
 * @throws InputError if this Node cannot compress that way.
 */
export function compressor(
  compression: Compression,
  name: string,
  settings: CompressionSettings = {},
): (output: OutputFile) => OutputFile {
  const codec = requireCodec(compression, name);
  return (output) => new CompressedOutput(output, codec, settings);
}

/** @throws InputError if this Node cannot compress that way. @param name that of the output. */
export function requireCodec(compression: Compression, name: string): Codec {
  const codec = codecOf(compression);
  if (codec) return codec;
  const kind = compressionNames[compression];
  throw new InputError(`cannot write ${name}: this version of Node cannot compress to ${kind}`, {
    hint: `use ${NODE_WITH_CODECS}, write ${compressionNames.gz}, or compress the output by ${kind} afterwards`,
    options: ["compress", "output"],
  });
}

class CompressedOutput implements OutputFile {
  readonly name: string;
  readonly seekable = false;
  readonly #output: OutputFile;
  readonly #codec: Codec;
  readonly #check: boolean;
  readonly #mostBlocks: number;
  readonly #inTurn = serialQueue("stop");
  /** The block that is filled, up to `#filled`, and blocks whose memory is free. */
  #block: Uint8Array | undefined;
  #filled = 0;
  readonly #free: Uint8Array[] = [];
  /** Blocks on their way to the output, the oldest first. */
  readonly #pending: Promise<void>[] = [];
  #last: Promise<void> | undefined;
  #written = 0;

  constructor(output: OutputFile, codec: Codec, { threads, check = false }: CompressionSettings) {
    this.name = output.name;
    this.#output = output;
    this.#codec = codec;
    this.#check = check;
    this.#mostBlocks = BLOCKS_PER_THREAD * Math.min(threads ?? availableParallelism(), MOST_THREADS);
  }

  write(from: Uint8Array): Promise<void> {
    return this.#inTurn(() => this.#append(from));
  }

  async publish(lastCheck?: () => Promise<void>): Promise<void> {
    await this.#inTurn(async () => {
      // Nothing at all is an empty member: no bytes are no compressed file.
      if (this.#filled > 0 || this.#last === undefined) await this.#send();
      for (const block of this.#pending) await block;
    });
    await this.#output.publish(lastCheck);
  }

  async discard(): Promise<void> {
    await Promise.allSettled(this.#pending);
    await this.#output.discard();
  }

  async #append(from: Uint8Array): Promise<void> {
    for (let at = 0; at < from.length; ) {
      this.#block ??= this.#free.pop() ?? new Uint8Array(BLOCK_BYTES);
      const some = from.subarray(at, at + BLOCK_BYTES - this.#filled);
      this.#block.set(some, this.#filled);
      this.#filled += some.length;
      at += some.length;
      if (this.#filled === BLOCK_BYTES) await this.#send();
    }
  }

  /** Lets the block be compressed, and written after those before it. Waits if too many are on their way. */
  async #send(): Promise<void> {
    const block = this.#block ?? new Uint8Array(0);
    const encoding = this.#encode(block.subarray(0, this.#filled));
    encoding.catch(() => {}); // it is awaited when those before it are written
    const writing = this.#write(this.#last, encoding, block);
    writing.catch(() => {}); // it is awaited below, or in the end
    this.#last = writing;
    this.#pending.push(writing);
    this.#block = undefined;
    this.#filled = 0;
    if (this.#pending.length >= this.#mostBlocks) await this.#pending.shift();
  }

  async #write(
    before: Promise<void> | undefined,
    encoding: Promise<Uint8Array>,
    block: Uint8Array,
  ): Promise<void> {
    await before;
    const bytes = await encoding;
    if (block.length === BLOCK_BYTES) this.#free.push(block);
    await this.#output.write(bytes, this.#written);
    this.#written += bytes.length;
  }

  async #encode(block: Uint8Array): Promise<Uint8Array> {
    const bytes = await this.#codec.encode(block);
    if (this.#check && Buffer.compare(await this.#codec.decode(bytes, block.length), block) !== 0) {
      throw new VerifyError(`what was compressed for ${this.name} does not decompress to the same bytes`, {
        hint: "run again; if it happens again, check the machine's memory",
      });
    }
    return bytes;
  }
}
