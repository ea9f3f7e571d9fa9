import type { Bytes } from "../bytes.js";
import { DeviceError } from "../errors.js";
import type { WebAssemblyMemory, WebAssemblyModule } from "../host_types.js";

/** The arguments of a kernel without the last one, the address of the thread's tables. */
export type KernelCall = readonly number[];

/** A function of a program. Addresses and numbers are unsigned words. */
export type Kernel = (...words: number[]) => void;
export type Kernels<Name extends string = string> = Readonly<Record<Name, Kernel>>;

/** Compiles a module for long runs. */
export type Compile = (binary: Bytes) => WebAssemblyModule;

const SHARED = 3;
const NOT_SHARED = 1;

/** Kernels that are compiled to one WebAssembly module, and work in one memory. */
export class KernelProgram<Name extends string = string> {
  readonly names: readonly Name[];
  readonly #binary: string;
  readonly #memoryFlagsAt: number;
  readonly #modules = new Map<string, WebAssembly.Module>();

  /**
   * @param binary the module in base64.
   * @param memoryFlagsAt where the module has the byte that says whether its memory is shared.
   */
  constructor(names: readonly Name[], binary: string, memoryFlagsAt: number) {
    this.names = names;
    this.#binary = binary;
    this.#memoryFlagsAt = memoryFlagsAt;
  }

  /**
   * Compiles the kernels, once per process, kind of memory and compiler.
   *
   * @param compile compiles the module; the default takes a millisecond, and optimizes the code while it
   * runs.
   * @throws DeviceError if this fails, as where a page's policy forbids it.
   */
  module(shared: boolean, compile?: Compile): WebAssemblyModule {
    const kind = `${shared} ${compile !== undefined}`;
    let module = this.#modules.get(kind);
    if (!module) {
      const bytes = fromBase64(this.#binary);
      bytes[this.#memoryFlagsAt] = shared ? SHARED : NOT_SHARED;
      module = compiled(bytes, compile);
      this.#modules.set(kind, module);
    }
    return module;
  }
}

function fromBase64(text: string): Bytes {
  const chars = atob(text);
  const bytes = new Uint8Array(chars.length);
  // Uint8Array.from takes three times as long.
  for (let i = 0; i < chars.length; i++) bytes[i] = chars.charCodeAt(i);
  return bytes;
}

function compiled(bytes: Bytes, compile: Compile | undefined): WebAssembly.Module {
  try {
    return compile ? compile(bytes) : new WebAssembly.Module(bytes);
  } catch (cause) {
    const message = `WebAssembly does not compile here: ${(cause as Error).message}`;
    const hint =
      "a page's Content-Security-Policy must allow 'wasm-unsafe-eval', and WebAssembly must have SIMD";
    throw new DeviceError(message, { hint, cause });
  }
}

/** Makes the kernels of a module work in a memory. */
export function instantiate<Name extends string>(
  module: WebAssemblyModule,
  memory: WebAssemblyMemory,
): Kernels<Name> {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernels<Name>;
}
