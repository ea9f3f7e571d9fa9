import type { KeySink, KeySource } from "../engines/engine.js";
import {
  chunkItemsWithin,
  type ExternalOptions,
  type ExternalReport,
  type ItemStream,
  mergeExternally,
  sortExternally,
} from "../engines/external.js";
import { type ItemSorter, KeySorter, type SortWish } from "../engines/item_sorter.js";
import type { OpenedEngine } from "../engines/open.js";
import { itemSorter } from "../engines/sorters.js";
import { candidatesFor, sortTop } from "../engines/top.js";
import { DeviceError, InputError } from "../errors.js";
import { createTemporary } from "../files/temporary.js";
import type { ItemInput, ItemWriter } from "../formats/format.js";
import { cursor } from "../formats/raw.js";
import { IndexSink, indexed } from "../keys/indexed.js";
import { HeadSink, UniqueSink } from "../keys/sinks.js";
import type { OpenedInputs } from "./inputs.js";
import { defaultMemory } from "./memory.js";
import type { Progress } from "./progress.js";

export interface SortItemsOptions extends SortWish {
  readonly unique: boolean;
  readonly merge: boolean;
  /** Whether to write where the items were instead of the items. */
  readonly argsort: boolean;
  /** How many of the first items are wanted; undefined for all. */
  readonly wanted: number | undefined;
  /** How much memory may be used, the device's included; undefined if nothing was said. */
  readonly memoryBytes: number | undefined;
  readonly temporaryFolder: string;
  readonly progress: Progress;
}

/** Of more runs than this, the slices of a bucket are too short to be read at a good rate. */
const MOST_RUNS = 4096;

/**
 * Sorts inputs in whatever way suits their size and the memory: at once, in two passes over a disk, only the first
 * few, or by merging.
 *
 * @returns the report, and how many items were written.
 */
export async function sortItems(
  inputs: OpenedInputs,
  writer: ItemWriter,
  opened: OpenedEngine,
  options: SortItemsOptions,
): Promise<{ report: ExternalReport; written: number }> {
  const { unique, wanted, progress, argsort } = options;
  if (argsort && !unique && wanted === undefined) {
    const atOnce = argsortAtOnce(inputs.items, writer, opened, options);
    if (atOnce) return atOnce;
  }
  const items = argsort ? indexed(inputs.items) : inputs.items;
  const { bytes } = items.item;
  const sorter = itemSorter(opened.engine, items.item, options);
  const written = progress.sink("writing", writer);
  const head = new HeadSink(
    (wanted ?? Number.POSITIVE_INFINITY) * bytes,
    argsort ? new IndexSink(bytes, written) : written,
  );
  const distinct = unique ? new UniqueSink(sorter.order, head) : undefined;
  const each = argsort ? [items] : inputs.each;
  const report = await way(items, each, sorter, opened, options)(distinct ?? head);
  await distinct?.finish();
  const count = head.bytes / bytes;
  await writer.finish(count);
  return { report, written: count };
}

/** @returns undefined unless the items are keys, and those and their indices fit the memory. */
function argsortAtOnce(
  { item, source, itemCount }: ItemInput,
  writer: ItemWriter,
  opened: OpenedEngine,
  options: SortItemsOptions,
): Promise<{ report: ExternalReport; written: number }> | undefined {
  if (item.kind !== "key" || !source) return undefined;
  const sorter = new KeySorter(opened.engine, item, options);
  const INDEX_BYTES = 4;
  const bytes = itemCount! * (item.bytes + INDEX_BYTES);
  if (itemCount! > sorter.capacity || !fits(bytes, sorter, opened, options)) return undefined;
  const { progress } = options;
  progress.expect(bytes);
  const run = async () => {
    const sink = progress.sink("writing", writer);
    const report = await sorter.argsort(itemCount!, progress.source("reading", source), sink);
    await writer.finish(itemCount!);
    return { report, written: itemCount! };
  };
  return run();
}

/** Whether so many bytes can be sorted at once in the memory that there is. */
function fits(
  bytes: number,
  { memoryPerByte, hostMemoryPerByte }: ItemSorter,
  { hardware }: OpenedEngine,
  { memoryBytes }: SortItemsOptions,
): boolean {
  // What a GPU with memory of its own holds is no concern of this machine's, unless it was asked to be.
  const perByte = hardware && memoryBytes === undefined ? hostMemoryPerByte : memoryPerByte;
  return bytes * perByte <= (memoryBytes ?? defaultMemory());
}

function way(
  items: ItemInput,
  each: readonly ItemInput[],
  sorter: ItemSorter,
  opened: OpenedEngine,
  options: SortItemsOptions,
): (sink: KeySink) => Promise<ExternalReport> {
  const { progress, memoryBytes, wanted, unique } = options;
  const { source, itemCount, item } = items;
  const budget = memoryBytes ?? defaultMemory();
  const bytes = itemCount === undefined ? undefined : itemCount * item.bytes;
  const stream = progress.stream("reading", items, item.bytes);
  const reading = (from: KeySource) => progress.source("reading", from);

  const atOnce =
    source !== undefined && itemCount! <= sorter.capacity && fits(bytes!, sorter, opened, options);
  if (wanted !== undefined && !(atOnce && opened.hardware)) {
    const candidates = candidatesFor(wanted);
    if (candidates <= chunkItemsWithin(budget, sorter)) {
      progress.expect(bytes);
      return (sink) => sortTop(stream, sink, { sorter, wanted, unique, candidates });
    }
  }
  const least = Math.min(sorter.capacity, Math.ceil((itemCount ?? 0) / MOST_RUNS));
  const external: ExternalOptions = {
    sorter,
    chunkItems: Math.max(least, chunkItemsWithin(budget, sorter)),
    verify: options.verify,
    createStore: async (expected) => {
      const store = await createTemporary(options.temporaryFolder, expected);
      return {
        ...progress.source("gathering", store),
        ...progress.sink("keeping", store),
        close: () => store.close(),
      };
    },
  };
  if (options.merge && !atOnce && each.every((one) => one.source)) {
    progress.expect(2 * bytes!);
    const runs = each.map((one) => ({ source: reading(one.source!), itemCount: one.itemCount! }));
    return (sink) => mergeExternally(runs, sink, { ...external, disorder: unsortedInputs });
  }
  const inTwoPasses = (chunkItems: number, from: ItemStream) => (sink: KeySink) => {
    progress.expect(bytes === undefined ? undefined : 4 * bytes);
    return sortExternally(from, sink, { ...external, chunkItems });
  };
  if (!atOnce) return inTwoPasses(external.chunkItems, stream);

  progress.expect(2 * bytes!);
  const ways = [
    (sink: KeySink) => sorter.sort(itemCount!, reading(source), sink),
    // How much memory a device has cannot be asked for: what is too much for it is found out.
    ...[4, 16, 64].map((share) => {
      const next = cursor(reading(source), bytes!);
      return inTwoPasses(Math.min(external.chunkItems, Math.ceil(itemCount! / share)), { itemCount, next });
    }),
  ];
  return (sink) => firstWithin(ways, sink);
}

/** By the contract of engines, one that runs out of memory has written nothing: the next may try. */
async function firstWithin(
  ways: readonly ((sink: KeySink) => Promise<ExternalReport>)[],
  sink: KeySink,
): Promise<ExternalReport> {
  const [first, ...others] = ways;
  let hasWritten = false;
  const watched: KeySink = {
    write: (from, offset) => {
      hasWritten = true;
      return sink.write(from, offset);
    },
  };
  try {
    return await first!(watched);
  } catch (error) {
    const mayRetry = error instanceof DeviceError && error.outOfMemory && !hasWritten;
    if (!mayRetry || others.length === 0) throw error;
    return firstWithin(others, sink);
  }
}

function unsortedInputs(): InputError {
  return new InputError("the inputs of --merge are not all in order", {
    hint: "find out which with --check, or leave --merge out",
  });
}
