/**
 * Makes dist/core/standalone.js: node scripts/standalone.js, after scripts/bundle_core.js
 *
 * It is gpusort/core/gpu in one file, for a page without a bundler. It holds what sorts all keys, in arrays and
 * in buffers, on devices of all kinds. Of what is loaded later it keeps only the parts below, so that a new
 * part of the library does not make it larger. A call that needs another part rejects with a LoadError, which
 * says where that part is. A sorter could take a list of its parts instead, but each family of WGSL would then
 * need a library of its own.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { wgslMinifier } from "./minify_wgsl.js";

const core = join(fileURLToPath(new URL("..", import.meta.url)), "dist/core");

const PARTS = ["engines/gpu", "engines/lockstep", "shaders/link", "sort/bitonic", "sort/radix/radix"];
const FAMILIES = [
  "bitonic",
  "device",
  "enumeration",
  "fallback",
  "inspect",
  "msd",
  "radix",
  "remap",
  "serial",
];
const kept = new Set([...PARTS, ...FAMILIES.map((name) => `shaders/wgsl/${name}.generated`)]);

const leftOut = JSON.stringify("gpusort-core/standalone only sorts all keys");
const hint = JSON.stringify('import createSorter from "gpusort-core/gpu", or "gpusort/core/gpu"');

const found = new Set();
/**
 * Keeps an `import()` of a part that is kept, which esbuild then bundles.
 *
 * @param {string} path
 */
const withParts = (path) =>
  readFileSync(path, "utf8").replace(/\bimport\("(\.[^"]+)"\)/g, (expression, to) => {
    const target = relative(core, join(dirname(path), to)).replaceAll("\\", "/");
    const part = target.replace(/(\.later)?\.js$/, "");
    if (!kept.has(part)) return `Promise.reject(Object.assign(Error(${leftOut}), { hint: ${hint} }))`;
    found.add(part);
    return expression;
  });

const SOURCE = /("source": ?)("(?:[^"\\]|\\.)*")/g;
/** @param {string} name */
const familyFile = (name) => join(core, `shaders/wgsl/${name}.generated.js`);
const families = await Promise.all(FAMILIES.map((name) => import(pathToFileURL(familyFile(name)).href)));
const units = families.flatMap(({ family }) => [family.kernels, family.modules].flatMap(Object.values));
const minify = wgslMinifier(units.flatMap(({ sections }) => sections));
/** @param {string} text */
const withShortWgsl = (text) =>
  text.replace(SOURCE, (_, key, source) => key + JSON.stringify(minify(JSON.parse(source))));

await build({
  entryPoints: [join(core, "gpu.js")],
  outfile: join(core, "standalone.js"),
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  plugins: [
    {
      name: "the sort of all keys",
      setup: ({ onLoad }) =>
        onLoad({ filter: /\.js$/ }, ({ path }) => {
          const text = withParts(path);
          return { contents: /\bwgsl\b/.test(dirname(path)) ? withShortWgsl(text) : text };
        }),
    },
  ],
});
const lacking = [...kept].filter((part) => !found.has(part));
if (lacking.length > 0) throw new Error(`gpusort/core/gpu does not load ${lacking.join(", ")}`);
