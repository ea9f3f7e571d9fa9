// node bench/scans.js [--device gpu] [--sizes 2^16,2^20,2^24,2^27] [--cub FILE] [--dir /dev/shm]
//
// Times scans, compactions by flags and histograms of uniform numbers in buffers, and prints a Markdown table
// in milliseconds, medians of 15, beside CUB's with --cub, which names the program made of bench/cub.cu.
// Results up to 2^22 are compared with those of loops.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseSize } from "../dist/commands/numbers.js";
import { prepareCompaction, prepareHistogram, prepareScan } from "../dist/core/index.js";
import { stream } from "../dist/testdata/random.js";
import { openBench } from "./timed_encoding.js";

const MOST_CHECKED = 2 ** 22;

const { values: options } = parseArgs({
  options: {
    device: { type: "string", default: "gpu" },
    sizes: { type: "string", default: "2^16,2^20,2^24,2^27" },
    cub: { type: "string" },
    dir: { type: "string", default: "/dev/shm" },
  },
});
const folder = mkdtempSync(join(options.dir, "gpusort-scans-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const { driver, sorter, buffer, upload, read, time } = await openBench(options.device);

/**
 * @template {Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>} T
 * @typedef {{ array: T, buffer: GPUBuffer }} Numbers in both memories
 */

/**
 * @typedef {object} Given the numbers of all works
 * @property {Numbers<Uint32Array<ArrayBuffer>>} u32
 * @property {Numbers<Float32Array<ArrayBuffer>>} f32
 * @property {Numbers<Uint32Array<ArrayBuffer>>} flags
 *
 * @typedef {{ given: Given, output: GPUBuffer, capacity: number }} Buffers
 * @typedef {{ encode(pass: GPUComputePassEncoder): void, destroy(): void }} Prepared
 *
 * @typedef {object} Work what is timed
 * @property {string} name
 * @property {(buffers: Buffers) => Promise<{ prepared: Prepared, result: Region | undefined }>} prepare
 * @property {(given: Given) => Uint32Array | Float32Array} expected
 * @property {{ task: string, numbers: "u32" | "f32", shift?: number }} cub its task and its numbers
 *
 * @typedef {import("../dist/core/sorter/buffers.js").BufferRegion} Region
 */

/** @type {Work[]} */
const works = [
  .../** @type {const} */ (["u32", "f32"]).map((type) => ({
    name: `exclusive scan of ${type}`,
    /** @param {Buffers} buffers */
    prepare: async ({ given, output, capacity }) => {
      const prepared = await prepareScan(sorter, { type, capacity, values: given[type].buffer, output });
      return { prepared, result: prepared.values };
    },
    /** @param {Given} given */
    expected: (given) => sumsOf(given[type].array),
    cub: { task: `${type}:scan`, numbers: type },
  })),
  {
    name: "compaction of u32 by flags of 32 bits",
    prepare: async ({ given: { u32, flags }, output, capacity }) => {
      const description = { capacity, flags: flags.buffer, values: u32.buffer, output };
      const prepared = await prepareCompaction(sorter, description);
      return { prepared, result: prepared.values };
    },
    expected: ({ u32, flags }) => u32.array.filter((_, i) => flags.array[i] === 1),
    cub: { task: "u32:flagged", numbers: "u32" },
  },
  {
    name: "the indices of these",
    prepare: async ({ given: { flags }, output, capacity }) => {
      const prepared = await prepareCompaction(sorter, { capacity, flags: flags.buffer, indices: output });
      return { prepared, result: prepared.indices };
    },
    expected: ({ flags }) => flags.array.map((_, i) => i).filter((i) => flags.array[i] === 1),
    cub: { task: "u32:indices", numbers: "u32" },
  },
  ...[8, 12, 16].map((bits) => ({
    name: `histogram of 2^${bits} bins`,
    /** @param {Buffers} buffers */
    prepare: async ({ given: { u32 }, capacity }) => {
      const description = { capacity, keys: u32.buffer, bits: { begin: 32 - bits, end: 32 } };
      const prepared = await prepareHistogram(sorter, description);
      return { prepared, result: prepared.counts };
    },
    /** @param {Given} given */
    expected: ({ u32 }) => countsOf(u32.array, bits),
    cub: { task: `u32:bins=${bits}`, numbers: /** @type {const} */ ("u32"), shift: 32 - bits },
  })),
];

/**
 * The exclusive sums, as words; those of floats are rounded once.
 *
 * @param {Uint32Array | Float32Array} array
 */
function sumsOf(array) {
  const sums = array instanceof Uint32Array ? new Uint32Array(array.length) : new Float32Array(array.length);
  let sum = 0;
  for (let i = 0; i < array.length; i++) {
    sums[i] = sum;
    sum = sums instanceof Uint32Array ? (sum + array[i]) >>> 0 : sum + array[i];
  }
  return sums;
}

/**
 * @param {Uint32Array} keys
 * @param {number} bits
 */
function countsOf(keys, bits) {
  const counts = new Uint32Array(2 ** bits);
  for (const key of keys) counts[key >>> (32 - bits)]++;
  return counts;
}

/**
 * Floats may be added in any order, so their sums may differ in the last bits.
 *
 * @param {Uint32Array<ArrayBuffer>} words
 * @param {Uint32Array | Float32Array} expected
 */
function isNear(words, expected) {
  const own = expected instanceof Uint32Array ? words : new Float32Array(words.buffer);
  return Array.from(expected).every(
    (number, i) => Math.abs(own[i] - number) <= (own instanceof Float32Array ? 1e-4 * number : 0),
  );
}

/**
 * @param {Work["cub"]} work
 * @param {Given} given
 */
function timeCub({ task, numbers, shift }, given) {
  const [file, flags] = [join(folder, "numbers"), join(folder, "flags")];
  const { array } = given[numbers];
  writeFileSync(file, shift ? array.map((key) => key >>> shift) : array);
  writeFileSync(flags, given.flags.array);
  return execFileSync(options.cub ?? "", [`${task}@${flags}`, file], { encoding: "utf8" }).split(" ")[0];
}

console.log(`${driver}; ms, medians\n\n| numbers | | gpusort | CUB |\n| ---: | --- | ---: | ---: |`);
for (const size of options.sizes.split(",")) {
  const capacity = parseSize(size, "--sizes");
  const [words, flags] = [stream(1, 0), stream(1, 1)];
  const arrays = {
    u32: new Uint32Array(capacity).map((_, i) => words(i)),
    f32: new Float32Array(capacity).map((_, i) => (words(i) >>> 8) / 2 ** 24),
    flags: new Uint32Array(capacity).map((_, i) => flags(i) & 1),
  };
  const given = {
    u32: { array: arrays.u32, buffer: upload(arrays.u32) },
    f32: { array: arrays.f32, buffer: upload(arrays.f32) },
    flags: { array: arrays.flags, buffer: upload(arrays.flags) },
  };
  const output = buffer(4 * capacity);
  for (const { name, prepare, expected, cub } of works) {
    const { prepared, result } = await prepare({ given, output, capacity });
    const ms = await time((pass) => prepared.encode(pass));
    if (capacity <= MOST_CHECKED) {
      const right = expected(given);
      if (!result || !isNear(await read(result, right.length), right)) throw new Error(`${name} is wrong`);
    }
    prepared.destroy();
    console.log(`| ${size} | ${name} | ${ms.toFixed(4)} | ${options.cub ? timeCub(cub, given) : ""} |`);
  }
  for (const one of [...Object.values(given).map((one) => one.buffer), output]) one.destroy();
}
process.exit(0);
