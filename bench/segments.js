// node bench/segments.js [--device gpu] [--types u32] [--size 2^24] [--segments 16,64,1000,2^14,2^20,2^24]
//                          [--runs 11] [--ways segments,separate,pairs,loop,cpu] [--passes] [--longest]
//                          [--tuning '{"sortWorkgroupSize":64}' …] [--cub FILE] [--dir /dev/shm]
//
// Times sorts of segments of so many uniform keys each, or of mixed lengths for "mixed", and prints a Markdown
// table in milliseconds: the median of the runs. "segments" is the segmented sort on the adapter. "separate" is
// one sort per segment there, all of the same buffers; at most 2,000 are timed, for all. "pairs" sorts
// the same keys of 32 bits there with the number of their segment above them, as keys of 64 bits, by the radix
// sort. "loop" sorts subarrays one by one on the CPU by TypedArray.prototype.sort, "cpu" is the sorter on the
// CPU. Each --tuning, sizes that replace the device's own, makes a column of its own; --passes times the passes
// of the segmented sort one by one; --longest tells it the length of the longest segment. With --cub, which
// names the program made of bench/cub.cu, CUB's DeviceSegmentedSort sorts the same.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median } from "../dist/bench/statistics.js";
import { parseSize } from "../dist/commands/numbers.js";
import { Execution } from "../dist/core/device/execute.js";
import { Timer } from "../dist/core/device/timer.js";
import { BufferUsage, MapMode } from "../dist/core/device/usage.js";
import { elementType } from "../dist/core/elements.js";
import { provenTraits } from "../dist/core/engines/lockstep.js";
import { algorithm } from "../dist/core/sort/algorithms.js";
import { radixPlan } from "../dist/core/sort/radix/radix.js";
import { segmentsPlan, segmentsTuning } from "../dist/core/sort/segments/segments.js";
import { longestOf } from "../dist/core/sorter/segment_offsets.js";
import { openDevice } from "../dist/dawn/adapter.js";
import { createSorter } from "../dist/dawn/create_sorter.js";
import { distribution, generateKeys } from "../dist/testdata/distributions.js";
import { timeEachPass } from "./timed_sort.js";

/**
 * @typedef {import("../dist/core/elements.js").KeyArray} KeyArray
 * @typedef {import("../dist/core/plan/plan.js").Plan} Plan
 * @typedef {import("../dist/core/sort/segments/segments.js").SegmentsTuning} SegmentsTuning
 */

/** How long to sort before the measurements that count. */
const WARM_MS = 1500;
/** What the sorts of one measurement take in all. */
const BUSY_MS = 30;
/** The most separate sorts of one measurement. */
const MOST_SEPARATE = 2000;

const { values } = parseArgs({
  options: {
    device: { type: "string", default: "gpu" },
    types: { type: "string", default: "u32" },
    size: { type: "string", default: "2^24" },
    segments: { type: "string", default: "16,64,1000,2^14,2^20,2^24,mixed" },
    runs: { type: "string", default: "11" },
    ways: { type: "string", default: "segments,pairs,loop,cpu" },
    tuning: { type: "string", multiple: true, default: [] },
    passes: { type: "boolean", default: false },
    longest: { type: "boolean", default: false },
    cub: { type: "string" },
    dir: { type: "string", default: "/dev/shm" },
  },
});
const keyCount = parseSize(values.size, "--size");
const runs = Number(values.runs);
const ways = values.ways.split(",");
const tunings = ["{}", ...values.tuning];
const opened = await openDevice(values.device);
if (!opened) throw new Error("no adapter was found");
const { gpu, adapter } = opened;
const traits = await provenTraits(gpu);
const cpu = await createSorter("cpu");
const timer = await Timer.create(gpu);
const folder = mkdtempSync(join(values.dir, "gpusort-segments-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

/**
 * Segments of a length; "mixed": most are short, and the longest has an eighth of all keys.
 *
 * @param {number | "mixed"} length
 */
function offsetsOf(length) {
  const offsets = [0];
  for (let i = 0, at = 0; at < keyCount; i++) {
    const own =
      length === "mixed" ? 2 ** (i % 64 === 0 ? (i / 64) % Math.log2(keyCount / 4) : i % 7) : length;
    at = Math.min(keyCount, at + Math.max(1, Math.floor(own)));
    offsets.push(at);
  }
  return Uint32Array.from(offsets);
}

/**
 * The median of the milliseconds that a plan takes, the words of its result, and, if they are wanted, the
 * medians of its passes. A GPU's clock falls while it waits, so untimed sorts in the same submission go before
 * each timed one, and the first measurements do not count. The plan must leave its input unchanged, or take as
 * long for sorted keys. What is timed runs the plan `rounds` times.
 *
 * @param {Plan} plan
 * @param {Record<string, Uint32Array<ArrayBuffer>>} inputs
 * @param {number} rounds
 */
async function timePlan(plan, inputs, rounds = 1) {
  const execution = await Execution.prepare(gpu, plan);
  try {
    for (const [name, words] of Object.entries(inputs)) {
      gpu.device.queue.writeBuffer(execution.buffers[name], 0, words);
    }
    const times = [];
    const begin = performance.now();
    let repeats = 0;
    while (times.length < runs || performance.now() - begin < WARM_MS) {
      const encoder = gpu.device.createCommandEncoder();
      execution.encode(encoder, undefined, repeats * rounds);
      execution.encode(encoder, timer, rounds);
      timer?.resolve(encoder);
      const submitted = performance.now();
      gpu.submit(encoder);
      if (!timer) await gpu.device.queue.onSubmittedWorkDone();
      const ms = timer ? await timer.readMs() : (performance.now() - submitted) / (repeats + 1);
      times.push(ms);
      repeats = Math.min(60, Math.floor(BUSY_MS / ms));
    }
    const words = await wordsOf(execution.result);
    const passes = values.passes && timer ? await timeEachPass(gpu, plan, execution, [], repeats) : [];
    return { ms: median(times.slice(-runs)), words, passes };
  } finally {
    execution.destroy();
  }
}

/** @param {GPUBuffer} buffer */
async function wordsOf(buffer) {
  const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
  const readback = gpu.device.createBuffer({ size: buffer.size, usage });
  const encoder = gpu.device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, readback, 0, buffer.size);
  gpu.submit(encoder);
  await readback.mapAsync(MapMode.read);
  const words = new Uint32Array(readback.getMappedRange().slice(0));
  readback.destroy();
  return words;
}

/** @param {() => unknown} work */
async function timeOnCpu(work) {
  const times = [];
  for (let run = 0; run < Math.min(runs, 3) + 1; run++) {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  }
  return median(times.slice(1));
}

/**
 * @param {KeyArray} keys
 * @param {Uint32Array} offsets
 */
function sortSubarrays(keys, offsets) {
  const sorted = keys.slice();
  for (let s = 0; s + 1 < offsets.length; s++) sorted.subarray(offsets[s], offsets[s + 1]).sort();
  return sorted;
}

/**
 * @param {Uint32Array} keys
 * @param {Uint32Array} offsets
 */
function pairsOf(keys, offsets) {
  const pairs = new Uint32Array(2 * keys.length);
  for (let s = 0; s + 1 < offsets.length; s++) {
    for (let i = offsets[s]; i < offsets[s + 1]; i++) pairs.set([keys[i], s], 2 * i);
  }
  return pairs;
}

/**
 * A tuning with some sizes replaced, also some of those of its lists.
 *
 * @param {SegmentsTuning} tuning
 * @param {Partial<Omit<SegmentsTuning, "lists">> & { lists?: Partial<SegmentsTuning["lists"]> }} sizes
 * @returns {SegmentsTuning}
 */
function withSizes(tuning, { lists = {}, ...others }) {
  return { ...tuning, ...others, lists: { ...tuning.lists, ...lists } };
}

const options = { descending: false, keepInput: true };
console.log(`segments of ${keyCount} keys on ${adapter.driver}; ms, median of ${runs}\n`);
console.log(
  `own sizes: ${JSON.stringify(segmentsTuning(keyCount, elementType("u32"), options, traits))} for u32`,
);
values.tuning.forEach((tuning, i) => {
  console.log(`sizes ${i + 1}: ${tuning}`);
});
const columns = [
  "type",
  "keys per segment",
  "segments",
  ...values.tuning.map((_, i) => `sizes ${i + 1}`),
  "separate",
  "pairs",
  "loop",
  "cpu",
  "CUB",
];
console.log(`\n| ${columns.join(" | ")} |\n| ${columns.map(() => "---").join(" | ")} |`);
for (const name of values.types.split(",")) {
  const type = elementType(name);
  const keys = generateKeys(distribution("uniform"), type, keyCount, 1);
  const words = Uint32Array.from(new Uint32Array(keys.buffer, keys.byteOffset, keys.byteLength / 4));
  for (const given of values.segments.split(",")) {
    const offsets = offsetsOf(given === "mixed" ? given : parseSize(given, "--segments"));
    const expected = sortSubarrays(keys, offsets);
    const own = [];
    const notes = [];
    for (const tuning of ways.includes("segments") ? tunings : []) {
      const known = { ...options, longest: values.longest ? longestOf(offsets) : undefined };
      const sizes = withSizes(segmentsTuning(keyCount, type, known, traits), JSON.parse(tuning));
      const plan = segmentsPlan({ keyCount, segmentCount: offsets.length - 1 }, type, known, traits, sizes);
      const timed = await timePlan(plan, { keys: words, segments: offsets });
      const sorted = Buffer.from(timed.words.buffer, 0, keys.byteLength);
      if (Buffer.compare(sorted, Buffer.from(expected.buffer)) !== 0 && type.order !== "float") {
        throw new Error(`segments of ${given} ${name} keys were sorted wrongly with the sizes ${tuning}`);
      }
      own.push(timed.ms);
      if (values.passes) notes.push(`<!-- ${tuning}: ${timed.passes.join(", ")} -->`);
    }
    let separate;
    if (ways.includes("separate") && given !== "mixed") {
      const count = offsets.length - 1;
      const rounds = Math.min(count, MOST_SEPARATE);
      const single = algorithm("auto").plan(offsets[1], type, { descending: false }, traits);
      const { ms } = await timePlan(single, { keys: words.subarray(0, offsets[1] * type.words) }, rounds);
      separate = (ms * count) / rounds;
    }
    let pairs;
    if (type.bytes === 4 && ways.includes("pairs")) {
      const varying = { begin: 0, end: 32 + Math.ceil(Math.log2(Math.max(2, offsets.length - 1))) };
      const wide = radixPlan(keyCount, elementType("u64"), { ...options, varying }, traits);
      pairs = (await timePlan(wide, { keys: pairsOf(words, offsets) })).ms;
    }
    const loop = ways.includes("loop") ? await timeOnCpu(() => sortSubarrays(keys, offsets)) : undefined;
    const onCpu = ways.includes("cpu")
      ? await timeOnCpu(() => cpu.sort(keys, { segments: offsets }))
      : undefined;
    let cub;
    if (values.cub) {
      const [keyFile, offsetFile] = [join(folder, "keys"), join(folder, "offsets")];
      writeFileSync(keyFile, keys);
      writeFileSync(offsetFile, offsets);
      cub = Number(
        execFileSync(values.cub, [`${name}@${offsetFile}`, keyFile])
          .toString()
          .split(" ")[0],
      );
    }
    const cells = [...own, separate, pairs, loop, onCpu, cub].map((cell) =>
      cell === undefined ? "" : cell.toFixed(3),
    );
    console.log(`| ${[name, given, ...cells].join(" | ")} |`);
    for (const note of notes) console.log(note);
  }
}
process.exit(0);
