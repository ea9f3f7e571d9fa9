import { isOwnProcess } from "./own_process.js";

/** An empty custom section. V8 would otherwise find the module that it has compiled from the same bytes. */
const MARK = [0, 2, 1, 0];

let beforeChange = () => {};

/** @param listener is called before V8's flags change. */
export function beforeFlagsChange(listener: () => void): void {
  beforeChange = listener;
}

/**
 * Compiles a module such that V8 makes optimized code of each function when it is first called: 4 ms for those
 * of a sort, where all functions of the module would take 26. By default V8 first makes code that is 2 to 3
 * times as slow, and counts its steps in memory that all threads share: so 16 of them are as slow as one.
 *
 * V8's flag for this holds for all modules of a process from then on. So in a process that is not gpusort's
 * own, the module is compiled as V8 does by default.
 */
export function compileForLongRuns(binary: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  if (!isOwnProcess()) return new WebAssembly.Module(binary);
  const marked = new Uint8Array(binary.length + MARK.length);
  marked.set(binary);
  marked.set(MARK, binary.length);
  beforeChange();
  process.getBuiltinModule("node:v8").setFlagsFromString("--no-liftoff"); // few runs load this module first
  return new WebAssembly.Module(marked);
}
