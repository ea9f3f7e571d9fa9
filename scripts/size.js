/**
 * node scripts/size.js: prints what gpusort weighs, and fails where it exceeds a budget. Run it after a
 * build.
 *
 * The package is what `npm publish` uploads. gpusort/core is bundled and minified as a web page would load
 * it, and compressed by gzip. What the page loads later, only to sort on the CPU, is counted by itself, with the
 * file that its workers load.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bytes. A budget leaves a tenth of room; raise it knowingly, and say why in the commit. */
const budgets = {
  "package, compressed": 1_150_000,
  "package, unpacked": 3_900_000,
  "gpusort/core, minified": 208_000,
  "gpusort/core, minified and gzipped": 53_500,
  "its sort on the CPU, minified and gzipped": 23_000,
};

const pack = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
  cwd: root,
  encoding: "utf8",
  shell: process.platform === "win32",
});
const [{ size, unpackedSize }] = JSON.parse(pack);

const { outputFiles, metafile } = await build({
  stdin: { contents: 'export * from "gpusort/core";', resolveDir: root, sourcefile: "page.js" },
  entryPoints: { worker: `${root}dist/core/cpu/web_worker.js` },
  bundle: true,
  minify: true,
  splitting: true,
  format: "esm",
  outdir: "page",
  metafile: true,
  write: false,
});

/** The files that a page loads at once: its own, and those that these import. */
function loadedAtOnce() {
  const outputs = Object.entries(metafile.outputs);
  const loaded = outputs.flatMap(([path, { entryPoint }]) => (entryPoint === "page.js" ? [path] : []));
  for (const path of loaded) {
    for (const { path: imported, kind } of metafile.outputs[path].imports) {
      if (kind === "import-statement" && !loaded.includes(imported)) loaded.push(imported);
    }
  }
  return loaded;
}
const name = (path) => path.split(/[\\/]/).at(-1);
const atOnce = new Set(loadedAtOnce().map(name));
const bytesOf = (wanted) =>
  Buffer.concat(
    outputFiles.filter(({ path }) => wanted(atOnce.has(name(path)))).map(({ contents }) => contents),
  );
const core = bytesOf((isFirst) => isFirst);
const later = bytesOf((isFirst) => !isFirst);

const sizes = {
  "package, compressed": size,
  "package, unpacked": unpackedSize,
  "gpusort/core, minified": core.length,
  "gpusort/core, minified and gzipped": gzipSync(core, { level: 9 }).length,
  "its sort on the CPU, minified and gzipped": gzipSync(later, { level: 9 }).length,
};
for (const [name, bytes] of Object.entries(sizes)) {
  const over = bytes > budgets[name];
  console.log(`${over ? "OVER " : ""}${name}: ${bytes} bytes of ${budgets[name]}`);
  if (over) process.exitCode = 1;
}
