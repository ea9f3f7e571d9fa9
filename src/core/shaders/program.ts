/** Some lines of a WGSL file, which follow each other. */
export interface ShaderSection {
  /** The text without directives and comments, with the line breaks of the file. */
  readonly source: string;
  /** The names of modules ("grid"), some with the variant of the slot of this name ("written_keys/all"). */
  readonly imports?: readonly string[];
  /**
   * The names of constants that a program defines. Each is declared as `const NAME: u32` at the top of the
   * WGSL.
   */
  readonly constants?: readonly string[];
  /** The WGSL extensions that the lines enable. The device must have the features of the same names. */
  readonly enables?: readonly string[];
  /** The conditions of a program's variants that must all hold. Other programs do not have the lines. */
  readonly when?: readonly SectionCondition[];
}

/** That a program gives a slot one of some variants, or none of some. */
export interface SectionCondition {
  readonly slot: string;
  readonly is?: readonly string[];
  readonly isNot?: readonly string[];
}

/** A WGSL file: a kernel, or a module that kernels import. scripts/shaders/units.js documents its syntax. */
export interface ShaderUnit {
  /** The path below wgsl/, with the extension. */
  readonly path: string;
  /** All lines of the file. */
  readonly sections: readonly ShaderSection[];
}

/** Where the members of a kernel's parameters are in the uniform buffer, in 32-bit words. */
export interface ParamsLayout {
  /** The length of all parameters. */
  readonly words: number;
  readonly members: readonly (readonly [name: string, at: number, kind: string, words: number])[];
}

/** The WGSL of a family of kernels, and of the modules that their programs may be linked with. */
export interface ShaderFamily {
  readonly kernels: Readonly<Record<string, ShaderUnit>>;
  /** By name. */
  readonly modules: Readonly<Record<string, ShaderUnit>>;
}

/** What plans must know of kernels, and how their WGSL is loaded. */
export interface ShaderLibrary {
  /** Loads the family of a kernel, by the name of the kernel. */
  readonly kernels: Readonly<Record<string, () => Promise<{ readonly family: ShaderFamily }>>>;
  /** Loads the family of a module that only programs of a variant import, by "slot/variant". */
  readonly variants?: Readonly<Record<string, () => Promise<{ readonly family: ShaderFamily }>>>;
  /**
   * By the name of the kernel. A kernel without a uniform has no entry. Where all members are single u32, it is
   * their names with spaces between them, which takes less space.
   */
  readonly layouts: Readonly<Record<string, ParamsLayout | string>>;
}

/** A kernel with its variants and constants, as plain data. It determines the WGSL that is compiled. */
export interface Program {
  /** The name of a kernel of a library. */
  readonly kernel: string;
  /**
   * The name of a variant for every slot of the kernel and of the modules that it imports. A slot may be
   * left out, or undefined, if its files do without, or if only variants need it that are not named.
   */
  readonly variants: Readonly<Record<string, string | undefined>>;
  /** The values of the constants by name: whole numbers from 0 to 2^32 - 1. */
  readonly constants: Readonly<Record<string, number>>;
  /**
   * The kinds of all bindings in order, without the parameters. Only needed if they do not follow from the
   * WGSL: WGSL declares a texture of 32-bit floats, which devices need not filter, like any other sampled
   * texture.
   */
  readonly layout?: readonly BindingKind[];
}

/** Formats that every WebGPU device can both read and store to. */
export type TextureFormat = "rgba8unorm" | "r32float" | "rgba32float";

/** The kind of resource that a binding takes. */
export type BindingKind =
  | "read-only-buffer"
  | "buffer"
  | "unfilterable-texture"
  | "nearest-sampler"
  | `store-${TextureFormat}`;

/** What the programs of a kernel must define. The build derives it from the WGSL. */
export interface Contract {
  /** The names of the variants by slot. */
  readonly variants: object;
  /** The constants that every program needs. */
  readonly constants: string;
  /** The constants that only some variants need. */
  readonly optional: string;
  /** The uniform struct; undefined for a kernel without one. */
  readonly params: object | undefined;
}

/** Everything that a program defines in addition to its kernel. */
type Parts<C extends Contract> = {
  readonly constants: Readonly<Record<C["constants"], number> & Partial<Record<C["optional"], number>>>;
  readonly layout?: readonly BindingKind[];
} & (object extends C["variants"]
  ? { readonly variants?: C["variants"] }
  : { readonly variants: C["variants"] });

/** Makes programs and parameters of a library's kernels, typed by their contracts. */
export interface KernelPrograms<Contracts extends Record<keyof Contracts, Contract>> {
  /** Makes a program of a kernel. */
  program<K extends keyof Contracts & string>(kernel: K, parts: Parts<Contracts[K]>): Program;
  /** @returns the 32-bit words of a kernel's uniform struct. */
  params<K extends keyof Contracts & string>(
    kernel: K,
    values: NonNullable<Contracts[K]["params"]>,
  ): number[];
  /** Reads the values back from the words that `params` returned. */
  readParams<K extends keyof Contracts & string>(
    kernel: K,
    words: ArrayLike<number>,
  ): NonNullable<Contracts[K]["params"]>;
}

export function kernelsOf<Contracts extends Record<keyof Contracts, Contract>>({
  layouts,
}: ShaderLibrary): KernelPrograms<Contracts> {
  return {
    program: (kernel, { variants = {}, ...parts }) => ({
      kernel,
      variants: variants as Program["variants"],
      ...(parts as Pick<Program, "constants" | "layout">),
    }),
    params: (kernel, values) => {
      const { words, members } = layoutOf(layouts[kernel]!);
      const written = new Array<number>(words).fill(0);
      for (const [name, at, kind] of members) {
        const value = (values as Record<string, number | readonly number[]>)[name]!;
        const all = typeof value === "number" ? [value] : value;
        const bits = kind === "f32" ? floatBits(all) : all;
        bits.forEach((word, i) => {
          written[at + i] = word;
        });
      }
      return written;
    },
    readParams: <K extends keyof Contracts & string>(kernel: K, words: ArrayLike<number>) => {
      const read: Record<string, number | number[]> = {};
      for (const [name, at, kind, count] of layoutOf(layouts[kernel]!).members) {
        const bits = count === 1 ? [words[at]!] : Array.from({ length: count }, (_, i) => words[at + i]!);
        const values = kind === "f32" ? [...new Float32Array(new Uint32Array(bits).buffer)] : bits;
        read[name] = count === 1 ? values[0]! : values;
      }
      return read as NonNullable<Contracts[K]["params"]>;
    },
  };
}

/** Every pass of a plan has parameters, of few layouts. */
const layoutsOfNames = new Map<string, ParamsLayout>();

function layoutOf(layout: ParamsLayout | string): ParamsLayout {
  if (typeof layout !== "string") return layout;
  const known = layoutsOfNames.get(layout);
  if (known) return known;
  const names = layout.split(" ");
  const read = { words: names.length, members: names.map((name, at) => [name, at, "u32", 1] as const) };
  layoutsOfNames.set(layout, read);
  return read;
}

function floatBits(values: ArrayLike<number>): number[] {
  return [...new Uint32Array(new Float32Array(values).buffer)];
}
