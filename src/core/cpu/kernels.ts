import { binary, kernelNames, memoryFlagsAt } from "./kernels.generated.js";

/** The kernels of assembly/, by the bytes of a key and of an element: "encode_4_8". */
export type KernelName = (typeof kernelNames)[number];

/** The arguments of a kernel without the last one, the address of the thread's tables. */
export type KernelCall = readonly number[];

/** A function of assembly/index.ts. Addresses and numbers are unsigned words. */
export type Kernel = (...words: number[]) => void;
export type Kernels = Readonly<Record<KernelName, Kernel>>;

const SHARED = 3;
const NOT_SHARED = 1;

const modules = new Map<boolean, WebAssembly.Module>();

/** Compiles the kernels, once per process and kind of memory. It takes about a millisecond. */
export function kernelModule(shared: boolean): WebAssembly.Module {
  let module = modules.get(shared);
  if (!module) {
    const bytes = Uint8Array.from(atob(binary), (char) => char.charCodeAt(0));
    bytes[memoryFlagsAt] = shared ? SHARED : NOT_SHARED;
    module = new WebAssembly.Module(bytes);
    modules.set(shared, module);
  }
  return module;
}

/** Makes the kernels work in a memory. */
export function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernels {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernels;
}

export { kernelNames };
