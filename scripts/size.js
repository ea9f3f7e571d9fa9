/**
 * node scripts/size.js: prints what gpusort weighs, and fails where it exceeds a budget. Run it after a
 * build.
 *
 * The package is what `npm publish` uploads. gpusort/core is bundled and minified as a web page would load
 * it, and compressed by gzip: what a page loads at once that prepares sorts in its own encoders, what one that
 * exports everything does, and what is loaded later, by what asks for it.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bytes. A budget leaves a tenth of room; raise it knowingly, and say why in the commit. */
const budgets = {
  "package, compressed": 1_950_000,
  "package, unpacked": 7_300_000,
  "gpusort/core, minified and gzipped: a page that prepares sorts, at once": 25_000,
  "a page that exports everything, at once": 38_000,
  "later, its plans where there are subgroups": 6_400,
  "later, its plans where there are none": 1_850,
  "later, its plans of segments": 4_200,
  "later, its plans of first keys": 8_900,
  "later, its plans of distinct keys": 2_700,
  "later, its sort of arrays on a GPU": 23_500,
  "later, WGSL of the radix sort, and the linker": 15_700,
  "later, WGSL of the sort by MSD besides": 7_650,
  "later, WGSL of all, and the linker": 48_000,
  "later, its sort on the CPU": 23_000,
};

const pack = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
  cwd: root,
  encoding: "utf8",
  shell: process.platform === "win32",
});
const [{ size, unpackedSize }] = JSON.parse(pack);

const pages = {
  "prepare.js": `import { createSorter } from "gpusort/core";
    const sorter = await createSorter(device);
    (await sorter.prepare({ type: "f32", capacity: 1_000_000, keys })).encode(encoder);`,
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
  /** @returns the gzipped bytes of all files together. */
  const weigh = (paths) => gzipped(Buffer.concat(contentsOf(paths)));
  return {
    atOnce: weigh(atOnce),
    atOnceApart: contentsOf(atOnce).reduce((total, one) => total + gzipped(one), 0),
    later: (...patterns) =>
      weigh(
        loadedBy((entry) => patterns.some((pattern) => pattern.test(entry))).filter(
          (path) => !atOnce.includes(path),
        ),
      ),
  };
}

const prepares = await bundle("prepare.js");
const everything = await bundle("everything.js");
const sizes = {
  "package, compressed": size,
  "package, unpacked": unpackedSize,
  "gpusort/core, minified and gzipped: a page that prepares sorts, at once": prepares.atOnce,
  "a page that exports everything, at once": everything.atOnce,
  "later, its plans where there are subgroups": prepares.later(/sort\/radix\.later/),
  "later, its plans where there are none": prepares.later(/sort\/bitonic\.later/),
  "later, its plans of segments": prepares.later(/sort\/segments\./),
  "later, its plans of first keys": prepares.later(/sort\/select\.later/),
  "later, its plans of distinct keys": prepares.later(/sort\/unique\.later/),
  "later, its sort of arrays on a GPU": prepares.later(/engines\/gpu\.later/),
  "later, WGSL of the radix sort, and the linker": prepares.later(/shaders\/(link|wgsl\/radix\.)/),
  "later, WGSL of the sort by MSD besides":
    prepares.later(/shaders\/(link|wgsl\/(radix|msd)\.)/) - prepares.later(/shaders\/(link|wgsl\/radix\.)/),
  "later, WGSL of all, and the linker": prepares.later(/shaders\/(link|wgsl\/)/),
  "later, its sort on the CPU": prepares.later(/cpu_in_page|web_worker/),
};
console.log(
  `esbuild makes several files of what is loaded at once: ${prepares.atOnceApart} bytes one by one`,
);
for (const [name, bytes] of Object.entries(sizes)) {
  const over = bytes > budgets[name];
  console.log(`${over ? "OVER " : ""}${name}: ${bytes} bytes of ${budgets[name]}`);
  if (over) process.exitCode = 1;
}
