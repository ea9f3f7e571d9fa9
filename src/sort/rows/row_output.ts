import { elementType } from "../../core/elements.js";
import { keyItem } from "../../core/items/item.js";
import type { ItemSink } from "../../core/streams/item_stream.js";
import type { ProgressMeter } from "../../core/streams/progress.js";
import type { InputFile } from "../../files/input_file.js";
import type { OutputFile } from "../../files/output_file.js";
import type { FormatTools, Style } from "../../formats/format.js";
import { requireTypeOfName } from "../output_names.js";
import { type OutputContext, openOutput, openOutputFile, type SortOutput } from "../outputs.js";
import type { SortFileOptions } from "../sort_options.js";

/** The output of a sort of rows. */
export interface OpenedRowOutput {
  readonly file: OutputFile;
  /** Writes the next bytes: of the rows, or of their numbers as u32. */
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Says that the next bytes are the first ones again. Only if the file is seekable. */
  beginAnew(): void;
  /** Writes what is left, before the file is published. */
  end(): Promise<void>;
}

const numberItem = keyItem(elementType("u32"));

/**
 * Numbers of lines are text, as numbers of numbers in text are, unless the name of the output says otherwise.
 */
const numberStyle: Style = { format: "text", byteOrder: "little" };

/** @throws InputError if the output cannot be created, or if its name does not fit the numbers of rows. */
export async function openRowOutput(
  output: SortOutput,
  inputs: readonly InputFile[],
  options: SortFileOptions,
  { progress, tools }: { readonly progress: ProgressMeter; readonly tools: FormatTools },
): Promise<OpenedRowOutput> {
  const context: OutputContext = {
    readBack: options.verify === "full",
    inputs: inputs.flatMap(({ stats }) => stats ?? []),
    threads: options.threads,
    tools,
  };
  let next = 0;
  const beginAnew = () => {
    next = 0;
  };
  const inTurn = (sink: Pick<ItemSink, "write">) => (bytes: Uint8Array<ArrayBuffer>) => {
    const offset = next;
    next += bytes.length;
    return sink.write(bytes, offset);
  };
  if (options.argsort) {
    requireTypeOfName(output, numberItem, numberStyle, options);
    const numbers = { item: numberItem, like: numberStyle, itemCount: undefined };
    const { file, sink } = await openOutput(output, numbers, options, context);
    return { file, write: inTurn(progress.sink("writing", sink)), beginAnew, end: () => sink.end() };
  }
  const file = await openOutputFile(output, options, context);
  const sink = { write: (from: Uint8Array, at: number) => file.write(from, at), end: async () => {} };
  return { file, write: inTurn(progress.sink("writing", sink)), beginAnew, end: sink.end };
}
