/** Where the modules of a library come from: this build, npm, a clone, or a crate. For scripts/peers.js. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

/**
 * @typedef {import("./libraries.js").Library} Library
 * @typedef {import("esbuild").BuildOptions} BuildOptions
 * @typedef {Pick<BuildOptions, "alias" | "nodePaths" | "plugins"> & { version: string, source: string }}
 *   Modules
 */

const here = fileURLToPath(new URL(".", import.meta.url));
const root = dirname(dirname(here));

/**
 * The version of the package that a folder is in.
 *
 * @param {string} folder
 * @returns {string}
 */
function versionIn(folder) {
  const path = join(folder, "package.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : versionIn(dirname(folder));
}

/**
 * Installs packages in a folder.
 *
 * @param {string[]} packages
 * @param {string} into
 * @throws an error that says why they are not there.
 */
function install(packages, into) {
  if (existsSync(join(into, "node_modules"))) return;
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, "package.json"), '{ "private": true, "type": "module" }');
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages];
  try {
    execFileSync("npm", args, { cwd: into, stdio: "pipe", shell: process.platform === "win32" });
  } catch (error) {
    const { stderr, message } = /** @type {Error & { stderr: string }} */ (error);
    const isAbsent = /E404|404 Not Found/.test(stderr);
    throw new Error(isAbsent ? "the registry of npm that was asked has none" : message.split("\n")[0]);
  }
}

/** @param {unknown} error */
const firstLine = (error) => /** @type {Error} */ (error).message.split("\n")[0];

/**
 * Compiles a crate to WebAssembly.
 *
 * @param {string} crate
 * @param {string} into
 * @returns the folder of its modules, and the version of what it uses.
 */
function compile(crate, into) {
  cpSync(join(here, crate), into, { recursive: true });
  /** @param {string[]} args */
  const cargo = (...args) => execFileSync("cargo", args, { cwd: into, encoding: "utf8", stdio: "pipe" });
  try {
    cargo("build", "--release", "--target", "wasm32-unknown-unknown");
    const wasm = `target/wasm32-unknown-unknown/release/${crate}_page.wasm`;
    execFileSync("wasm-bindgen", ["--target", "web", "--out-dir", "pkg", wasm], { cwd: into, stdio: "pipe" });
  } catch (error) {
    throw new Error(`it is Rust, and could not be compiled: ${firstLine(error)}`);
  }
  return { modules: join(into, "pkg"), version: cargo("pkgid", crate).trim().split("@")[1] };
}

/**
 * Builds the plugin of esbuild that a library needs, from a clone and from the packages that it imports.
 *
 * @param {Library} library
 * @param {string} clone
 * @param {string} into
 */
async function buildPlugin({ plugin = "", pluginAlias = {} }, clone, into) {
  const outfile = join(into, "plugin.mjs");
  const paths = Object.entries(pluginAlias).map(([name, path]) => [name, join(clone, path)]);
  await build({
    entryPoints: [join(clone, plugin)],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias: Object.fromEntries(paths),
    outfile,
    logLevel: "error",
  });
  const { default: create } = await import(pathToFileURL(outfile).href);
  return create({ include: [/\.ts$/] });
}

/**
 * @param {string | undefined} clone the folder of a clone, if there is one
 * @param {string} folder where packages are installed and crates compiled
 * @param {Library} library
 * @returns {Promise<Modules>} the version, the source, and what tells esbuild where the modules are.
 */
export async function modulesOf(library, clone, folder) {
  const { name, packages, file, module, crate, plugin } = library;
  const into = join(folder, file);
  if (!packages && !crate) {
    const alias = { "gpusort-core/standalone": join(root, "dist/core/standalone.js") };
    return { alias, version: versionIn(root), source: "this commit" };
  }
  if (crate) {
    const { modules, version } = compile(crate, into);
    return { alias: { [`${crate}-page`]: modules }, version, source: "a crate" };
  }
  if (plugin && !clone) throw new Error("no registry has it; --clone runs it from its sources");
  if (plugin || !clone) install(packages ?? [], into);
  const nodePaths = [join(into, "node_modules")];
  if (!clone) return { nodePaths, version: versionIn(join(nodePaths[0], name)), source: "npm" };
  const path = join(clone, module ?? "");
  const plugins = plugin ? [await buildPlugin(library, clone, into)] : [];
  return {
    alias: { [name]: path },
    nodePaths,
    plugins,
    version: versionIn(dirname(path)),
    source: "a clone",
  };
}
