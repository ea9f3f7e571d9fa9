/**
 * Writes the *.generated.ts files of src/. They hold the kernels of wgsl/ with their contracts, those of
 * assembly/ as WebAssembly, and the package's version and commit. As TypeScript, they load in Node and in a
 * browser's bundle alike, and the compiler checks the names that programs use. Fails if a file of wgsl/ breaks
 * its contract.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assemble } from "./assemble.js";
import { commitOf } from "./commit.js";
import { checkUnit, contractOf, paramsOf, reachableModules, readKernels, readShared } from "./shaders.js";

const root = new URL("../", import.meta.url);

/** Writes a file only if its text changes, so that nothing is compiled again without need. */
function write(path, text) {
  const target = new URL(path, root);
  let current = "";
  try {
    current = readFileSync(target, "utf8");
  } catch {}
  if (current !== text) writeFileSync(target, text);
}

const quoted = (names) => names.map((name) => `"${name}"`).join(" | ") || "never";

/** The parts of a unit that the linker needs. */
function unitText({ path, source, imports, constants, enables }) {
  return JSON.stringify({ path, source, imports, constants, enables });
}

/** A kernel's contract as a TypeScript type. */
function contractText(name, kernel, shared) {
  const { slots, constants, optional } = contractOf(kernel, shared);
  const params = paramsOf(kernel, shared);
  const variants = slots.map((slot) => `${slot}: ${quoted(shared.slots.get(slot))}`).join("; ");
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

function layoutText(name, kernel, shared) {
  const params = paramsOf(kernel, shared);
  if (!params) return "";
  const members = params.members.map(({ name, at, kind, words }) => [name, at, kind, words]);
  return `    ${name}: ${JSON.stringify({ words: params.words, members })},\n`;
}

/** The text of a library: kernels, and the modules that their programs may be linked with. */
function libraryText(kernels, shared, libraryModule) {
  const modules = reachableModules(kernels.values(), shared);
  const units = [...kernels].map(([name, unit]) => `    ${name}: ${unitText(unit)},\n`);
  const linked = modules.map((name) => `    "${name}": ${unitText(shared.modules.get(name))},\n`);
  const layouts = [...kernels].map(([name, unit]) => layoutText(name, unit, shared));
  const contracts = [...kernels].map(([name, unit]) => contractText(name, unit, shared));
  return [
    "// Generated from wgsl/ by scripts/generate.js: change the .wgsl files instead.",
    `import type { ShaderLibrary } from "${libraryModule}";`,
    "",
    "export const library: ShaderLibrary = {",
    `  kernels: {\n${units.join("")}  },`,
    `  modules: {\n${linked.join("")}  },`,
    `  layouts: {\n${layouts.join("")}  },`,
    "};",
    "",
    `export type Contracts = {\n${contracts.join("\n")}\n};`,
    "",
  ].join("\n");
}

const wgsl = fileURLToPath(new URL("wgsl/", root));
const shared = readShared(`${wgsl}shared`);
const core = readKernels(wgsl, "");
const rows = readKernels(`${wgsl}rows`, "rows/");
const demos = readKernels(`${wgsl}demos`, "demos/");
const kernels = [core, rows, demos].flatMap((some) => [...some.values()]);
for (const unit of [...shared.modules.values(), ...kernels]) checkUnit(unit, shared);
const reached = new Set(reachableModules(kernels, shared));
for (const [name, { path }] of shared.modules) {
  if (!reached.has(name)) throw new SyntaxError(`no kernel imports wgsl/${path}`);
}
write("src/core/shaders/kernels.generated.ts", libraryText(core, shared, "./library.js"));
write("src/core/rows/kernels.generated.ts", libraryText(rows, shared, "../shaders/library.js"));
write("src/demo_kernels/kernels.generated.ts", libraryText(demos, shared, "../core/shaders/library.js"));

for (const [from, to] of [
  ["assembly/", "src/core/cpu/kernels.generated.ts"],
  ["assembly/check/", "src/core/cpu/check_kernels.generated.ts"],
  ["assembly/text/", "src/formats/text_kernels.generated.ts"],
  ["assembly/sum/", "src/core/cpu/sum_kernels.generated.ts"],
  ["assembly/rows/", "src/rows/row_kernels.generated.ts"],
]) {
  write(to, await assemble(fileURLToPath(new URL(from, root))));
}

const { version, description } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
write(
  "src/build.generated.ts",
  [
    "// Generated from package.json and the Git repository by scripts/generate.js.",
    `export const version = ${JSON.stringify(version)};`,
    `export const description = ${JSON.stringify(description)};`,
    "/** The commit of this build, with -dirty if tracked files were changed; null without Git. */",
    `export const commit: string | null = ${JSON.stringify(commitOf(fileURLToPath(root)))};`,
    "",
  ].join("\n"),
);
