// npm run matrix -- [--device gpu] [--types u32] [--sizes 2^16,2^20,2^24,2^27] [--dists all|real|uniform,…]
//                   [--values 4|index] [--ways table,no-sample,lsd,msd,remap] [--passes] [--cub FILE]
//                   [--dir /dev/shm] [--top K] [--compact KEYSxCHUNKS[xALIGNMENT[xVECTORS[x0]]],…]
//                   [--json FILE]
//
// Times the radix sort of keys of every distribution on one adapter, each result checked, and prints a Markdown
// table for each type and size. Each way is a column: "table" is the tuning that stands in the table, "lsd" the
// stable sort, and "msd" the sort by the most significant digit first, whether the table takes it or not;
// "remap" is "msd" that remaps floats; "no-sample" is "table" whose first count takes no sample;
// "top" selects and sorts the first K keys, and "unique" is the table's sort of keys with the distinct ones and
// their counts. With --cub, which names the program made of
// bench/cub.cu, CUB sorts the same files, and beside "top" selects (CUB top), beside "unique" counts sorted
// keys (CUB runs). --compact adds a column for each other way to keep distinct keys: "4x2048" for 4 keys of an
// invocation and 2048 chunks, "4x2048x32x2" if writes begin at multiples of 32 and counts load 2 vectors at
// once, and "4x2048x32x2x0" if a pass scans the chunks. --values moves a value of 4 bytes or the index with
// each key, also by CUB. --passes times the passes one by one. --dists real takes the kinds of
// bench/real_keys.js.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { parseSize } from "../dist/commands/numbers.js";
import { elementType } from "../dist/core/elements.js";
import { provenTraits } from "../dist/core/engines/lockstep.js";
import { msdTuning, withRemap } from "../dist/core/sort/msd/msd_tuning.js";
import { radixPlan, radixTuning, withMsd } from "../dist/core/sort/radix/radix.js";
import { lsdTuning } from "../dist/core/sort/radix/radix_tuning.js";
import { compactTuning } from "../dist/core/sort/select/compact_tuning.js";
import { selectPlan } from "../dist/core/sort/select/select.js";
import { withUnique } from "../dist/core/sort/select/unique.js";
import { openDevice } from "../dist/dawn/adapter.js";
import { distributions } from "../dist/testdata/distributions.js";
import { realKeys } from "./real_keys.js";
import { timePasses, timeSort, warmMs } from "./timed_sort.js";

/**
 * @typedef {import("../dist/core/elements.js").ElementType} ElementType
 * @typedef {import("../dist/core/elements.js").KeyArray} KeyArray
 * @typedef {{ ms: number, least: number, passes?: string[] | undefined }} Time
 *
 * @typedef {object} Kind a distribution, or a kind of bench/real_keys.js, which is made for one type
 * @property {string} name
 * @property {boolean} [floatsOnly]
 * @property {string} [type]
 * @property {import("./real_keys.js").Make} [make]
 */

const RUNS = 11;
const BUSY_MS = 10;
const SEED = 1;
const FIRST_WARM_MS = 2000;

const { values } = parseArgs({
  options: {
    device: { type: "string", default: "gpu" },
    types: { type: "string", default: "u32" },
    sizes: { type: "string", default: "2^16,2^20,2^24,2^27" },
    dists: { type: "string", default: "all" },
    values: { type: "string", default: "0" },
    ways: { type: "string", default: "table,lsd" },
    passes: { type: "boolean", default: false },
    cub: { type: "string" },
    dir: { type: "string", default: "/dev/shm" },
    top: { type: "string", default: "1000" },
    compact: { type: "string", default: "" },
    json: { type: "string" },
  },
});
const run = promisify(execFile);
const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const realKeysProgram = fileURLToPath(new URL("./real_keys.js", import.meta.url));
/** @type {import("../dist/core/sort/key.js").Payload} */
const payload = values.values === "index" ? "index" : Number(values.values);
const compactions = values.compact.split(",").filter(Boolean);
const ways = [...values.ways.split(","), ...compactions];
const top = parseSize(values.top, "--top");
if (payload !== 0 && (ways.includes("unique") || compactions.length > 0))
  throw new Error("unique is for keys alone");
const sizes = values.sizes.split(",").map((size) => parseSize(size, "--sizes"));
const folder = mkdtempSync(join(values.dir, "gpusort-matrix-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

const opened = await openDevice(values.device);
if (!opened) throw new Error("no adapter was found");
const { gpu, adapter } = opened;
const traits = await provenTraits(gpu);
console.log(`radix on ${adapter.driver}; ms, median (least) of ${RUNS}`);

/**
 * @param {string} way
 * @param {number} keyCount
 * @param {ElementType} type
 */
function tuningOf(way, keyCount, type) {
  const lsd = lsdTuning(keyCount, type, traits, { payload });
  switch (way) {
    case "unique":
    case "table":
      return radixTuning(keyCount, type, traits, { payload });
    case "lsd":
      return lsd;
    case "no-sample": {
      const best = radixTuning(keyCount, type, traits, { payload });
      return "msd" in best && best.msd ? { ...best, msd: { ...best.msd, rangeSamples: undefined } } : best;
    }
    case "msd":
    case "remap": {
      const moved = { words: type.words, values: payload !== 0 };
      if (lsd.family !== "subgroup") return lsd;
      const row = msdTuning(keyCount, moved, traits);
      const msd = row && way === "remap" ? withRemap(keyCount, row, moved, traits) : row;
      return msd ? withMsd(lsd, msd, type.words, traits) : lsd;
    }
    default:
      throw new Error(`unknown way ${way}`);
  }
}

/**
 * The tuning of a compaction by its name.
 *
 * @param {string} name
 * @param {ElementType} type
 * @returns {import("../dist/core/sort/select/compact_tuning.js").CompactTuning}
 */
function compactionOf(name, type) {
  const best = compactTuning(type, traits);
  if (name === "unique") return best;
  const [
    keys = 0,
    maxChunks = 0,
    alignment = best.alignment,
    countedVectors = best.countedVectors,
    sums = 1,
  ] = name.split("x").map(Number);
  return {
    ...best,
    move: "registers",
    keysPerInvocation: keys,
    maxChunks,
    alignment,
    countedVectors,
    sumsChunks: best.sumsChunks && sums === 1,
  };
}

/**
 * @param {string} way
 * @param {number} keyCount
 * @param {ElementType} type
 * @param {import("../dist/core/sort/key.js").SortOptions} options
 */
function planOf(way, keyCount, type, options) {
  if (way === "top") return selectPlan(keyCount, type, { ...options, top: Math.min(top, keyCount) }, traits);
  const isUnique = way === "unique" || compactions.includes(way);
  const sort = radixPlan(
    keyCount,
    type,
    options,
    traits,
    tuningOf(isUnique ? "unique" : way, keyCount, type),
  );
  return isUnique
    ? withUnique(sort, { keyCount, type, options, traits, counts: true, tuning: compactionOf(way, type) })
    : sort;
}

/**
 * @param {KeyArray} keys
 * @param {ElementType} type
 * @param {string} way
 * @param {number} warm
 */
async function time(keys, type, way, warm = warmMs(keys.length)) {
  const options = {
    descending: false,
    payload,
    ...(way === "top" ? { top: Math.min(top, keys.length) } : {}),
  };
  const plan = planOf(way, keys.length, type, options);
  const effort = { runs: RUNS, warmMs: warm, busyMs: BUSY_MS };
  const { found, ...result } = await timeSort(
    { gpu, adapter, traits },
    { type, keys, plan, options },
    effort,
    (onDevice, pristine) => (values.passes ? timePasses(gpu, plan, onDevice, pristine) : undefined),
  );
  return { ...result, passes: found };
}

/**
 * Whether --dists takes a distribution, or a kind of bench/real_keys.js, which is made for one type.
 *
 * @param {{ name: string, type?: string }} kind
 */
function isChosen({ name, type }) {
  if (values.dists === "all") return type === undefined;
  return values.dists === "real" ? type !== undefined : values.dists.split(",").includes(name);
}

/**
 * Writes keys of a distribution, or of a kind of bench/real_keys.js, to a file.
 *
 * @param {Kind} kind
 * @param {number} keyCount
 * @param {ElementType} type
 * @param {string} file
 */
async function makeFile({ name, make }, keyCount, type, file) {
  const command = make
    ? [realKeysProgram, name, String(keyCount), String(SEED), file]
    : [bin, "gen", String(keyCount), "--dist", name, "-t", type.name, "-o", file, "--force", "-q"];
  await run(process.execPath, command);
}

/**
 * Runs tasks, as many at a time as there are cores.
 *
 * @param {(() => Promise<void>)[]} tasks
 */
async function inParallel(tasks) {
  const queue = [...tasks];
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (let task = queue.shift(); task; task = queue.shift()) await task();
  });
  await Promise.all(workers);
}

/**
 * @param {ElementType} type
 * @param {string[]} files
 * @param {"sort" | "top" | "runs"} what
 * @returns {Promise<Time[]>}
 */
async function cubTimes(type, files, what) {
  const name = `${type.name}${payload === 0 || what === "runs" ? "" : "+u32"}`;
  const suffix = { sort: "", top: `:top=${top}`, runs: ":runs" }[what];
  const { stdout } = await run(
    values.cub ?? "",
    files.flatMap((file) => [name + suffix, file]),
  );
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [ms = 0, least = 0] = line.split(" ").map(Number);
      return { ms, least };
    });
}

/** @type {Record<string, string>} */
const names = { 0: "", 4: " with values", index: " with indices" };
const moving = names[payload];
if (moving === undefined) throw new Error(`--values ${values.values} is not supported: use 4 or index`);
const rows = [];
for (const name of values.types.split(",")) {
  const type = elementType(name);
  /** @type {Kind[]} */
  const kinds = [...distributions, ...realKeys];
  const chosen = kinds.filter(
    (dist) => isChosen(dist) && (dist.type ? dist.type === name : !dist.floatsOnly || type.order === "float"),
  );
  for (const keyCount of sizes) {
    const files = chosen.map((dist) => join(folder, `${dist.name}.${type.name}`));
    await inParallel(chosen.map((dist, i) => () => makeFile(dist, keyCount, type, files[i])));
    /** @type {Record<string, Time[]>} */
    const cub = {};
    if (values.cub) {
      cub.CUB = await cubTimes(type, files, "sort");
      if (ways.includes("top")) cub["CUB top"] = await cubTimes(type, files, "top");
      if (ways.includes("unique") || compactions.length > 0)
        cub["CUB runs"] = await cubTimes(type, files, "runs");
    }
    const columns = [...ways, ...Object.keys(cub)];
    console.log(
      `\n| ${keyCount} ${type.name} keys${moving} | ${columns.join(" | ")} |\n| --- |${" ---: |".repeat(columns.length)}`,
    );
    for (const [i, dist] of chosen.entries()) {
      const bytes = readFileSync(files[i]);
      const keys = new type.array(bytes.buffer, bytes.byteOffset, statSync(files[i]).size / type.bytes);
      /** @type {Record<string, Time>} */
      const times = {};
      if (i === 0) await time(keys, type, ways[0], FIRST_WARM_MS);
      for (const way of ways) times[way] = await time(keys, type, way);
      for (const [name, all] of Object.entries(cub)) times[name] = all[i];
      rows.push({ type: type.name, keyCount, dist: dist.name, ...times });
      const cells = columns.map(
        (column) => `${times[column].ms.toFixed(4)} (${times[column].least.toFixed(4)})`,
      );
      console.log(`| ${dist.name} | ${cells.join(" | ")} |`);
      for (const way of ways)
        if (times[way].passes) console.log(`<!-- ${way}: ${times[way].passes.join(", ")} -->`);
      if (values.json)
        writeFileSync(values.json, JSON.stringify({ driver: adapter.driver, rows }, undefined, 1));
      rmSync(files[i]);
    }
  }
}
process.exit(0);
