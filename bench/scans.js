// node bench/scans.js [--device gpu] [--sizes 2^16,2^20,2^24,2^27] [--cub FILE] [--dir /dev/shm]
//
// Times scans, compactions by flags and histograms of uniform numbers in buffers, and prints a Markdown table
// in milliseconds, medians of 15, beside CUB's with --cub, which names the program made of bench/cub.cu.
// Results up to 2^22 are compared with those of loops.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseSize } from "../dist/commands/sizes.js";
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

/** What is timed: its description, a region of its result, the expected words, and CUB's task and numbers. */
const works = [
  ...["u32", "f32"].map((type) => ({
    name: `exclusive scan of ${type}`,
    prepare: ({ given, output, capacity }) =>
      prepareScan(sorter, { type, capacity, values: given[type].buffer, output }),
    result: ({ values }) => values,
    expected: ({ given }) => sumsOf(given[type].array),
    cub: { task: `${type}:scan`, numbers: type },
  })),
  {
    name: "compaction of u32 by flags of 32 bits",
    prepare: ({ given, output, capacity }) =>
      prepareCompaction(sorter, { capacity, flags: given.flags.buffer, values: given.u32.buffer, output }),
    result: ({ values }) => values,
    expected: ({ given: { u32, flags } }) => u32.array.filter((_, i) => flags.array[i] === 1),
    cub: { task: "u32:flagged", numbers: "u32" },
  },
  {
    name: "the indices of these",
    prepare: ({ given, output, capacity }) =>
      prepareCompaction(sorter, { capacity, flags: given.flags.buffer, indices: output }),
    result: ({ indices }) => indices,
    expected: ({ given: { flags } }) => flags.array.map((_, i) => i).filter((i) => flags.array[i] === 1),
    cub: { task: "u32:indices", numbers: "u32" },
  },
  ...[8, 12, 16].map((bits) => ({
    name: `histogram of 2^${bits} bins`,
    prepare: ({ given, capacity }) =>
      prepareHistogram(sorter, { capacity, keys: given.u32.buffer, bits: { begin: 32 - bits, end: 32 } }),
    result: ({ counts }) => counts,
    expected: ({ given }) => countsOf(given.u32.array, bits),
    cub: { task: `u32:bins=${bits}`, numbers: "u32", shift: 32 - bits },
  })),
];

/** The exclusive sums, as words; those of floats are rounded once. */
function sumsOf(array) {
  const sums = new array.constructor(array.length);
  let sum = 0;
  for (let i = 0; i < array.length; i++) {
    sums[i] = sum;
    sum = sums instanceof Uint32Array ? (sum + array[i]) >>> 0 : sum + array[i];
  }
  return sums;
}

function countsOf(keys, bits) {
  const counts = new Uint32Array(2 ** bits);
  for (const key of keys) counts[key >>> (32 - bits)]++;
  return counts;
}

/** Floats may be added in any order, so their sums may differ in the last bits. */
function isNear(words, expected) {
  const own = new expected.constructor(words.buffer);
  return expected.every(
    (number, i) => Math.abs(own[i] - number) <= (own instanceof Float32Array ? 1e-4 * number : 0),
  );
}

function timeCub({ task, numbers, shift }, given) {
  const [file, flags] = [join(folder, "numbers"), join(folder, "flags")];
  const { array } = given[numbers];
  writeFileSync(file, shift ? array.map((key) => key >>> shift) : array);
  writeFileSync(flags, given.flags.array);
  return execFileSync(options.cub, [`${task}@${flags}`, file], { encoding: "utf8" }).split(" ")[0];
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
  const given = Object.fromEntries(
    Object.entries(arrays).map(([name, array]) => [name, { array, buffer: upload(array) }]),
  );
  const output = buffer(4 * capacity);
  for (const { name, prepare, result, expected, cub } of works) {
    const prepared = await prepare({ given, output, capacity });
    const ms = await time((pass) => prepared.encode(pass));
    if (capacity <= MOST_CHECKED) {
      const right = expected({ given });
      if (!isNear(await read(result(prepared), right.length), right)) throw new Error(`${name} is wrong`);
    }
    prepared.destroy();
    console.log(`| ${size} | ${name} | ${ms.toFixed(4)} | ${options.cub ? timeCub(cub, given) : ""} |`);
  }
  for (const one of [...Object.values(given).map((one) => one.buffer), output]) one.destroy();
}
process.exit(0);
