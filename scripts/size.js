/**
 * node scripts/size.js: prints what gpusort weighs, and fails where it exceeds a budget. Run it after a
 * build.
 *
 * The package is what `npm publish` uploads. gpusort/core is bundled and minified as a web page would load
 * it, and compressed by gzip.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bytes. A budget leaves a tenth of room; raise it knowingly, and say why in the commit. */
const budgets = {
  "package, compressed": 480_000,
  "package, unpacked": 1_620_000,
  "gpusort/core, minified": 131_000,
  "gpusort/core, minified and gzipped": 36_500,
};

const pack = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
  cwd: root,
  encoding: "utf8",
  shell: process.platform === "win32",
});
const [{ size, unpackedSize }] = JSON.parse(pack);

const { outputFiles } = await build({
  stdin: { contents: 'export * from "gpusort/core";', resolveDir: root },
  bundle: true,
  minify: true,
  format: "esm",
  write: false,
});
const core = outputFiles[0].contents;

const sizes = {
  "package, compressed": size,
  "package, unpacked": unpackedSize,
  "gpusort/core, minified": core.length,
  "gpusort/core, minified and gzipped": gzipSync(core, { level: 9 }).length,
};
for (const [name, bytes] of Object.entries(sizes)) {
  const over = bytes > budgets[name];
  console.log(`${over ? "OVER " : ""}${name}: ${bytes} bytes of ${budgets[name]}`);
  if (over) process.exitCode = 1;
}
