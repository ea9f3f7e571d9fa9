import { join, parse } from "node:path";
import { splitCompression } from "../core/compression.js";
import { InputError } from "../core/errors.js";
import { ownDescriptor, statDescriptor } from "../files/descriptor.js";
import { WritableOutput } from "../files/stream_output.js";
import { kindOfPath, outputExtensions } from "../kinds/names.js";
import { isTableFormat } from "../sort/output_formats.js";
import type { SortOutput } from "../sort/outputs.js";
import { parseCompression, parseOutputFormat } from "./parse.js";
import { isRedirected } from "./terminal/terminal.js";

const STDOUT = 1;

/** The output that the command line names: a path, or "-" for standard output. */
export function outputOf(target: string): SortOutput {
  if (target !== "-") return target;
  if (!statDescriptor(STDOUT)) {
    throw new InputError("standard output is closed", {
      hint: "redirect it to a file or a pipe, or name a file",
      options: ["output"],
    });
  }
  return new WritableOutput(process.stdout, "standard output");
}

/** @throws InputError if "-" is named where only a file can be written. @param flag the option. */
export function requirePath(path: string, flag: string): void {
  if (path !== "-") return;
  throw new InputError(`${flag} - names no file`, { hint: `name one; ${flag} ./- is a file of that name` });
}

/** Whether the output that the command line names is standard output, by "-" or by a path. */
export async function isStandardOutput(target: string): Promise<boolean> {
  return target === "-" || (await ownDescriptor(target)) === STDOUT;
}

/**
 * What to say if the result goes to a file that nobody named, where standard output is a file or a pipe that
 * would stay empty: other sorts write to it.
 */
export async function outputNotice(target: string): Promise<string | undefined> {
  if (!isRedirected() || (await isStandardOutput(target))) return undefined;
  return `the result goes to ${target}, and nothing to standard output; -o - sends it there`;
}

/** The options that the name of the default output depends on. */
export interface OutputArguments {
  readonly argsort?: boolean | undefined;
  readonly compress?: string | undefined;
  readonly format?: string | undefined;
  readonly record?: string | undefined;
  readonly to?: string | undefined;
  readonly type?: string | undefined;
}

/**
 * keys.f32 -> keys.sorted.f32, in the same folder; "-" for standard input and other descriptors. An output of
 * another kind or format than the input has an extension of its own: keys.argsort.u32, keys.sorted.npy. It is
 * compressed as the input is named, unless the arguments say otherwise: keys.sorted.f32.gz.
 *
 * @throws InputError if the output needs a name that the arguments do not give.
 */
export async function defaultOutput(
  [path, ...others]: readonly string[],
  args: OutputArguments,
): Promise<string> {
  if (path === "-" || path === undefined) return "-";
  if (others.length > 0) {
    throw new InputError("several files are sorted into one, so the output needs a name", {
      hint: "name it with --output, or write to standard output with --output -",
    });
  }
  if ((await ownDescriptor(path)) !== undefined) return "-";
  const { inner, compression } = splitCompression(path);
  const { dir, name, ext } = parse(inner);
  const { compress = compression ?? "none" } = args;
  // Of Parquet it is the codec of the columns.
  const isWhole = args.argsort || (args.to ?? args.format ?? kindOfPath(path)?.kind) !== "parquet";
  const packed = isWhole ? parseCompression(compress) : "none";
  const end = packed === "none" ? "" : `.${packed}`;
  if (args.argsort) return join(dir, `${name}.argsort${indexExtension(path, args)}${end}`);
  return join(dir, `${name}.sorted${keyExtension(path, ext, args)}${end}`);
}

/**
 * Indices have the format of --to, else that of the input; those of records are raw, those of lines are text.
 */
function indexExtension(path: string, { to, format, record }: OutputArguments): string {
  const input = record === undefined ? (format ?? kindOfPath(path)?.kind) : "raw";
  return (
    outputExtensions.get(to ?? (input === "lines" || input === "csv" ? "text" : input) ?? "raw") ?? ".u32"
  );
}

/** The extension of the input, unless --to names another format than that extension. */
function keyExtension(path: string, ext: string, { to, type }: OutputArguments): string {
  const input = kindOfPath(path)?.kind;
  if (to === undefined || to === input) return ext;
  if (isTableFormat(to)) return `.${to}`;
  const named = outputExtensions.get(parseOutputFormat(to));
  if (named !== undefined) return named;
  // Only what may be numbers can become raw keys. An error tells of the others, once the input is open.
  if (to !== "raw" || (input !== "text" && input !== "npy")) return ext;
  if (type !== undefined) return `.${type}`;
  throw new InputError(`the output of --to ${to} needs a name that says the type of its keys`, {
    hint: "name it with --output, as in --output keys.f64",
  });
}
