/**
 * At least the smallest memory that a sort accepts. The sorts out of core below need several chunks with so
 * much; a test fails if they do not.
 */
const SMALL_MEMORY = "1M";

/** One sort, its files, and what it must write. */
export interface Job {
  readonly name: string;
  readonly args: readonly string[];
  /** The input's name; "-" for standard input. */
  readonly input: string;
  readonly inputBytes: Buffer;
  readonly output: string;
  /** The output's content before the sort; undefined if there is no such file. */
  readonly old: Buffer | undefined;
  readonly outOfCore: boolean;
  /** Whether these bytes are the right output, by rules that share no code with gpusort. */
  isRight(output: Buffer): boolean;
}

const random = (count: number) => Uint32Array.from({ length: count }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
/** So few that a disk can be full at each byte of the output. */
const few = random(5);
const many = random(300_000);
const inOrder = (keys: Uint32Array) => keys.slice().sort((a, b) => a - b);

const raw = (keys: Uint32Array) => Buffer.from(keys.buffer);
const isRaw = (keys: Uint32Array) => (output: Buffer) => output.equals(raw(inOrder(keys)));
const text = (keys: Uint32Array) => Buffer.from(`${keys.join("\n")}\n`);

/** A .npy file of version 1, as NumPy writes it. */
function npy(keys: Uint32Array): Buffer {
  const dictionary = `{'descr': '<u4', 'fortran_order': False, 'shape': (${keys.length},), }`;
  const header = `${dictionary.padEnd(127 - 10)}\n`;
  return Buffer.concat([Buffer.from("\x93NUMPY\x01\x00v\x00", "latin1"), Buffer.from(header), raw(keys)]);
}

/** Whether a .npy file has these keys as u32 or, if it comes from text, as i64. */
const isNpy = (keys: Uint32Array, bytes: 4 | 8) => (output: Buffer) => {
  const start = 10 + output.readUInt16LE(8);
  const header = output.toString("latin1", 10, start);
  const data = output.subarray(start);
  return (
    header.includes(bytes === 4 ? "'<u4'" : "'<i8'") &&
    header.includes(`(${keys.length},)`) &&
    data.length === keys.length * bytes &&
    inOrder(keys).every((key, i) =>
      bytes === 4 ? data.readUInt32LE(4 * i) === key : data.readBigInt64LE(8 * i) === BigInt(key),
    )
  );
};

/** Records of 20 bytes: a key of two bytes, which many share, and the record's number. */
function records(count: number): Buffer {
  const bytes = Buffer.alloc(20 * count, "record ");
  for (let i = 0; i < count; i++) {
    bytes.writeUInt16BE(Math.imul(i, 40503) & 0x3ff, 20 * i);
    bytes.writeUInt32BE(i, 20 * i + 8);
  }
  return bytes;
}
const recordsInOrder = (bytes: Buffer) =>
  Buffer.concat(
    Array.from({ length: bytes.length / 20 }, (_, i) => bytes.subarray(20 * i, 20 * i + 20)).sort(
      (a, b) => a.readUInt16BE(0) - b.readUInt16BE(0) || a.readUInt32BE(8) - b.readUInt32BE(8),
    ),
  );

/** Lines that begin with a number that says nothing about their order, and end with their own. */
const lines = Array.from(random(70_000), (key, i) => `${key.toString(16)} ${i}\n`);

const inMemory = { old: Buffer.from("the old output"), outOfCore: false };
const onDisk = { old: Buffer.from("the old output"), outOfCore: true };
const little = ["-S", SMALL_MEMORY];
const recordBytes = records(60_000);

export const jobs: readonly Job[] = [
  {
    ...inMemory,
    name: "raw, in core",
    args: ["keys.u32", "-o", "out.u32"],
    input: "keys.u32",
    inputBytes: raw(few),
    output: "out.u32",
    isRight: isRaw(few),
  },
  {
    ...inMemory,
    name: "raw, in core, in place",
    args: ["keys.u32", "-o", "keys.u32"],
    input: "keys.u32",
    inputBytes: raw(few),
    output: "keys.u32",
    old: raw(few),
    isRight: isRaw(few),
  },
  {
    ...inMemory,
    name: "npy to a new file",
    args: ["keys.npy"],
    input: "keys.npy",
    inputBytes: npy(few),
    output: "keys.sorted.npy",
    old: undefined,
    isRight: isNpy(few, 4),
  },
  {
    ...inMemory,
    name: "text",
    args: ["keys.txt", "-o", "out.txt"],
    input: "keys.txt",
    inputBytes: text(few),
    output: "out.txt",
    isRight: (output) => output.equals(text(inOrder(few))),
  },
  {
    ...onDisk,
    name: "raw, out of core, in place",
    args: ["keys.u32", "-o", "keys.u32", ...little],
    input: "keys.u32",
    inputBytes: raw(many),
    output: "keys.u32",
    old: raw(many),
    isRight: isRaw(many),
  },
  {
    ...onDisk,
    name: "text to npy, out of core",
    args: ["keys.txt", "-o", "out.npy", ...little],
    input: "keys.txt",
    inputBytes: text(many.subarray(0, 150_000)),
    output: "out.npy",
    isRight: isNpy(many.subarray(0, 150_000), 8),
  },
  {
    ...onDisk,
    name: "records, out of core, to a new file",
    args: ["keys.bin", "--record", "20", "--key", "0:2", ...little],
    input: "keys.bin",
    inputBytes: recordBytes,
    output: "keys.sorted.bin",
    old: undefined,
    isRight: (output) => output.equals(recordsInOrder(recordBytes)),
  },
  {
    ...onDisk,
    name: "lines, out of core",
    args: ["words.log", "-o", "out.log", ...little],
    input: "words.log",
    inputBytes: Buffer.from(lines.join("")),
    output: "out.log",
    isRight: (output) => output.toString() === lines.slice().sort().join(""),
  },
  {
    ...onDisk,
    name: "a pipe, out of core",
    args: ["-", "--type", "u32", "-o", "out.u32", ...little],
    input: "-",
    inputBytes: raw(many),
    output: "out.u32",
    isRight: isRaw(many),
  },
];
