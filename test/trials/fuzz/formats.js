/** Files in the formats that gpusort reads and writes, by code of their own. */
import { Float16Keys, numbersOf } from "./float16.js";
import { bytesIn, bytesOf, keysIn, swapped, types } from "./types.js";

/**
 * @typedef {import("./types.js").Keys} Keys
 * @typedef {import("./types.js").TypeName} TypeName
 */

/**
 * A .npy file of a version from 1 to 3.
 *
 * @param {Keys} keys
 * @param {TypeName} type
 * @param {boolean} big
 * @param {number} version
 */
export function toNpy(keys, type, big, version) {
  const size = bytesOf(type);
  const descr = size === 1 ? types[type].npy : `${big ? ">" : "<"}${types[type].npy.slice(1)}`;
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${keys.length},), }`;
  const fixed = version === 1 ? 10 : 12;
  const header = `${dictionary.padEnd(64 * Math.ceil((fixed + dictionary.length + 1) / 64) - fixed - 1)}\n`;
  const start = Buffer.alloc(fixed);
  start.write("\x93NUMPY", "latin1");
  start[6] = version;
  if (version === 1) start.writeUInt16LE(header.length, 8);
  else start.writeUInt32LE(header.length, 8);
  return Buffer.concat([
    start,
    Buffer.from(header, "latin1"),
    big ? swapped(bytesIn(keys), size) : bytesIn(keys),
  ]);
}

/**
 * The keys of a .npy file; it must have this type.
 *
 * @param {Buffer} file
 * @param {TypeName} type
 */
export function fromNpy(file, type) {
  if (file.toString("latin1", 0, 6) !== "\x93NUMPY") throw new Error("the output is no .npy file");
  const [fixed, length] = file[6] === 1 ? [10, file.readUInt16LE(8)] : [12, file.readUInt32LE(8)];
  const header = file.toString("latin1", fixed, fixed + length);
  const [, order, kind] = /'descr': '([<>|=])(\w\d)'/.exec(header) ?? [];
  if (kind !== types[type].npy.slice(1)) throw new Error(`the .npy output has the header ${header}`);
  const data = file.subarray(fixed + length);
  const count = Number(/'shape': \((\d+),\)/.exec(header)?.[1]);
  if (data.length !== count * bytesOf(type)) throw new Error(`${data.length} bytes do not match ${header}`);
  return keysIn(order === ">" ? swapped(data, bytesOf(type)) : data, type);
}

/**
 * One number per line, as another program might print it.
 *
 * @param {Keys} keys
 * @param {import("../random.js").Random} random
 */
export function toText(keys, random) {
  const end = random.chance(0.2) ? "\r\n" : "\n";
  const lines = [...numbersOf(keys)].map((key) => {
    const number = Object.is(key, -0)
      ? "-0"
      : Number.isNaN(key)
        ? "nan"
        : String(key).replace("Infinity", "inf");
    return random.chance(0.02) ? ` ${number}\t` : number;
  });
  return Buffer.from(lines.map((line) => line + end).join(""));
}

/**
 * The keys of a text file.
 *
 * @param {Buffer} file
 * @param {TypeName} type
 */
export function fromText(file, type) {
  const text = file.toString();
  if (text !== "" && !text.endsWith("\n")) throw new Error("the last line of the text output does not end");
  const lines = text.split("\n").slice(0, -1);
  const parse = bytesOf(type) === 8 && !types[type].float ? bigOf : numberOf;
  /** @type {(number | bigint)[]} */
  const numbers = lines.map((line) => parse(line));
  if (type === "f16") return Float16Keys.fromNumbers(numbers.map(Number));
  const keys = new types[type].array(new ArrayBuffer(numbers.length * bytesOf(type)));
  /** @type {Record<number, number | bigint>} */
  const places = keys;
  for (const [i, number] of numbers.entries()) places[i] = number;
  return keys;
}

/** @param {string} line */
function numberOf(line) {
  if (line === "nan") return Number.NaN;
  const number = Number(line.replace("inf", "Infinity"));
  if (line === "" || Number.isNaN(number))
    throw new Error(`the line '${line}' of the text output is no number`);
  return number;
}

/** @param {string} line */
function bigOf(line) {
  if (!/^-?\d+$/.test(line)) throw new Error(`the line '${line}' of the text output is no whole number`);
  return BigInt(line);
}
