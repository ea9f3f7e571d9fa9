/**
 * node scripts/size.js: prints what gpusort weighs, and fails where it exceeds a budget, or where a document
 * states another size; with --write, it states this size in the document. Run it after a build.
 *
 * The packages are what `npm publish` uploads. The packed gpusort-core is bundled and minified as a web page
 * would load it, and each file is compressed by gzip, as a server sends it: what a page loads at once that
 * prepares sorts in its own encoders, with all files that it imports statically; what it has loaded when it
 * encodes the first one; and what is loaded later, by what asks for it.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { atOnceByVite, divided, undivided, withPackage } from "./page_sizes.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * The size of a package, from what npm would upload.
 *
 * @param {string} cwd
 * @returns {{ size: number, unpackedSize: number }}
 */
function pack(cwd) {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const options = { cwd, encoding: /** @type {const} */ ("utf8"), shell: process.platform === "win32" };
  return JSON.parse(execFileSync("npm", args, options))[0];
}

const isWriting = process.argv.includes("--write");
const folderOfCore = `${root}packages/core/dist`;
/** @param {string} from */
const prepare = (from) => `import { createSorter } from "${from}";
  const sorter = await createSorter(globalThis.device);
  (await sorter.prepare({ type: "f32", capacity: 1_000_000, keys: globalThis.keys })).encode(globalThis.encoder);`;

execFileSync(process.execPath, [`${root}scripts/pack-core.js`]);
const { size, unpackedSize } = pack(root);
const core = pack(folderOfCore);
const page = prepare("gpusort-core");
const primitivesPage = `import { createSorter, prepareCompaction, prepareHistogram, prepareScan } from "gpusort-core";
  const sorter = await createSorter(globalThis.device);
  for (const one of [prepareCompaction, prepareHistogram, prepareScan]) await one(sorter, globalThis.description);`;
const worker = "dist/cpu/web_worker.js";
const [prepares, primitives, everything, byVite, inOne, onGpuInOne, alone] = await withPackage(
  folderOfCore,
  async (folder) => [
    await divided(folder, page, worker),
    await divided(folder, primitivesPage, worker),
    await divided(folder, 'export * from "gpusort-core";', worker),
    await atOnceByVite(folder, page),
    await undivided(folder, page),
    await undivided(folder, prepare("gpusort-core/gpu")),
    await undivided(folder, prepare("gpusort-core/standalone")),
  ],
);
const standalone = gzipSync(readFileSync(`${folderOfCore}/dist/standalone.js`), { level: 9 }).length;

/** What every device loads for a first sort besides its plans. */
const kernels = [/shaders\/link\.js/, /wgsl\/radix\./];
const bySubgroups = [/sort\/radix\.later/, /engines\/lockstep\.later/];

/**
 * The budgets leave some twentieth of room, those of gpusort a tenth; raise one knowingly, and say why in the
 * commit. `row` is how the row of docs/library.md begins that states the size in kB.
 */
const sizes = [
  { name: "package, compressed", bytes: size, budget: 1_900_000 },
  { name: "package, unpacked", bytes: unpackedSize, budget: 6_650_000 },
  { name: "gpusort-core, unpacked", bytes: core.unpackedSize, budget: 1_490_000 },
  {
    name: "gpusort/core, minified and gzipped: a page that prepares sorts, at once",
    bytes: prepares.atOnce,
    budget: 25_400,
    row: "| at once | `import { createSorter }` |",
  },
  {
    name: "a page that also scans, compacts and makes histograms, at once",
    bytes: primitives.atOnce,
    budget: 29_000,
    row: "| | and `prepareScan`, `prepareCompaction`",
  },
  {
    name: "a page that exports everything, at once",
    bytes: everything.atOnce,
    budget: 42_800,
    row: "| | `export *` of `gpusort/core` |",
  },
  {
    name: "that page by Vite, at once",
    bytes: byVite,
    budget: 26_500,
    row: "| | the first one by Vite |",
  },
  {
    name: "in one file, by a bundler that does not split",
    bytes: inOne,
    budget: 147_000,
    row: "| in one file | `gpusort-core`",
  },
  {
    name: "in one file, gpusort-core/gpu",
    bytes: onGpuInOne,
    budget: 124_000,
    row: "| | `gpusort-core/gpu`",
  },
  {
    name: "gpusort-core/standalone",
    bytes: standalone,
    budget: 82_000,
    row: "| | `gpusort-core/standalone`",
  },
  {
    name: "gpusort-core/standalone in the bundle of a page",
    bytes: alone,
    budget: 82_000,
  },
  {
    name: "all up to the first encode, with subgroups",
    bytes: prepares.withLater(...bySubgroups, ...kernels),
    budget: 51_800,
    row: "| in all, up to the first `encode` | with subgroups |",
  },
  {
    name: "all up to the first encode, with subgroups and by MSD",
    bytes: prepares.withLater(...bySubgroups, ...kernels, /wgsl\/msd\./),
    budget: 68_500,
    row: "| | with subgroups, keys alone |",
  },
  {
    name: "all up to the first encode, without subgroups",
    bytes: prepares.withLater(/sort\/bitonic\.later/, ...kernels),
    budget: 43_200,
    row: "| | without |",
  },
  {
    name: "later, the test of subgroups and plans by MSD",
    bytes: prepares.later(...bySubgroups),
    budget: 10_900,
    row: "| later | `createSorter(device)` with subgroups",
  },
  {
    name: "later, its plans where there are none",
    bytes: prepares.later(/sort\/bitonic\.later/),
    budget: 1_950,
    row: "| | with none: the plans of the bitonic sort |",
  },
  {
    name: "later, its plans of segments",
    bytes: prepares.later(/sort\/segments\/segments\./),
    budget: 4_100,
    row: "| | the first `warm` or `prepare` with `segments`",
  },
  {
    name: "later, its plans of first keys",
    bytes: prepares.later(/sort\/select\/select\.later/),
    budget: 13_900,
    row: "| | with `top`:",
  },
  {
    name: "later, its plans of first keys of segments, besides those of segments",
    bytes: prepares.beyond([/sort\/segments\/segments\./], /sort\/select\/top_segments\./),
    budget: 3_000,
    row: "| | with `top` and `segments`",
  },
  {
    name: "later, its plans of distinct keys",
    bytes: prepares.later(/sort\/select\/unique\.(later\.)?js/),
    budget: 3_000,
    row: "| | with `unique`",
  },
  {
    name: "later, WGSL of the radix sort, and the linker",
    bytes: prepares.later(...kernels),
    budget: 15_600,
    row: "| | `prepare`, or the first sort of arrays: the linker",
  },
  {
    name: "later, WGSL of the sort by MSD",
    bytes: prepares.beyond(kernels, /wgsl\/msd\./),
    budget: 16_600,
    row: "| | keys alone on a GPU with subgroups",
  },
  {
    name: "later, WGSL of the bitonic sort, and the linker",
    bytes: prepares.later(/shaders\/link\.js/, /wgsl\/bitonic\./),
    budget: 12_600,
    row: "| | for few keys on other GPUs instead",
  },
  {
    name: "later, its sort of arrays on a GPU",
    bytes: prepares.later(/engines\/gpu\.later/),
    budget: 23_500,
    row: "| | the first sort of arrays on a GPU",
  },
  {
    name: "later, WGSL of all, and the linker",
    bytes: prepares.later(/shaders\/(link|wgsl\/)/),
    budget: 71_500,
  },
  {
    name: "later, its sort on the CPU",
    bytes: prepares.later(/cpu_in_page|web_worker/),
    budget: 25_400,
    row: '| | `createSorter("cpu")`',
  },
];

console.log(`A page that prepares sorts loads ${prepares.files} files at once.`);
/** @param {string} message */
function fail(message) {
  console.log(message);
  process.exitCode = 1;
}
for (const { name, bytes, budget } of sizes) {
  const line = `${name}: ${bytes} bytes of ${budget}`;
  if (bytes === 0) fail(`NOTHING MATCHES ${line}`);
  else if (bytes > budget) fail(`OVER ${line}`);
  else console.log(line);
}

/** Documents may round, and need not follow every change. */
const MOST_OFF = 0.05;
/** @type {Record<string, string>} */
const inDocument = { "docs/library.md": "", "README.md": "" };
for (const path in inDocument) inDocument[path] = readFileSync(root + path, "utf8");

/**
 * Compares what a document states with what was measured, or with --write states that.
 *
 * @param {string} path
 * @param {string} what
 * @param {[before: string, after: string]} pattern what stands before the number, and after it.
 * @param {number} unit the bytes of one.
 * @param {number} bytes
 */
function compare(path, what, pattern, unit, bytes) {
  const [before, after] = pattern;
  const stated = new RegExp(`(${before})([\\d.]+)(?=${after})`).exec(inDocument[path] ?? "");
  if (!stated) return fail(`${path} does not state ${what}`);
  if (Math.abs(Number(stated[2]) * unit - bytes) <= MOST_OFF * bytes) return;
  if (!isWriting)
    return fail(`${path} says ${stated[2]} for ${what}, which is ${bytes / unit}: add -- --write`);
  inDocument[path] = inDocument[path].replace(stated[0], stated[1] + Number((bytes / unit).toPrecision(3)));
}
/** @param {string} text */
const literally = (text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
for (const { bytes, row } of sizes) {
  if (row) compare("docs/library.md", `'${row}'`, [`\n${literally(row)}(?:.*\\|)? `, " \\|\n"], 1000, bytes);
}
compare("docs/library.md", "gpusort-core", ["same files: ", " MB"], 1e6, core.unpackedSize);
compare("README.md", "what a page loads at once", ["\\(", " kB gzipped\\s+at once"], 1000, prepares.atOnce);
if (isWriting) for (const path in inDocument) writeFileSync(root + path, inDocument[path]);
