/** Runs a case by the library, in this process, or by the command. Throws what it throws. */
import { spawn } from "node:child_process";
import { createReadStream, createWriteStream, readFileSync, writeFileSync } from "node:fs";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { sortFile } from "../../../dist/index.js";

/**
 * @typedef {import("./spec.js").Context} Context
 * @typedef {import("./spec.js").Files} Files
 * @typedef {import("./spec.js").Spec} Spec
 * @typedef {NonNullable<import("../../../dist/index.js").SortFileOptions["keys"]>[number]} RecordKey
 */

const bin = fileURLToPath(new URL("../../../bin/gpusort.js", import.meta.url));

/**
 * @param {Spec} spec
 * @param {Files} files
 * @param {Context} context
 */
export async function runLibrary(spec, files, { engine }) {
  const input = spec.inputStream ? createReadStream(files.inputs[0]) : files.inputs;
  const options = { ...optionsOf(spec), tempDir: files.temporary, engine };
  if (!spec.outputStream) return void (await sortFile(input, files.output, options));
  const output = createWriteStream(files.output);
  await sortFile(input, output, options);
  await finished(output.end());
}

/** @param {Spec} spec */
function optionsOf(spec) {
  const { type, format, recordBytes, keys, descending, unique, head, argsort, merge, memoryBytes } = spec;
  const { skipBytes, algorithm, verify, to } = spec;
  const given = {
    type: format === "npy" ? undefined : type,
    format,
    recordBytes,
    skipBytes,
    head,
    memoryBytes,
    to,
  };
  const byteOrder = byteOrderOf(spec);
  const flags = { descending, unique, argsort, merge };
  /** @type {Pick<import("../../../dist/index.js").SortFileOptions, "keys">} */
  const keyed = keys && keys.length > 0 ? { keys: /** @type {RecordKey[]} */ (keys) } : {};
  return { ...given, ...flags, ...keyed, byteOrder, algorithm, verify };
}

/**
 * @param {Spec} spec
 * @returns {"big" | undefined}
 */
function byteOrderOf({ format, big, bigKeys, keys = [] }) {
  if (format === "raw" && big) return "big";
  return bigKeys && keys.some(({ type }) => type) ? "big" : undefined;
}

/**
 * The arguments of the command for a case; "-" for streams.
 *
 * @param {Spec} spec
 * @param {Files} files
 * @param {string} device
 */
export function argumentsOf(spec, files, device) {
  const { format, type, recordBytes, keys = [], skipBytes, head, memoryBytes, to, algorithm, verify } = spec;
  /**
   * @param {string} name
   * @param {unknown} value
   */
  const option = (name, value) => (value === undefined || value === false ? [] : [name, String(value)]);
  return [
    ...(spec.inputStream ? ["-"] : files.inputs),
    ...["-o", spec.outputStream ? "-" : files.output, "-T", files.temporary, "--device", device, "-q"],
    ...option("-t", format === "npy" ? undefined : type),
    ...(recordBytes === undefined ? option("--format", format) : ["--record", String(recordBytes)]),
    ...keys.flatMap((key) => ["--key", `${key.offset}:${key.type ?? key.bytes}`]),
    ...option("--skip-bytes", skipBytes),
    ...option("--byte-order", byteOrderOf(spec)),
    ...option("--head", head),
    ...option("-S", memoryBytes && memoryBytes / 1024),
    ...option("--to", to),
    ...(algorithm === undefined || algorithm === "auto" ? [] : ["--algorithm", algorithm]),
    ...(verify === false ? ["--no-verify"] : verify ? [`--verify=${verify}`] : []),
    ...(spec.descending ? ["-r"] : []),
    ...(spec.unique ? ["-u"] : []),
    ...(spec.argsort ? ["--argsort"] : []),
    ...(spec.merge ? ["-m"] : []),
  ];
}

/**
 * @param {Spec} spec
 * @param {Files} files
 * @param {Context} context
 */
export async function runCommand(spec, files, { device }) {
  const input = spec.inputStream ? readFileSync(files.inputs[0]) : undefined;
  const { code, stdout, stderr } = await gpusort(argumentsOf(spec, files, device), input);
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  if (spec.outputStream) writeFileSync(files.output, stdout);
}

/**
 * Runs the command.
 *
 * @param {string[]} args
 * @param {Uint8Array} [input]
 * @returns {Promise<{ code: number | null, stdout: Buffer, stderr: string }>}
 */
export function gpusort(args, input) {
  const child = spawn(process.execPath, [bin, ...args]);
  /** @type {Buffer[]} */
  const stdout = [];
  /** @type {Buffer[]} */
  const stderr = [];
  child.stdout.on("data", (data) => stdout.push(data));
  child.stderr.on("data", (data) => stderr.push(data));
  child.stdin.on("error", () => {}); // it may end before it has read its input
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() });
    });
  });
}
