/**
 * node scripts/peers.js [--write] [--folder DIR] [--clone NAME=DIR …] [NAME …]: runs other libraries that sort by
 * WebGPU, in headless Chromium on SwiftShader, and prints what they sorted rightly and what they weigh. Run it
 * after a build. It takes some ten minutes.
 *
 * It installs them from npm, in the versions below, into a folder that it removes, or keeps if --folder names it.
 * What the registry lacks can be run from a clone. --write puts the table into docs/library.md, and all results
 * into docs/peers.json.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { launch } from "puppeteer-core";
import { peerTable } from "./peers/table.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean" },
    folder: { type: "string" },
    clone: { type: "string", multiple: true, default: [] },
  },
});

/**
 * The libraries: what is installed of npm, the file of scripts/peers/ that sorts by it, the module of a clone.
 * Without a file, a package is only looked for.
 */
const PEERS = [
  { name: "gpusort-core", title: "gpusort-core/standalone", file: "gpusort" },
  {
    name: "webgpu-radix-sort",
    packages: ["webgpu-radix-sort@1.0.7"],
    file: "webgpu_radix_sort",
    module: "dist/esm/radix-sort-esm.js",
  },
  {
    name: "playcanvas",
    title: "PlayCanvas `ComputeRadixSort`",
    packages: ["playcanvas@2.23.3"],
    file: "playcanvas",
  },
  {
    name: "@luma.gl/gpgpu",
    title: "luma.gl `GPUSort`",
    packages: ["gpgpu", "core", "engine", "shadertools", "webgpu"].map((name) => `@luma.gl/${name}@9.4.2`),
    file: "luma",
  },
  { name: "three", title: "three.js `BitonicSort`", packages: ["three@0.187.0"], file: "three" },
  {
    name: "gridwise",
    title: "gridwise `OneSweepSort`",
    packages: ["gridwise@0.1.0"],
    file: "gridwise",
    module: "onesweep.mjs",
    // What docs/subgroup-strategy.md of gridwise says, and what was seen.
    note: "its documents say that its loops can starve on SwiftShader; without subgroups it hung there",
  },
  { name: "@typegpu/sort", packages: ["@typegpu/sort@latest"] },
  { name: "wgpu-primitives", packages: ["wgpu-primitives@latest"] },
];

const clones = new Map(options.clone.map((one) => one.split("=")));
const folder = options.folder ? resolve(options.folder) : mkdtempSync(join(tmpdir(), "gpusort-peers-"));

/** Installs a library in a folder of its own. @returns the reason why it is not there. */
function install({ name, packages }, into) {
  if (existsSync(join(into, "node_modules", name))) return undefined;
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, "package.json"), '{ "private": true, "type": "module" }');
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent", ...packages];
  try {
    execFileSync("npm", args, { cwd: into, stdio: "pipe", shell: process.platform === "win32" });
    return undefined;
  } catch (error) {
    return /E404|404 Not Found/.test(`${error.stdout}${error.stderr}`) || error.status === 1
      ? "the registry of npm that was asked has none"
      : `npm: ${error.message.split("\n")[0]}`;
  }
}

const versionIn = (path) => JSON.parse(readFileSync(join(path, "package.json"), "utf8")).version;

/** Where the modules of a library are, and its version; or the reason why it cannot be run. */
function find(peer) {
  if (peer.file === "gpusort") {
    const alias = { "gpusort-core/standalone": join(root, "dist/core/standalone.js") };
    return { alias, version: versionIn(root), source: "this commit" };
  }
  const clone = clones.get(peer.name);
  if (clone && peer.module) {
    const alias = { [peer.name]: join(resolve(clone), peer.module) };
    return { alias, version: versionIn(clone), source: "a clone" };
  }
  const into = join(folder, peer.file ?? peer.name.replaceAll("/", "_"));
  const reason = install(peer, into);
  if (reason) return { reason };
  if (!peer.file) return { reason: "npm has it, but scripts/peers/ does not run it" };
  const modules = join(into, "node_modules");
  return { nodePaths: [modules], version: versionIn(join(modules, peer.name)), source: "npm" };
}

const bundled = async (entry, { alias = {}, nodePaths = [] }) => {
  const { outputFiles } = await build({
    ...entry,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "esnext",
    write: false,
    logLevel: "error",
    nodePaths,
    alias,
  });
  return outputFiles[0].contents;
};

/** Serves a page with a script, and opens it. @returns the result that the script leaves. */
async function runPage(browser, script) {
  const server = createServer(({ url }, response) => {
    const isScript = url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const page = await browser.newPage();
  const failures = [];
  page.on("pageerror", (error) => failures.push(String(error)));
  try {
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction("globalThis.result", { timeout: 1_800_000 });
    return await page.evaluate("globalThis.result");
  } catch (error) {
    return { failed: [error.message, ...failures.slice(0, 3)].join("; ") };
  } finally {
    await page.close();
    server.close();
  }
}

async function run(peer, browser) {
  const { name, title = name, file, note } = peer;
  const { reason, version, source, ...modules } = find(peer);
  if (reason) return { name: title, notRun: reason };
  const path = join(root, `scripts/peers/${file}.js`);
  const bytes = gzipSync(await bundled({ entryPoints: [path] }, modules), { level: 9 }).length;
  const page = { entryPoints: [join(root, "scripts/peers/page.js")] };
  const script = await bundled(page, { ...modules, alias: { ...modules.alias, peer: path } });
  const { failed, types, adapter, results } = await runPage(browser, script);
  console.error(`${name} ${version}: ${failed ?? `${results.length} arrays`}`);
  if (failed) return { name: title, version, source, bytes, notRun: failed.split("\n")[0] };
  return { name: title, version, source, bytes, types, adapter, results, note };
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
  for (const peer of PEERS) {
    if (positionals.length > 0 && !positionals.includes(peer.name)) continue;
    const { title = peer.name } = peer;
    peers.push(
      await run(peer, browser).catch(({ message }) => ({ name: title, notRun: message.split("\n")[0] })),
    );
  }
  const report = { date: new Date().toISOString().slice(0, 10), browser: await browser.version(), peers };
  const table = peerTable(report);
  console.log(table);
  if (options.write) {
    writeFileSync(join(root, "docs/peers.json"), `${JSON.stringify(report)}\n`);
    const path = join(root, "docs/library.md");
    const text = readFileSync(path, "utf8");
    const [begin, end] = ["<!-- scripts/peers.js -->\n", "<!-- end -->"];
    writeFileSync(path, text.slice(0, text.indexOf(begin)) + begin + table + text.slice(text.indexOf(end)));
  }
} finally {
  await browser.close();
  if (!options.folder) rmSync(folder, { recursive: true });
}
