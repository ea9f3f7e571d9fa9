import type { GensortName } from "../../src/graysort/record.js";

const A = 0x2360ed051fc65da44385df649fccf645n;
const C = 0x4a696d47726179524950202020202001n;

/** What the parts of a binary record are XORed with. */
const masks = [
  ...["00000000000000000000", "f0e8e4e2e1d8d4d2d1cc", "cac9c6c5c3b8b4b2b1ac", "aaa9a6a5a39c9a999695"],
  ...["938e8d8b87787472716c", "6a696665635c5a595655", "534e4d4b473c3a393635", "332e2d2b271e1d1b170f"],
  ...["c8c4c2c1989492918ce0", "170f332e2d2b271e1d1b"],
].map((digits) => Buffer.from(digits, "hex"));

/** The random number of a record, one power of the generator after the other. */
function randomNumber(record: bigint): bigint {
  let [a, c, random] = [A, C, 0n];
  for (let bits = record + 1n; bits > 0n; bits /= 2n) {
    if (bits % 2n === 1n) random = BigInt.asUintN(128, random * a + c);
    c = BigInt.asUintN(128, c * a + c);
    a = BigInt.asUintN(128, a * a);
  }
  return random;
}

/** The records of gensort, one by one, in plain JavaScript. */
export function plainRecords(kind: GensortName, skewed: boolean, first: number, count: number): Buffer {
  const make = kind === "gensort" ? binaryRecord : asciiRecord;
  return Buffer.concat(Array.from({ length: count }, (_, i) => make(BigInt(first + i), skewed)));
}

function binaryRecord(number: bigint, skewed: boolean): Buffer {
  const record = Buffer.alloc(100);
  let random = randomNumber(number);
  const bits = Number((random >> 32n) & 63n);
  for (const [part, mask] of masks.entries()) {
    const bytes = Buffer.from(random.toString(16).padStart(32, "0"), "hex");
    for (let i = 0; i < 10; i++) record[part * 10 + i] = bytes[i]! ^ mask[i]!;
    random = BigInt.asUintN(128, random * A + C);
  }
  if (skewed && bits <= 48) {
    const like = binaryRecord(BigInt(bitsOf(number)), false);
    for (let bit = 0; bit < bits; bit++) {
      const [at, mask] = [bit >> 3, 0x80 >> (bit & 7)];
      record[at] = (record[at]! & ~mask) | (like[at]! & mask);
    }
  }
  return record;
}

function asciiRecord(number: bigint, skewed: boolean): Buffer {
  const random = randomNumber(number);
  const [high, low] = [random >> 64n, BigInt.asUintN(64, random)];
  let key = printable(high, 8) + printable(low, 2);
  const characters = Number((low >> 32n) & 7n);
  if (skewed && characters <= 6) {
    const like = asciiRecord(BigInt(bitsOf(number)), false).toString("latin1");
    key = like.slice(0, characters) + key.slice(characters);
  }
  const digits = number.toString(16).toUpperCase().padStart(32, "0");
  const filler = [...low.toString(16).toUpperCase().padStart(16, "0").slice(3)].map((one) => one.repeat(4));
  return Buffer.from(`${key}  ${digits}  ${filler.join("")}\r\n`, "latin1");
}

/** The last digits of a number to the base 95, the last one first. */
function printable(number: bigint, digits: number): string {
  let [text, rest] = ["", number];
  for (let i = 0; i < digits; i++, rest /= 95n) text += String.fromCharCode(32 + Number(rest % 95n));
  return text;
}

const bitsOf = (number: bigint) => (number === 0n ? 0 : number.toString(2).length);
