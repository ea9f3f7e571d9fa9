import { lazyModule } from "../lazy_module.js";
import { library } from "./kernels.generated.js";
import type { Program, ShaderFamily, ShaderLibrary } from "./program.js";

/** The WGSL of a program, and where its lines come from. */
export interface LinkedProgram {
  readonly code: string;
  /** @returns "file:line" for a line of the code. */
  readonly locate: (line: number) => string;
}

/**
 * Loads the WGSL of a program's kernel, and the linker, and links the program.
 *
 * @throws TypeError if the library has no such kernel, if a slot that must have a variant has none, or if a
 *   constant is missing or unused. Each of these is a bug of the plan.
 * @throws LoadError if the WGSL or the linker does not load.
 */
export async function linkedProgram(program: Program, library: ShaderLibrary): Promise<LinkedProgram> {
  const [family, { link, locate }] = await Promise.all([
    unitsFor(program, library),
    lazyModule("the linker of WGSL", () => import("./link.js")),
  ]);
  return { code: link(program, family), locate: (line) => locate(program, family, line) };
}

/**
 * Loads and links the WGSL of a program: its extensions, its constants, the modules that it imports, and the
 * kernel. Each module comes after the modules that it imports itself.
 *
 * @param program a program of a kernel that sorts.
 * @returns the WGSL that is compiled.
 * @throws TypeError if there is no such kernel, if a slot that must have a variant has none, or if a
 *   constant is missing or unused. LoadError if the WGSL or the linker does not load.
 */
export async function shaderSource(program: Program): Promise<string> {
  return (await linkedProgram(program, library)).code;
}

/** Loads the family of a program's kernel, and those of modules that its variants import from other ones. */
async function unitsFor({ kernel, variants }: Program, library: ShaderLibrary): Promise<ShaderFamily> {
  const loaders = Object.entries(variants).flatMap((pair) => library.variants?.[pair.join("/")] ?? []);
  const others = loaders.map((load) => loadFamily(kernel, load));
  const [own, ...loaded] = await Promise.all([familyOf(library, kernel), ...others]);
  return { ...own, modules: Object.assign({}, own.modules, ...loaded.map(({ modules }) => modules)) };
}

/**
 * Loads the family of a kernel.
 *
 * @throws TypeError if the library has no such kernel. LoadError if its file does not load.
 */
export async function familyOf({ kernels }: ShaderLibrary, kernel: string): Promise<ShaderFamily> {
  const load = Object.hasOwn(kernels, kernel) && kernels[kernel];
  if (!load) throw new TypeError(`there is no kernel ${kernel}`);
  return loadFamily(kernel, load);
}

async function loadFamily(kernel: string, load: ShaderLibrary["kernels"][string]): Promise<ShaderFamily> {
  return (await lazyModule(`the WGSL of the kernel '${kernel}'`, load)).family;
}
