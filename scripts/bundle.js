/**
 * Bundles the command into dist/command/: node scripts/bundle.js, after tsc
 *
 * A sort loads some 180 modules and packages, and Node takes 80 ms longer for them than for two files. It takes
 * longer for ES modules than for CommonJS, too. So this makes two files of what every run and every sort loads;
 * each other part is a file of its own, which is loaded when it is needed. All of them are scripts, which
 * src/commands/compiled_code.ts runs, and start.js holds that. A source map, without the sources, lies beside
 * each file: src/commands/terminal/failure.ts reads it for the traces of errors.
 *
 * The library is not bundled (but see scripts/bundle_core.js): tools that copy it as it is need no other file.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { build, transform } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const command = join(root, "dist/command");

/** Packages that many runs load. The others, which few runs load, stay outside, as does Dawn. */
const BUNDLED = ["cli-table3", "commander", "string-width"];

const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const packages = Object.keys({ ...dependencies, ...peerDependencies });

/** Commander loads it for subcommands that are programs of their own. gpusort has none, and it takes 10 ms. */
const withoutChildProcess = {
  name: "commander without node:child_process",
  /** @param {import("esbuild").PluginBuild} build */
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes("node_modules/commander/") ? { path: "none", namespace: "none" } : undefined,
    );
    onLoad({ filter: /^none$/, namespace: "none" }, () => ({ contents: "" }));
  },
};

const target = "node20.19";
/** @param {Record<string, string>} entryPoints */
const bundle = (entryPoints) =>
  build({
    entryPoints,
    outdir: command,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: "esm", // as esbuild splits nothing else
    platform: "node",
    target,
    external: packages.filter((name) => !BUNDLED.includes(name)),
    plugins: [withoutChildProcess],
    define: { "import.meta.url": "moduleUrl" },
    metafile: true,
    write: false,
    sourcemap: "inline",
    sourcesContent: false,
  });

const short = {
  minifyWhitespace: true,
  minifySyntax: true, // names stay, so that a stack trace can be read
  legalComments: /** @type {const} */ ("none"), // the licences are in a file
};

/**
 * @param {string} text
 * @returns the code of the same module as CommonJS, and its source map.
 */
async function asCommonJs(text) {
  const replaced = text
    // import() of a file of the command would take longer than require().
    .replace(/\bimport\(("\.\/[^"]+")\)/g, "Promise.resolve().then(()=>require($1))")
    // A script that is run by kept code cannot import: start.js does it for all.
    .replace(/\bimport\(/g, "importPackage(");
  const { code, map } = await transform(replaced, {
    format: "cjs",
    platform: "node",
    target,
    banner: text.includes("moduleUrl")
      ? 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;'
      : "",
    sourcemap: "external",
    sourcesContent: false,
    ...short,
  });
  return { code: code.trim(), map: withLinesOnly(JSON.parse(map)) };
}

/**
 * Where columns and names are left out, a map takes a quarter of the space.
 *
 * @param {{ mappings: string }} map
 */
function withLinesOnly(map) {
  const lines = decode(map.mappings).map((segments) =>
    segments.filter(([, source, line], i) => {
      const before = segments[i - 1];
      return source !== before?.[1] || line !== before[2];
    }),
  );
  return { ...map, names: [], mappings: encode(lines) };
}

const main = await bundle({
  cli: join(root, "src/cli.ts"),
  compiled_code: join(root, "src/commands/compiled_code.ts"),
});
// The code of threads lies beside the command's files: see src/threads/worker_url.ts.
const worker = await bundle({ worker: join(root, "src/threads/worker.ts") });

/** The outputs of esbuild by their file names. */
const outputs = new Map(
  Object.entries(main.metafile.outputs).map(([path, output]) => [basename(path), output]),
);

/**
 * @param {string} name
 * @returns {never}
 */
function missing(name) {
  throw new Error(`esbuild made nothing of ${name}`);
}

/**
 * The file of a module that is loaded by import().
 *
 * @param {string} module
 * @returns {string}
 */
const fileOf = (module) =>
  [...outputs].find(([, { entryPoint }]) => entryPoint === module)?.[0] ?? missing(module);

/**
 * The files that some files load at once, themselves first.
 *
 * @param {string[]} names
 */
function loadedBy(...names) {
  const loaded = [...names];
  for (const each of loaded) {
    for (const { path, kind, external } of (outputs.get(each) ?? missing(each)).imports) {
      const imported = basename(path);
      if (kind === "import-statement" && !external && !loaded.includes(imported)) loaded.push(imported);
    }
  }
  return loaded;
}

/** The modules of the command by their names: those of the first files lie in these, each other in its own. */
/** @type {Map<string, string[]>} */
const packs = new Map();
for (const names of [
  loadedBy("compiled_code.js"),
  loadedBy("cli.js", fileOf("src/commands/command_line.ts")),
  loadedBy(fileOf("src/commands/sort/sort.ts")),
  ...[...outputs.keys()].map((name) => [name]),
]) {
  const packed = [...packs.values()].flat();
  const others = names.filter((name) => !packed.includes(name));
  if (others.length > 0) packs.set(names[0], others);
}

const modules = new Map();
for (const { path, text } of main.outputFiles) modules.set(basename(path), await asCommonJs(text));

/**
 * An object of modules as functions, which is the value of a script.
 *
 * @param {string[]} names
 */
function packed(names) {
  let code = "({";
  const sections = [];
  for (const name of names) {
    const module = modules.get(name);
    code += `"./${name}":function(require,module,exports,__filename,importPackage){\n`;
    sections.push({ offset: { line: linesOf(code) - 1, column: 0 }, map: module.map });
    code += `${module.code}\n},\n`;
  }
  return { code: `${code}})`, map: { version: 3, sections } };
}

/** @param {string} code */
const linesOf = (code) => code.split("\n").length;

/**
 * @param {string} name
 * @param {{ code: string, map: object }} file
 */
function write(name, { code, map }) {
  writeFileSync(join(command, name), `${code}\n//# sourceMappingURL=${name}.map\n`);
  writeFileSync(join(command, `${name}.map`), JSON.stringify(map));
}

rmSync(command, { recursive: true, force: true });
mkdirSync(command);
writeFileSync(join(command, "package.json"), '{ "type": "commonjs" }\n');
for (const { path, text } of worker.outputFiles) write(basename(path), await asCommonJs(text));
const [[first, firstNames], ...others] = packs;
const contents = createHash("sha256");
for (const [name, names] of others) {
  const { code, map } = packed(names);
  contents.update(code);
  // `require` gets the same object, where no script is run.
  write(name, { code: `(typeof module==="object"?module:{}).exports=${code}`, map });
}

/** What loads the others: the modules that find compiled code, and where each module is. */
const { code, map } = packed(firstNames);
const placeOf = Object.fromEntries(
  others.flatMap(([name, names]) => names.slice(1).map((inside) => [`./${inside}`, `./${name}`])),
);
write("start.js", {
  code: `const sections=${code},run={},placeOf=${JSON.stringify(placeOf)};
const {findCompiledCode,runFile}=load("./${first}");
function load(name){
  if(!name.startsWith("./"))return require(name);
  if(run[name])return run[name].exports;
  const path=__dirname+name.slice(1);
  if(!sections[name])Object.assign(sections,runFile(__dirname+(placeOf[name]??name).slice(1),require));
  sections[name](load,run[name]={exports:{}},run[name].exports,path,(name)=>import(name));
  return run[name].exports;
}
module.exports=async()=>{findCompiledCode("${contents.digest("hex").slice(0, 12)}");return load("./cli.js")};`,
  map,
});

/** The licences of the bundled packages ask that their texts come with every copy. */
const folders = new Set(
  Object.keys(main.metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  ),
);
const licences = [...folders].sort().map((folder) => {
  const path = join(root, folder);
  const file = readdirSync(path).find((name) => /^licen[cs]e/i.test(name));
  if (!file) throw new Error(`${folder} has no licence file`);
  return `${folder.replace("node_modules/", "")}\n\n${readFileSync(join(path, file), "utf8").trim()}\n`;
});
writeFileSync(join(command, "LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
