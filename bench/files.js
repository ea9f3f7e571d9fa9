/**
 * Times whole processes that sort a file into another file: gpusort and other programs, in one call.
 *
 *     node bench/files.js [--dir /dev/shm] [--sizes 2^20,2^25,2^28] [--type u32] [--runs 5]
 *       [--device auto,cpu,gpu] [--memory 1G]... [--peer 'NAME=COMMAND {in} {out}']...
 *
 * Each device is a row. Each --memory adds a row of gpusort with this -S, so that larger files are sorted out
 * of core. Each --peer adds a row of another program. Contenders take turns. The output is removed before each
 * run, so that no run replaces a file.
 */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { env } from "./turns.js";

const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const { values } = parseArgs({
  options: {
    dir: { type: "string", default: "/dev/shm" },
    sizes: { type: "string", default: "2^20,2^25,2^28" },
    type: { type: "string", default: "u32" },
    runs: { type: "string", default: "5" },
    device: { type: "string", default: "auto" },
    memory: { type: "string", multiple: true, default: [] },
    peer: { type: "string", multiple: true, default: [] },
  },
});

const input = join(values.dir, `bench-files.${values.type}`);
const output = join(values.dir, `bench-files.sorted.${values.type}`);

/**
 * @typedef {object} Summary what gpusort prints with --json, of which this is read
 * @property {string} device
 * @property {{ name: string, ms: number }[]} phases
 * @property {number} [gpuMs]
 *
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} command
 * @property {string[]} args
 * @property {(stdout: string) => Summary | undefined} phases
 */

const devices = values.device.split(",");

/**
 * @param {string} device
 * @param {string[]} extra
 * @returns {Contender}
 */
function gpusort(device, ...extra) {
  const args = [bin, input, "-o", output, "--json", "--device", device, "-T", values.dir, ...extra];
  const name = ["gpusort", ...(devices.length > 1 ? [device] : []), ...extra].join(" ");
  return { name, command: process.execPath, args, phases: (stdout) => JSON.parse(stdout) };
}

const contenders = [
  ...devices.flatMap((device) => [
    gpusort(device),
    ...values.memory.map((size) => gpusort(device, "-S", size)),
  ]),
  ...values.peer.map((peer) => {
    const [name, command] = [peer.slice(0, peer.indexOf("=")), peer.slice(peer.indexOf("=") + 1)];
    const filled = command.replaceAll("{in}", input).replaceAll("{out}", output);
    return { name, command: "sh", args: ["-c", filled], phases: () => undefined };
  }),
];

/** @param {Contender} contender */
function run({ command, args, phases, name }) {
  rmSync(output, { force: true });
  const begin = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, { env, encoding: "utf8", maxBuffer: 2 ** 24 });
  const seconds = (performance.now() - begin) / 1000;
  if (status !== 0 || !existsSync(output)) throw new Error(`${name} failed: ${stderr}`);
  return { seconds, summary: phases(stdout) };
}

/** @param {Summary} summary */
function phasesOf({ device, phases, gpuMs }) {
  const all = phases.map((one) => (one.name === "sort" && gpuMs ? { name: "GPU sort", ms: gpuMs } : one));
  return `${device}: ${all.map(({ name, ms }) => `${name} ${ms.toPrecision(3)}`).join(", ")}`;
}

console.log("| keys | program | median (s) | least (s) | phases of the median run (ms) |");
console.log("| ---: | --- | ---: | ---: | --- |");
for (const size of values.sizes.split(",")) {
  const made = spawnSync(process.execPath, [bin, "gen", size, "-o", input, "-t", values.type, "--force"]);
  if (made.status !== 0) throw new Error(`${made.stderr}`);
  /** @type {ReturnType<typeof run>[][]} */
  const times = contenders.map(() => []);
  for (let turn = 0; turn < Number(values.runs); turn++) {
    for (const [i, contender] of contenders.entries()) times[i].push(run(contender));
  }
  for (const [i, { name }] of contenders.entries()) {
    const sorted = times[i].sort((a, b) => a.seconds - b.seconds);
    const median = sorted[sorted.length >> 1];
    const phases = median.summary ? phasesOf(median.summary) : "";
    console.log(
      `| ${size} | ${name} | ${median.seconds.toFixed(3)} | ${sorted[0].seconds.toFixed(3)} | ${phases} |`,
    );
  }
}
for (const path of [input, output]) rmSync(path, { force: true });
