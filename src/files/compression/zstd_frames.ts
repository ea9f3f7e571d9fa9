/** A part of a frame: a header, which is looked at, or contents, which are passed over. */
interface Part {
  readonly bytes: number;
  readonly isHeader: boolean;
  /** Whether a file may end before this part. */
  readonly startsFrame?: boolean;
}

const MAGIC = 0xfd2fb528;
/** Without its lowest four bits, which differ. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const RLE = 1;
const RESERVED = 3;

/** What is wrong with the structure of zstd frames. */
export class FrameError extends Error {}

/**
 * Walks through zstd frames, without what their blocks hold (RFC 8878, section 3.1).
 *
 * Node's decoder needs it: it ignores what follows a frame in what is written to it at a time, and takes an
 * end within a frame for the end of the data.
 */
export class ZstdFrames {
  readonly #parts = frameParts();
  readonly #header = new Uint8Array(32);
  #part: Part;
  /** Bytes of the part that were passed. */
  #passed = 0;

  constructor() {
    this.#part = this.#parts.next().value as Part;
  }

  /** Whether no frame is unfinished. */
  get atEnd(): boolean {
    return this.#part.startsFrame === true && this.#passed === 0;
  }

  /**
   * Cuts the next bytes of a file at the ends of frames.
   *
   * @throws FrameError if they are not those of zstd frames.
   */
  *cut(bytes: Uint8Array): Generator<Uint8Array> {
    let start = 0;
    for (let at = 0; at < bytes.length; ) {
      const part = this.#part;
      const some = bytes.subarray(at, at + part.bytes - this.#passed);
      if (part.isHeader) this.#header.set(some, this.#passed);
      at += some.length;
      this.#passed += some.length;
      if (this.#passed < part.bytes) break;
      this.#part = this.#parts.next(this.#header.subarray(0, part.bytes)).value as Part;
      this.#passed = 0;
      if (!this.atEnd) continue;
      yield bytes.subarray(start, at);
      start = at;
    }
    if (start < bytes.length) yield bytes.subarray(start);
  }
}

/**
 * The parts of frames, none of them empty. Each header is passed to the `next` that asks for what follows it.
 */
function* frameParts(): Generator<Part, never, Uint8Array> {
  for (let isFirst = true; ; isFirst = false) {
    const magic = number(yield { ...header(4), startsFrame: true });
    if ((magic & ~15) >>> 0 === SKIPPABLE_MAGIC) yield* contents(number(yield header(4)));
    else if (magic === MAGIC) yield* blocks();
    else throw new FrameError(isFirst ? "it is no zstd file" : "what follows its last frame is not zstd");
  }
}

function* blocks(): Generator<Part, void, Uint8Array> {
  const [descriptor = 0] = yield header(1);
  if (descriptor & 8) throw new FrameError("a frame has an unknown header");
  const isSingleSegment = (descriptor & 32) !== 0;
  const contentSize = CONTENT_SIZE_BYTES[descriptor >> 6]! || Number(isSingleSegment);
  yield* contents(Number(!isSingleSegment) + DICTIONARY_ID_BYTES[descriptor & 3]! + contentSize);
  for (let isLast = false; !isLast; ) {
    const block = number(yield header(3));
    const type = (block >> 1) & 3;
    if (type === RESERVED) throw new FrameError("a block has an unknown type");
    yield* contents(type === RLE ? 1 : block >> 3);
    isLast = (block & 1) !== 0;
  }
  if (descriptor & 4) yield* contents(4); // the checksum
}

const header = (bytes: number): Part => ({ bytes, isHeader: true });

function* contents(bytes: number): Generator<Part, void, Uint8Array> {
  if (bytes > 0) yield { bytes, isHeader: false };
}

function number(littleEndian: Uint8Array): number {
  return littleEndian.reduceRight((value, byte) => value * 256 + byte, 0);
}
