import type { KeySink } from "../engines/engine.js";
import { InputError } from "../errors.js";
import type { Item, ItemInput } from "../formats/format.js";
import { oneByOne } from "../formats/in_order.js";

const INDEX_BYTES = 4;

/** Items with their index behind them, to be sorted as records and told by `IndexSink` where they were. */
export function indexed(input: ItemInput): ItemInput {
  const { item, source, name } = input;
  const bytes = item.bytes + INDEX_BYTES;
  const keys = item.kind === "key" ? [{ offset: 0, type: item.type }] : item.keys;
  const byteOrder = item.kind === "key" ? "little" : item.byteOrder;
  const indexedItem: Item = { kind: "record", bytes, keys, byteOrder };
  let at = 0;
  return {
    name,
    item: indexedItem,
    itemCount: input.itemCount,
    style: input.style,
    ...(source && {
      source: {
        async read(into: Uint8Array<ArrayBuffer>, offset: number) {
          const items = new Uint8Array((into.length / bytes) * item.bytes);
          await source.read(items, (offset / bytes) * item.bytes);
          spread(items, into, offset / bytes);
        },
      },
    }),
    async next(into) {
      const items = new Uint8Array(Math.floor(into.length / bytes) * item.bytes);
      const count = (await input.next(items)) / item.bytes;
      if (at + count > 2 ** 32) {
        throw new InputError(`${name} has more than 2^32 items, whose indices are no u32`, {
          hint: "sort it in parts, or without --argsort",
        });
      }
      spread(items.subarray(0, count * item.bytes), into, at);
      at += count;
      return count * bytes;
    },
  };

  function spread(items: Uint8Array, into: Uint8Array, first: number): void {
    const view = new DataView(into.buffer, into.byteOffset, into.byteLength);
    for (let i = 0, from = 0; from < items.length; i++, from += item.bytes) {
      const to = i * bytes;
      for (let byte = 0; byte < item.bytes; byte++) into[to + byte] = items[from + byte]!;
      view.setUint32(to + item.bytes, first + i, true);
    }
  }
}

/** Takes items as `indexed` gives them, and hands on their indices as u32. */
export class IndexSink implements KeySink {
  readonly #itemBytes: number;
  readonly #sink: KeySink;
  readonly #inOrder = oneByOne();

  /** @param itemBytes of an item with its index. */
  constructor(itemBytes: number, sink: KeySink) {
    this.#itemBytes = itemBytes;
    this.#sink = sink;
  }

  write(from: Uint8Array<ArrayBuffer>, offset: number): Promise<void> {
    return this.#inOrder(() => {
      const size = this.#itemBytes;
      const view = new DataView(from.buffer, from.byteOffset, from.byteLength);
      const indices = new Uint32Array(from.length / size);
      for (let i = 0; i < indices.length; i++)
        indices[i] = view.getUint32((i + 1) * size - INDEX_BYTES, true);
      return this.#sink.write(new Uint8Array(indices.buffer), (offset / size) * INDEX_BYTES);
    });
  }
}
