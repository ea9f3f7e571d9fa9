/**
 * node scripts/pack-core.js: makes packages/core/dist/, which `npm pack` and `npm publish` take: the package
 * gpusort-core. Run it after a build.
 *
 * It is what the entries of gpusort/core reach, of the same files, and packages/core/package.json with the
 * version of the root's.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const from = join(root, "dist/core");
const to = join(root, "packages/core/dist");

/** All modules that the entries load, at once or later, and the worker. */
const { metafile } = await build({
  entryPoints: ["index.js", "gpu.js", "standalone.js", "cpu/web_worker.js"].map((name) => join(from, name)),
  absWorkingDir: from,
  bundle: true,
  splitting: true,
  format: "esm",
  outdir: "none",
  metafile: true,
  write: false,
});
const modules = Object.keys(metafile.inputs).map((path) => join(from, path));

/** The declarations of the entries, and all that they import. */
const declarations = new Set(["index.d.ts", "gpu.d.ts"].map((name) => join(from, name)));
for (const path of declarations) {
  for (const [, imported] of readFileSync(path, "utf8").matchAll(/\b(?:from |import\()"(\.[^"]+)\.js"/g)) {
    declarations.add(join(dirname(path), `${imported}.d.ts`));
  }
}

rmSync(to, { recursive: true, force: true });
for (const path of [...modules, ...declarations]) {
  const target = join(to, "dist", relative(from, path));
  if (!existsSync(path)) throw new Error(`${path} is missing: run npm run build`);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(path, target);
}
copyFileSync(join(root, "LICENSE"), join(to, "LICENSE"));
copyFileSync(join(root, "packages/core/README.md"), join(to, "README.md"));
/** @param {string} path */
const json = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
const { name, ...template } = json("packages/core/package.json");
const { version } = json("package.json");
writeFileSync(join(to, "package.json"), `${JSON.stringify({ name, version, ...template }, null, 2)}\n`);
