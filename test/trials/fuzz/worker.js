/** Runs random cases on one device, in this process, until the time is over. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSorter, openEngine } from "../../../dist/index.js";
import { randomNumbers, seedOf } from "../random.js";
import { makeArrayCase, runArrayCase } from "./array_case.js";
import { makeCheckCase, runCheckCase } from "./check_case.js";
import { makeFileCase, runFileCase } from "./file_case.js";
import { hasNumpy, makeNumpyCase, runNumpyCase, startNumpy } from "./numpy_case.js";
import { canRunPlans, makePlanCase, runPlanCase } from "./plan_case.js";
import { gpusort } from "./run_sort.js";
import { shrink } from "./shrink.js";

/**
 * @typedef {import("./spec.js").Context} Context
 * @typedef {import("./spec.js").Spec} Spec
 */

/**
 * @typedef {object} Kind
 * @property {(random: import("../random.js").Random, context: Context) => Spec} make
 * @property {(spec: import("./spec.js").KeySpec, context: Context) => Promise<string | undefined>} run a case
 *   that it made
 */

/** @type {Record<string, Kind>} */
const kinds = {
  file: { make: makeFileCase, run: runFileCase },
  array: { make: makeArrayCase, run: runArrayCase },
  check: { make: makeCheckCase, run: runCheckCase },
  numpy: { make: makeNumpyCase, run: runNumpyCase },
  plan: { make: makePlanCase, run: runPlanCase },
};

/**
 * Makes case number `number` of a seed: the same one each time.
 *
 * @param {number} seed
 * @param {number} number
 * @param {Context} context
 * @returns {Spec}
 */
function makeCase(seed, number, context) {
  const random = randomNumbers(seedOf(seed, number));
  const share = random.unit();
  const found = share < 0.55 ? "file" : share < 0.85 ? "array" : share < 0.98 ? "numpy" : "check";
  const kind = canRunPlans(context) && random.chance(0.4) ? "plan" : found;
  return kinds[kind === "numpy" && !context.numpy ? "file" : kind].make(random, context);
}

/**
 * @param {Spec} spec
 * @param {Context} context
 * @returns {Promise<string | undefined>}
 */
async function problemOf(spec, context) {
  try {
    return await kinds[spec.kind].run(/** @type {import("./spec.js").KeySpec} */ (spec), context);
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    return `${name}: ${message}`;
  }
}

/**
 * Everything about a case but its bytes.
 *
 * @param {Spec} spec
 */
export function describe(spec) {
  const { fields, inputs, itemBytes, ...rest } = spec;
  const set = Object.entries(rest).filter(([, value]) => value !== undefined && value !== false);
  const counts = inputs.map((bytes) => bytes.length / itemBytes);
  const few = inputs.every((bytes) => bytes.length <= 200);
  const hex = few ? ` bytes ${inputs.map((bytes) => Buffer.from(bytes).toString("hex")).join(" + ")}` : "";
  return `${JSON.stringify(Object.fromEntries(set))} items ${counts.join(" + ")}${hex}`;
}

/** Where nothing waits for a disk, if there is such a place. */
const fastFolder = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** @param {string} device */
export async function openContext(device) {
  const opened = await openEngine(device);
  const sorter = opened.device ? await createSorter(opened.device.gpu.device) : await createSorter("cpu");
  const folder = join(mkdtempSync(join(fastFolder, "gpusort-fuzz-")), "case");
  const { stdout } = await gpusort(["sort", "--help"]);
  return {
    device,
    engine: opened,
    sorter,
    folder,
    numpy: hasNumpy() ? startNumpy() : undefined,
    canReadBack: /--verify\b/.test(String(stdout)),
    close() {
      this.numpy?.stop();
      rmSync(join(folder, ".."), { recursive: true });
    },
  };
}

/** So many failures that look alike are made smaller and reported; the others are counted. */
const MOST_ALIKE = 3;

/**
 * What failures of one cause have in common, more or less.
 *
 * @param {Spec} spec
 * @param {string} problem
 */
function signature({ kind, call, argsort, unique, recordBytes }, problem) {
  const what = [kind, call, argsort && "argsort", unique && "unique", recordBytes && "records"];
  return `${what.filter(Boolean).join(" ")}: ${problem.replace(/-?\b[\da-f]*\d[\da-f.e+-]*\b/g, "#").slice(0, 80)}`;
}

/**
 * @typedef {object} Failure
 * @property {number} number of the case
 * @property {Spec} spec made smaller
 * @property {string} problem
 * @property {string | undefined} smallProblem
 *
 * @typedef {object} Cases
 * @property {number} seed
 * @property {number} first
 * @property {number} count
 * @property {number} seconds
 * @property {Context} context
 * @property {string} progress the file that has the number of the case that runs
 * @property {(failure: Failure) => void} report
 */

/**
 * Runs cases from `first` on. Tells `report` of failures. Returns how many of each kind ran, and failed.
 *
 * @param {Cases} cases
 */
export async function runCases({ seed, first, count, seconds, context, progress, report }) {
  /** @type {Record<string, number>} */
  const ran = {};
  /** @type {Map<string, number>} */
  const seen = new Map();
  let failures = 0;
  const end = performance.now() + 1000 * seconds;
  for (let number = first; number < first + count && performance.now() < end; number++) {
    writeFileSync(progress, String(number));
    const spec = makeCase(seed, number, context);
    const problem = await problemOf(spec, context);
    const kind = spec.viaCommand ? "command" : spec.kind;
    ran[kind] = (ran[kind] ?? 0) + 1;
    if (problem === undefined) continue;
    failures++;
    const like = signature(spec, problem);
    const alike = (seen.get(like) ?? 0) + 1;
    seen.set(like, alike);
    if (alike > MOST_ALIKE) continue;
    const small = await shrink(spec, async (candidate) => {
      const found = await problemOf(candidate, context);
      return found !== undefined && signature(candidate, found) === like;
    });
    report({ number, spec: small, problem, smallProblem: await problemOf(small, context) });
  }
  for (const [like, count] of seen) if (count > MOST_ALIKE) console.log(`${count} failures like ${like}`);
  return { ran, failures };
}
