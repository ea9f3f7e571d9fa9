/** Whole processes that take turns, for the benchmarks beside it, and the tables of their times. */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, rmSync, statSync } from "node:fs";

/**
 * The environment of a timed process.
 *
 * @type {NodeJS.ProcessEnv}
 */
export const env = { ...process.env, LC_ALL: "C" };
// See bench/processes.py.
delete env.NODE_EXTRA_CA_CERTS;

/**
 * Removes the output, then runs a command.
 *
 * @param {string} name
 * @param {string} command
 * @param {string[]} args
 * @param {string} output
 * @returns seconds.
 * @throws Error if the command fails.
 */
export function run(name, command, args, output) {
  rmSync(output, { force: true });
  const begin = performance.now();
  const { status, stderr, error } = spawnSync(command, args, { env, encoding: "utf8", maxBuffer: 2 ** 26 });
  const seconds = (performance.now() - begin) / 1000;
  if (status !== 0) throw new Error(`${name} failed: ${error?.message ?? stderr}`);
  return seconds;
}

/**
 * Whether two files hold the same bytes.
 *
 * @param {string} a
 * @param {string} b
 */
export function isSame(a, b) {
  if (statSync(a).size !== statSync(b).size) return false;
  const [fileA, fileB] = [openSync(a, "r"), openSync(b, "r")];
  const [blockA, blockB] = [Buffer.alloc(8 << 20), Buffer.alloc(8 << 20)];
  try {
    for (;;) {
      const bytes = readSync(fileA, blockA);
      readSync(fileB, blockB);
      if (bytes === 0) return true;
      if (!blockA.subarray(0, bytes).equals(blockB.subarray(0, bytes))) return false;
    }
  } finally {
    for (const file of [fileA, fileB]) closeSync(file);
  }
}

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} command
 * @property {(output: string) => string[]} argsFor
 * @property {boolean} [mustBeSame] whether it is an error when its output is not that of the first one
 */

/**
 * Lets contenders take turns. Removes the outputs.
 *
 * @param {string} label
 * @param {Contender[]} contenders
 * @param {object} settings
 * @param {number} settings.runs how often.
 * @param {(i: number) => string} settings.outputOf the path of the output of contender number i.
 * @param {typeof isSame} [settings.agrees] compares two outputs.
 * @returns a row of the table.
 */
export function compare(label, contenders, { runs, outputOf, agrees = isSame }) {
  const outputs = contenders.map((_, i) => outputOf(i));
  /** @type {number[][]} */
  const times = contenders.map(() => []);
  for (let turn = 0; turn < runs; turn++) {
    for (const [i, { name, command, argsFor }] of contenders.entries()) {
      times[i].push(run(`${name} ${label}`, command, argsFor(outputs[i]), outputs[i]));
    }
  }
  const cells = contenders.map(({ name, mustBeSame }, i) => {
    const same = i === 0 || agrees(outputs[0], outputs[i]);
    if (!same && mustBeSame)
      throw new Error(`${name} ${label} wrote something else than ${contenders[0].name}`);
    const sorted = times[i].sort((a, b) => a - b);
    const median = sorted[sorted.length >> 1];
    return { median, text: `${median.toFixed(2)} (${sorted[0].toFixed(2)})${same ? "" : ", differs"}` };
  });
  for (const path of outputs) rmSync(path, { force: true });
  const ratios = cells.slice(1).map(({ median }) => (cells[0].median / median).toFixed(1));
  return `| ${[label, ...cells.map(({ text }) => text), ...ratios].join(" | ")} |`;
}

/**
 * Prints a table in Markdown.
 *
 * @param {Iterable<string>} lines its rows: see `compare`.
 * @param {string} what
 * @param {Contender[]} contenders
 */
export function printTable(what, contenders, lines) {
  const names = contenders.map(({ name }) => name);
  const ratios = names.slice(1).map((name) => `${names[0]} / ${name}`);
  console.log(`| ${[what, ...names, ...ratios].join(" | ")} |`);
  console.log(`| --- |${[...names, ...ratios].map(() => " ---: |").join("")}`);
  for (const line of lines) console.log(line);
}
