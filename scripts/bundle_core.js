/**
 * Prepares dist/core/ for bundlers of web pages: node scripts/bundle_core.js, after tsc
 *
 * A bundler that splits makes a file of all modules that the same parts of a page need. This sees to it that a
 * page loads at once one file, and of what it loads later nothing too early.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const core = join(root, "dist/core");
const target = "node20.19";

const short = {
  minifyWhitespace: true,
  minifySyntax: true, // names stay, so that a stack trace can be read
};

/** The relative imports of a module of dist/, at once or by `import()`. */
const AT_ONCE = /(^(?:import|export)\b[^;]*? from ")(\.[^"]+)(")/gm;
const LATER = /(\bimport\(")(\.[^"]+)("\))/g;
/**
 * @param {string} path
 * @param {RegExp} pattern
 */
const importsOf = (path, pattern = AT_ONCE) =>
  [...readFileSync(path, "utf8").matchAll(pattern)].map(([, , to]) => join(dirname(path), to));
/** @param {Iterable<string>} paths */
const reached = (paths) => {
  const found = new Set(paths);
  for (const path of found) for (const to of importsOf(path)) found.add(to);
  return found;
};

/**
 * What a page loads later must not be what gpusort/core exports again: esbuild would load it at once, with all
 * other exports. So what the sorter loads later, with all that this needs besides what is loaded at once,
 * imports copies of such modules, which lie beside them and are named `.later.js`. They take 0.1 MB of the
 * package. A second entry, for plans, would do without, but a dozen exports would move to it.
 */
const atOnce = reached([join(core, "sorter/create_on_gpu.js")]);
const entries = ["index.js", "gpu.js"].map((name) => join(core, name));
const exported = new Set([...reached(entries)].filter((path) => !atOnce.has(path)));
const later = new Set([...atOnce, ...exported].flatMap((path) => importsOf(path, LATER)));
for (const path of later) for (const to of [...importsOf(path), ...importsOf(path, LATER)]) later.add(to);
const copied = [...later].filter(
  (path) => !atOnce.has(path) && [...reached([path])].some((one) => exported.has(one)),
);
/** @param {string} path */
const copyOf = (path) => (copied.includes(path) ? path.replace(/\.js$/, ".later.js") : path);
/**
 * @param {string} path
 * @param {RegExp} pattern
 * @param {string} text
 */
const withCopies = (path, pattern, text) =>
  text.replace(
    pattern,
    (_, /** @type {string} */ before, /** @type {string} */ to, /** @type {string} */ after) => {
      const target = relative(dirname(path), copyOf(join(dirname(path), to))).replaceAll("\\", "/");
      return `${before}${target.startsWith(".") ? "" : "./"}${target}${after}`;
    },
  );
for (const path of copied) {
  const text = withCopies(path, LATER, withCopies(path, AT_ONCE, readFileSync(path, "utf8")));
  const { code } = await transform(text, { format: "esm", platform: "browser", target, ...short });
  writeFileSync(copyOf(path), code);
}
for (const path of [...atOnce, ...exported]) {
  writeFileSync(path, withCopies(path, LATER, readFileSync(path, "utf8")));
}

const webWorker = join(core, "cpu/web_worker.js");
await build({
  entryPoints: [webWorker],
  outfile: webWorker,
  allowOverwrite: true,
  bundle: true,
  format: "esm",
  platform: "browser",
  ...short,
});

// Bundlers divide modules by which parts of a page need them, into 14 files of what is loaded at once; gzipped
// one by one they weigh 3.6 kB more. So these modules are one file, from which all others import. What is
// outside of gpusort/core finds them where they were.
const { metafile } = await build({
  entryPoints: [...atOnce],
  absWorkingDir: core,
  outdir: "none",
  format: "esm",
  metafile: true,
  write: false,
});
/** @type {[path: string, exports: string[]][]} */
const names = Object.values(metafile.outputs).map(({ entryPoint = "", exports }) => [entryPoint, exports]);
const all = names.flatMap(([, exports]) => exports);
const twice = all.filter((name, i) => all.indexOf(name) !== i);
if (twice.length > 0) throw new Error(`two modules of what a page loads at once export ${twice.join(", ")}`);
/**
 * @param {[path: string, exports: string[]]} module
 * @param {string | undefined} from
 */
const exporting = ([path, exports], from = `./${path}`) =>
  exports.length > 0 ? `export { ${exports.join(", ")} } from "${from}";\n` : "";
await build({
  stdin: { contents: names.map((one) => exporting(one)).join(""), resolveDir: core },
  absWorkingDir: core,
  outfile: join(core, "at_once.js"),
  bundle: true,
  format: "esm",
  platform: "browser",
  target,
  plugins: [
    {
      name: "what is loaded later stays where it is",
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
          kind === "dynamic-import"
            ? { path: `./${relative(core, join(resolveDir, path)).replaceAll("\\", "/")}`, external: true }
            : undefined,
        ),
    },
  ],
});
/** @param {string} path */
const fromFile = (path) => relative(dirname(path), join(core, "at_once.js")).replaceAll("\\", "/");
/** @param {string} path */
const pathTo = (path) => fromFile(path).replace(/^(?!\.)/, "./");
for (const one of names) {
  const path = join(core, one[0]);
  writeFileSync(path, exporting(one, pathTo(path)) || "export {};\n");
}
const FROM = /(\bfrom ?")(\.[^"]+)(")/g; // in the copies, too, which have fewer spaces
for (const name of readdirSync(core, { recursive: true, encoding: "utf8" })) {
  const path = join(core, name);
  if (!name.endsWith(".js") || atOnce.has(path) || name === "at_once.js") continue;
  const text = readFileSync(path, "utf8");
  const direct = text.replace(FROM, (found, before, to, after) =>
    atOnce.has(join(dirname(path), to)) ? before + pathTo(path) + after : found,
  );
  if (direct !== text) writeFileSync(path, direct);
}
