/**
 * node scripts/cost_table.js: writes the table of what sorts cost in docs/kernels.md, from their plans. Run it
 * after a build. A test fails if the table is not current.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { markdownTable, withMarkedTable } from "./marked_table.js";

const document = fileURLToPath(new URL("../docs/kernels.md", import.meta.url));

/**
 * @typedef {import("../dist/core/elements.js").ElementType} ElementType
 * @typedef {import("../dist/core/plan/traits.js").DeviceTraits} DeviceTraits
 * @typedef {Pick<typeof import("../dist/core/elements.js"), "elementType">
 *   & Pick<typeof import("../dist/core/plan/plan.js"), "planBytes">
 *   & Pick<typeof import("../dist/core/plan/traits.js"), "defaultTraits">
 *   & Pick<typeof import("../dist/core/sort/radix/radix.js"), "radixPlan">
 *   & Pick<typeof import("../dist/core/sort/traffic.js"), "trafficBytes" | "passesByCondition">} Core
 */

const TYPES = ["u32", "f32", "u64", "f64"];
const LOGS = [10, 16, 20, 24, 27];

/**
 * What plans depend on, as NVIDIA's GPUs have it on Linux, where the tests when an engine opens succeed.
 *
 * @param {DeviceTraits} traits
 * @returns {DeviceTraits}
 */
function traits({ limits, ...others }) {
  return {
    ...others,
    limits: {
      ...limits,
      maxComputeInvocationsPerWorkgroup: 1024,
      maxComputeWorkgroupSizeX: 1024,
      maxComputeWorkgroupStorageSize: 48 * 1024,
      maxStorageBufferBindingSize: 2 ** 31 - 4,
      maxBufferSize: 2 ** 40,
    },
    subgroupSize: { min: 32, max: 32 },
    subgroups: true,
    lockstep: true,
    parallelProgress: true,
  };
}

/**
 * The cells of a sort: dispatches by when they work, programs, and bytes moved and of scratch for each key.
 *
 * @param {Core} core
 * @param {ElementType} type
 * @param {number} keyCount
 * @param {0 | "index"} payload
 */
function cells(core, type, keyCount, payload) {
  const { radixPlan, passesByCondition, planBytes, trafficBytes, defaultTraits } = core;
  const plan = radixPlan(keyCount, type, { descending: false, payload }, traits(defaultTraits));
  const { usual, longSegments, remap, fallback } = passesByCondition(plan);
  const dispatches = [[...usual, ...longSegments], remap, fallback]
    .map(({ length }) => length)
    .filter((count) => count > 0);
  const programs = new Set(plan.passes.map(({ program }) => JSON.stringify(program))).size;
  /** @param {number} bytes */
  const perKey = (bytes) => Number((bytes / keyCount).toFixed(1));
  return [
    dispatches.join(" + "),
    programs,
    perKey(trafficBytes(plan)),
    perKey(planBytes(plan) - keyCount * type.bytes),
  ];
}

/**
 * The table, in Markdown.
 *
 * @param {Core} core
 */
export function costTable(core) {
  const columns = ["dispatches", "programs", "bytes moved", "scratch"];
  const head = [
    "keys",
    ...["alone", "with index"].flatMap((what) => columns.map((name) => `${what}: ${name}`)),
  ];
  const rows = TYPES.flatMap((name) => {
    const type = core.elementType(name);
    return LOGS.map((log) => [
      `2^${log} ${name}`,
      .../** @type {const} */ ([0, "index"]).flatMap((payload) => cells(core, type, 2 ** log, payload)),
    ]);
  });
  return markdownTable(head, rows);
}

/**
 * The document with the current table.
 *
 * @param {string} text
 * @param {Core} core
 */
export function withCostTable(text, core) {
  return withMarkedTable(text, "cost_table.js", costTable(core));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const modules = ["elements", "plan/plan", "plan/traits", "sort/radix/radix", "sort/traffic"];
  const loaded = await Promise.all(modules.map((name) => import(`../dist/core/${name}.js`)));
  writeFileSync(document, withCostTable(readFileSync(document, "utf8"), Object.assign({}, ...loaded)));
}
