import type { ShaderFamily, ShaderUnit } from "./library.js";
import type { Program } from "./program.js";
import { unroll } from "./unroll.js";

// A linker of our own. That of WESL does this and more, but its run time is 25 kB gzipped, as much as all that
// a page loads of gpusort at once. A program's constants become `const` declarations, and not pipeline
// overrides, as some browsers size arrays wrongly by these. The text is that of wgsl/, so that errors of
// drivers name its lines and names: shorter names would save 12% of what a page loads of WGSL, and no spaces
// 8%. So only the single file has them (scripts/minify_wgsl.js).

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
