import { isOwnProcess } from "./own_process.js";

/** An empty custom section. V8 would otherwise find the module that it has compiled from the same bytes. */
const MARK = [0, 2, 1, 0];

let beforeChange = () => {};

/** @param listener is called before V8's flags change, after which Node 20 and 22 never have the same again. */
export function beforeFlagsChange(listener: () => void): void {
  beforeChange = listener;
}

/**
 * Compiles a module to optimized code at once, in about 12 ms. By default V8 first makes code that is 2 to 3
 * times as slow, and counts its steps in memory that all threads share: so 16 of them are as slow as one.
 *
 * V8's flags for this hold for all modules of a process, and their values cannot be read and put back. So in a
 * process that is not gpusort's own, the module is compiled as V8 does by default.
 */
export function compileForLongRuns(binary: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  if (!isOwnProcess()) return new WebAssembly.Module(binary);
  const marked = new Uint8Array(binary.length + MARK.length);
  marked.set(binary);
  marked.set(MARK, binary.length);
  beforeChange();
  // Few runs need it, so none loads it first.
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  setFlagsFromString("--no-liftoff");
  setFlagsFromString("--no-wasm-lazy-compilation");
  try {
    return new WebAssembly.Module(marked);
  } finally {
    setFlagsFromString("--liftoff");
    setFlagsFromString("--wasm-lazy-compilation");
  }
}
