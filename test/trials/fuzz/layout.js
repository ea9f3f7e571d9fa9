/** Writes the inputs of a case as files, and reads its output. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomNumbers } from "../random.js";
import { fromNpy, fromText, toNpy, toText } from "./formats.js";
import { bytesOf, keysIn, swapped } from "./types.js";

/**
 * @typedef {import("./spec.js").Spec} Spec
 * @typedef {import("./types.js").TypeName} TypeName
 */

const extensions = { raw: "bin", records: "bin", npy: "npy", text: "txt" };

/**
 * Empties the folder and writes the inputs into it.
 *
 * @param {Spec} spec
 * @param {string} folder
 */
export function writeInputs(spec, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "temp"), { recursive: true });
  const random = randomNumbers(spec.textSeed ?? 0);
  const inputs = spec.inputs.map((bytes, i) => {
    const path = join(folder, `in${i}.${extensions[spec.format ?? "raw"]}`);
    writeFileSync(path, fileOf(spec, bytes, random));
    return path;
  });
  const output = spec.inPlace ? inputs[0] : join(folder, `out.${extensions[spec.to ?? "raw"]}`);
  /** Files that nobody should have left. */
  const strange = () => {
    const known = ["temp", ...[...inputs, output].map((path) => path.slice(folder.length + 1))];
    const found = [...readdirSync(folder), ...readdirSync(join(folder, "temp"))];
    return found.filter((name) => !known.includes(name));
  };
  return { inputs, output, temporary: join(folder, "temp"), strange };
}

/**
 * @param {Spec} spec
 * @param {Uint8Array} bytes
 * @param {import("../random.js").Random} random
 */
function fileOf({ format, type, itemBytes, big = false, skipBytes = 0, npyVersion = 1 }, bytes, random) {
  if (format === "text" && type) return toText(keysIn(bytes, type), random);
  if (format === "npy" && type) return toNpy(keysIn(bytes, type), type, big, npyVersion);
  const header = new Uint8Array(skipBytes).fill(0x37);
  return Buffer.concat([header, big ? swapped(bytes, itemBytes) : bytes]);
}

/**
 * The items of the output, or its indices, in little-endian order.
 *
 * @param {Spec} spec
 * @param {string} path
 */
export function readOutput({ type, to, format, big, argsort }, path) {
  const file = readFileSync(path);
  const written = argsort || type === undefined ? "u32" : type;
  /** @param {import("./types.js").Keys} keys */
  const bytes = (keys) => Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
  if (to === "npy") return bytes(fromNpy(file, written));
  if (to === "text") return bytes(fromText(file, written));
  return big && !argsort && format === "raw" && to === "raw"
    ? Buffer.from(swapped(file, bytesOf(written)))
    : file;
}
