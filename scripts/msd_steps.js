/**
 * A sort by the most significant digit first of few keys, and where each step puts them: for msd_picture.js.
 *
 * The places of keys are those that the CPU kernels give them. Those kernels have no workgroup memory. What a
 * workgroup does there is worked out here as wgsl/msd_scatter.wgsl and wgsl/msd_local.wgsl do it, and compared
 * with what the kernels wrote.
 */
import { deepStrictEqual as expectSame } from "node:assert";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { elementType } from "../dist/core/elements.js";
import { mix } from "../dist/core/items/mix.js";
import { defaultTraits } from "../dist/core/plan/traits.js";
import { readParams } from "../dist/core/shaders/kernels.js";
import { radixPlan } from "../dist/core/sort/radix/radix.js";

/** The CPU kernels are TypeScript of the tests, which the build leaves out. */
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("../test/support/cpu_kernels/run.ts", import.meta.url))],
  bundle: true,
  format: "esm",
  write: false,
});
const { runOnCpu } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

/** @typedef {{ values: number[], starts: number[] }} Segments */

export const KEYS = 64;
/** Of the first seeds, one with which every step has something to do. */
const SEED = 23;
/** The tile and the segment whose keys are followed. */
export const TILE = 1;
export const SEGMENT = 1;
/** @type {{ workgroupSize: number, keysPerInvocation: 3, binBits: number }} */
export const LOCAL = { workgroupSize: 8, keysPerInvocation: 3, binBits: 4 };
export const MSD = { digitBits: 2, workgroupSize: 8, keysPerInvocation: 2, columns: 4, local: LOCAL };
/** @type {import("../dist/core/sort/radix/radix_tuning.js").SubgroupTuning} */
const TUNING = {
  family: "subgroup",
  digitBits: 8,
  workgroupSize: 256,
  subgroupSize: 32,
  keysPerInvocation: 1,
  columns: 4,
  lockstep: false,
  fusedScan: false,
  msd: MSD,
};

/**
 * A key's value is its topmost byte; the others are 0.
 *
 * @param {number} key
 */
const topByte = (key) => key >>> 24;
/** @param {number[]} numbers */
const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
/**
 * @param {number} a
 * @param {number} b
 */
const ascending = (a, b) => a - b;
/**
 * The exclusive scan of counts: where the keys of each digit value begin.
 *
 * @param {number[]} counts
 */
const exclusiveScan = (counts) => counts.map((_, i) => total(counts.slice(0, i)));

/** What the kernels do with the keys, and what the followed workgroups do in their memory. */
export function followKeys() {
  const input = Array.from({ length: 256 }, (_, value) => value)
    .sort((a, b) => mix(256 * SEED + a) - mix(256 * SEED + b))
    .slice(0, KEYS);
  const plan = radixPlan(KEYS, elementType("u32"), { descending: false }, defaultTraits, TUNING);
  const [, scatter, local] = plan.passes;
  expectSame([scatter.program.kernel, local.program.kernel], ["msd_scatter", "msd_local"]);
  /** @param {number} passes */
  const after = (passes) =>
    runOnCpu(
      { ...plan, passes: plan.passes.slice(0, passes) },
      { keys: Uint32Array.from(input, (v) => v << 24) },
    );
  const words = after(2);
  const [, moved, counts, starts] = scatter.bindings.map((binding) => words[String(binding)]);
  const output = Array.from(after(3)[String(local.bindings[1])], topByte);
  expectSame(output, input.toSorted(ascending));
  const segments = { values: Array.from(moved.subarray(0, KEYS), topByte), starts: [...starts] };
  const { shift, mask } = readParams("msd_local", /** @type {number[]} */ (local.params));
  /** @param {number} value */
  const binOf = (value) => ((value << 24) >>> shift) & mask;
  return {
    input,
    tile: exchange(input, [...counts], segments),
    segments,
    local: sortSegment(segments, mask + 1, binOf, output),
    output,
  };
}

/**
 * What a workgroup of the scatter does with the followed tile.
 *
 * @param {number[]} input
 * @param {number[]} counts
 * @param {Segments} segments
 */
function exchange(input, counts, segments) {
  const digits = 2 ** MSD.digitBits;
  const size = MSD.workgroupSize * MSD.keysPerInvocation;
  /** @param {number} value */
  const digitOf = (value) => value >> (8 - MSD.digitBits);
  const counters = new Array(digits).fill(0);
  const keys = input.slice(TILE * size, (TILE + 1) * size).map((value) => {
    const digit = digitOf(value);
    return { value, digit, rank: counters[digit]++ };
  });
  expectSame(counters, counts.slice(TILE * digits, (TILE + 1) * digits));
  const firstSlots = exclusiveScan(counters);
  const firstPlaces = counters.map((_, digit) => {
    const earlier = Array.from({ length: TILE }, (_, tile) => counts[tile * digits + digit]);
    return segments.starts[digit] + total(earlier);
  });
  /** @type {number[]} */
  const slots = [];
  for (const { value, digit, rank } of keys) {
    slots[firstSlots[digit] + rank] = value;
    expectSame(segments.values[firstPlaces[digit] + rank], value);
  }
  return { keys, slots, counters, firstSlots, firstPlaces };
}

/**
 * What a workgroup of the local sort does with the followed segment.
 *
 * @param {Segments} segments
 * @param {number} bins
 * @param {(value: number) => number} binOf
 * @param {number[]} output
 */
function sortSegment({ values, starts }, bins, binOf, output) {
  const [begin, end] = [starts[SEGMENT], starts[SEGMENT + 1]];
  const keys = values.slice(begin, end);
  const counts = new Array(bins).fill(0);
  const ranks = keys.map((value) => counts[binOf(value)]++);
  const firsts = exclusiveScan(counts);
  /** @type {number[]} */
  const slots = [];
  keys.forEach((value, i) => {
    slots[firsts[binOf(value)] + ranks[i]] = value;
  });
  const block = LOCAL.keysPerInvocation;
  const once = sortBlocks(slots, 0, block);
  const twice = sortBlocks(once, Math.floor(block / 2), block);
  expectSame(twice, output.slice(begin, end));
  return { begin, end, keys, bins: keys.map(binOf), slots, once, twice };
}

/**
 * Sorts blocks of slots, the first of which begins at a slot.
 *
 * @param {number[]} slots
 * @param {number} first
 * @param {number} block
 */
function sortBlocks(slots, first, block) {
  const blocks = [slots.slice(0, first)];
  for (let at = first; at < slots.length; at += block) {
    blocks.push(slots.slice(at, at + block).sort(ascending));
  }
  return blocks.flat();
}
