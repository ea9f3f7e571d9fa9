/**
 * Builds dist/page/ and dist/site/: node scripts/site.js [--api]
 *
 * dist/page/ is the page of docs/site/, which the package has, and `gpusort demo page` serves. dist/site/ is
 * for any static host: the page again, with the parts of it that lead to documents and benchmarks, and every
 * document beside it as HTML, at the path that it has in the project. Nothing in them comes from another host.
 * With --api the API reference is part of the site, which `npm run docs` has written to docs/api/ before: it
 * takes a TypeScript of its own, so a build does without it.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Marked } from "marked";
import { gfmHeadingId } from "marked-gfm-heading-id";

const root = fileURLToPath(new URL("..", import.meta.url));
const pageFolder = join(root, "dist/page");
const site = join(root, "dist/site");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const withApi = process.argv.includes("--api");

/** The documents of the page's list, and what each is about. */
const DOCUMENTS = {
  "README.md": "Start here: install, sort, measure",
  "docs/library.md": "The library: typed arrays, buffers on the GPU, files",
  ...(withApi && { "docs/api/README.md": "API reference" }),
  "docs/formats.md": "Formats: numbers, records, rows, tables",
  "docs/devices.md": "Devices: adapters, drivers, containers",
  "docs/hardware.md": "Hardware: what was measured, and how to report yours",
  "docs/benchmark.md": "The benchmark, and how to read it",
  "docs/performance.md": "Performance: what to expect, what to tune",
  "docs/cluster.md": "Jobs: sorts on many machines",
  "docs/reliability.md": "Reliability: what is checked",
  "docs/memory-and-safety.md": "Memory, and the safety of files",
  "docs/security.md": "Security",
  "docs/kernels.md": "Kernels: how they work",
  "docs/gallery.md": "Gallery of compute shaders",
  "ARCHITECTURE.md": "Architecture",
  "docs/glossary.md": "Glossary",
  "CONTRIBUTING.md": "Contributing",
  "CHANGELOG.md": "Changelog",
};

/** Benchmarks whose plots the page shows. */
const PLOTS = [
  { file: "bench-h200", what: "NVIDIA H200" },
  { file: "bench-lavapipe", what: "lavapipe, a software adapter" },
  { file: "bench-swiftshader", what: "SwiftShader, a software adapter" },
];

/**
 * @param {string} folder
 * @param {{ recursive?: boolean }} options
 */
const below = (folder, { recursive = false } = {}) =>
  readdirSync(join(root, folder), { recursive, encoding: "utf8" }).map(
    (name) => `${folder}/${name.replaceAll("\\", "/")}`,
  );
const documents = [
  ...new Set([
    ...Object.keys(DOCUMENTS),
    "BENCHMARKS.md",
    ...below("docs"),
    ...below("docs/benchmarks"),
    ...below("docs/notes"),
    ...(withApi ? below("docs/api", { recursive: true }) : []),
  ]),
].filter((path) => path.endsWith(".md"));
/** Raw results have the date of their measurement in their names. */
const measurements = below("docs/benchmarks").filter((path) => /\/\d{4}-[^/]*\.jsonl?$/.test(path));

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** Files that documents show or link to, and that the site so has too. */
const assets = new Set(measurements);

/**
 * @param {string} from
 * @param {string} href
 * @returns {string | undefined} where a link of a document leads in the site; undefined if that is not there.
 */
function target(from, href) {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const to = posix.join(posix.dirname(from), path);
  if (documents.includes(to)) return `${path.replace(/\.md$/, ".html")}${anchor ? `#${anchor}` : ""}`;
  if (/\.(svg|png|gif|jsonl?)$/.test(to)) {
    assets.add(to);
    return href;
  }
  return undefined;
}

/** @param {string} path */
function htmlOf(path) {
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const to = target(path, href);
        return to === undefined ? text : `<a href="${escaped(to)}">${text}</a>`;
      },
      image({ href, text }) {
        return `<img src="${escaped(target(path, href) ?? href)}" alt="${escaped(text)}" loading="lazy">`;
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
      },
    },
  });
  // A corner of a table that is empty heads nothing.
  const html = marked.parse(readFileSync(join(root, path), "utf8"), { async: false });
  return html.replaceAll(/<th[^>]*><\/th>/g, "<td></td>");
}

/**
 * A document as a page, with the header of the site.
 *
 * @param {string} path
 */
function documentPage(path) {
  const up = "../".repeat(path.split("/").length - 1);
  const content = htmlOf(path);
  const title = /<h1[^>]*>(.*?)<\/h1>/s.exec(content)?.[1].replace(/<[^>]+>/g, "") ?? basename(path, ".md");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · gpusort</title>
<link rel="icon" href="${up}icon.svg">
<link rel="stylesheet" href="${up}style.css">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="name" href="${up}index.html">gpusort</a>
<nav aria-label="Sections">
<a href="${up}docs/library.html">Library</a>
${withApi ? `<a href="${up}docs/api/README.html">API</a>` : ""}
<a href="${up}BENCHMARKS.html">Benchmarks</a>
<a href="${up}index.html#documents">Documents</a>
</nav>
</header>
<main id="main"><article>
${content}
</article></main>
</body>
</html>
`;
}

/** @param {string[]} items */
const list = (items) =>
  `<ul class="documents">\n${items.map((item) => `<li>${item}</li>`).join("\n")}\n</ul>`;
/**
 * @param {string} path
 * @param {string} text
 */
const link = (path, text) => `<a href="${path}">${text}</a>`;

/**
 * @param {string} path
 * @param {string} content
 * @param {string} folder
 */
function put(path, content, folder = site) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

for (const folder of [pageFolder, site]) rmSync(folder, { recursive: true, force: true });
for (const path of documents) put(path.replace(/\.md$/, ".html"), documentPage(path));

const plots = PLOTS.map(({ file, what }) => {
  const path = `docs/${file}.svg`;
  assets.add(path);
  const alt = `Plots of time and bytes a second by number of keys on ${what}`;
  const image = `<img class="plot" src="${path}" alt="${alt}" loading="lazy">`;
  return `<figure><a href="${path}">${image}</a><figcaption>${what}</figcaption></figure>`;
});
/** @type {Record<string, string>} */
const parts = {
  benchmarks: `<div class="pair">${plots.join("\n")}</div>\n<p>The raw results:</p>\n${list(measurements.map((path) => link(path, basename(path))))}`,
  documents: list(
    Object.entries(DOCUMENTS).map(([path, about]) => link(path.replace(/\.md$/, ".html"), about)),
  ),
  version,
};
/** @param {string} html */
const filled = (html) => html.replace(/<!-- (\w+) -->/g, (_, name) => parts[name] ?? "");
const page = readFileSync(join(root, "docs/site/index.html"), "utf8");
const [begin, end] = ["<!-- only in the site -->", "<!-- end -->"];
put("index.html", filled(page.replaceAll(new RegExp(`\\s*${begin}.*?${end}`, "gs"), "")), pageFolder);
put("index.html", filled(page.replaceAll(new RegExp(`\\s*(${begin}|${end})`, "g"), "")));

for (const asset of assets) cpSync(join(root, asset), join(site, asset));
for (const name of ["style.css", "icon.svg"]) cpSync(join(root, "docs/site", name), join(pageFolder, name));
// A sort on the CPU looks for its worker beside the page's code.
cpSync(join(root, "dist/core/cpu/web_worker.js"), join(pageFolder, "web_worker.js"));

await build({
  entryPoints: [join(root, "docs/site/main.ts")],
  outdir: pageFolder,
  bundle: true,
  splitting: true,
  chunkNames: "chunk-[hash]",
  format: "esm",
  platform: "browser",
  target: "es2023",
  minify: true,
  legalComments: "none",
});
cpSync(pageFolder, site, { recursive: true, filter: (path) => basename(path) !== "index.html" });
