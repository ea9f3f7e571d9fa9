/**
 * Sorts random keys with random options, and compares each result with an oracle that shares no code with
 * gpusort, and with NumPy where it is there.
 *
 *     node test/trials/fuzz.js [--seconds 60] [--seed 1] [--devices cpu,swiftshader,llvmpipe]
 *     node test/trials/fuzz.js --seed 1 --devices cpu --case 4711      # one case again
 *
 * Exits with 1 if a result is wrong, and prints how to get it again. A process opens one device, so each
 * device has a process of its own, one after the other.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { devicesHere } from "./devices.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    devices: { type: "string", default: "cpu,swiftshader,llvmpipe" },
    case: { type: "string" },
    /** For the processes that this one starts. */
    worker: { type: "string" },
  },
});
const [seconds, seed] = [values.seconds, values.seed].map(Number);

/** A case that takes longer than this hangs. */
const CASE_LIMIT_MS = 180_000;

/**
 * The share of a device in the time: twice as much for the CPU, which gets on fastest.
 *
 * @param {string} device
 * @param {string[]} devices
 */
const shareOf = (device, devices) => {
  /** @param {string} name */
  const weight = (name) => (name === "cpu" ? 2 : 1);
  return weight(device) / devices.reduce((sum, name) => sum + weight(name), 0);
};

/** @param {string} device */
async function work(device) {
  const { openContext, runCases, describe } = await import("./fuzz/worker.js");
  const context = await openContext(device);
  /** @param {number} number */
  const again = (number) => `node test/trials/fuzz.js --seed ${seed} --devices ${device} --case ${number}`;
  /** @param {import("./fuzz/worker.js").Failure} failure */
  const report = ({ number, spec, problem, smallProblem }) => {
    console.log(`FAILED: ${problem}\n  ${again(number)}\n  smaller: ${smallProblem}\n  ${describe(spec)}`);
  };
  const one = values.case === undefined ? {} : { first: Number(values.case), count: 1 };
  const { ran, failures } = await runCases({
    ...{
      seed,
      first: 0,
      count: Number.POSITIVE_INFINITY,
      seconds,
      context,
      progress: values.worker ?? "",
      report,
    },
    ...one,
  });
  context.close();
  const counts = Object.entries(ran).map(([kind, count]) => `${count} ${kind}`);
  const total = Object.values(ran).reduce((sum, count) => sum + count, 0);
  console.log(`${device}: ${total} cases (${counts.join(", ")}), ${failures} failed`);
  if (!context.numpy) console.log("SKIPPED: the comparison with NumPy: python3 cannot import it");
  process.exit(failures > 0 ? 1 : 0);
}

/**
 * Runs a process for a device, and ends it if it does not get on. Returns whether all was well.
 *
 * @param {string} device
 * @param {number} share
 * @param {string} folder
 */
async function supervise(device, share, folder) {
  const progress = join(folder, "case");
  writeFileSync(progress, "");
  const args = [
    "--worker",
    progress,
    "--devices",
    device,
    "--seed",
    String(seed),
    "--seconds",
    String(share),
  ];
  if (values.case !== undefined) args.push("--case", values.case);
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ["ignore", "inherit", "pipe"],
  });
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (!/^Warning: max/.test(line)) console.log(line); // Dawn's own, at each adapter
  });
  let [last, since] = ["", performance.now()];
  const timer = setInterval(() => {
    const now = readFileSync(progress, "utf8");
    if (now !== last) [last, since] = [now, performance.now()];
    else if (performance.now() - since > CASE_LIMIT_MS) child.kill("SIGKILL");
  }, 1000);
  const [code, signal] = await new Promise((resolve) => child.on("close", (...ended) => resolve(ended)));
  clearInterval(timer);
  if (code === 0 || code === 1) return code === 0;
  const number = readFileSync(progress, "utf8");
  console.log(`FAILED: the process ended with ${signal ?? code} in case ${number}`);
  console.log(`  node test/trials/fuzz.js --seed ${seed} --devices ${device} --case ${number}`);
  return false;
}

if (values.worker !== undefined) await work(values.devices);
else {
  console.log(`node test/trials/fuzz.js --seconds ${seconds} --seed ${seed} --devices ${values.devices}`);
  const folder = mkdtempSync(join(tmpdir(), "gpusort-fuzz-"));
  const devices = devicesHere(values.devices.split(","));
  let isWell = devices.length > 0;
  for (const device of devices) {
    const share = seconds * shareOf(device, devices);
    isWell = (await supervise(device, share, folder)) && isWell;
  }
  rmSync(folder, { recursive: true });
  process.exit(isWell ? 0 : 1);
}
