import type { RecordBatch, Schema } from "apache-arrow";
import { InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";
import { checkFooter, checkMessage, type MessageKind } from "./arrow_messages.js";
import type { ReadLimits, TableInput } from "./format.js";
import type { TableFormatName } from "./format_name.js";
import { type ByteReader, inOrder, readerAt, readingFrom } from "./input_bytes.js";
import { type Arrow, loadArrow, loadLz4, loadZstd } from "./packages.js";

/** "ARROW1", with which an Arrow file begins, after two bytes of padding, and ends. */
const MAGIC = [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31];
const PADDED_MAGIC = 8;
/** The length of the footer, and the magic, which end a file. */
const TAIL_BYTES = 10;
/** What a message begins with, except in older files: then its length follows. */
const MARK = -1;

/** A message as it stands in a stream: a mark, the length of the metadata and these; and then its body. */
interface Message {
  readonly kind: MessageKind;
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
}

/** Opens an Arrow file or stream. One batch is read at a time. @throws as `TableCodec.read` does. */
export async function readArrow(
  format: Exclude<TableFormatName, "parquet">,
  title: string,
  input: InputFile,
  limits: ReadLimits,
): Promise<TableInput> {
  const arrow = await loadArrow();
  const { name } = input;
  return readingFrom(name, title, async () => {
    const messages = (format === "arrow" ? ofFile : ofStream)(input, title, limits);
    const waiting: Uint8Array[] = [];
    /** Reads what the next batch needs. @returns false if there is none. */
    const readBatch = async (last: MessageKind) => {
      for (;;) {
        const { done, value } = await messages.next();
        if (done) return false;
        await prepareCodecs(arrow, value.parts.at(-1)!);
        waiting.push(...value.parts);
        if (value.kind === last) return true;
      }
    };
    if (!(await readBatch("schema"))) throw new Error("it has no schema");
    const reader = arrow.RecordBatchReader.from(queueOf(waiting));
    reader.open();
    if (!reader.schema) throw new Error("it has no schema");
    const { schema } = reader;
    return {
      name,
      schema: schema as Schema,
      style: { format },
      readingBytes: (bytes) => bytes,
      async *batches() {
        for (let number = 1; await readingFrom(name, title, () => readBatch("batch")); number++) {
          const { done, value } = await readingFrom(name, title, () => reader.next());
          if (done) break;
          yield { batch: value as RecordBatch, number };
        }
      },
    };
  });
}

/** No reader asks so often for bytes that it does not need. */
const MOST_ASKED = 16;

/** Bytes that are given as they come. The reader asks for more than it needs, so an empty queue goes on. */
function* queueOf(waiting: Uint8Array[]): Generator<Uint8Array> {
  const nothing = new Uint8Array(0);
  for (let asked = 0; asked < MOST_ASKED; asked++) {
    if (waiting.length > 0) asked = 0;
    yield waiting.shift() ?? nothing;
  }
}

/** The messages of a stream, up to its end mark. */
async function* ofStream(input: InputFile, title: string, limits: ReadLimits): AsyncGenerator<Message> {
  const bytes = inOrder(input);
  const cut = () => cutShort(input.name, title);
  for (let batch = 1; ; ) {
    const message = await messageOf(bytes, (count) => limits.require({ batch, bytes: count }), cut);
    if (!message) break;
    if (message.kind === "batch") batch++;
    yield message;
  }
  if (await bytes(1)) throw new Error("it goes on after its end mark");
}

/** The messages of a file: its schema, and what the footer names: dictionaries, and then batches. */
async function* ofFile(input: InputFile, title: string, limits: ReadLimits): AsyncGenerator<Message> {
  const fileBytes = input.byteLength!;
  const tail =
    fileBytes > 2 * PADDED_MAGIC + TAIL_BYTES && (await readerAt(input, fileBytes - TAIL_BYTES)(TAIL_BYTES));
  if (!tail || !MAGIC.every((byte, i) => tail[4 + i] === byte)) throw cutShort(input.name, title);
  const end = fileBytes - TAIL_BYTES;
  const length = new DataView(tail.buffer).getInt32(0, true);
  if (length <= 0 || length > end - PADDED_MAGIC) throw new RangeError("its footer lies outside of it");
  const { schema, dictionaries, batches } = checkFooter((await readerAt(input, end - length)(length))!);
  yield { kind: "schema", parts: [startOf(schema), schema, new Uint8Array(0)] };
  const outside = () => new RangeError("a batch lies outside of it");
  for (const [i, start] of [...dictionaries, ...batches].entries()) {
    if (!(start >= PADDED_MAGIC && start < end - length)) throw outside();
    const most = end - length - start;
    const message = await messageOf(
      readerAt(input, start),
      (count) => {
        if (count > most) throw outside();
        limits.require({ batch: Math.max(1, i + 1 - dictionaries.length), bytes: count });
      },
      outside,
    );
    if (message?.kind !== (i < dictionaries.length ? "dictionary" : "batch")) throw outside();
    yield message;
  }
}

/**
 * Reads a message.
 *
 * @param require throws if so many bytes cannot be read.
 * @param cut makes the error for a message that ends too early.
 * @returns undefined if it is the end mark.
 */
async function messageOf(
  read: ByteReader,
  require: (bytes: number) => void,
  cut: () => Error,
): Promise<Message | undefined> {
  const bytes = async (count: number) => {
    require(count);
    const found = await read(count);
    if (!found) throw cut();
    return found;
  };
  const number = async () => new DataView((await bytes(4)).buffer).getInt32(0, true);
  const first = await number();
  const length = first === MARK ? await number() : first;
  if (length === 0) return undefined;
  if (length < 0) throw new RangeError("a message lies outside of it");
  const metadata = await bytes(length);
  const { kind, bodyBytes } = checkMessage(metadata);
  return { kind, parts: [startOf(metadata), metadata, await bytes(bodyBytes)] };
}

const startOf = ({ length }: Uint8Array) => new Uint8Array(Int32Array.of(MARK, length).buffer);

/** A table that is cut short must not be taken for a shorter one. */
function cutShort(name: string, title: string): InputError {
  return new InputError(`${name} is cut short: it is ${title} without its end mark`, {
    hint: "write it anew, and close its writer",
  });
}

/** What `apache-arrow` cannot unpack by itself. The packages are loaded only if a body may need them. */
async function prepareCodecs(arrow: Arrow, { buffer }: Uint8Array): Promise<void> {
  const { compressionRegistry, CompressionType } = arrow;
  const codecs = [
    { type: CompressionType.LZ4_FRAME, magic: 0x184d2204, load: loadLz4 },
    { type: CompressionType.ZSTD, magic: 0xfd2fb528, load: loadZstd },
  ];
  const words = new Uint32Array(buffer, 0, buffer.byteLength >> 2);
  for (const { type, magic, load } of codecs) {
    if (compressionRegistry.get(type)?.decode || !words.includes(magic)) continue;
    const unpack = await load();
    // The package reads numbers in place, so the bytes must begin at the beginning of a buffer.
    compressionRegistry.set(type, { decode: (packed) => new Uint8Array(unpack(packed)) });
  }
}
