import { type DeviceChoice, type KeptEngines, notOnDevice, openFastest } from "../../auto/open.js";
import { elementType } from "../../core/elements.js";
import { type Item, keyItem, type RecordItem } from "../../core/items/item.js";
import { totalBytes } from "../../core/streams/byte_stream.js";
import type { ItemSink } from "../../core/streams/item_stream.js";
import type { ProgressMeter } from "../../core/streams/progress.js";
import { HeadSink } from "../../core/streams/sinks.js";
import type { OpenedEngine } from "../../dawn/open_engine.js";
import { readAhead } from "../../files/input.js";
import type { ItemInput, Style } from "../../formats/format.js";
import type { KernelThreads } from "../../threads/kernel_threads.js";
import { carryOutStrategy } from "../carry_out.js";
import { detectEmptyStreams, type OpenedInputs } from "../inputs.js";
import { defaultMemoryBytes, memoryNotice } from "../memory.js";
import { requireTypeOfName } from "../output_names.js";
import { openOutput, type SortOutput, temporaryFolder } from "../outputs.js";
import { publishSorted, type SortContext } from "../publish.js";
import { refuseAlgorithmOnCpu, type SortDecision, type SortFileOptions } from "../sort_options.js";
import type { SortSummary } from "../sort_summary.js";
import { chooseIndexStrategy, chooseStrategy, type ItemStrategy, type MemoryBudget } from "../strategy.js";
import type { ExternalReport } from "./external_sort.js";
import { INDEX_BYTES, IndexSink, withIndices } from "./indexed.js";
import type { ItemSorter, SorterOptions } from "./item_sorter.js";
import { KeySorter } from "./key_sorter.js";
import type { RecordSorter } from "./record_sorter.js";

/** What is sorted by an argsort that is not one of indices alone. */
const WITH_INDICES = "keys that are moved with their indices";

/** What a sort of items uses, and when it began. */
export interface ItemContext extends SortContext {
  /** Keep the engine open for the next sort. Default: it is closed at the end. */
  readonly engines?: KeptEngines | undefined;
}

/**
 * Sorts open inputs of numbers or records, which stay open.
 *
 * @throws as `sortFile` does.
 */
export async function sortItems(
  inputs: OpenedInputs,
  output: SortOutput,
  options: SortFileOptions,
  { tools, engines, progress, begin }: ItemContext,
): Promise<SortSummary> {
  const { items } = inputs;
  const { item, style } = outputOf(items, options);
  const names = inputs.each.map(({ name }) => name);
  requireTypeOfName(output, item, style, { to: options.to, inputs: options.argsort ? [] : names });
  const itemCount = writtenCount(items, options);
  const opened = await openOutput(output, { item, like: style, itemCount }, options, {
    readBack: options.verify === "full",
    inputs: inputs.files.flatMap(({ stats }) => stats ?? []),
    threads: options.threads,
    tools,
  });
  const sortBy = async (engine: ChosenEngine) => {
    if (engine.engine.gpuClock === undefined) refuseAlgorithmOnCpu(options.algorithm ?? "auto");
    const started = performance.now();
    const temporary = temporaryFolder(output, options.tempDir);
    const sink = progress.sink("writing", opened.sink);
    const isDiscarded = opened.file.path !== undefined; // a stream takes nothing back
    const context = { tools, temporary, progress, isDiscarded };
    const { report, written } = await sortByStrategy(inputs, sink, engine, context, options);
    return {
      type: items.item.kind === "key" ? items.item.type.name : "record",
      itemBytes: items.item.bytes,
      bytes: report.keyCount * items.item.bytes,
      descending: options.descending ?? false,
      ...report,
      written,
      started,
    };
  };
  return publishSorted(inputs, opened.file, options, { progress, begin }, async () => {
    if (itemCount !== undefined) opened.file.expect?.(itemCount * item.bytes);
    const engine = await openEngine(inputs, progress, engines, options);
    try {
      return await sortBy(engine);
    } finally {
      if (!options.engine && !engines) engine.engine.close();
    }
  });
}

/**
 * The item and the style of the output. With `argsort`, items are indices: those of records are raw keys, and
 * those of text have no header line, as it names the keys. Indices are little-endian, as a name such as
 * `.u32` promises, whatever the keys are.
 */
function outputOf({ item, style }: ItemInput, { argsort }: SortFileOptions): { item: Item; style: Style } {
  if (!argsort) return { item, style };
  const index = keyItem(elementType("u32"));
  const { header: _, ...withoutHeader } = style;
  const format = item.kind === "record" ? "raw" : style.format;
  return { item: index, style: { ...withoutHeader, format, byteOrder: "little" } };
}

/** The number of items that will be written; undefined if it is not known before the sort. */
function writtenCount({ itemCount }: ItemInput, { unique, head }: SortFileOptions): number | undefined {
  if (unique || itemCount === undefined) return undefined;
  return Math.min(itemCount, head ?? Number.POSITIVE_INFINITY);
}

/** Why the inputs are sorted although the caller asked for a merge; undefined if they can be merged. */
function whyNotMerged({ source }: ItemInput, { argsort }: SortFileOptions): string | undefined {
  if (argsort) return "indices cannot be merged, so all inputs are sorted";
  if (source) return undefined;
  return (
    "text, pipes and compressed files are read only once, from start to end, so all inputs are sorted " +
    "instead of merged"
  );
}

type ChosenEngine = OpenedEngine & { readonly choice: DeviceChoice };

async function openEngine(
  inputs: OpenedInputs,
  progress: ProgressMeter,
  engines: KeptEngines | undefined,
  options: SortFileOptions,
): Promise<ChosenEngine> {
  const { engine, device = "auto", algorithm = "auto", openDevice, threads } = options;
  if (engine) return { ...engine, choice: { reason: "asked" } };
  const { item, itemCount = mostNumbers(inputs.files) } = inputs.items;
  const task = { type: item.kind === "key" ? item.type : undefined, keyCount: itemCount, algorithm };
  let reading: ReturnType<typeof readAhead> | undefined;
  const onStep = (step: string) => {
    progress.enter(step);
    reading ??= readAhead(inputs.files);
  };
  const opening = openFastest(device, task, { openDevice, threads, onStep, open: engines?.open });
  return opening.finally(() => reading?.stop());
}

/** The most numbers that text files hold: each takes a digit and a line break. Undefined for streams. */
function mostNumbers(files: OpenedInputs["files"]): number | undefined {
  const bytes = totalBytes(files);
  return bytes === undefined ? undefined : Math.ceil(bytes / 2);
}

/** What a strategy uses besides its inputs, its output and its engine. */
interface StrategyContext {
  readonly tools: KernelThreads;
  /** The folder for temporary files. */
  readonly temporary: string;
  readonly progress: ProgressMeter;
  /** Whether the output is discarded if the sort fails. */
  readonly isDiscarded: boolean;
}

/**
 * Chooses a strategy, carries it out, and ends the sink.
 *
 * @returns the report, and the number of items written.
 */
async function sortByStrategy(
  inputs: OpenedInputs,
  output: ItemSink,
  opened: ChosenEngine,
  { tools, temporary, progress, isDiscarded }: StrategyContext,
  options: SortFileOptions,
): Promise<{ report: ExternalReport; written: number }> {
  const { unique = false, head, argsort = false, descending = false, signal } = options;
  const verify = options.verify !== false;
  const keys = await detectEmptyStreams(inputs);
  const { algorithm = "auto" } = options;
  const sorterOptions: SorterOptions = { descending, algorithm, verify, signal, isDiscarded };
  const plan = await planItems(keys, inputs.each.length, { opened, tools, sorterOptions }, options);
  const { items, strategy, sorter, records } = plan;
  try {
    options.onDecision?.(decisionOf(plan, keys, opened, tools, options));
    const writtenBytes = argsort ? INDEX_BYTES : items.item.bytes;
    const counted = new HeadSink((head ?? Number.POSITIVE_INFINITY) * writtenBytes, output);
    const writtenItems = writtenCount(items, options);
    const toIndices = items !== keys ? new IndexSink(items.item.bytes, counted) : counted;
    const report = await carryOutStrategy(strategy, {
      items,
      inputs: inputs.each,
      sorter,
      device: records?.device ?? opened.device?.adapter.name ?? opened.engine.device,
      sink: toIndices,
      writtenBytes: writtenItems === undefined ? undefined : writtenItems * writtenBytes,
      unique,
      descending,
      verify,
      tools,
      temporaryFolder: temporary,
      progress,
      signal,
    });
    return { report, written: counted.bytes / writtenBytes };
  } finally {
    records?.close();
  }
}

/** What is sorted, how, and by what. */
interface ItemPlan {
  /** The items of the input, or with `argsort` these with their indices, unless indices alone are sorted. */
  readonly items: ItemInput;
  readonly strategy: ItemStrategy;
  readonly sorter: ItemSorter;
  /** The sorter if it is one of records, to be closed; else undefined. */
  readonly records: RecordSorter | undefined;
  readonly memory: MemoryBudget;
}

/** What sorts. */
interface SortTools {
  readonly opened: ChosenEngine;
  readonly tools: KernelThreads;
  readonly sorterOptions: SorterOptions;
}

async function planItems(
  keys: ItemInput,
  inputCount: number,
  { opened, tools, sorterOptions }: SortTools,
  { unique = false, head, argsort = false, merge = false, memoryBytes }: SortFileOptions,
): Promise<ItemPlan> {
  const { engine, hardware } = opened;
  const memory: MemoryBudget = {
    bytes: memoryBytes ?? defaultMemoryBytes(),
    dedicated: hardware,
    countsDevice: !hardware || memoryBytes !== undefined,
  };
  const workload = ({ itemCount, item, source }: ItemInput) => ({
    itemCount,
    itemBytes: item.bytes,
    seekable: source !== undefined,
    sortedInputs: merge && !argsort ? inputCount : 0,
    head,
    selected: item.kind === "key" && (unique || head !== undefined) ? { unique, head } : undefined,
  });
  if (keys.item.kind === "key") {
    const sorter = new KeySorter(engine, keys.item, sorterOptions);
    const plan = { items: keys, sorter, records: undefined, memory };
    if (!argsort) return { ...plan, strategy: chooseStrategy(workload(keys), sorter, memory) };
    const strategy = unique ? undefined : chooseIndexStrategy(workload(keys), sorter.indexLimits, memory);
    if (strategy) return { ...plan, strategy };
  }
  const items = argsort ? withIndices(keys) : keys;
  // A sort of numbers loads nothing of that of rows.
  const { RecordSorter } = await import("./record_sorter.js");
  const records = new RecordSorter(tools, items.item as RecordItem, sorterOptions);
  try {
    return {
      items,
      strategy: chooseStrategy(workload(items), records, memory),
      sorter: records,
      records,
      memory,
    };
  } catch (error) {
    records.close();
    throw error;
  }
}

/** What a caller is told of a plan before it is carried out. */
function decisionOf(
  { items, strategy, records, memory }: ItemPlan,
  keys: ItemInput,
  { engine, choice, device, notice }: ChosenEngine,
  tools: KernelThreads,
  options: SortFileOptions,
): SortDecision {
  // The engine was opened before it was known that keys need their indices beside them.
  const isPassedOver = records && engine.gpuClock !== undefined && choice.reason === "asked";
  const notices = [
    notice,
    isPassedOver ? notOnDevice(items === keys ? "records" : WITH_INDICES, engine.device) : undefined,
    memoryNotice(strategy, memory),
    options.merge ? whyNotMerged(keys, options) : undefined,
  ].filter(Boolean);
  const said = { notice: notices.length === 0 ? undefined : notices.join("; "), strategy };
  if (records) {
    return { device: records.device, threads: tools.count, deviceChoice: { reason: "records" }, ...said };
  }
  const { threads } = engine;
  return { device: engine.device, threads, deviceChoice: choice, shaderCache: device?.shaderCache, ...said };
}
