import { sortKernels } from "../core/cpu/kernels.js";
import type { SortReport } from "../core/engines/engine.js";
import { DeviceError, InputError } from "../core/errors.js";
import { type ItemSink, type ItemSource, sequential } from "../core/streams/item_stream.js";
import { UniqueSink } from "../core/streams/sinks.js";
import type { FormatTools, ItemInput } from "../formats/format.js";
import {
  type ExternalOptions,
  type ExternalReport,
  mergeExternally,
  sortExternally,
} from "./items/external_sort.js";
import type { ItemSorter } from "./items/item_sorter.js";
import { KeySorter } from "./items/key_sorter.js";
import { sortTopK } from "./items/top_k.js";
import { createRunStore, type RunStoreOptions } from "./runs/run_store.js";
import type { ItemStrategy } from "./strategy.js";

/** What to sort, by what, and where to. */
export interface StrategyOptions extends RunStoreOptions {
  /** All inputs as one. */
  readonly items: ItemInput;
  /** The inputs one by one. */
  readonly inputs: readonly ItemInput[];
  readonly sorter: ItemSorter;
  /** The name of the sorter's device, for the progress. */
  readonly device: string;
  /** Takes the result. It counts as the phase "writing" of the progress. */
  readonly sink: ItemSink;
  /** Bytes that will be written; undefined if their number is not known before the end. */
  readonly writtenBytes: number | undefined;
  /** Whether only the first of the items with equal keys is passed on to the sink. */
  readonly unique: boolean;
  readonly descending: boolean;
  readonly verify: boolean;
  /** Compares keys on the threads of this process. Without it, the calling thread compares them. */
  readonly tools?: FormatTools | undefined;
}

const CONCURRENT_READS = 4;

/**
 * Carries out a strategy, and ends the sink.
 *
 * @throws what the inputs, the sink, the sorter and the temporary files throw; InputError if an input of a
 *   merge is not sorted.
 */
export function carryOutStrategy(strategy: ItemStrategy, options: StrategyOptions): Promise<ExternalReport> {
  const { items, inputs, signal } = options;
  return carryOut(strategy, {
    ...options,
    items: withSignal(items, signal),
    inputs: inputs.map((input) => withSignal(input, signal)),
  });
}

function carryOut(strategy: ItemStrategy, options: StrategyOptions): Promise<ExternalReport> {
  const { items, inputs, sorter, sink, writtenBytes: writing, progress } = options;
  const bytes = items.itemCount === undefined ? undefined : items.itemCount * items.item.bytes;
  switch (strategy.kind) {
    case "in memory":
      return sortInMemory(strategy, options);
    case "indices in memory": {
      if (!(sorter instanceof KeySorter)) throw new TypeError("only a KeySorter sorts indices at once");
      progress.expect({ reading: bytes, writing });
      return sorter.argsort(strategy.itemCount, readThenSort(options), sink);
    }
    case "top k": {
      progress.expect({ reading: bytes, writing }, ["reading"]);
      return topK(strategy, options);
    }
    case "out of core":
      return outOfCore(strategy.chunkItems, sink, options);
    case "merge": {
      progress.expect({ reading: bytes, writing }, ["writing"]);
      const runs = inputs.map(({ source, itemCount }) => ({
        source: progress.source("reading", source!),
        itemCount: itemCount!,
      }));
      const external = externalOptions(strategy.chunkItems, options);
      return mergeExternally(runs, sink, { ...external, disorder: () => inputsNotSorted(items.name) });
    }
    default:
      return strategy satisfies never;
  }
}

async function topK(
  { count, candidates }: Extract<ItemStrategy, { kind: "top k" }>,
  options: StrategyOptions,
): Promise<SortReport> {
  const { items, sink, unique, descending, tools, progress } = options;
  const { item, itemCount, source } = items;
  const runner = item.kind === "key" ? tools?.runner?.(sortKernels) : undefined;
  // A file is read in several pieces at a time, which is faster.
  const isSeekable = source !== undefined && itemCount !== undefined;
  const { read } = isSeekable ? progress.source("reading", source) : {};
  const stream = read
    ? { itemCount, next: sequential({ read }, itemCount! * item.bytes) }
    : progress.stream("reading", items, item.bytes);
  const reads = isSeekable ? CONCURRENT_READS : 1;
  const common = { sorter: announcing(options), descending, unique, runner, reads };
  try {
    return await sortTopK(stream, sink, { ...common, count, candidates });
  } finally {
    runner?.close();
  }
}

/**
 * Sorts all items at once. If the device runs out of memory, the sort is repeated out of core with smaller
 * chunks. That is possible because an engine that runs out of memory has written nothing to the sink.
 */
async function sortInMemory(
  { itemCount, smallerChunks, selected }: Extract<ItemStrategy, { kind: "in memory" }>,
  options: StrategyOptions,
): Promise<ExternalReport> {
  const { items, sorter, sink, writtenBytes: writing, unique, progress } = options;
  const watched = new WatchedSink(sink);
  const attempts = [
    () => {
      progress.expect({ reading: itemCount * items.item.bytes, writing });
      const dropsDuplicates = unique && !selected?.unique;
      const to = dropsDuplicates ? new UniqueSink(sorter.order, watched) : watched;
      return sorter.sort(itemCount, readThenSort(options), to, selected);
    },
    ...smallerChunks.map((chunkItems) => () => outOfCore(chunkItems, watched, options)),
  ];
  for (;;) {
    const attempt = attempts.shift()!;
    try {
      return await attempt();
    } catch (error) {
      const mayRetry = error instanceof DeviceError && error.outOfMemory && !watched.hasBegun;
      if (!mayRetry || attempts.length === 0) throw error;
    }
  }
}

/** Knows whether anything was written to a sink. */
class WatchedSink implements ItemSink {
  readonly #sink: ItemSink;
  #hasBegun = false;

  constructor(sink: ItemSink) {
    this.#sink = sink;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  write(...bytes: Parameters<ItemSink["write"]>): Promise<void> {
    this.#hasBegun = true;
    return this.#sink.write(...bytes);
  }

  end(): Promise<void> {
    return this.#sink.end();
  }
}

function outOfCore(chunkItems: number, sink: ItemSink, options: StrategyOptions): Promise<ExternalReport> {
  const { items, writtenBytes: writing, progress } = options;
  const { source, itemCount, item } = items;
  const bytes = itemCount === undefined ? undefined : itemCount * item.bytes;
  const phases = { reading: bytes, "writing runs": bytes, "gathering runs": bytes, writing };
  progress.expect(phases, ["writing runs", "writing"]);
  // A failed attempt may have read a part of the stream, so a source is read again from its start.
  const stream = source && bytes !== undefined ? { itemCount, next: sequential(source, bytes) } : items;
  const counted = progress.stream("reading", stream, item.bytes);
  return sortExternally(counted, sink, externalOptions(chunkItems, options));
}

/** The source of all items. Once they are read, the phase is the sort, which may block this thread. */
function readThenSort({ items, device, progress }: StrategyOptions): ItemSource {
  const { read } = progress.source("reading", items.source!);
  let left = items.itemCount! * items.item.bytes;
  return {
    sample: items.source,
    read: async (into, offset) => {
      await read(into, offset);
      left -= into.length;
      if (left === 0) progress.enter(sortingOn(device));
    },
  };
}

/** A sorter of chunks that reports each sort as a phase before it begins. */
function announcing({ sorter, device, progress }: StrategyOptions): ItemSorter {
  const { order, capacity, memoryPerItemByte, hostMemoryPerItemByte, inPlace, selects } = sorter;
  return {
    order,
    capacity,
    memoryPerItemByte,
    hostMemoryPerItemByte,
    inPlace,
    selects,
    sort: (...job) => sorter.sort(...job),
    sortBuffer: (...job) => {
      progress.enter(sortingOn(device));
      return sorter.sortBuffer(...job);
    },
  };
}

function sortingOn(device: string): string {
  return `sorting on ${device === "CPU" ? "the CPU" : device}`;
}

function externalOptions(chunkItems: number, options: StrategyOptions): ExternalOptions {
  const { unique, verify } = options;
  return {
    sorter: announcing(options),
    chunkItems,
    unique,
    verify,
    createStore: (bytes) => createRunStore(bytes, options),
  };
}

function inputsNotSorted(name: string): InputError {
  return new InputError(`cannot merge ${name}: not all inputs are sorted`, {
    hint: "check each input to find out which is not sorted, or sort them instead of merging",
    options: ["merge"],
  });
}

/** Wraps an input so that its reads throw the signal's reason once the signal has aborted. */
function withSignal(input: ItemInput, signal: AbortSignal | undefined): ItemInput {
  if (!signal) return input;
  const { source, next } = input;
  return {
    ...input,
    ...(source && {
      source: {
        read: async (into, offset) => {
          signal.throwIfAborted();
          await source.read(into, offset);
        },
      },
    }),
    next: async (into) => {
      signal.throwIfAborted();
      return next(into);
    },
  };
}
