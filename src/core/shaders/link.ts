// A linker of our own. That of WESL does this and more, but its run time is 25 kB gzipped, as much as all that
// a page loads of gpusort at once. A program's constants become `const` declarations, and not pipeline
// overrides, as some browsers size arrays wrongly by these. The text is that of wgsl/, so that errors of
// drivers name its lines and names: shorter names would save 12% of what a page loads of WGSL, and no spaces
// 8%. So only the single file has them (scripts/minify_wgsl.js).

import type { Program, ShaderFamily, ShaderUnit } from "./program.js";

/** The part of the linked WGSL that comes from one file. */
interface Part {
  readonly name: string;
  readonly text: string;
}

/**
 * Links the WGSL of a program.
 *
 * @param family the family of its kernel.
 * @throws TypeError if a slot without a default has no variant, or if a constant is missing or unused.
 */
export function link(program: Program, family: ShaderFamily): string {
  return parts(program, family)
    .map(({ text }) => text)
    .join("");
}

/** @returns "file:line" for a line of the linked source. */
export function locate(program: Program, family: ShaderFamily, line: number): string {
  let before = 0;
  for (const { name, text } of parts(program, family)) {
    const lines = text.split("\n").length - 1;
    if (line <= before + lines) return `${name}:${line - before}`;
    before += lines;
  }
  return `line ${line}`;
}

function parts(program: Program, family: ShaderFamily): Part[] {
  const units = unitsOf(program, family);
  requireConstants(program, units);
  const { constants } = program;
  const enables = new Set(units.flatMap((unit) => unit.enables));
  const header = [
    ...[...enables].map((name) => `enable ${name};\n`),
    // Constants of the kernel make the control flow around its subgroup operations uniform. The analysis of
    // WGSL does not see that.
    ...(enables.has("subgroups") ? ["diagnostic(off, subgroup_uniformity);\n"] : []),
    ...Object.entries(constants).map(([name, value]) => `const ${name}: u32 = ${value}u;\n`),
  ];
  return [
    { name: "constants", text: header.join("") },
    ...units.map(({ path, source }) => ({ name: `wgsl/${path}`, text: unroll(source, constants) })),
  ];
}

/** The name of the variant of a slot that a program leaves out; scripts/shaders.js gives it. */
const DEFAULT = "default";

/** @returns the kernel as the last unit, and before it all units that it imports. */
function unitsOf({ kernel, variants }: Program, { kernels, modules }: ShaderFamily): ShaderUnit[] {
  const units = new Set<ShaderUnit>();
  const visit = (unit: ShaderUnit) => {
    for (const name of unit.imports) {
      const module = modules[name] ?? modules[`${name}/${variants[name] ?? DEFAULT}`];
      if (!module) throw new TypeError(`the program of ${kernel} has no variant for ${name}`);
      if (!units.has(module)) visit(module);
    }
    units.add(unit);
  };
  visit(kernels[kernel]!);
  return [...units];
}

function requireConstants({ kernel, constants }: Program, units: readonly ShaderUnit[]): void {
  const needed = new Set(units.flatMap((unit) => unit.constants));
  const missing = [...needed].filter((name) => !(name in constants));
  const unused = Object.keys(constants).filter((name) => !needed.has(name));
  if (missing.length > 0) throw new TypeError(`the program of ${kernel} lacks ${missing.join(", ")}`);
  if (unused.length > 0) throw new TypeError(`the program of ${kernel} does not use ${unused.join(", ")}`);
}

/**
 * The first line of a loop that can be unrolled, with or without the spaces that scripts/minify_wgsl.js
 * removes.
 */
const LOOP = /^( *)for ?\(var (\w+) = 0u; ?\2 < (\w+); ?\2\+\+\) ?\{$/;

/**
 * Unrolls the loops of a WGSL text that follow a line with `#unroll`. The loop
 *
 *     #unroll
 *     for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
 *       …
 *     }
 *
 * becomes KEYS_PER_INVOCATION copies of its body, each in a block that begins with `const i = …u;`. WGSL has
 * no attribute for this. If a driver does not unroll the loop, it puts every array that the loop indexes into
 * memory: an H200 then ranks keys at half the speed. The body is copied without any change except that comments
 * are removed.
 *
 * @param constants the values of the bounds by name.
 * @throws SyntaxError if what follows is no such loop, if a bound is not a constant, or if the closing brace of
 *   a loop is missing.
 */
export function unroll(text: string, constants: Readonly<Record<string, number>>): string {
  const lines = text.split("\n");
  const out: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    if (lines[i]!.trim() !== "#unroll") {
      out.push(lines[i]!);
      continue;
    }
    const header = LOOP.exec(lines[i + 1] ?? "");
    if (!header)
      throw new SyntaxError(`cannot unroll '${lines[i + 1]}': it is no loop from 0u to a constant`);
    const [, indent = "", name = "", bound = ""] = header;
    const end = lineOfClosingBrace(lines, i + 1);
    const count = constants[bound];
    if (count === undefined) throw new SyntaxError(`cannot unroll a loop to ${bound}: it is not a constant`);
    if (end < 0) throw new SyntaxError(`cannot unroll a loop to ${bound}: its closing brace is missing`);
    const body = lines.slice(i + 2, end).map((line) => line.replace(/\/\/.*/, ""));
    const copy = unroll(body.join("\n"), constants).replaceAll("\n", " ");
    // All copies are on one line, so that later lines keep their numbers in error messages.
    const copies = Array.from({ length: count }, (_, k) => `${indent}{ const ${name} = ${k}u; ${copy} }`);
    out.push(copies.join(" "), ...lines.slice(i + 1, end + 1).map(() => ""));
    i = end;
  }
  return out.join("\n");
}

/** @returns the line that closes the brace of the line `begin`; -1 if none does. */
function lineOfClosingBrace(lines: readonly string[], begin: number): number {
  let open = 0;
  for (let i = begin; i < lines.length; i++) {
    const [code = ""] = lines[i]!.split("//");
    open += code.split("{").length - code.split("}").length;
    if (open === 0) return i;
  }
  return -1;
}
