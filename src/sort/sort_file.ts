import { InputError } from "../core/errors.js";
import { ProgressMeter } from "../core/streams/progress.js";
import { type Kind, kindOfPath } from "../kinds/names.js";
import { KernelThreads } from "../threads/kernel_threads.js";
import { openInputs, openItemInputs, type SortInput } from "./inputs.js";
import { sortItems } from "./items/sort_items.js";
import { type SortOutput, streamOutput } from "./outputs.js";
import { withThreadsNotice } from "./publish.js";
import { rowOrderOf } from "./rows/row_inputs.js";
import { notAsync, requireOptions, type SortFileOptions } from "./sort_options.js";
import type { SortSummary } from "./sort_summary.js";

export type { SortSummary } from "./sort_summary.js";

/**
 * Sorts files of numbers, of records, of lines of text, or of tables. Several inputs are sorted as one. Items
 * that fit in the device and in memory are sorted at once, others out of core.
 *
 * An output file appears complete and checked, or not at all. It may be one of the inputs, unless somebody
 * else changes that one meanwhile. A new file gives nobody permissions that an input does not give. What was
 * written to a stream cannot be taken back.
 *
 * It uses `memoryBytes` of memory, plus up to 512 MiB. A sort out of core also uses as much disk space as the
 * input has, in `tempDir`. The temporary file has no name, and is gone when the process ends.
 *
 * @param input one input, or an array of inputs. Each is a path, a stream of bytes, or an open file.
 * @param output a path, a writable stream, or an open output.
 * @param options what the inputs hold, the order, what to write, and where and within which memory to sort.
 * @returns what was sorted, how, and how long it took.
 * @throws InputError if an input, the output or an option is wrong or unknown; DeviceError if the device does
 *   not exist or fails; VerifyError if the result fails its check; the signal's reason if it aborts the sort;
 *   the error of a given stream that fails or is destroyed, or of a pipe whose reader is gone.
 *
 * @example
 * const summary = await sortFile("keys.f32", "sorted.f32", { descending: true });
 */
export async function sortFile(
  input: SortInput | readonly SortInput[],
  output: SortOutput,
  options: SortFileOptions = {},
): Promise<SortSummary> {
  // First: a stream may fail before its first write.
  const target = typeof output === "string" ? output : streamOutput(output, options?.signal);
  let tools: KernelThreads | undefined;
  try {
    await requireOptions(options);
    tools = new KernelThreads(options.threads);
    const inputs = Array.isArray(input) ? input : [input as SortInput];
    if (inputs.length === 0) throw new InputError("there is no input", { hint: "pass one or more" });
    const streams = inputs.filter((one) => typeof one !== "string");
    if (new Set(streams).size < streams.length) {
      throw new InputError("a stream is passed twice, but can be read only once", {
        hint: "pass it once, or pass the path of its file",
      });
    }
    const onDecision = withThreadsNotice(notAsync("onDecision", options.onDecision));
    return await sortOpened(inputs, target, { ...options, onDecision }, tools);
  } finally {
    tools?.close();
    if (typeof target !== "string" && target !== output) await target.discard();
  }
}

async function sortOpened(
  named: readonly SortInput[],
  output: SortOutput,
  options: SortFileOptions,
  tools: KernelThreads,
): Promise<SortSummary> {
  const begin = performance.now();
  const context = { tools, progress: new ProgressMeter(notAsync("onProgress", options.onProgress)), begin };
  const inputs = await openInputs(named, options, writtenKind(output, options));
  try {
    if (inputs.table) {
      const { sortTables } = await import("./tables/sort_tables.js"); // few sorts need it
      return await sortTables(inputs, output, options, context);
    }
    const written = options.argsort ? undefined : convertedTo(output, options);
    const order = await rowOrderOf(inputs, { ...options, written });
    if (!order)
      return await sortItems(await openItemInputs(inputs, options, tools), output, options, context);
    const { sortLines } = await import("./rows/sort_lines.js");
    return await sortLines(inputs, order, output, options, context);
  } finally {
    await inputs.close();
  }
}

/** What numbers of text become: what an option names, or the name of the output, unless that is one of text. */
function convertedTo(output: SortOutput, { to }: SortFileOptions): Kind | undefined {
  if (to !== undefined) return to;
  const named = typeof output === "string" ? kindOfPath(output) : undefined;
  return named?.type || named?.kind === "npy" ? named.kind : undefined;
}

/** What the output will hold, as far as an option or its name says it. */
function writtenKind(output: SortOutput, { to }: SortFileOptions): Kind | undefined {
  return to ?? (typeof output === "string" ? kindOfPath(output)?.kind : undefined);
}
