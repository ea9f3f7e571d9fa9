/**
 * node bench/first_call.js [--other FOLDER] [--runs 3] [--chromium PATH]: how long the first and later sorts
 * of gpusort/core take in headless Chromium on SwiftShader. Run it after a build.
 *
 * --other names a clone of another version with its build, which takes turns with this one. Each run starts a
 * new browser, with a profile of its own, for each number of keys: nothing is compiled or loaded before. The
 * sorts follow each other in one page. It prints medians of the runs.
 */
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { launch } from "puppeteer-core";

const { values } = parseArgs({
  options: {
    other: { type: "string" },
    runs: { type: "string", default: "3" },
    chromium: { type: "string", default: process.env.GPUSORT_CHROMIUM },
  },
});
/**
 * @typedef {object} Times milliseconds
 * @property {number} open
 * @property {{ first: number, steady: number }[]} sorts
 *
 * @typedef {Times & { version: string }} Run
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const executablePath =
  values.chromium ?? execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
const SIZES = [1000, 100_000];
const KINDS = ["f32 keys", "f32 keys, descending", "f32 keys with values", "u64 keys"];

/**
 * What the page does. It is given to the browser as text.
 *
 * @param {number} size
 * @returns {Promise<Times>}
 */
async function measure(size) {
  const adapter = /** @type {GPUAdapter} */ (await navigator.gpu.requestAdapter());
  /** @type {GPUFeatureName[]} */
  const requiredFeatures = adapter.features.has("subgroups") ? ["subgroups"] : [];
  const device = await adapter.requestDevice({ requiredFeatures });
  const floats = Float32Array.from({ length: size }, Math.random);
  const integers = BigUint64Array.from(floats, (value) => BigInt(Math.floor(value * 2 ** 53)));
  const begin = performance.now();
  const { createSorter } =
    /** @type {{ createSorter: typeof import("../dist/core/index.js").createSorter }} */ (
      /** @type {unknown} */ (globalThis)
    );
  const sorter = await createSorter(device);
  /** @type {Times} */
  const times = { open: performance.now() - begin, sorts: [] };
  const sorts = [
    () => sorter.sort(floats),
    () => sorter.sort(floats, { descending: true }),
    async () => (await sorter.sortPairs(floats, new Uint32Array(size))).keys.toReversed(),
    () => sorter.sort(integers),
  ];
  for (const sort of sorts) {
    /** @type {number[]} */
    const ms = [];
    for (let round = 0; round < 12; round++) {
      const start = performance.now();
      const sorted = await sort();
      ms.push(performance.now() - start);
      if (sorted.length !== size) throw new Error("keys are missing");
    }
    const [first = 0, ...later] = ms;
    times.sorts.push({ first, steady: later.sort((a, b) => a - b)[later.length >> 1] });
  }
  return times;
}

/**
 * The bundle of a build, by the paths of its files.
 *
 * @param {string} folder
 */
async function bundleOf(folder) {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createSorter } from "./dist/core/index.js"; globalThis.createSorter = createSorter;`,
      resolveDir: folder,
      sourcefile: "page.js",
    },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    outdir: "page",
    write: false,
    entryNames: "page",
  });
  return new Map(outputFiles.map(({ path, text }) => [`/${path.split(/[\\/]/).at(-1)}`, text]));
}

/**
 * Measures a bundle in a new browser.
 *
 * @param {Map<string, string>} files
 * @param {number} size
 */
async function timed(files, size) {
  const server = createServer(({ url = "/" }, response) => {
    const text =
      url === "/" ? '<!doctype html><script type="module" src="page.js"></script>' : files.get(url);
    const type = url.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(text === undefined ? 404 : 200, { "content-type": type });
    response.end(text);
  });
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(undefined));
  });
  const args = ["--no-sandbox", "--enable-unsafe-webgpu", "--enable-features=Vulkan"];
  const swiftshader = ["--use-vulkan=swiftshader", "--use-webgpu-adapter=swiftshader"];
  const browser = await launch({ executablePath, args: [...args, ...swiftshader], protocolTimeout: 120_000 });
  try {
    const page = await browser.newPage();
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForFunction("globalThis.createSorter");
    return { version: await browser.version(), ...(await page.evaluate(measure, size)) };
  } finally {
    await browser.close();
    server.close();
  }
}

/** @param {string} folder */
const commitOf = (folder) =>
  execFileSync("git", ["-C", folder, "rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
const builds = [];
for (const folder of [root, ...(values.other ? [values.other] : [])]) {
  builds.push({ name: commitOf(folder), files: await bundleOf(resolve(folder)) });
}
/** @type {Run[][][]} */
const results = builds.map(() => SIZES.map(() => []));
for (let run = 0; run < Number(values.runs); run++) {
  for (const [s, size] of SIZES.entries()) {
    for (const [b, { files }] of builds.entries()) results[b][s].push(await timed(files, size));
  }
}

/** @param {number[]} numbers */
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
/**
 * @param {Run[]} runs
 * @param {(run: Run) => number} pick
 */
const ms = (runs, pick) => median(runs.map(pick)).toFixed(1);
console.log(`${results[0][0][0].version}, ${values.runs} runs, ms: first (later)`);
console.log(`| keys | sort |${builds.map(({ name }) => ` ${name} |`).join("")}`);
console.log(`| ---: | --- |${builds.map(() => " ---: |").join("")}`);
for (const [s, size] of SIZES.entries()) {
  const open = results.map((sizes) => ` ${ms(sizes[s], (one) => one.open)} |`);
  console.log(`| ${size} | \`createSorter\` |${open.join("")}`);
  for (const [k, kind] of KINDS.entries()) {
    const cells = results.map((sizes) => {
      /** @param {"first" | "steady"} which */
      const of = (which) => ms(sizes[s], ({ sorts }) => sorts[k][which]);
      return ` ${of("first")} (${of("steady")}) |`;
    });
    console.log(`| ${size} | ${kind} |${cells.join("")}`);
  }
}
