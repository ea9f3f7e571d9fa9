/**
 * node scripts/peers.js [--write] [--folder DIR] [--clone NAME=DIR …] [NAME …]: runs other libraries that sort
 * by WebGPU, in headless Chromium on SwiftShader, and prints what they sorted rightly and what they weigh. Run
 * it after a build. It takes some five minutes.
 *
 * It installs them from npm, in the versions of scripts/peers/libraries.js, into a folder that it removes, or
 * keeps if --folder names it. What the registry lacks can be run from a clone; a crate is compiled by cargo and
 * wasm-bindgen, which must be of the version that cargo takes. --write puts the table into docs/library.md, and
 * what was not sorted rightly into docs/peers.json.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { launch } from "puppeteer-core";
import { withMarkedTable } from "./marked_table.js";
import { libraries } from "./peers/libraries.js";
import { modulesOf } from "./peers/modules.js";
import { condensed, peerTable } from "./peers/table.js";

/**
 * @typedef {object} Outcome what scripts/peers/page.js leaves: results, or why there are none
 * @property {string} [failed]
 * @property {string[]} [types]
 * @property {string} [adapter]
 * @property {import("./peers/table.js").Result[]} [results]
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean" },
    folder: { type: "string" },
    clone: { type: "string", multiple: true, default: [] },
  },
});

const clones = new Map(
  options.clone.map((one) => one.split("=")).map(([name = "", path = ""]) => [name, resolve(path)]),
);
const folder = options.folder ? resolve(options.folder) : mkdtempSync(join(tmpdir(), "gpusort-peers-"));

/**
 * Bundles a script.
 *
 * @param {string} entry
 * @param {import("esbuild").BuildOptions} modules
 * @returns its bytes, and those of the files that it fetches, by their paths in a page.
 */
async function bundled(entry, { alias = {}, nodePaths = [], plugins = [] }) {
  const { outputFiles } = await build({
    entryPoints: { page: entry },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "esnext",
    write: false,
    outdir: "/",
    publicPath: "/",
    loader: { ".wasm": "file" },
    logLevel: "error",
    nodePaths,
    plugins,
    alias,
  });
  return new Map(outputFiles.map(({ path, contents }) => [`/${basename(path)}`, contents]));
}

/** @type {Record<string, string>} */
const mediaTypes = { ".js": "text/javascript", ".wasm": "application/wasm" };

/**
 * Serves a page with a script, and opens it.
 *
 * @param {import("puppeteer-core").Browser} browser
 * @param {Map<string, Uint8Array>} files
 * @returns {Promise<Outcome>} the result that the script leaves.
 */
async function runPage(browser, files) {
  const server = createServer(({ url = "/" }, response) => {
    response.setHeader("content-type", mediaTypes[extname(url)] ?? "text/html");
    response.end(files.get(url) ?? '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)));
  const page = await browser.newPage();
  /** @type {string[]} */
  const failures = [];
  page.on("pageerror", (error) => failures.push(String(error)));
  try {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForFunction("globalThis.result", { timeout: 1_800_000 });
    return /** @type {Outcome} */ (await page.evaluate("globalThis.result"));
  } catch (error) {
    return { failed: [/** @type {Error} */ (error).message, ...failures.slice(0, 3)].join("; ") };
  } finally {
    await page.close();
    server.close();
  }
}

/** @param {Map<string, Uint8Array>} files */
const sizeOf = (files) =>
  [...files.values()].reduce((sum, contents) => sum + gzipSync(contents, { level: 9 }).length, 0);

/**
 * @param {import("./peers/libraries.js").Library} library
 * @param {import("puppeteer-core").Browser} browser
 */
async function run(library, browser) {
  const { name, title = name, file, note } = library;
  const { version, source, ...modules } = await modulesOf(library, clones.get(name), folder);
  const path = join(root, `scripts/peers/${file}.js`);
  const bytes = sizeOf(await bundled(path, modules));
  const page = join(root, "scripts/peers/page.js");
  const files = await bundled(page, { ...modules, alias: { ...modules.alias, peer: path } });
  const { failed, types = [], adapter = "", results = [] } = await runPage(browser, files);
  console.error(`${name} ${version}: ${failed ?? `${results.length} arrays`}`);
  if (failed) return { name: title, version, source, bytes, notRun: failed.split("\n")[0] };
  return { name: title, version, source, bytes, types, adapter, ...condensed(results), note };
}

const chromium =
  process.env.GPUSORT_CHROMIUM ??
  execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
const browser = await launch({
  executablePath: chromium,
  headless: true,
  protocolTimeout: 1_800_000,
  // What makes Chromium run WebGPU without a GPU and without a screen.
  args: [
    "--no-sandbox",
    "--enable-unsafe-webgpu",
    "--enable-features=Vulkan",
    "--use-vulkan=swiftshader",
    "--use-webgpu-adapter=swiftshader",
  ],
});
try {
  const peers = [];
  for (const library of libraries) {
    if (positionals.length > 0 && !positionals.includes(library.name)) continue;
    const { name, title = name } = library;
    /** @param {Error} error */
    const notRun = ({ message }) => ({ name: title, notRun: message.split("\n")[0] });
    peers.push(await run(library, browser).catch(notRun));
  }
  const report = { date: new Date().toISOString().slice(0, 10), browser: await browser.version(), peers };
  const table = peerTable(report);
  console.log(table);
  if (options.write) {
    writeFileSync(join(root, "docs/peers.json"), `${JSON.stringify(report)}\n`);
    const path = join(root, "docs/library.md");
    writeFileSync(path, withMarkedTable(readFileSync(path, "utf8"), "peers.js", table));
  }
} finally {
  await browser.close();
  if (!options.folder) rmSync(folder, { recursive: true });
}
