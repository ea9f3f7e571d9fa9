/**
 * Writes the *.generated.ts files of src/. They hold the kernels of wgsl/ with their contracts, those of
 * assembly/ as WebAssembly, and the package's version and commit. As TypeScript, they load in Node and in a
 * browser's bundle alike, and the compiler checks the names that programs use. Fails if a file of wgsl/ breaks
 * its contract.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { assemble } from "./assemble.js";
import { commitOf } from "./commit.js";
import { checkUnit } from "./shaders/check.js";
import { contractOf, familiesOf, paramsOf, reachableModules } from "./shaders/contracts.js";
import { readUnits } from "./shaders/units.js";

/**
 * @typedef {import("./shaders/units.js").Unit} Unit
 * @typedef {import("./shaders/units.js").Modules} Modules
 */

const root = new URL("../", import.meta.url);

/**
 * Writes a file only if its text changes, so that nothing is compiled again without need.
 *
 * @param {string} path
 * @param {string} text
 */
function write(path, text) {
  if (current(path) !== text) writeFileSync(new URL(path, root), text);
}

/**
 * The text of a file; empty if there is none.
 *
 * @param {string} path
 */
function current(path) {
  try {
    return readFileSync(new URL(path, root), "utf8");
  } catch {
    return "";
  }
}

/** @param {string[]} names */
const quoted = (names) => names.map((name) => `"${name}"`).join(" | ") || "never";

/**
 * The parts of a unit that the linker needs.
 *
 * @param {Unit} unit
 */
function unitText({ path, sections }) {
  return JSON.stringify({ path, sections: sections.map(sectionWithout) });
}

/**
 * A section without what it lacks.
 *
 * @param {Unit["sections"][number]} section
 */
function sectionWithout({ source, ...lists }) {
  return { source, ...Object.fromEntries(Object.entries(lists).filter(([, { length }]) => length > 0)) };
}

/**
 * The variants of a slot as a member of a TypeScript type.
 *
 * @param {string} slot
 * @param {string[]} variants
 * @param {boolean} isOptional
 */
function variantsText(slot, variants, isOptional) {
  const named = quoted(variants);
  return isOptional ? `${slot}?: ${named} | undefined` : `${slot}: ${named}`;
}

/**
 * A kernel's contract as a TypeScript type.
 *
 * @param {string} name
 * @param {Unit} kernel
 * @param {Modules} modules
 */
function contractText(name, kernel, modules) {
  const { slots, optionalSlots, constants, optional } = contractOf(kernel, modules);
  const params = paramsOf(kernel, modules);
  const variants = [...slots]
    .map(([slot, names]) => variantsText(slot, names, optionalSlots.includes(slot)))
    .join("; ");
  const members = params?.members.map(
    (one) => `${one.name}: ${one.words === 1 ? "number" : "readonly number[]"}`,
  );
  return [
    `  ${name}: {`,
    `    variants: {${variants && ` ${variants} `}};`,
    `    constants: ${quoted(constants)};`,
    `    optional: ${quoted(optional)};`,
    `    params: ${members ? `{ ${members.join("; ")} }` : "undefined"};`,
    "  };",
  ].join("\n");
}

/**
 * @param {string} name
 * @param {Unit} kernel
 * @param {Modules} modules
 */
function layoutText(name, kernel, modules) {
  const params = paramsOf(kernel, modules);
  if (!params) return "";
  const members = params.members.map(({ name, at, kind, words }) => [name, at, kind, words]);
  const isPlain = members.every(([, at, kind, words], i) => at === i && kind === "u32" && words === 1);
  if (isPlain && members.length === params.words) {
    return `    ${name}: "${members.map(([member]) => member).join(" ")}",\n`;
  }
  return `    ${name}: ${JSON.stringify({ words: params.words, members })},\n`;
}

const notice = "// Generated from wgsl/ by scripts/generate.js: change the .wgsl files instead.";

/**
 * The name of a family's file, without what all such names end with.
 *
 * @param {string} family
 */
const fileOf = (family) => family.replace(/^.*\//, "");

/**
 * The text of an object whose members are units, by their names.
 *
 * @param {Record<string, Unit>} units
 */
function unitsText(units) {
  const members = Object.entries(units).map(([name, unit]) => `    "${name}": ${unitText(unit)},\n`);
  return `{\n${members.join("")}  }`;
}

/**
 * Writes a library, which a page loads at once, as `folder`/kernels.generated.ts; and beside it, in wgsl/, one
 * file for the WGSL of each family, which is loaded when a kernel of it is compiled. What several families
 * import is in a file of its own.
 *
 * @param {string} folder
 * @param {Map<string, Unit>} kernels
 * @param {Modules} modules
 */
function writeLibrary(folder, kernels, modules) {
  const { families, common } = familiesOf(kernels, modules);
  /** @param {string} from */
  const libraryFrom = (from) => posix.relative(from, "src/core/shaders/program.js").replace(/^(?!\.)/, "./");
  const fromFamilies = libraryFrom(`${folder}/wgsl`);
  mkdirSync(new URL(`${folder}/wgsl`, root), { recursive: true });
  const written = new Set();
  /**
   * @param {string} name
   * @param {string[]} lines
   */
  const writeWgsl = (name, lines) => {
    written.add(`${name}.generated.ts`);
    write(`${folder}/wgsl/${name}.generated.ts`, [notice, ...lines, ""].join("\n"));
  };
  if (Object.keys(common).length > 0) {
    writeWgsl("common", [
      `import type { ShaderFamily } from "${fromFamilies}";`,
      "",
      `export const modules: ShaderFamily["modules"] = ${unitsText(common)};`,
    ]);
  }
  for (const [name, { kernels, base, modules: ownModules, usesCommon }] of families) {
    const others = [...(usesCommon ? ["modules"] : []), ...(base ? ["base.modules"] : [])];
    const own = unitsText(ownModules);
    writeWgsl(fileOf(name), [
      `import type { ShaderFamily } from "${fromFamilies}";`,
      ...(usesCommon ? ['import { modules } from "./common.generated.js";'] : []),
      ...(base ? [`import { family as base } from "./${base}.generated.js";`] : []),
      "",
      "export const family: ShaderFamily = {",
      `  kernels: ${unitsText(kernels)},`,
      `  modules: ${others.length > 0 ? `Object.assign(${[own, ...others].join(", ")})` : own},`,
      "};",
    ]);
  }
  for (const name of readdirSync(new URL(`${folder}/wgsl`, root))) {
    if (!written.has(name)) rmSync(new URL(`${folder}/wgsl/${name}`, root));
  }
  write(`${folder}/kernels.generated.ts`, libraryText(kernels, modules, families, libraryFrom(folder)));
}

/**
 * The text of a library without its WGSL.
 *
 * @param {Map<string, Unit>} kernels
 * @param {Modules} modules
 * @param {ReturnType<typeof familiesOf>["families"]} families
 * @param {string} libraryModule
 */
function libraryText(kernels, modules, families, libraryModule) {
  const names = [...families.keys()].map(fileOf);
  const loaders = names.map((name) => `const ${name} = () => import("./wgsl/${name}.generated.js");\n`);
  const ofKernels = [...kernels].map(([name, { family = "" }]) => `    ${name}: ${fileOf(family)},\n`);
  const ofVariants = [...families].flatMap(([family, { variants }]) =>
    variants.map((name) => `    "${name}": ${fileOf(family)},\n`),
  );
  const layouts = [...kernels].map(([name, unit]) => layoutText(name, unit, modules));
  const contracts = [...kernels].map(([name, unit]) => contractText(name, unit, modules));
  return [
    notice,
    `import type { ShaderLibrary } from "${libraryModule}";`,
    "",
    loaders.join(""),
    "export const library: ShaderLibrary = {",
    `  kernels: {\n${ofKernels.join("")}  },`,
    ...(ofVariants.length > 0 ? [`  variants: {\n${ofVariants.join("")}  },`] : []),
    `  layouts: {\n${layouts.join("")}  },`,
    "};",
    "",
    `export type Contracts = {\n${contracts.join("\n")}\n};`,
    "",
  ].join("\n");
}

const { kernels, modules } = readUnits(fileURLToPath(new URL("wgsl/", root)));
for (const unit of [...modules.values(), ...kernels.values()]) checkUnit(unit, modules);
const reached = new Set(reachableModules(kernels.values(), modules));
for (const [name, { path }] of modules) {
  if (!reached.has(name)) throw new SyntaxError(`no kernel imports wgsl/${path}`);
}
/** Libraries of one family. The others, those of sorts, share one. */
const libraries = new Map([
  ["rows", "src/core/rows"],
  ["primitives", "src/core/primitives"],
  ["demos", "src/demo_kernels"],
]);
const sorts = new Map([...kernels].filter(([, { family = "" }]) => !libraries.has(family)));
writeLibrary("src/core/shaders", sorts, modules);
for (const [name, folder] of libraries) {
  writeLibrary(folder, new Map([...kernels].filter(([, { family }]) => family === name)), modules);
}

const assembly = readdirSync(new URL("assembly/", root), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => `assembly/${name}`);
const sources = sha256(
  ["node_modules/assemblyscript/package.json", "scripts/assemble.js", ...assembly.sort()]
    .map((path) => `${path}\n${current(path)}`)
    .join("\0"),
);
for (const [from, to] of [
  ["assembly/", "src/core/cpu/kernels.generated.ts"],
  ["assembly/check/", "src/core/cpu/check_kernels.generated.ts"],
  ["assembly/text/", "src/formats/text/kernels.generated.ts"],
  ["assembly/sum/", "src/core/cpu/sum_kernels.generated.ts"],
  ["assembly/rows/", "src/rows/row_kernels.generated.ts"],
  ["assembly/graysort/", "src/graysort/kernels.generated.ts"],
]) {
  write(to, await assemble(fileURLToPath(new URL(from, root)), `${from} ${sources}`, current(to)));
}

/** @param {string} text */
function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * @param {Map<string, Unit>} kernels
 * @param {Modules} modules
 */
function digestOf(kernels, modules) {
  const reached = reachableModules(kernels.values(), modules).flatMap((name) => modules.get(name) ?? []);
  return sha256([...kernels.values(), ...reached].map(unitText).join("\n"));
}

const { version, description } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
write(
  "src/build.generated.ts",
  [
    "// Generated from package.json and the Git repository by scripts/generate.js.",
    `export const version = ${JSON.stringify(version)};`,
    `export const description = ${JSON.stringify(description)};`,
    "/** A digest of the WGSL that sorts. */",
    `export const kernelsDigest = ${JSON.stringify(digestOf(sorts, modules))};`,
    "/** The commit of this build, with -dirty if tracked files were changed; null without Git. */",
    `export const commit: string | null = ${JSON.stringify(commitOf(fileURLToPath(root)))};`,
    "",
  ].join("\n"),
);
