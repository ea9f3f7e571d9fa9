/** A WGSL file: a kernel, or a module that kernels import. scripts/shaders.js documents its syntax. */
export interface ShaderUnit {
  /** The path below wgsl/, with the extension. */
  readonly path: string;
  /** The text without directives and comments. Its line numbers are those of the file. */
  readonly source: string;
  /**
   * The names of modules ("grid") and of slots ("key"). A program fills each slot with one of its variants.
   */
  readonly imports: readonly string[];
  /**
   * The names of constants that a program defines. Each is declared as `const NAME: u32` at the top of the
   * WGSL.
   */
  readonly constants: readonly string[];
  /** The WGSL extensions that the file enables. The device must have the features of the same names. */
  readonly enables: readonly string[];
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
  /** By name. A variant of a slot has the name "slot/variant"; that of a slot left out is "slot/default". */
  readonly modules: Readonly<Record<string, ShaderUnit>>;
}

/** What plans must know of kernels, and how their WGSL is loaded. */
export interface ShaderLibrary {
  /** Loads the family of a kernel, by the name of the kernel. */
  readonly kernels: Readonly<Record<string, () => Promise<{ readonly family: ShaderFamily }>>>;
  /** Loads the family of a variant that is not loaded with all kernels that may have it, by "slot/variant". */
  readonly variants?: Readonly<Record<string, () => Promise<{ readonly family: ShaderFamily }>>>;
  /**
   * By the name of the kernel. A kernel without a uniform has no entry. Where all members are single u32, it is
   * their names with spaces between them, which takes less space.
   */
  readonly layouts: Readonly<Record<string, ParamsLayout | string>>;
}
