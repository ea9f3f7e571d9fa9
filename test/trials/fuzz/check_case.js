/** `--check` and `verify`, which say by their exit code whether a file is in order. */
import { makeItems, sortedItems } from "./items.js";
import { writeInputs } from "./layout.js";
import { gather, orderOf } from "./oracle.js";
import { argumentsOf, gpusort } from "./run_sort.js";

/**
 * @typedef {import("../random.js").Random} Random
 * @typedef {import("./spec.js").Context} Context
 * @typedef {import("./spec.js").Spec} Spec
 */

/**
 * @param {Random} random
 * @returns {Spec}
 */
export function makeCheckCase(random) {
  const isLarge = random.chance(0.1); // so that most of it is checked by kernels
  const items = makeItems(random, isLarge ? 900_000 : 3000, isLarge);
  const [descending, isSorted] = [random.chance(0.4), random.chance(0.6)];
  const all = Buffer.concat(items.inputs);
  const unique = random.chance(0.3);
  const spec = { ...items, descending, unique };
  return {
    ...spec,
    kind: "check",
    inputs: [isSorted ? prepared(all, spec, random) : all],
    format: items.recordBytes ? "records" : random.pick(/** @type {const} */ (["raw", "npy", "text"])),
    npyVersion: 1,
    textSeed: random.u32(),
    command: unique || random.chance(0.5) ? "--check" : "verify",
  };
}

/**
 * Items in order; without equal ones, or with them.
 *
 * @param {Uint8Array} all
 * @param {Pick<Spec, "itemBytes" | "fields" | "descending" | "unique">} spec
 * @param {Random} random
 */
function prepared(all, spec, random) {
  if (!spec.unique || random.chance(0.3)) return sortedItems(all, spec);
  const items = { ...spec, bytes: all };
  return gather(items, orderOf(items, spec));
}

/**
 * @param {Spec} spec
 * @param {Context} context
 */
export async function runCheckCase(spec, { folder }) {
  const files = writeInputs({ ...spec, to: "raw" }, folder);
  const all = argumentsOf({ ...spec, algorithm: "auto", argsort: false }, files, "cpu");
  const options = all.slice(all.indexOf("-q") + 1);
  const args = [...(spec.command === "verify" ? ["verify"] : ["--check"]), ...files.inputs, ...options];
  const { code, stderr } = await gpusort(args);
  const expected = isInOrder(spec) ? 0 : 1;
  return code === expected ? undefined : `exit code ${code} instead of ${expected}: ${stderr}`;
}

/** @param {Spec} spec */
function isInOrder({ inputs, itemBytes, fields, descending, unique }) {
  const items = { bytes: inputs[0], itemBytes, fields };
  const order = orderOf(items, { descending, unique });
  return order.length === inputs[0].length / itemBytes && order.every((at, i) => at === i);
}
