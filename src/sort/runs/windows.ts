import type { ItemSource } from "../../core/streams/item_stream.js";
import type { ItemInput } from "../../formats/format.js";

/** Memory for whole items. */
export type ItemWindow = Uint8Array<ArrayBuffer>;

/** Where items are read to: first to one window, then to the others in turn. */
export interface ItemWindows {
  readonly first: ItemWindow;
  /** Others of equal lengths. They are not asked for before the items in the first were used. */
  readonly windows: readonly ItemWindow[];
}

/**
 * Reads all items into windows, in order. The next windows are read while the caller uses one, unless the
 * items can only be read from the first to the last: nobody knows how long a pipe takes to give more.
 *
 * @returns the items in a window, valid until the next are requested.
 */
export async function* readWindows(
  { item, itemCount, source, next }: ItemInput,
  memory: ItemWindows,
): AsyncGenerator<ItemWindow, void> {
  if (source && itemCount !== undefined) {
    yield* readAhead(source, itemCount * item.bytes, memory);
    return;
  }
  for (let into = memory.first; ; into = memory.windows[0]!) {
    const bytes = await next(into);
    if (bytes > 0) yield into.subarray(0, bytes);
    if (bytes < into.length) return;
  }
}

async function* readAhead(
  source: ItemSource,
  bytes: number,
  memory: ItemWindows,
): AsyncGenerator<ItemWindow, void> {
  const reads: Promise<ItemWindow>[] = [];
  let at = 0;
  const begin = (window: ItemWindow) => {
    const into = window.subarray(0, bytes - at);
    const read = source.read(into, at).then(() => into);
    read.catch(() => {}); // the caller gets the error when it asks for these items
    reads.push(read);
    at += into.length;
  };
  try {
    if (bytes > 0) begin(memory.first);
    for (let turn = 0; reads.length > 0; ) {
      yield await reads[0]!;
      reads.shift();
      while (at < bytes && reads.length < memory.windows.length) {
        begin(memory.windows[turn++ % memory.windows.length]!);
      }
    }
  } finally {
    await Promise.allSettled(reads); // the caller may now use the memory for something else
  }
}
