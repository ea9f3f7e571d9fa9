/**
 * What a web page loads of the packed gpusort-core, as bundlers make it: for scripts/size.js.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";

/**
 * The bytes of a file as a server sends it.
 *
 * @param {string | Uint8Array} contents
 */
const gzipped = (contents) => gzipSync(contents, { level: 9 }).length;

/**
 * Makes a project that has the package installed.
 *
 * @param {string} packed the folder that `npm publish` packs.
 * @param {(folder: string) => Promise<T>} use takes the folder of the project.
 * @template T
 */
export async function withPackage(packed, use) {
  const folder = mkdtempSync(join(tmpdir(), "gpusort-size-"));
  try {
    cpSync(packed, join(folder, "node_modules/gpusort-core"), { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Bundles a page by esbuild, in files, and adds up those that parts of it load.
 *
 * @param {string} page the source of its script.
 * @param {string} worker the path in the package of what is loaded as a worker.
 * @param {string} folder
 */
export async function divided(folder, page, worker) {
  const { outputFiles, metafile } = await esbuild({
    stdin: { contents: page, resolveDir: folder, sourcefile: "page.js" },
    entryPoints: { worker: join(folder, "node_modules/gpusort-core", worker) },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    outdir: "page",
    metafile: true,
    write: false,
  });
  const outputs = Object.entries(metafile.outputs);
  /**
   * The files of entries, and all that these import statically.
   *
   * @param {(entryPoint: string) => boolean} isEntry
   */
  const loadedBy = (isEntry) => {
    const loaded = outputs.flatMap(([path, { entryPoint }]) =>
      entryPoint && isEntry(entryPoint) ? [path] : [],
    );
    for (const path of loaded) {
      for (const { path: imported, kind } of metafile.outputs[path].imports) {
        if (kind === "import-statement" && !loaded.includes(imported)) loaded.push(imported);
      }
    }
    return loaded;
  };
  const contents = new Map(outputFiles.map((file) => [basename(file.path), file.contents]));
  /**
   * @param {string[]} paths
   * @returns the gzipped bytes of the files, one by one.
   */
  const weigh = (paths) =>
    paths.reduce((total, path) => total + gzipped(contents.get(basename(path)) ?? ""), 0);
  /** @param {RegExp[]} patterns */
  const matching = (patterns) => loadedBy((entry) => patterns.some((pattern) => pattern.test(entry)));
  const atOnce = loadedBy((entry) => entry === "page.js");
  return {
    atOnce: weigh(atOnce),
    files: atOnce.length,
    /** @param {RegExp[]} patterns */
    withLater: (...patterns) => weigh([...new Set([...atOnce, ...matching(patterns)])]),
    /** @param {RegExp[]} patterns */
    later: (...patterns) => weigh(matching(patterns).filter((path) => !atOnce.includes(path))),
    /**
     * What some parts add to others.
     *
     * @param {RegExp[]} others
     * @param {RegExp[]} patterns
     */
    beyond: (others, ...patterns) => {
      const loaded = new Set([...atOnce, ...matching(others)]);
      return weigh(matching(patterns).filter((path) => !loaded.has(path)));
    },
  };
}

/**
 * @param {string} folder
 * @param {string} page
 * @returns the gzipped bytes of a page that esbuild bundles into one file.
 */
export async function undivided(folder, page) {
  const { outputFiles } = await esbuild({
    stdin: { contents: page, resolveDir: folder },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    logOverride: { "empty-import-meta": "silent" },
  });
  return gzipped(outputFiles[0].contents);
}

/**
 * @param {string} folder
 * @param {string} page
 * @returns the gzipped bytes of all files that a page loads at once which Vite bundles.
 */
export async function atOnceByVite(folder, page) {
  writeFileSync(join(folder, "main.js"), page);
  writeFileSync(join(folder, "index.html"), '<script type="module" src="/main.js"></script>');
  const { output } = /** @type {import("vite").Rolldown.RolldownOutput} */ (
    await vite({
      root: folder,
      configFile: false,
      logLevel: "error",
      build: { target: "esnext", write: false },
    })
  );
  const chunks = output.filter((one) => one.type === "chunk");
  const loaded = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const { imports } of loaded)
    for (const one of chunks) if (imports.includes(one.fileName)) loaded.add(one);
  return [...loaded].reduce((total, { code }) => total + gzipped(code), 0);
}
