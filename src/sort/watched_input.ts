import type { ProgressMeter } from "../core/streams/progress.js";
import type { InputFile } from "../files/input_file.js";

/** An input that tells the progress what is read of it in a stage. */
export function watchedInput(input: InputFile, progress: ProgressMeter, stage: string): InputFile {
  const { next } = progress.stream(stage, { itemCount: undefined, next: (into) => input.next(into) }, 1);
  const { read } = input;
  const source = read && progress.source(stage, { read: (into, offset) => read.call(input, into, offset) });
  return {
    name: input.name,
    byteLength: input.byteLength,
    peek: (count) => input.peek(count),
    next,
    ...(source && { read: source.read as NonNullable<InputFile["read"]> }),
    checkUnchanged: () => input.checkUnchanged(),
    close: () => input.close(),
  };
}
