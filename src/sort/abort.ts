import type { ItemSource } from "../core/streams/item_stream.js";
import type { ItemInput } from "../formats/format.js";

/** Wraps an input so that its reads throw the signal's reason once the signal has aborted. */
export function withSignal(input: ItemInput, signal: AbortSignal | undefined): ItemInput {
  if (!signal) return input;
  const { source, next } = input;
  return {
    ...input,
    ...(source && { source: abortable(source, signal) }),
    next: async (into) => {
      signal.throwIfAborted();
      return next(into);
    },
  };
}

/** Wraps a source so that its reads throw the signal's reason once the signal has aborted. */
export function abortable(source: ItemSource, signal: AbortSignal | undefined): ItemSource {
  return {
    read: async (into, offset) => {
      signal?.throwIfAborted();
      await source.read(into, offset);
    },
  };
}
