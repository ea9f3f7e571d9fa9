/**
 * Kills sorts at random moments, and looks at the files afterwards: the output is the old one or the new one,
 * whole; the next run removes what a killed one left.
 *
 *     node test/trials/kills.js [--kills 200] [--seed 1] [--keys 500000] [--devices cpu,swiftshader]
 *
 * Exits with 1 if an output is torn, an input has changed, or something is left. Two sorts run at a time.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { devicesHere } from "./devices.js";
import { randomNumbers, seedOf } from "./random.js";
import { Victim } from "./victim.js";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    keys: { type: "string", default: "500000" },
    devices: { type: "string", default: "cpu,swiftshader" },
  },
});
const [kills, seed, keyCount] = [values.kills, values.seed, values.keys].map(Number);

/** Of so many kills, one hits a sort on an adapter: it takes four times as long as one on the CPU. */
const ADAPTER_SHARE = 10;
/** After so many kills of a victim, one sort of it runs to its end. */
const WHOLE_RUNS = 10;

/** Some sorts end before their signal comes, and count for nothing. At most so many are tried for each kill. */
const MOST_SORTS = 4;

/**
 * @typedef {"SIGKILL" | "SIGTERM" | "SIGINT"} Signal
 * @typedef {Awaited<ReturnType<Victim["complete"]>>} Times of a whole run
 * @typedef {{ victim: Victim, killed: number, times?: Times }} Target
 */

const root = mkdtempSync(join(tmpdir(), "gpusort-kills-"));
const [cpu, ...adapters] = devicesHere(values.devices.split(","));
const tally = { before: 0, during: 0, after: 0, ended: 0 };
const signals = { SIGKILL: 0, SIGTERM: 0, SIGINT: 0 };
const counts = { torn: 0, left: 0, cleaned: 0, wholeRuns: 0 };
/** @type {string[]} */
const problems = [];

/**
 * Everything that one of the two workers kills: in place or not, in core or not, on each device.
 *
 * @param {string} worker
 * @param {string} device
 * @returns {Target[]}
 */
function victimsOf(worker, device) {
  return [true, false].flatMap((inPlace) =>
    [undefined, "1M"].map((memory, i) => {
      const folder = join(root, `${worker}-${device}-${inPlace}-${i}`);
      return { victim: new Victim(folder, { device, inPlace, memory, keyCount, seed: seed + i }), killed: 0 };
    }),
  );
}

/**
 * Chooses when to kill: at any moment of the run, or while the output is published, which begins after the
 * last change of the hidden file.
 *
 * @param {import("./random.js").Random} random
 * @param {Times} times
 */
function momentOf(random, { changes, publishMs, totalMs }) {
  return random.chance(0.5)
    ? { afterChanges: 0, delayMs: totalMs * random.unit() }
    : { afterChanges: changes, delayMs: publishMs * random.unit() };
}

/**
 * @param {Target} target
 * @param {number} number
 */
async function killOne(target, number) {
  const { victim } = target;
  const random = randomNumbers(seedOf(seed, number));
  const signal = random.chance(0.7)
    ? "SIGKILL"
    : random.pick(/** @type {Signal[]} */ (["SIGTERM", "SIGINT"]));
  target.times ??= await victim.complete();
  const { afterChanges, delayMs } = momentOf(random, target.times);
  victim.restore();
  const before = victim.hidden();
  let changes = 0;
  const { child, ended } = victim.start(() => {
    if (++changes === afterChanges) setTimeout(() => child.kill(signal), delayMs);
  });
  const timer = afterChanges === 0 ? setTimeout(() => child.kill(signal), delayMs) : undefined;
  const run = await ended;
  clearTimeout(timer);
  judge(
    target,
    run,
    signal,
    before,
    `kill ${number}: ${victim.name}, ${signal} after ${delayMs.toFixed(1)} ms`,
  );
  if (++target.killed % WHOLE_RUNS === 0) await wholeRun(target);
}

/**
 * @param {Target} target
 * @param {import("./victim.js").Ended} run
 * @param {Signal} signal
 * @param {string[]} before
 * @param {string} what
 */
function judge(target, run, signal, before, what) {
  const state = target.victim.state(before);
  const wasKilled = run.signal === signal || run.code === 128 + constants.signals[signal];
  signals[signal]++;
  if (!wasKilled) tally.ended++;
  else if (state.output === "new") tally.after++;
  else if (state.isWhole) tally.during++;
  else tally.before++;

  /** @param {string} problem */
  const fail = (problem) => problems.push(`${what}: ${problem}`);
  if (state.output === "torn") {
    counts.torn++;
    fail("the output is torn");
  }
  if (!wasKilled && (run.code !== 0 || state.output !== "new"))
    fail(`${run.signal ?? run.code}: ${run.stderr}`);
  if (!state.inputIsIntact) fail("the input has changed");
  if (state.temporary.length > 0) fail(`it left ${state.temporary} in the temporary folder`);
  const left = state.hidden.filter((name) => !before.includes(name));
  const cleaned = before.filter((name) => !state.hidden.includes(name));
  if (signal !== "SIGKILL" && left.length > 0) fail(`it left ${left}`);
  counts.left += left.length;
  counts.cleaned += cleaned.length;
}

/**
 * A run that is not killed removes what all killed ones left.
 *
 * @param {Target} target
 */
async function wholeRun(target) {
  const { victim } = target;
  const before = victim.hidden().length;
  const times = await victim
    .complete()
    .catch((/** @type {Error} */ error) => void problems.push(error.message));
  if (times) target.times = times;
  counts.wholeRuns++;
  counts.cleaned += before - victim.hidden().length;
}

let next = 0;
/** @param {string} id */
async function worker(id) {
  const onCpu = victimsOf(id, cpu);
  const onAdapters = adapters.flatMap((device) => victimsOf(id, device));
  for (;;) {
    if (kills <= tally.before + tally.during + tally.after) break;
    const number = next++;
    if (number >= MOST_SORTS * kills) throw new Error("most sorts end before they are killed");
    const onAdapter = onAdapters.length > 0 && number % ADAPTER_SHARE === 0;
    const from = onAdapter ? onAdapters : onCpu;
    const turn = Math.floor(number / (onAdapter ? ADAPTER_SHARE : 1));
    await killOne(from[turn % from.length], number);
  }
  for (const target of [...onCpu, ...onAdapters]) if (target.killed > 0) await wholeRun(target);
}

console.log(
  `node test/trials/kills.js --kills ${kills} --seed ${seed} --keys ${keyCount} --devices ${values.devices}`,
);
const begin = performance.now();
try {
  await Promise.all([worker("a"), worker("b")]);
} finally {
  rmSync(root, { recursive: true });
}
const { before, during, after, ended } = tally;
console.log(
  [
    `${next} sorts: ${signals.SIGKILL} SIGKILL, ${signals.SIGTERM} SIGTERM, ${signals.SIGINT} SIGINT`,
    `killed before publishing ${before}, while publishing ${during}, after it ${after}; not killed in time ${ended}`,
    `torn outputs ${counts.torn}; hidden files left by SIGKILL ${counts.left}, removed by later runs ${counts.cleaned}`,
    `${counts.wholeRuns} whole runs between; ${((performance.now() - begin) / 1000).toFixed(0)} s`,
  ].join("\n"),
);
if (counts.cleaned !== counts.left)
  problems.push(`${counts.left - counts.cleaned} hidden files were not removed`);
for (const problem of problems) console.log(`FAILED: ${problem}`);
process.exit(problems.length > 0 ? 1 : 0);
