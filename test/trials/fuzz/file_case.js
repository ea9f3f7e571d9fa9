/** Sorts of files: made at random, run by `sortFile` or by the command, and compared with the oracle. */
import { makeItems, sortedItems } from "./items.js";
import { readOutput, writeInputs } from "./layout.js";
import { bytesDiffer, gather, keysDiffer, orderOf } from "./oracle.js";
import { runCommand, runLibrary } from "./run_sort.js";
import { keysIn } from "./types.js";

/**
 * @typedef {import("../random.js").Random} Random
 * @typedef {import("./spec.js").Context} Context
 * @typedef {import("./spec.js").Spec} Spec
 */

const KIB = 2 ** 10;

/** @type {("raw" | "npy" | "text")[]} */
const KEY_FORMATS = ["raw", "raw", "npy", "text"];

/**
 * About as much memory as makes from one run to forty, in bytes.
 *
 * @param {Random} random
 * @param {Uint8Array[]} inputs
 */
function someMemory(random, inputs) {
  const bytes = inputs.reduce((sum, { length }) => sum + length, 0);
  return KIB * Math.ceil((8 * bytes) / (1 + random.below(40)) / KIB + 1);
}

/**
 * A sort as data. `inputs` are the items of each input, keys in little-endian order.
 *
 * @param {Random} random
 * @param {Context} context
 * @returns {Spec}
 */
export function makeFileCase(random, { device, canReadBack }) {
  const isLarge = random.chance(0.06);
  const items = makeItems(random, isLarge ? (device === "cpu" ? 300_000 : 150_000) : 5000, isLarge);
  const isRecord = items.recordBytes !== undefined;
  /** @type {NonNullable<Spec["format"]>} */
  const format = isRecord ? "records" : random.pick(KEY_FORMATS);
  const argsort = random.chance(0.2);
  const viaCommand = random.chance(device === "cpu" ? 0.05 : 0.02);
  const single = items.inputs.length === 1;
  const inPlace = single && !argsort && random.chance(0.15);
  const merge = !argsort && format !== "text" && random.chance(0.15);
  const ofKeys = !isRecord && !argsort;
  /** @type {NonNullable<Spec["algorithm"]>[]} */
  const algorithms =
    ofKeys && device !== "cpu" && items.itemBytes >= 4 ? ["auto", "radix", "bitonic"] : ["auto"];
  /** @type {Spec} */
  const spec = {
    kind: "file",
    ...items,
    format,
    big: !isRecord && format !== "text" && random.chance(0.25),
    skipBytes: ["raw", "records"].includes(format) && random.chance(0.2) ? random.below(20) : undefined,
    npyVersion: 1 + random.below(3),
    textSeed: random.u32(),
    to: inPlace
      ? format
      : isRecord
        ? argsort
          ? "raw"
          : "records"
        : random.pick([format, ...KEY_FORMATS.slice(1)]),
    inPlace,
    viaCommand,
    inputStream: single && !inPlace && !merge && random.chance(0.1),
    outputStream: !inPlace && random.chance(0.1),
    descending: random.chance(0.4),
    unique: random.chance(0.25),
    head: random.chance(0.2) ? 1 + random.below(random.pick([3, 100, 5000])) : undefined,
    argsort,
    merge,
    memoryBytes: random.chance(isLarge ? 0.9 : 0.3) ? someMemory(random, items.inputs) : undefined,
    algorithm: random.pick(algorithms),
    verify: random.chance(0.1) ? false : undefined,
  };
  if (canReadBack && !spec.outputStream && spec.verify === undefined && random.chance(0.15))
    spec.verify = "full";
  if (merge) spec.inputs = spec.inputs.map((bytes) => sortedItems(bytes, spec));
  return spec;
}

/**
 * Runs a case. Returns what is wrong with its result; undefined if nothing is.
 *
 * @param {Spec} spec
 * @param {Context} context
 */
export async function runFileCase(spec, context) {
  const files = writeInputs(spec, context.folder);
  const run = spec.viaCommand ? runCommand : runLibrary;
  await run(spec, files, context);
  const strange = files.strange();
  if (strange.length > 0) return `it left ${strange}`;
  return judge(spec, readOutput(spec, files.output));
}

/**
 * @param {Spec} spec
 * @param {Uint8Array} actual
 */
function judge(spec, actual) {
  const { type, itemBytes, argsort, to } = spec;
  const items = { bytes: Buffer.concat(spec.inputs), itemBytes, fields: spec.fields };
  const order = orderOf(items, spec);
  if (argsort) return bytesDiffer(actual, new Uint8Array(order.slice().buffer), 4, "index");
  const expected = gather(items, order);
  if (type === undefined) return bytesDiffer(actual, expected, itemBytes, "record");
  /** @param {Uint8Array} bytes */
  const keys = (bytes) => keysIn(bytes, type);
  const sameNans = to !== "text" && spec.format !== "text";
  return keysDiffer(keys(actual), keys(expected), keys(items.bytes), sameNans);
}
