import { InputError } from "../errors.js";
import { type InputFile, openInput } from "../files/input.js";
import { concatenate } from "../formats/concatenate.js";
import type { FormatOptions, ItemInput } from "../formats/format.js";
import { detect } from "../formats/registry.js";

/** What the options say of the inputs, as the command line gives them. */
export interface InputOptions extends FormatOptions {
  readonly format?: string;
}

export interface OpenedInputs {
  /** All of them as one. */
  readonly items: ItemInput;
  readonly each: readonly ItemInput[];
  readonly files: readonly InputFile[];
  /** @throws InputError if one of them was written to since it was opened. */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** @throws InputError if one of the inputs cannot be read, or is not what it should be. */
export async function openInputs(paths: readonly string[], options: InputOptions): Promise<OpenedInputs> {
  if (paths.filter((path) => path === "-").length > 1) {
    throw new InputError("standard input is named twice", { hint: "it can be read once" });
  }
  const files: InputFile[] = [];
  const close = async () => {
    for (const file of files) await file.close();
  };
  try {
    const each: ItemInput[] = [];
    for (const path of paths) {
      const file = await openInput(path);
      files.push(file);
      each.push(await (await detect(file, options.format, options)).open(file, options));
    }
    const checkUnchanged = async () => {
      for (const file of files) await file.checkUnchanged();
    };
    return { items: concatenate(each), each, files, checkUnchanged, close };
  } catch (error) {
    await close();
    throw error;
  }
}
