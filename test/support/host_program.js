// Imports the library, sorts by it, and prints what that has changed in this process: a list as JSON. The
// arguments are the built library's folder, a device, and a folder for files. For Node with
// --allow-natives-syntax.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import "node:worker_threads"; // Node then replaces process.chdir

const [library, device, folder] = process.argv.slice(2);

const isSimple = new Function("f", "return %IsLiftoffFunction(f)");
const isOptimized = new Function("f", "return %IsTurboFanFunction(f)");

/** A module with one function. V8 finds no code that it has kept of one with another number. */
const moduleOf = (number) =>
  new WebAssembly.Module(
    Uint8Array.from([
      ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0],
      ...[7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, number, 11],
    ]),
  );

/** Whether V8 compiles a function before it is called, and whether its first code is not optimized. */
function v8Flags(number) {
  const { f } = new WebAssembly.Instance(moduleOf(number)).exports;
  const isEager = isSimple(f) || isOptimized(f);
  f();
  return { isEager, isSimple: isSimple(f) };
}

/** What an object has by itself. */
function owned(object, name, into) {
  for (const [key, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
    into[`${name}.${key}`] = value ?? get;
  }
  return into;
}

function state(number) {
  const found = {};
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const value = globalThis[name]; // Node makes some of them now
    if (value?.prototype) owned(value.prototype, `${name}.prototype`, found);
    if (value && value !== globalThis) owned(value, name, found);
  }
  owned(globalThis, "globalThis", found);
  for (const name of ["stdout", "stderr", "stdin"]) found[name] = process[name].write;
  for (const name of process.eventNames()) found[`on ${String(name)}`] = process.listenerCount(name);
  for (const [name, value] of Object.entries(process.env)) found[`env ${name}`] = value;
  found.env = Object.keys(process.env).join();
  found.cwd = process.cwd();
  found.umask = process.umask();
  found.exitCode = process.exitCode;
  for (const [name, value] of Object.entries(v8Flags(number))) found[`v8 ${name}`] = value;
  return found;
}

process.allowedNodeEnvironmentFlags; // Node makes it when it is read
const before = state(1);
const { createSorter, sortFile } = await import(new URL("index.js", library));
const sorter = await createSorter(device, { threads: 2 });
// Modulo 2^32, the product of these is 1.
const [FACTOR, INVERSE] = [2654435761, 244002641];
// So many keys that the CPU's threads start.
for (const count of device === "cpu" ? [1000, 3_000_000] : [1000]) {
  const sorted = await sorter.sort(new Uint32Array(count).map((_, i) => Math.imul(i, FACTOR)));
  // As many different ones of the keys as there are, in order, are all of them.
  const isWrong = (key, i) => key <= sorted[i - 1] || Math.imul(key, INVERSE) >>> 0 >= count;
  if (sorted.length !== count || sorted.some(isWrong)) throw new Error("sorted wrongly");
}
sorter.destroy();
if (device === "cpu") {
  const [input, output] = ["numbers.txt", "sorted.txt"].map((name) => join(folder, name));
  writeFileSync(input, "3\n1\n2\n");
  await sortFile(input, output, { device });
  if (readFileSync(output, "utf8") !== "1\n2\n3\n") throw new Error("sorted wrongly");
}
const after = state(2);

const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
  (name) => !(name in before && name in after && Object.is(before[name], after[name])),
);
process.stdout.write(`${JSON.stringify(changed)}\n`);
