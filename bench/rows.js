/**
 * Times whole processes that sort rows of text: GNU sort and gpusort, by ten keys, and merges of sorted files.
 *
 *     node bench/rows.js [--dir /dev/shm] [--rows 5000000] [--runs 3] [--threads N] [--device auto,cpu,gpu]
 *       [--only 1,2] [--merge 2,8,64] [--peer 'NAME=COMMAND {in} {out}']...
 *
 * It makes the rows, lets the programs take turns, compares their outputs byte by byte, and prints tables in
 * Markdown. Each device is a column. `--only` names keys by their numbers; `--merge ''` leaves merges out. Each
 * --peer adds a column of another program, in whose command {keys} are the options of sort(1), {field} is the
 * number of the first key's field and {order} is n for numbers, else nothing. Outputs are removed before each
 * run.
 */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compare, printTable, run } from "./turns.js";

/** @typedef {import("./turns.js").Contender} Contender */

const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const { values } = parseArgs({
  options: {
    dir: { type: "string", default: "/dev/shm" },
    rows: { type: "string", default: "5000000" },
    runs: { type: "string", default: "3" },
    threads: { type: "string", default: `${availableParallelism()}` },
    device: { type: "string", default: "auto" },
    only: { type: "string" },
    merge: { type: "string", default: "2,8,64" },
    peer: { type: "string", multiple: true, default: [] },
  },
});
const count = Number(values.rows);
const devices = values.device.split(",");

/** The keys, as options of sort(1). */
const specs = [
  "",
  "-t, -k2,2n",
  "-t, -k2,2nr",
  "-t, -k4,4g",
  "-t, -k3,3",
  "-t, -k3,3 -k2,2nr",
  "-t, -k1,1f",
  "-t, -k6,6r",
  "-t, -k5,5M -k7,7h",
  "-t, -k3,3 -u",
];
const wanted = values.only?.split(",").map((number) => specs[Number(number) - 1]) ?? specs;
const merges = values.merge === "" ? [] : values.merge.split(",").map(Number);

/** @param {string} name */
const pathOf = (name) => join(values.dir, `bench-rows.${name}`);
const input = pathOf("csv");

/** Marsaglia's xorshift, so that each run has the same rows. */
let state = 88675123;
/** @param {number} most */
function random(most) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % most;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ";
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

/**
 * A word, an integer, one of 10,000 names, a floating-point number, a month, a time, a size, a number.
 *
 * @param {number} i
 */
function row(i) {
  const word = Array.from({ length: 4 + random(8) }, () => LETTERS[random(LETTERS.length)]).join("");
  const float = `${random(2) ? "-" : ""}${random(10)}.${two(random(100))}${two(random(100))}e${random(40) - 20}`;
  const day = `20${two(random(26))}-${two(1 + random(12))}-${two(1 + random(28))}`;
  const time = `${day}T${two(random(24))}:${two(random(60))}:${two(random(60))}Z`;
  const size = `${1 + random(999)}${"KMG"[random(3)]}`;
  const name = `name${String(random(10_000)).padStart(4, "0")}`;
  return `${word},${random(2 ** 32) - 2 ** 31},${name},${float},${MONTHS[random(12)]},${time},${size},${i}`;
}

/**
 * Writes the rows to as many files: one after the other, each as many of them.
 *
 * @param {string[]} paths
 */
function generate(paths) {
  for (const [part, path] of paths.entries()) {
    const from = Math.floor((count * part) / paths.length);
    const end = Math.floor((count * (part + 1)) / paths.length);
    const file = openSync(path, "w");
    for (let at = from; at < end; at += 1 << 14) {
      const some = Array.from({ length: Math.min(1 << 14, end - at) }, (_, i) => row(at + i));
      writeSync(file, `${some.join("\n")}\n`);
    }
    closeSync(file);
  }
}

/** @param {string} text */
const words = (text) => text.split(" ").filter(Boolean);

/**
 * @param {string} label
 * @param {Contender[]} contenders
 */
const compareAll = (label, contenders) =>
  compare(label, contenders, { runs: Number(values.runs), outputOf: (i) => pathOf(`out${i}`) });

/**
 * @param {string} keys
 * @param {string[]} inputs
 * @param {string[]} extra
 * @returns {Contender[]}
 */
function sortersOf(keys, inputs, ...extra) {
  const gnu = ["-s", ...extra, `--parallel=${values.threads}`, "-S60%", "-T", values.dir, ...words(keys)];
  const own = [
    ...extra,
    "--threads",
    values.threads,
    "-T",
    values.dir,
    ...words(keys),
    "-q",
    "--format",
    "lines",
  ];
  return [
    { name: "GNU sort", command: "sort", argsFor: (output) => [...gnu, ...inputs, "-o", output] },
    ...devices.map((device) => ({
      name: devices.length > 1 ? `gpusort, ${device}` : "gpusort",
      command: process.execPath,
      mustBeSame: true,
      /** @param {string} output */
      argsFor: (output) => [bin, ...own, "--device", device, ...inputs, "-o", output],
    })),
  ];
}

/**
 * @param {string} keys
 * @returns {Contender[]}
 */
function peersOf(keys) {
  const [, field = "1", order = ""] = /-k(\d+),\d+([ng]?)/.exec(keys) ?? [];
  return values.peer.map((peer) => {
    const [name, command] = [peer.slice(0, peer.indexOf("=")), peer.slice(peer.indexOf("=") + 1)];
    /** @param {string} output */
    const filled = (output) =>
      Object.entries({ in: input, out: output, keys, field, order: order && "n" }).reduce(
        (text, [word, value]) => text.replaceAll(`{${word}}`, value),
        command,
      );
    return { name, command: "sh", argsFor: (output) => ["-c", filled(output)] };
  });
}

const parts = Array.from({ length: Math.max(0, ...merges) }, (_, i) => pathOf(`part${i}`));
try {
  generate([input]);
  const version = spawnSync("sort", ["--version"], { encoding: "utf8" }).stdout.split("\n")[0];
  const cores = `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${values.threads} threads`;
  const date = new Date().toISOString().slice(0, 10);
  console.log(
    `${count} rows, ${(statSync(input).size / 1e6).toFixed(0)} MB, such as \`${row(0)}\`. ${cores},`,
  );
  console.log(
    `Node ${process.version}, ${version}, ${date}. Seconds: median and minimum of ${values.runs} runs.\n`,
  );
  /** @param {string} keys */
  const of = (keys) => [...sortersOf(keys, [input]), ...peersOf(keys)];
  printTable("keys", of(""), lines());
  function* lines() {
    for (const keys of wanted) yield compareAll(keys ? `\`${keys}\`` : "whole lines", of(keys));
  }
  if (merges.length > 0) console.log("");
  printMerges();
} finally {
  for (const path of [input, ...parts]) rmSync(path, { force: true });
}

function printMerges() {
  if (merges.length === 0) return;
  printTable("merge", sortersOf("", [], "-m"), mergeLines());
  function* mergeLines() {
    for (const inputs of merges) {
      const some = parts.slice(0, inputs);
      generate(some);
      for (const keys of ["", "-t, -k2,2n", "-t, -k1,1"]) {
        for (const path of some) {
          run("sort", "sort", ["-s", ...words(keys), path, "-o", `${path}.sorted`], `${path}.sorted`);
          renameSync(`${path}.sorted`, path);
        }
        yield compareAll(
          `${inputs} inputs, ${keys ? `\`${keys}\`` : "whole lines"}`,
          sortersOf(keys, some, "-m"),
        );
      }
    }
  }
}
