/** Sorts of .npy files, compared with NumPy's own sort, argsort and unique by fuzz/numpy_oracle.py. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { distributionNames, keyCount, makeKeys, withoutNegativeZero } from "./keys.js";
import { runCommand, runLibrary } from "./run_sort.js";
import { bytesIn, bytesOf, keysIn, typeNames, types } from "./types.js";

/**
 * @typedef {import("./spec.js").Context} Context
 * @typedef {import("./spec.js").KeySpec} KeySpec
 */

const program = fileURLToPath(new URL("numpy_oracle.py", import.meta.url));

export const hasNumpy = () => spawnSync("python3", ["-c", "import numpy"]).status === 0;

/** A Python process that saves arrays and judges results. */
export function startNumpy() {
  const child = spawn("python3", [program], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  return {
    /** @param {object} question */
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const [line] = await once(lines, "line");
      return JSON.parse(line);
    },
    stop: () => child.stdin.end(),
  };
}

/**
 * @param {import("../random.js").Random} random
 * @returns {KeySpec}
 */
export function makeNumpyCase(random) {
  const type = random.pick(typeNames);
  const distribution = random.pick(distributionNames);
  const keys = makeKeys(random, type, keyCount(random, 20_000), distribution);
  return {
    kind: "numpy",
    type,
    itemBytes: bytesOf(type),
    fields: [{ offset: 0, type }],
    distribution,
    inputs: [bytesIn(withoutNegativeZero(keys))],
    big: random.chance(0.3),
    call: random.pick(/** @type {const} */ (["sort", "argsort", "unique"])),
    viaCommand: random.chance(0.05),
  };
}

/**
 * @param {KeySpec} spec
 * @param {Context} context
 */
export async function runNumpyCase(spec, context) {
  const { type, big, call } = spec;
  const { folder, numpy } = context;
  if (!numpy) throw new Error("there is no NumPy");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "temp"), { recursive: true });
  const [rawFile, input, output] = ["in.raw", "in.npy", "out.npy"].map((name) => join(folder, name));
  const keys = keysIn(spec.inputs[0], type);
  writeFileSync(rawFile, bytesIn(keys));
  const saved = await numpy.ask({ do: "save", raw: rawFile, dtype: types[type].npy, big, npy: input });
  if (saved.problem) return saved.problem;
  const run = spec.viaCommand ? runCommand : runLibrary;
  /** @type {import("./spec.js").Spec} */
  const sort = {
    ...spec,
    format: "npy",
    to: "npy",
    algorithm: "auto",
    argsort: call === "argsort",
    unique: call === "unique",
  };
  await run(sort, { inputs: [input], output, temporary: join(folder, "temp") }, context);
  return (await numpy.ask({ do: call, input, output })).problem ?? undefined;
}
