import { InputError } from "../../core/errors.js";
import type { Item } from "../../core/items/item.js";
import type { ItemSink } from "../../core/streams/item_stream.js";
import { serialQueue } from "../../core/streams/serial_queue.js";
import type { ItemInput } from "../../formats/format.js";

/** An index is a u32. */
export const INDEX_BYTES = 4;

/**
 * Appends its index in the input to each item, so that items and indices are sorted together, as records.
 * `IndexSink` extracts the indices afterwards.
 *
 * @throws InputError if there are more than 2^32 items: now, or when they are read if the number is unknown.
 */
export function withIndices(input: ItemInput): ItemInput {
  const { item, itemCount, source, name } = input;
  const requireIndices = (count: number) => {
    if (count <= 2 ** 32) return;
    throw new InputError(`${name} has more than 2^32 items, so their indices do not fit u32`, {
      hint: "sort it in parts, or sort the items instead of their indices",
      options: ["argsort"],
    });
  };
  requireIndices(itemCount ?? 0);
  const bytes = item.bytes + INDEX_BYTES;
  const keys = item.kind === "key" ? [{ offset: 0, type: item.type }] : item.keys;
  const byteOrder = item.kind === "key" ? "little" : item.byteOrder;
  const indexedItem: Item = { kind: "record", bytes, keys, byteOrder };
  let at = 0;
  return {
    name,
    item: indexedItem,
    itemCount,
    style: input.style,
    ...(source && {
      source: {
        async read(into: Uint8Array<ArrayBuffer>, offset: number) {
          const items = new Uint8Array((into.length / bytes) * item.bytes);
          await source.read(items, (offset / bytes) * item.bytes);
          addIndices(items, into, offset / bytes);
        },
      },
    }),
    async next(into) {
      const items = new Uint8Array(Math.floor(into.length / bytes) * item.bytes);
      const count = (await input.next(items)) / item.bytes;
      requireIndices(at + count);
      addIndices(items.subarray(0, count * item.bytes), into, at);
      at += count;
      return count * bytes;
    },
  };

  /** Copies `items` to `into`, each followed by its index; that of the first is `first`. */
  function addIndices(items: Uint8Array, into: Uint8Array, first: number): void {
    const view = new DataView(into.buffer, into.byteOffset, into.byteLength);
    for (let i = 0, from = 0; from < items.length; i++, from += item.bytes) {
      const to = i * bytes;
      for (let byte = 0; byte < item.bytes; byte++) into[to + byte] = items[from + byte]!;
      view.setUint32(to + item.bytes, first + i, true);
    }
  }
}

/** Takes items that `withIndices` made, and passes on only their indices, as u32. */
export class IndexSink implements ItemSink {
  readonly #itemBytes: number;
  readonly #sink: ItemSink;
  readonly #inTurn = serialQueue("stop");

  /** @param itemBytes bytes per item, its index included. */
  constructor(itemBytes: number, sink: ItemSink) {
    this.#itemBytes = itemBytes;
    this.#sink = sink;
  }

  write(from: Uint8Array<ArrayBuffer>, offset: number): Promise<void> {
    return this.#inTurn(() => {
      const size = this.#itemBytes;
      const view = new DataView(from.buffer, from.byteOffset, from.byteLength);
      const indices = new Uint32Array(from.length / size);
      for (let i = 0; i < indices.length; i++) {
        indices[i] = view.getUint32((i + 1) * size - INDEX_BYTES, true);
      }
      return this.#sink.write(new Uint8Array(indices.buffer), (offset / size) * INDEX_BYTES);
    });
  }

  end(): Promise<void> {
    return this.#inTurn(() => this.#sink.end());
  }
}
