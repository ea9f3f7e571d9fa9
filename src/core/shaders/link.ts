// A linker of our own. That of WESL does this and more, but its run time is 25 kB gzipped, as much as all that
// a page loads of gpusort at once. A program's constants become `const` declarations, and not pipeline
// overrides, as some browsers size arrays wrongly by these. The text is that of wgsl/, so that errors of
// drivers name its lines and names: shorter names would save 12% of what a page loads of WGSL, and no spaces
// 8%. So only the single file has them (scripts/minify_wgsl.js).

import type { Program, ShaderFamily, ShaderSection, ShaderUnit } from "./program.js";

/** The part of the linked WGSL that comes from one file. */
interface Part {
  readonly name: string;
  readonly text: string;
}

/**
 * Links the WGSL of a program.
 *
 * @param family the family of its kernel.
 * @throws TypeError if a slot that must have a variant has none, or if a constant is missing or unused.
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
  const files = filesOf(program, family);
  const sections = files.flatMap(({ kept }) => kept);
  requireConstants(program, sections);
  const { constants } = program;
  const enables = new Set(sections.flatMap((section) => section.enables ?? []));
  const header = [
    ...[...enables].map((name) => `enable ${name};\n`),
    // Constants of the kernel make the control flow around its subgroup operations uniform. The analysis of
    // WGSL does not see that.
    ...(enables.has("subgroups") ? ["diagnostic(off, subgroup_uniformity);\n"] : []),
    ...Object.entries(constants).map(([name, value]) => `const ${name}: u32 = ${value}u;\n`),
  ];
  return [
    { name: "constants", text: header.join("") },
    ...files.map(({ unit, kept }) => ({
      name: `wgsl/${unit.path}`,
      text: unroll(unit.sections.map((one) => textOf(one, kept.includes(one))).join(""), constants),
    })),
  ];
}

/** The lines of a section, empty if the program does not have it: so later lines keep their numbers. */
function textOf({ source }: ShaderSection, isKept: boolean): string {
  return isKept ? source : source.replace(/[^\n]/g, "");
}

/** A file, and the sections of it that the program has. */
interface LinkedFile {
  readonly unit: ShaderUnit;
  readonly kept: readonly ShaderSection[];
}

/** @returns the kernel as the last file, and before it all files that it imports. */
function filesOf({ kernel, variants }: Program, { kernels, modules }: ShaderFamily): LinkedFile[] {
  const files = new Map<ShaderUnit, LinkedFile>();
  const visit = (unit: ShaderUnit, given: Program["variants"]) => {
    const kept = sectionsFor(unit, given, kernel);
    for (const imported of kept.flatMap(({ imports = [] }) => imports)) {
      const [name = "", variant] = imported.split("/");
      const module = modules[name];
      if (!module)
        throw new TypeError(`the program of ${kernel} has no variant for which ${imported} is loaded`);
      if (!files.has(module)) visit(module, variant ? { ...variants, [name]: variant } : variants);
    }
    files.set(unit, { unit, kept });
  };
  visit(kernels[kernel]!, variants);
  return [...files.values()];
}

/** @throws TypeError if the file has nothing for a slot's variant, or needs one that the program leaves out. */
function sectionsFor(
  { sections }: ShaderUnit,
  variants: Program["variants"],
  kernel: string,
): readonly ShaderSection[] {
  const tested = new Set<string>();
  const held = new Set<string>();
  const kept = sections.filter(({ when = [] }) =>
    when.every(({ slot, is, isNot = [] }) => {
      const variant = variants[slot] ?? "";
      const holds = is ? is.includes(variant) : !isNot.includes(variant);
      tested.add(slot);
      if (holds) held.add(slot);
      return holds;
    }),
  );
  for (const slot of tested) {
    if (!held.has(slot)) throw new TypeError(`the program of ${kernel} has no variant for ${slot}`);
  }
  return kept;
}

function requireConstants({ kernel, constants }: Program, sections: readonly ShaderSection[]): void {
  const needed = new Set(sections.flatMap((section) => section.constants ?? []));
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
