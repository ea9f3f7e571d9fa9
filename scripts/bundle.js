/**
 * Bundles the command into dist/command/, from the built modules: node scripts/bundle.js
 *
 * A run of the command loads some 180 modules, which takes Node 40 ms longer than the 10 files of the bundle.
 * What a command loads only if it needs it stays a file of its own. The library is not bundled.
 */
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
rmSync(`${dist}command`, { recursive: true, force: true });

await build({
  // The code of a thread lies beside the command's files: see src/threads/worker_url.ts.
  entryPoints: { cli: `${dist}cli.js`, worker: `${dist}threads/worker.js` },
  outdir: `${dist}command`,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  packages: "external",
  minifyWhitespace: true,
  minifySyntax: true, // names stay, so that a stack trace can be read
  legalComments: "none",
});
