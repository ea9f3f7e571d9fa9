/**
 * node scripts/size.js: prints what gpusort weighs, and fails where it exceeds a budget, or where a document
 * states another size. Run it after a build.
 *
 * The packages are what `npm publish` uploads. gpusort/core is bundled and minified as a web page would load
 * it, and each file is compressed by gzip, as a server sends it: what a page loads at once that prepares sorts
 * in its own encoders, what it has loaded when it encodes the first one, and what is loaded later, by what asks
 * for it.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The size of a package, from what npm would upload. */
function pack(cwd) {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const options = { cwd, encoding: "utf8", shell: process.platform === "win32" };
  return JSON.parse(execFileSync("npm", args, options))[0];
}

const pages = {
  "prepare.js": `import { createSorter } from "gpusort/core";
    const sorter = await createSorter(device);
    (await sorter.prepare({ type: "f32", capacity: 1_000_000, keys })).encode(encoder);`,
  "primitives.js": `import { createSorter, prepareCompaction, prepareHistogram, prepareScan } from "gpusort/core";
    const sorter = await createSorter(device);
    for (const prepare of [prepareCompaction, prepareHistogram, prepareScan]) await prepare(sorter, description);`,
  "everything.js": 'export * from "gpusort/core";',
};
const worker = "dist/core/cpu/web_worker.js";

/** Bundles a page. @returns what weighs the files that entry points load, by their names. */
async function bundle(page) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: pages[page], resolveDir: root, sourcefile: page },
    entryPoints: { worker: `${root}${worker}` },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    outdir: "page",
    metafile: true,
    write: false,
  });
  const outputs = Object.entries(metafile.outputs);
  const loadedBy = (isEntry) => {
    const loaded = outputs.flatMap(([path, { entryPoint }]) =>
      entryPoint && isEntry(entryPoint) ? [path] : [],
    );
    for (const path of loaded) {
      for (const { path: imported, kind } of metafile.outputs[path].imports) {
        if (kind === "import-statement" && !loaded.includes(imported)) loaded.push(imported);
      }
    }
    return loaded;
  };
  const name = (path) => path.split(/[\\/]/).at(-1);
  const contents = new Map(outputFiles.map((file) => [name(file.path), file.contents]));
  const atOnce = loadedBy((entry) => entry === page);
  const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length;
  const contentsOf = (paths) => paths.map((path) => contents.get(name(path)));
  /** @returns the gzipped bytes of the files, one by one. */
  const weigh = (paths) => contentsOf(paths).reduce((total, one) => total + gzipped(one), 0);
  const matching = (patterns) => loadedBy((entry) => patterns.some((pattern) => pattern.test(entry)));
  return {
    atOnce: weigh(atOnce),
    files: atOnce.length,
    withLater: (...patterns) => weigh([...new Set([...atOnce, ...matching(patterns)])]),
    later: (...patterns) => weigh(matching(patterns).filter((path) => !atOnce.includes(path))),
    /** What some parts add to others. */
    beyond: (others, ...patterns) => {
      const loaded = new Set([...atOnce, ...matching(others)]);
      return weigh(matching(patterns).filter((path) => !loaded.has(path)));
    },
  };
}

execFileSync(process.execPath, [`${root}scripts/pack-core.js`]);
const { size, unpackedSize } = pack(root);
const core = pack(`${root}packages/core/dist`);
const prepares = await bundle("prepare.js");
const primitives = await bundle("primitives.js");
const everything = await bundle("everything.js");

/** What every device loads for a first sort besides its plans. */
const kernels = [/shaders\/link\.js/, /wgsl\/radix\./];
const bySubgroups = [/sort\/radix\.later/, /engines\/lockstep\.later/];

/**
 * The budgets leave some twentieth of room, those of gpusort a tenth; raise one knowingly, and say why in the
 * commit. `row` is how the row of docs/library.md begins that states the size in kB.
 */
const sizes = [
  { name: "package, compressed", bytes: size, budget: 2_250_000 },
  { name: "package, unpacked", bytes: unpackedSize, budget: 8_200_000 },
  { name: "gpusort-core, unpacked", bytes: core.unpackedSize, budget: 1_180_000 },
  {
    name: "gpusort/core, minified and gzipped: a page that prepares sorts, at once",
    bytes: prepares.atOnce,
    budget: 24_900,
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
    budget: 44_600,
    row: "| | `export *` of `gpusort/core` |",
  },
  {
    name: "all up to the first encode, with subgroups",
    bytes: prepares.withLater(...bySubgroups, ...kernels),
    budget: 49_600,
    row: "| in all, up to the first `encode` | with subgroups |",
  },
  {
    name: "all up to the first encode, with subgroups and by MSD",
    bytes: prepares.withLater(...bySubgroups, ...kernels, /wgsl\/msd\./),
    budget: 60_600,
    row: "| | with subgroups, keys alone |",
  },
  {
    name: "all up to the first encode, without subgroups",
    bytes: prepares.withLater(/sort\/bitonic\.later/, ...kernels),
    budget: 42_200,
    row: "| | without |",
  },
  {
    name: "later, the test of subgroups and plans by MSD",
    bytes: prepares.later(...bySubgroups),
    budget: 9_600,
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
    bytes: prepares.later(/sort\/segments\./),
    budget: 4_400,
    row: "| | the first `warm` or `prepare` with `segments`",
  },
  {
    name: "later, its plans of first keys",
    bytes: prepares.later(/sort\/select\.later/),
    budget: 13_200,
    row: "| | with `top`:",
  },
  {
    name: "later, its plans of first keys of segments, besides those of segments",
    bytes: prepares.beyond([/sort\/segments\./], /sort\/top_segments\./),
    budget: 5_000,
    row: "| | with `top` and `segments`",
  },
  {
    name: "later, its plans of distinct keys",
    bytes: prepares.later(/sort\/unique\.later/),
    budget: 3_000,
    row: "| | with `unique`",
  },
  {
    name: "later, WGSL of the radix sort, and the linker",
    bytes: prepares.later(...kernels),
    budget: 15_300,
    row: "| | `prepare`, or the first sort of arrays: the linker",
  },
  {
    name: "later, WGSL of the sort by MSD",
    bytes: prepares.beyond(kernels, /wgsl\/msd\./),
    budget: 11_100,
    row: "| | keys alone on a GPU with subgroups",
  },
  {
    name: "later, WGSL of the bitonic sort, and the linker",
    bytes: prepares.later(/shaders\/link\.js/, /wgsl\/bitonic\./),
    budget: 11_400,
    row: "| | for few keys on other GPUs instead",
  },
  {
    name: "later, its sort of arrays on a GPU",
    bytes: prepares.later(/engines\/gpu\.later/),
    budget: 30_500,
    row: "| | the first sort of arrays on a GPU",
  },
  {
    name: "later, WGSL of all, and the linker",
    bytes: prepares.later(/shaders\/(link|wgsl\/)/),
    budget: 64_500,
  },
  {
    name: "later, its sort on the CPU",
    bytes: prepares.later(/cpu_in_page|web_worker/),
    budget: 24_000,
    row: '| | `createSorter("cpu")`',
  },
];

console.log(`A page that prepares sorts loads ${prepares.files} files at once.`);
function fail(message) {
  console.log(message);
  process.exitCode = 1;
}
for (const { name, bytes, budget } of sizes) {
  const line = `${name}: ${bytes} bytes of ${budget}`;
  if (bytes > budget) fail(`OVER ${line}`);
  else console.log(line);
}

/** Documents may round, but no more than by a tenth. */
function compare(path, what, stated, bytes) {
  if (!stated) fail(`${path} does not state ${what}`);
  else if (Math.abs(stated - bytes) > bytes / 10)
    fail(`${path} says ${stated} for ${what}, which is ${bytes}`);
}
const library = readFileSync(`${root}docs/library.md`, "utf8");
const readme = readFileSync(`${root}README.md`, "utf8");
for (const { bytes, row } of sizes) {
  if (!row) continue;
  const line = library.split("\n").find((one) => one.startsWith(row));
  compare("docs/library.md", `'${row}'`, 1000 * (/([\d.]+) \|$/.exec(line)?.[1] ?? 0), bytes);
}
const installed = /same files: ([\d.]+) MB/.exec(library)?.[1] ?? 0;
compare("docs/library.md", "gpusort-core", 1e6 * installed, core.unpackedSize);
const atOnce = /\((\d+) kB gzipped\s+at once/.exec(readme)?.[1] ?? 0;
compare("README.md", "what a page loads at once", 1000 * atOnce, prepares.atOnce);
