/** Compiles the AssemblyScript of assembly/ to WebAssembly, as the text of a TypeScript module. */
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import asc from "assemblyscript/asc";

const { join } = posix;

const options = [
  ["--outFile", "kernels.wasm"],
  ["-O3"],
  ["--noAssert"],
  ["--runtime", "stub"],
  ["--importMemory"],
  ["--sharedMemory"],
  ["--initialMemory", "1"],
  ["--maximumMemory", "65536"],
  ["--enable", "simd"],
  ["--enable", "threads"],
  ["--use", "abort="],
  // Constants come first in the memory. The tables of threads follow them: src/core/cpu/memory.ts.
  ["--memoryBase", "16"],
];

/** Where the tables of threads begin. */
const CONSTANTS_END = 1024;

/**
 * AssemblyScript exports no instances of generic functions, as in `export const count_4 = count<u32>;`. This
 * replaces each by a function that calls it, with the parameters of its declaration.
 *
 * @param {string} text of an index.ts.
 * @param {string} folder
 */
function withFunctions(text, folder) {
  const imports = new Set();
  const functions = text.replace(/^export const (\w+) = ((\w+)<.*>);$/gm, (_, name, instance, generic) => {
    const [, from] = new RegExp(`^import .*\\b${generic}\\b.* from "(.*)"`, "m").exec(text) ?? [];
    const source = from ? readFileSync(join(folder, `${from}.ts`), "utf8") : text;
    const [, parameters = ""] = new RegExp(`function ${generic}<.*?>\\(([^)]*)\\)`).exec(source) ?? [];
    for (const [, type, path] of source.matchAll(/^import \{ (\w+) \} from "(.*)"/gm)) {
      if (parameters.includes(`: ${type}`))
        imports.add(`import { ${type} } from "./${join(from, "..", path)}";`);
    }
    const names = parameters.match(/\w+(?=:)/g);
    return `export function ${name}(${parameters}): void { ${instance}(${names}); }`;
  });
  return [...imports, functions].join("\n");
}

/**
 * @param {string} folder the path of a folder with an index.ts.
 * @param {string} sources what tells its sources and the compiler from others. It becomes the last line, which a
 *   file that was cut short lacks.
 * @param {string} before the text that was compiled before, which is returned if nothing has changed.
 * @returns the text of a kernels.generated.ts.
 */
export async function assemble(folder, sources, before) {
  const end = `\n// Sources: ${sources}\n`;
  return before.endsWith(end) ? before : (await compile(folder)) + end;
}

/** @param {string} folder */
async function compile(folder) {
  /** @type {Uint8Array<ArrayBuffer>} */
  let binary = new Uint8Array(0);
  const index = readFileSync(join(folder, "index.ts"), "utf8");
  const { error, stderr } = await asc.main(["index.ts", "--baseDir", folder, ...options.flat()], {
    readFile: (name) => {
      if (name === "index.ts") return withFunctions(index, folder);
      return existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : null;
    },
    writeFile: (name, contents) => {
      if (name.endsWith(".wasm")) binary = Uint8Array.from(/** @type {Uint8Array} */ (contents));
    },
  });
  if (error) throw new SyntaxError(`${folder} does not compile: ${stderr.toString()}`);
  const module = new WebAssembly.Module(binary);
  requireShortConstants(module, folder);
  const names = WebAssembly.Module.exports(module).flatMap(({ name, kind }) =>
    kind === "function" ? [name] : [],
  );
  return [
    "// Generated from assembly/ by scripts/generate.js: change the .ts files there instead.",
    "",
    "/** The kernels as WebAssembly, in base64. They import their memory, which is shared. */",
    // Without its type, the declarations would repeat the text.
    `export const binary: string = "${Buffer.from(binary).toString("base64")}";`,
    "",
    "/** Where the byte is that says whether the memory is shared (3) or not (1). */",
    `export const memoryFlagsAt = ${memoryFlagsAt(binary)};`,
    "",
    `export const kernelNames = ${JSON.stringify(names)} as const;`,
    "",
  ].join("\n");
}

/**
 * Finds the flags of the imported memory's limits, which follow its name and its kind.
 *
 * @param {Uint8Array} binary
 */
function memoryFlagsAt(binary) {
  const imported = Buffer.from([3, ...Buffer.from("env"), 6, ...Buffer.from("memory"), 2]);
  const at = Buffer.from(binary).indexOf(imported) + imported.length;
  if (at < imported.length || binary[at] !== 3) throw new SyntaxError("assembly/ imports no shared memory");
  return at;
}

/**
 * The constants of a module must not lie where its kernels write.
 *
 * @param {WebAssembly.Module} module
 * @param {string} folder
 */
function requireShortConstants(module, folder) {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536, shared: true });
  new WebAssembly.Instance(module, { env: { memory } });
  const after = new Uint8Array(memory.buffer, CONSTANTS_END);
  if (after.some(Boolean))
    throw new SyntaxError(`${folder} has more than ${CONSTANTS_END} bytes of constants`);
}
