// npm run tune -- [--device auto] [--type u32] [--payload 4|index] [--sizes 2^16,2^20,2^24]
//                 [--family subgroup|msd|msd-2|local|workgroup|serial|table] [--dist uniform] [--csv FILE]
//                 [--tiles 256x36,512x14] [--passes]
// npm run tune -- --rows [--minutes 9] [--device auto] [--type u32] [--payload 4] [--sizes 2^16,2^20,2^24]
//
// Builds, checks and times the radix sort with many tunings on one adapter, in one process. Prints a Markdown
// table for each size, with the fastest tuning first, which belongs into src/core/sort/radix/radix_tuning.ts.
// The family "table" times the tuning that stands there now. --tiles tries only these tiles, given as workgroup
// size x keys per invocation. --passes times the passes one by one. On an NVIDIA GPU each variant takes about a
// second, most of it for compiling.
//
// --rows tunes a new GPU in so many minutes. It searches better rows than those of the tables, for 32-bit and
// 64-bit keys and for 32-bit keys with values, or only for what is given, and prints them, each beside the name
// of its table. Rows that skewed keys need are searched with zipf keys, the others with uniform ones.
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseSize } from "../dist/commands/numbers.js";
import { elementType } from "../dist/core/elements.js";
import { provenTraits } from "../dist/core/engines/lockstep.js";
import { PROCESSORS } from "../dist/core/plan/traits.js";
import { algorithm } from "../dist/core/sort/algorithms.js";
import { msdLocals } from "../dist/core/sort/msd/msd_tuning.js";
import { radixPlan, radixTuning, withMsd } from "../dist/core/sort/radix/radix.js";
import {
  lsdTuning,
  serialTuning,
  slotBytes,
  subgroupsFit,
  workgroupTuning,
} from "../dist/core/sort/radix/radix_tuning.js";
import { openDevice } from "../dist/dawn/adapter.js";
import { distribution, generateKeys } from "../dist/testdata/distributions.js";
import { timePasses, timeSort, warmMs } from "./timed_sort.js";
import { kinds, sizes as rowSizes, searchRows } from "./tune_rows.js";

/**
 * @typedef {import("../dist/core/elements.js").ElementType} ElementType
 * @typedef {import("../dist/core/elements.js").KeyArray} KeyArray
 * @typedef {import("../dist/core/sort/key.js").Payload} Payload
 * @typedef {import("../dist/core/sort/radix/radix_tuning.js").RadixTuning} RadixTuning
 */

const RUNS = 9;
const BUSY_MS = 20;

const { values } = parseArgs({
  options: {
    device: { type: "string", default: "auto" },
    type: { type: "string" },
    payload: { type: "string" },
    sizes: { type: "string" },
    rows: { type: "boolean", default: false },
    minutes: { type: "string", default: "9" },
    family: { type: "string" },
    dist: { type: "string" },
    csv: { type: "string" },
    tiles: { type: "string" },
    passes: { type: "boolean", default: false },
  },
});
const type = elementType(values.type ?? "u32");
/** @type {Payload} */
const payload = values.payload === "index" ? "index" : Number(values.payload ?? 0);
const options = { descending: false, payload };
const sizes = (values.sizes ?? "2^16,2^20,2^24").split(",").map((size) => parseSize(size, "--sizes"));
const tiles = values.tiles?.split(",");
const dist = values.dist ?? "uniform";
const opened = await openDevice(values.device);
if (!opened) throw new Error("no adapter was found to tune for");
const { gpu, adapter } = opened;
const traits = await provenTraits(gpu);
const family =
  values.family ?? (subgroupsFit(traits) ? "subgroup" : traits.software ? "serial" : "workgroup");

/** The tiles of the scatters of two levels: the unstable one's, and those of the one that moves values. */
const unstableTiles = [
  [1024, 4],
  [1024, 9],
];
const stableTiles = [
  [256, 28],
  [256, 36],
  [512, 14],
  [512, 16],
];

/**
 * Whether segments of an average length fit the tile of a local sort, and fill much of it.
 *
 * @param {{ workgroupSize: number, keysPerInvocation: number }} tile
 * @param {number} average
 */
function suits({ workgroupSize, keysPerInvocation }, average) {
  const tile = workgroupSize * keysPerInvocation;
  return tile >= average && tile <= 2 * average;
}

/**
 * @param {RadixTuning} tuning
 * @throws Error if it is of another family.
 */
function ofSubgroups(tuning) {
  if (tuning.family === "subgroup") return tuning;
  throw new Error(`--family ${family} is for adapters whose kernels use subgroups`);
}

/**
 * @param {number} keyCount
 * @returns {Generator<{ name?: string, tuning?: RadixTuning }>}
 */
function* tunings(keyCount) {
  const best = radixTuning(keyCount, type, traits, options);
  // The other families are also tried for keys that the table sorts by MSD, or by one workgroup.
  const table = lsdTuning(keyCount, type, traits, options);
  switch (family) {
    case "table":
      yield { name: "table", tuning: best };
      if (best.family === "subgroup" && (best.oneWorkgroup || best.msd))
        yield { name: "table, not MSD", tuning: table };
      if (table.family === "subgroup" && table.local) {
        yield { name: "table, not local", tuning: { ...table, local: undefined } };
      }
      if (payload === 0 && type.bytes >= 4) yield { name: "bitonic" };
      return;
    case "serial": {
      const base = serialTuning(keyCount, traits);
      for (const lanes of [1, 2, 4]) {
        for (const columns of [16, 32, 64, 128, 256]) {
          yield { tuning: { ...base, workgroupSize: lanes * traits.subgroupSize.min, columns } };
        }
      }
      return;
    }
    case "workgroup": {
      const base = workgroupTuning(slotBytes(type, options), traits);
      for (const workgroupSize of [64, 128, 256]) {
        for (const keysPerInvocation of [3, 5, 7, 9, 11, 15, 19, 23]) {
          for (const columns of [4 * PROCESSORS, 1024, 2048])
            yield { tuning: { ...base, workgroupSize, keysPerInvocation, columns } };
        }
      }
      return;
    }
    case "msd":
      for (const digitBits of [5, 6, 7, 8, 9, 10]) {
        for (const local of Object.values(msdLocals)) {
          if (!suits(local, keyCount / 2 ** digitBits)) continue;
          for (const [workgroupSize, keysPerInvocation] of [
            [256, 8],
            [512, 2],
            [512, 8],
            [1024, 2],
            [1024, 4],
            [1024, 8],
          ]) {
            if (tiles && !tiles.includes(`${workgroupSize}x${keysPerInvocation}`)) continue;
            if (workgroupSize < 2 ** digitBits) continue;
            for (const columns of [16, 32, 64, 128]) {
              const samples = digitBits <= 8 ? undefined : 4096;
              const msd = { digitBits, workgroupSize, keysPerInvocation, columns, local, samples };
              yield { tuning: withMsd(ofSubgroups(table), msd, type.words, traits) };
            }
          }
        }
      }
      return;
    case "msd-2":
      for (const digitBits of [6, 7, 8]) {
        for (const nextBits of [6, 7, 8]) {
          for (const local of Object.values(msdLocals)) {
            if (!suits(local, keyCount / 2 ** (digitBits + nextBits))) continue;
            for (const [workgroupSize, keysPerInvocation] of payload === 0 ? unstableTiles : stableTiles) {
              if (tiles && !tiles.includes(`${workgroupSize}x${keysPerInvocation}`)) continue;
              const tile = workgroupSize * keysPerInvocation;
              const few = Math.ceil(keyCount / tile / 1000);
              for (const tilesPerChunk of payload === 0 ? [1, 2, 4, 8, 16, 32] : [few]) {
                const second = { digitBits: nextBits, tilesPerChunk };
                const scatter = { digitBits, workgroupSize, keysPerInvocation, columns: 2 * PROCESSORS };
                yield {
                  tuning: withMsd(
                    ofSubgroups(table),
                    { ...scatter, second, samples: 4096, local },
                    type.words,
                    traits,
                  ),
                };
              }
            }
          }
        }
      }
      return;
    case "local":
      for (const workgroupSize of [256, 512, 1024]) {
        for (const keysPerInvocation of [2, 4, 6, 8, 10, 12, 16, 20, 28, 36]) {
          const tile = workgroupSize * keysPerInvocation;
          if (tiles && !tiles.includes(`${workgroupSize}x${keysPerInvocation}`)) continue;
          if (tile < keyCount / 256 || tile > Math.max(2048, (8 * keyCount) / 256)) continue;
          for (const columns of [1, 2].map((n) => n * PROCESSORS)) {
            for (const head of [4, 8, 14]) {
              const shared = { ...ofSubgroups(table), columns, keysPerInvocation: head, fusedScan: true };
              yield { tuning: { ...shared, local: { workgroupSize, keysPerInvocation }, msd: undefined } };
            }
          }
        }
      }
      return;
    default:
      for (const workgroupSize of [256, 384, 512]) {
        for (const keysPerInvocation of [4, 6, 8, 9, 12, 14, 16, 18, 24, 32, 36]) {
          if (tiles && !tiles.includes(`${workgroupSize}x${keysPerInvocation}`)) continue;
          for (const columns of [1, 2, 3, 4].map((n) => n * PROCESSORS)) {
            const isFew = columns <= 2 * PROCESSORS;
            if (isFew !== keyCount <= 2 ** 21) continue;
            for (const fusedScan of new Set([false, isFew])) {
              yield {
                tuning: {
                  ...ofSubgroups(table),
                  workgroupSize,
                  keysPerInvocation,
                  columns,
                  fusedScan,
                  local: undefined,
                  msd: undefined,
                },
              };
            }
          }
        }
      }
  }
}

/** @param {number} keyCount */
function keysOf(keyCount) {
  return generateKeys(distribution(dist), type, keyCount, 1);
}

/**
 * Sorts keys by a tuning of the radix sort, or by the bitonic sort, and checks and times it.
 *
 * @param {{ type: ElementType, payload: Payload }} kind
 * @param {KeyArray} keys
 * @param {RadixTuning | undefined} tuning
 */
async function time({ type, payload }, keys, tuning) {
  const options = { descending: false, payload };
  const plan = tuning
    ? radixPlan(keys.length, type, options, traits, tuning)
    : algorithm("bitonic").plan(keys.length, type, options, traits);
  const effort = { runs: RUNS, warmMs: warmMs(keys.length), busyMs: BUSY_MS };
  const { ms, least, found } = await timeSort(
    { gpu, adapter, traits },
    { type, keys, plan, options },
    effort,
    (onDevice, pristine) => (values.passes ? timePasses(gpu, plan, onDevice, pristine) : undefined),
  );
  return { ms, least, passes: found };
}

/**
 * The constants of a tuning in one line.
 *
 * @param {RadixTuning} tuning
 */
function nameOf(tuning) {
  const shown = Object.entries(tuning).filter(
    ([key]) => !["family", "subgroupSize", "digitBits"].includes(key),
  );
  return shown
    .map(([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");
}

/** The search of --rows. */
async function tuneRows() {
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes} is not a number above 0`);
  for (const name of /** @type {const} */ (["family", "dist", "csv", "tiles"])) {
    if (values[name] !== undefined) throw new Error(`--rows takes no --${name}`);
  }
  if (!subgroupsFit(traits)) throw new Error(`${adapter.driver} takes no kernels that have such rows`);
  const isGiven = values.type !== undefined || values.payload !== undefined;
  const chosen = isGiven
    ? [{ type, payload }]
    : kinds.map((kind) => ({ ...kind, type: elementType(kind.type) }));
  const counts = values.sizes === undefined ? rowSizes : sizes;
  const wanted = chosen.flatMap((kind) => counts.map((keyCount) => ({ ...kind, keyCount })));
  /** @type {{ name?: string, keys: KeyArray }} */
  const kept = { keys: new Uint32Array() };
  /** @type {import("./tune_rows.js").TimeRow} */
  const timeRow = async (cell, dist, tuning) => {
    const { type, keyCount } = cell;
    const name = `${type.name}, ${keyCount}, ${dist}`;
    if (kept.name !== name)
      Object.assign(kept, { name, keys: generateKeys(distribution(dist), type, keyCount, 1) });
    return (await time(cell, kept.keys, tuning)).ms;
  };
  console.log(`rows for ${adapter.driver}, in ${minutes} minutes`);
  const found = await searchRows(wanted, traits, timeRow, minutes, ({ cell, table, dist, row }, result) => {
    const { before, ms = before, tried, failed, isCut, given, tuning } = result;
    const what = `${cell.type.name}${cell.payload === 0 ? "" : " with values"}, ${cell.keyCount}, ${dist}`;
    const how = `${tried} tried, ${failed} failed${isCut ? ", cut short" : ""}; ${table}`;
    if (tuning) {
      console.log(`${what}: ${ms.toFixed(4)} ms instead of ${before.toFixed(4)}; ${how}`);
      console.log(`  ${row(tuning)}\n  instead of ${row(given)}`);
    } else {
      console.log(`${what}: ${before.toFixed(4)} ms, and none is 2% faster; ${how}`);
    }
  });
  if (found === 0) console.log("no such keys are sorted by rows of a table: those of 2^14 and more are");
}

if (values.rows) {
  await tuneRows();
  process.exit(0);
}

console.log(
  [
    `radix, ${type.name}, payload ${payload}, ${dist}, ${family}, on ${adapter.driver}`,
    `lockstep ${traits.lockstep}`,
  ].join("; "),
);

for (const keyCount of sizes) {
  const keys = keysOf(keyCount);
  /** @type {{ name: string, ms: number, least?: number, failure?: string, passes?: string[] | undefined }[]} */
  const results = [];
  for (const { tuning, name = tuning ? nameOf(tuning) : "" } of tunings(keyCount)) {
    try {
      results.push({ name, ...(await time({ type, payload }, keys, tuning)) });
    } catch (error) {
      results.push({ name, ms: Number.POSITIVE_INFINITY, failure: /** @type {Error} */ (error).message });
    }
    const { ms, least } = results[results.length - 1];
    if (values.csv)
      appendFileSync(
        values.csv,
        `${[type.name, payload, dist, keyCount, ms, least, JSON.stringify(name)]}\n`,
      );
  }
  results.sort((a, b) => a.ms - b.ms);
  console.log(`\n| ${keyCount} keys | median ms | least ms | Gkeys/s |\n| --- | ---: | ---: | ---: |`);
  for (const { name, ms, least = ms, failure, passes } of results) {
    const cells = failure
      ? ["", "", failure.slice(0, 60)]
      : [ms.toFixed(4), least.toFixed(4), (keyCount / ms / 1e6).toFixed(2)];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
    if (passes) console.log(`<!-- ${passes.join(", ")} -->`);
  }
}
process.exit(0);
