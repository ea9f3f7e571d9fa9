import { type Compression, compressionNames, splitCompression } from "../../core/compression.js";
import { InputError } from "../../core/errors.js";
import { typedPath } from "../../core/names.js";
import { cutShort } from "../errors.js";
import { STANDARD_INPUT } from "../input.js";
import type { InputFile } from "../input_file.js";
import { derivedInput } from "../stream_input.js";
import { type Codec, codecOf, type Decoder, NODE_WITH_CODECS } from "./zlib.js";
import { FrameError, ZstdFrames } from "./zstd_frames.js";

/** Compressed bytes that are read, and decoded, at a time. */
const BLOCK_BYTES = 128 << 10;
/**
 * Bytes that are decoded at a time, and those that are decoded before they are wanted: few, for many inputs.
 */
const sizes = { chunkSize: 128 << 10, readableHighWaterMark: 256 << 10 };

/**
 * Makes an input of what a compressed input holds: all members of a gzip file, all frames of a zstd file. It is
 * an input like others: what opens, checks or sorts inputs knows nothing of compression.
 *
 * @throws InputError if this Node has no such decoder.
 */
export function decodedInput(input: InputFile, compression: Compression): InputFile {
  const codec = codecOf(compression);
  if (!codec) throw undecodable(input, compression);
  return derivedInput(input, decoded(input, compression, codec));
}

async function* decoded(
  input: InputFile,
  compression: Compression,
  codec: Codec,
): AsyncGenerator<Uint8Array> {
  const decoder = codec.createDecoder(sizes);
  const pump = new Pump(decoder);
  try {
    yield* readers[compression](input, pump);
    yield* pump.end();
  } catch (cause) {
    const isOurs = cause === pump.failure || cause instanceof FrameError;
    throw isOurs ? decodingError(input, compression, cause as NodeJS.ErrnoException) : cause;
  } finally {
    decoder.destroy();
  }
}

const readers = { gz: gzipMembers, zst: zstdFrames } satisfies Record<Compression, unknown>;

async function* gzipMembers(input: InputFile, pump: Pump): AsyncGenerator<Uint8Array> {
  for await (const block of blocksOf(input)) {
    yield* pump.write(block);
    if (pump.left === 0) continue;
    // The decoder stops before zeros, with which some programs fill a file up, and then ignores all that
    // comes.
    requireZeros(block.subarray(block.length - pump.left));
    for await (const rest of blocksOf(input)) requireZeros(rest);
    return;
  }
}

async function* zstdFrames(input: InputFile, pump: Pump): AsyncGenerator<Uint8Array> {
  const frames = new ZstdFrames();
  for await (const block of blocksOf(input)) {
    for (const piece of frames.cut(block)) yield* pump.write(piece);
  }
  if (!frames.atEnd) throw cutShort(input.name);
}

async function* blocksOf(input: InputFile): AsyncGenerator<Uint8Array> {
  for (;;) {
    const block = new Uint8Array(BLOCK_BYTES);
    const length = await input.next(block);
    if (length > 0) yield block.subarray(0, length);
    if (length < block.length) return;
  }
}

function requireZeros(bytes: Uint8Array): void {
  if (bytes.some((byte) => byte !== 0)) throw new FrameError(NOT_GZIP);
}

const NOT_GZIP = "what follows its last member is not gzip";

/** Moves bytes through a decoder. No input is read before all that came from the earlier one is taken. */
class Pump {
  readonly #decoder: Decoder;
  #written = 0;
  /** The error of the decoder. */
  failure: Error | undefined;
  #wake = () => {};

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
    const wake = () => this.#wake();
    decoder.on("readable", wake);
    decoder.on("end", wake);
    decoder.on("error", (cause) => {
      this.failure = cause;
      wake();
    });
  }

  /** Bytes that were written, but that the decoder did not take. */
  get left(): number {
    return this.#written - this.#decoder.bytesWritten;
  }

  /** Decodes some bytes. */
  async *write(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    let done = false;
    this.#written += bytes.length;
    this.#decoder.write(bytes, () => {
      done = true;
      this.#wake();
    });
    yield* this.#output(() => done);
  }

  /** Decodes what is left. */
  async *end(): AsyncGenerator<Uint8Array> {
    this.#decoder.end();
    yield* this.#output(() => this.#decoder.readableEnded);
  }

  async *#output(isDone: () => boolean): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk: Uint8Array | null = this.#decoder.read();
      if (chunk) yield chunk;
      else if (this.failure) throw this.failure;
      else if (isDone()) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

function decodingError(input: InputFile, compression: Compression, cause: NodeJS.ErrnoException): InputError {
  const { name } = input;
  const { code, message } = cause;
  if (code === "Z_BUF_ERROR") return cutShort(name);
  if (code === "ZSTD_error_frameParameter_windowTooLarge") {
    return new InputError(`${name} takes more memory to decompress than Node allows`, {
      hint: `unpack it: zstdcat -M2048MB ${pathOf(input)}| gpusort -`,
      cause,
    });
  }
  // The first header was looked at already.
  const what = message === "incorrect header check" ? NOT_GZIP : message;
  const isNamed = splitCompression(name).compression === compression;
  const orRaw = isNamed ? "" : "; if it holds keys that only look compressed, name the format raw";
  return new InputError(`${name} is damaged: ${what}`, {
    hint: `copy it again${orRaw}`,
    options: isNamed ? [] : ["format"],
    cause,
  });
}

function undecodable(input: InputFile, compression: Compression): InputError {
  const kind = compressionNames[compression];
  return new InputError(`${input.name} is a ${kind} file, which this version of Node cannot decompress`, {
    hint: `use ${NODE_WITH_CODECS}, or unpack it: ${kind}cat ${pathOf(input)}| gpusort -`,
  });
}

/** The path of a regular file, with a space; else nothing. */
function pathOf({ name, byteLength }: InputFile): string {
  return byteLength === undefined || name === STANDARD_INPUT ? "" : `${typedPath(name)} `;
}
