// The search of `npm run tune -- --rows`: better rows of the tuning tables, one coordinate after the other,
// from the rows that a device takes now.

import { PROCESSORS } from "../dist/core/plan/traits.js";
import { asTuned, msdLocals } from "../dist/core/sort/msd/msd_tuning.js";
import { radixTuning, withMsd } from "../dist/core/sort/radix/radix.js";
import { lsdTuning } from "../dist/core/sort/radix/radix_tuning.js";

/**
 * @typedef {import("../dist/core/elements.js").ElementType} ElementType
 * @typedef {import("../dist/core/plan/traits.js").DeviceTraits} DeviceTraits
 * @typedef {import("../dist/core/sort/key.js").Payload} Payload
 * @typedef {import("../dist/core/sort/msd/msd_tuning.js").MsdTuning} MsdTuning
 * @typedef {import("../dist/core/sort/msd/msd_tuning.js").SegmentTuning} SegmentTuning
 * @typedef {import("../dist/core/sort/radix/radix_tuning.js").SubgroupTuning} SubgroupTuning
 * @typedef {{ workgroupSize: number, keysPerInvocation: number }} Tile
 * @typedef {{ type: ElementType, payload: Payload, keyCount: number }} Cell
 * @typedef {(tuning: SubgroupTuning, some: Partial<MsdTuning>) => SubgroupTuning} Change
 *
 * @typedef {object} Table a table that has a row for a cell
 * @property {string} table its name
 * @property {string} dist which keys show how good a row is
 * @property {(tuning: SubgroupTuning) => string} row the text of a row
 * @property {((best: SubgroupTuning) => SubgroupTuning[])[]} steps each gives tunings that differ in one
 *   respect
 *
 * @typedef {object} Found
 * @property {SubgroupTuning} given the table's row
 * @property {SubgroupTuning} [tuning] the best one, if it is faster
 * @property {number} before milliseconds of the table's row
 * @property {number} [ms] milliseconds of the best one; both timed in turns at the end
 * @property {number} tried
 * @property {number} failed how many of these did not compile, or sorted wrongly
 * @property {boolean} isCut whether time did not suffice for others
 *
 * @typedef {(cell: Cell, dist: string, tuning: SubgroupTuning) => Promise<number>} TimeRow
 */

/**
 * @template T
 * @param {T | undefined} part of a tuning
 * @returns {T}
 */
function there(part) {
  if (part === undefined) throw new TypeError("the tuning lacks a part that its table has");
  return part;
}

/**
 * What is searched by default: rows apply to keys of so many words, with values or without.
 *
 * @type {{ type: import("../dist/core/elements.js").TypeName, payload: Payload }[]}
 */
export const kinds = [
  { type: "u32", payload: 0 },
  { type: "u64", payload: 0 },
  { type: "u32", payload: 4 },
];
export const sizes = [14, 16, 18, 20, 22, 24].map((log) => 2 ** log);

/** A row must be faster than the table's by so much, or else the table keeps its own. */
const GAIN = 0.98;
/** How often both are timed again at the end. */
const TURNS = 2;
/** While it searches, a better tuning need only be faster by so much. */
const STEP = 0.995;

/** @param {number} value */
const halfAndDouble = (value) => [value / 2, value * 2].filter(Number.isInteger);
/** @param {Tile} size */
const tile = ({ workgroupSize, keysPerInvocation }) => workgroupSize * keysPerInvocation;
/** @param {Tile} local */
const nameOfLocal = (local) => Object.keys(msdLocals).find((name) => Number(name) === tile(local));

/**
 * All pairs of these numbers as tiles.
 *
 * @param {number[]} sizes
 * @param {number[]} keys
 */
function tiles(sizes, keys) {
  return sizes.flatMap((workgroupSize) =>
    keys.map((keysPerInvocation) => ({ workgroupSize, keysPerInvocation })),
  );
}

/** The columns of one level: more could not all be marked where they have outliers (see `ownSamples`). */
const MOST_COLUMNS = 255;

/**
 * The tiles of local sorts that hold segments of an average length, and are at most four times as long.
 *
 * @param {number} average
 */
function localsFor(average) {
  return Object.values(msdLocals).filter((local) => tile(local) >= average && tile(local) <= 4 * average);
}

/**
 * The tables that have a row for a cell. Each names the table, says which keys show how good a row is, and has
 * `steps`, each of which gives tunings that differ from one in one respect.
 *
 * @param {Cell} cell
 * @param {DeviceTraits} traits
 * @returns {Table[]}
 */
function tablesFor({ type, payload, keyCount }, traits) {
  const given = radixTuning(keyCount, type, traits, { payload });
  if (given.family !== "subgroup" || given.oneWorkgroup) return [];
  const { msd } = given;
  if (!msd) return [stableTable(type, payload, keyCount, "uniform")];
  const lsd = lsdTuning(keyCount, type, traits, { payload });
  if (lsd.family !== "subgroup") return [];
  const moved = { words: type.words, values: payload !== 0 };
  // As a row with these settings would be taken, but for what its own table says of the fallback.
  /** @type {Change} */
  const change = ({ msd: best }, { fallback, ...some }) => {
    const { digitBits, workgroupSize, keysPerInvocation, columns, local, second } = {
      ...there(best),
      ...some,
    };
    const row = { digitBits, workgroupSize, keysPerInvocation, columns, local, second };
    const tuned = asTuned(row, keyCount, moved, traits);
    return withMsd(lsd, fallback ? { ...tuned, fallback } : tuned, type.words, traits);
  };
  if (msd.second) {
    return [twoLevels(type, payload, keyCount, change), stableTable(type, payload, keyCount, "zipf")];
  }
  return [oneLevel(keyCount, change), ...(msd.fallback ? [fallbackRows(type, change)] : [])];
}

/**
 * @param {number} keyCount
 * @param {Change} change
 * @returns {Table}
 */
function oneLevel(keyCount, change) {
  return {
    table: "oneLevel in src/core/sort/msd/msd_tuning.ts",
    dist: "uniform",
    row: ({ msd }) => {
      const { digitBits, workgroupSize, keysPerInvocation, local, columns } = there(msd);
      return (
        `{ digitBits: ${digitBits}, workgroupSize: ${workgroupSize}, keysPerInvocation: ${keysPerInvocation}, ` +
        `local: msdLocals[${nameOfLocal(local)}], columns: ${columns} },`
      );
    },
    steps: [
      (best) =>
        [-1, 0, 1].flatMap((more) => {
          const digitBits = there(best.msd).digitBits + more;
          if (2 ** digitBits > there(best.msd).workgroupSize) return [];
          return localsFor(keyCount / 2 ** digitBits).map((local) => change(best, { digitBits, local }));
        }),
      (best) =>
        tiles([256, 512, 1024], [2, 4, 8])
          .filter(({ workgroupSize }) => workgroupSize >= 2 ** there(best.msd).digitBits)
          .map((size) => change(best, size)),
      (best) =>
        halfAndDouble(there(best.msd).columns)
          .filter((columns) => columns <= MOST_COLUMNS)
          .map((columns) => change(best, { columns })),
    ],
  };
}

/**
 * @param {ElementType} type
 * @param {Payload} payload
 * @param {number} keyCount
 * @param {Change} change
 * @returns {Table}
 */
function twoLevels({ words }, payload, keyCount, change) {
  const name = payload ? "stableLevels" : words === 2 ? "shortTiles" : "longTiles";
  /**
   * @param {SubgroupTuning} best
   * @param {Partial<import("../dist/core/sort/msd/msd_tuning.js").LevelTuning>} some
   */
  const second = (best, some) => ({ second: { ...there(best.msd?.second), ...some } });
  return {
    table: `${name} in src/core/sort/msd/msd_tuning.ts`,
    dist: "uniform",
    row: ({ msd }) => {
      const { digitBits, workgroupSize, keysPerInvocation, local, second } = there(msd);
      const next = there(second);
      return (
        `level(${digitBits}, [${workgroupSize}, ${keysPerInvocation}], ${nameOfLocal(local)}, ` +
        `{ digitBits: ${next.digitBits}, tilesPerChunk: ${next.tilesPerChunk} }),`
      );
    },
    steps: [
      (best) =>
        [-1, 0, 1].flatMap((first) =>
          [-1, 0, 1].flatMap((next) => {
            const digitBits = there(best.msd).digitBits + first;
            const nextBits = there(best.msd?.second).digitBits + next;
            if (2 ** Math.max(digitBits, nextBits) > Math.min(256, there(best.msd).workgroupSize)) return [];
            return localsFor(keyCount / 2 ** (digitBits + nextBits)).map((local) =>
              change(best, { digitBits, local, ...second(best, { digitBits: nextBits }) }),
            );
          }),
        ),
      (best) =>
        (payload
          ? tiles([256, 512], [8, 14, 16, 28, 36])
          : tiles([512, 1024], words === 2 ? [2, 4, 6] : [4, 8, 9, 12])
        ).map((size) => {
          const keys = tile(there(best.msd)) * there(best.msd?.second).tilesPerChunk;
          const tilesPerChunk = Math.max(1, Math.round(keys / tile(size)));
          return change(best, { ...size, ...second(best, { tilesPerChunk }) });
        }),
      (best) =>
        halfAndDouble(there(best.msd?.second).tilesPerChunk).map((tilesPerChunk) =>
          change(best, second(best, { tilesPerChunk })),
        ),
    ],
  };
}

/**
 * @param {ElementType} type
 * @param {Change} change
 * @returns {Table}
 */
function fallbackRows({ words }, change) {
  return {
    table: `fallbackTiles[${words}], and FALLBACK_WORKGROUPS, in src/core/sort/msd/msd_tuning.ts`,
    dist: "zipf",
    row: ({ msd }) =>
      `{ workgroupSize: ${there(msd?.fallback).workgroupSize}, keysPerInvocation: ${there(msd?.fallback).keysPerInvocation} }, ` +
      `and ${there(msd?.fallback).workgroups}`,
    steps: [
      (best) =>
        tiles([256, 512, 1024], words === 2 ? [1, 2, 4] : [1, 2, 4, 8]).map((size) =>
          change(best, { fallback: { ...there(best.msd?.fallback), ...size } }),
        ),
      (best) =>
        halfAndDouble(there(best.msd?.fallback).workgroups).map((workgroups) =>
          change(best, { fallback: { ...there(best.msd?.fallback), workgroups } }),
        ),
    ],
  };
}

/**
 * @param {ElementType} type
 * @param {Payload} payload
 * @param {number} keyCount
 * @param {string} dist
 * @returns {Table}
 */
function stableTable({ words }, payload, keyCount, dist) {
  return {
    table: `subgroupRows.${payload ? "values" : "keys"}[${words}] in src/core/sort/radix/radix_tuning.ts`,
    dist,
    row: ({ workgroupSize, keysPerInvocation, columns }) =>
      `{ fromKeys: ${keyCount}, workgroupSize: ${workgroupSize}, keysPerInvocation: ${keysPerInvocation}, ` +
      `columns: ${columns / PROCESSORS} * PROCESSORS },`,
    steps: [
      (best) =>
        tiles([256, 512], words === 2 ? [4, 8, 12, 16, 18] : [8, 14, 16, 24, 32, 36]).map((size) => ({
          ...best,
          ...size,
        })),
      (best) => [2, 3, 4, 6].map((n) => ({ ...best, columns: n * PROCESSORS })),
    ],
  };
}

/**
 * Searches the rows of some cells in a time, which these share, and reports each as soon as it is found.
 *
 * @param {Cell[]} cells
 * @param {DeviceTraits} traits
 * @param {TimeRow} time sorts keys of a distribution in a cell by a tuning, checks them, and returns
 *   milliseconds.
 * @param {number} minutes for all.
 * @param {(table: Table & { cell: Cell }, found: Found) => void} report
 * @returns the number of tables that have rows for these cells.
 * @throws what `time` throws for the table's own row.
 */
export async function searchRows(cells, traits, time, minutes, report) {
  const all = cells.flatMap((cell) => tablesFor(cell, traits).map((table) => ({ cell, ...table })));
  const end = performance.now() + 60_000 * minutes;
  for (const [i, one] of all.entries()) {
    const now = performance.now();
    const until = now + (end - now) / (all.length - i);
    report(one, await searchTable(one, traits, time, until));
  }
  return all.length;
}

/**
 * @param {Table & { cell: Cell }} table
 * @param {DeviceTraits} traits
 * @param {TimeRow} time
 * @param {number} until
 * @returns {Promise<Found>}
 */
async function searchTable({ cell, dist, row: nameOf, steps }, traits, time, until) {
  const { type, payload, keyCount } = cell;
  const given = radixTuning(keyCount, type, traits, { payload });
  if (given.family !== "subgroup") throw new TypeError("no table has a row for these keys");
  /** @param {SubgroupTuning} tuning */
  const timed = (tuning) => time(cell, dist, tuning);
  const tried = new Map([[nameOf(given), await timed(given)]]);
  /** @param {SubgroupTuning} tuning that was tried */
  const msOf = (tuning) => there(tried.get(nameOf(tuning)));
  let best = given;
  let failed = 0;
  let isCut = false;
  search: for (const step of steps) {
    for (const tuning of step(best)) {
      const name = nameOf(tuning);
      if (tried.has(name)) continue;
      isCut = performance.now() > until;
      if (isCut) break search;
      const ms = await timed(tuning).catch(() => Number.POSITIVE_INFINITY);
      tried.set(name, ms);
      if (ms === Number.POSITIVE_INFINITY) failed++;
      if (ms < STEP * msOf(best)) best = tuning;
    }
  }
  const found = { given, tried: tried.size, failed, isCut };
  if (best === given) return { ...found, before: msOf(given) };
  // A GPU that warms up meanwhile makes what comes later look better, and others may use it. So both are timed
  // again, in turns, and the row must gain in each.
  /** @type {{ before: number, ms: number }[]} */
  const turns = [];
  for (let turn = 0; turn < TURNS; turn++) turns.push({ before: await timed(given), ms: await timed(best) });
  /** @param {"before" | "ms"} name */
  const least = (name) => Math.min(...turns.map((turn) => turn[name]));
  const gains = turns.every(({ before, ms }) => ms < GAIN * before);
  return { ...found, before: least("before"), ms: least("ms"), ...(gains ? { tuning: best } : {}) };
}
