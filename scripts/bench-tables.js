/**
 * Times whole processes that sort a table by columns: gpusort and its peers, from CSV to CSV and from Parquet
 * to Parquet, each with the same file, the same columns and as many threads.
 *
 *     node scripts/bench-tables.js [--dir /dev/shm] [--rows 1000000] [--runs 3] [--threads N] [--device cpu]
 *       [--python python3] [--peer duckdb,pyarrow,qsv]
 *
 * --python has DuckDB and pyarrow. A peer that is not there is left out, which a line says; Parquet needs
 * pyarrow, which makes and compares the files. No two rows are equal in all columns of an order, so all outputs
 * must be the same: CSV byte by byte, Parquet value by value. A cell says so if one differs.
 */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compare, isSame, printTable } from "./turns.js";

const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const program = fileURLToPath(new URL("bench-tables.py", import.meta.url));
const { values } = parseArgs({
  options: {
    dir: { type: "string", default: "/dev/shm" },
    rows: { type: "string", default: "1000000" },
    runs: { type: "string", default: "3" },
    threads: { type: "string", default: `${availableParallelism()}` },
    device: { type: "string", default: "cpu" },
    python: { type: "string", default: "python3" },
    peer: { type: "string", default: "duckdb,pyarrow,qsv" },
  },
});
const { python, threads } = values;
const count = Number(values.rows);
const pathOf = (name) => join(values.dir, `bench-tables.${name}`);

/** The orders: a column of numbers, one of strings, and two columns. */
const orders = [["id"], ["name"], ["city", "id:desc"]];

/** A number that no other row has, a name that no other row has, one of 2,000 cities, a small number, a note. */
function row(i) {
  const id = Math.imul(i, 0x9e3779b1);
  const mixed = Math.imul(i ^ 0x5bd1e995, 0x85ebca6b) >>> 0;
  return `${id},${mixed.toString(36)}name${i},city${mixed % 2000},${mixed % 6},note ${mixed % 100_000}`;
}

function generate(path) {
  const file = openSync(path, "w");
  writeSync(file, "id,name,city,passengers,note\n");
  for (let from = 0; from < count; from += 1 << 14) {
    const some = Array.from({ length: Math.min(1 << 14, count - from) }, (_, i) => row(from + i));
    writeSync(file, `${some.join("\n")}\n`);
  }
  closeSync(file);
}

/** @returns what a command prints, or undefined if it is not there or fails. */
function outputOf(command, ...args) {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function inPython(...args) {
  const { status, stderr, error } = spawnSync(python, [program, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${args[0]} failed: ${error?.message ?? stderr}`);
}

/** The versions of the peers that are there. */
function findPeers() {
  const found = new Map();
  for (const line of outputOf(python, program, "versions")?.split("\n").filter(Boolean) ?? [])
    found.set(...line.split(" "));
  const qsv = outputOf("qsv", "--version")?.split(/[ -]/)[1];
  if (qsv) found.set("qsv", qsv);
  return found;
}

const ofPython = (peer, input, columns) => ({
  name: peer,
  command: python,
  argsFor: (output) => [program, peer, threads, input, output, ...columns],
});

/** qsv sorts by numbers or by text, in one direction, so it takes part where the order has one column. */
const ofQsv = (input, [column]) => ({
  name: "qsv",
  command: "qsv",
  argsFor: (output) => [
    ...["sort", "--select", column, ...(column === "id" ? ["--numeric"] : [])],
    ...["--jobs", threads, "--output", output, input],
  ],
});

function contendersOf(input, columns, peers) {
  const by = columns.join(",");
  const own = [
    input,
    ...(input.endsWith(".csv") ? ["--header"] : []),
    "--by",
    by,
    "--threads",
    threads,
    "-q",
  ];
  return [
    {
      name: "gpusort",
      command: process.execPath,
      argsFor: (output) => [bin, ...own, "--device", values.device, "-o", output],
    },
    ...peers.map((peer) => (peer === "qsv" ? ofQsv(input, columns) : ofPython(peer, input, columns))),
  ];
}

const agrees = (a, b) =>
  a.endsWith(".csv") ? isSame(a, b) : outputOf(python, program, "same", a, b) !== undefined;

function printOrders(format, peers) {
  const input = pathOf(format);
  console.log(`\n${format}, ${(statSync(input).size / 1e6).toFixed(0)} MB:\n`);
  const how = { runs: Number(values.runs), outputOf: (i) => pathOf(`out${i}.${format}`), agrees };
  for (const [takes, some] of [
    [(columns) => columns.length === 1, peers],
    [(columns) => columns.length > 1, peers.filter((peer) => peer !== "qsv")],
  ]) {
    const chosen = orders.filter(takes);
    printTable("by", contendersOf(input, chosen[0], some), lines());
    function* lines() {
      for (const columns of chosen)
        yield compare(`\`${columns.join(",")}\``, contendersOf(input, columns, some), how);
    }
    console.log("");
  }
}

const found = findPeers();
const wanted = values.peer.split(",").filter(Boolean);
const peers = wanted.filter((peer) => found.has(peer));
try {
  generate(pathOf("csv"));
  const date = new Date().toISOString().slice(0, 10);
  console.log(
    `${count} rows such as \`${row(1)}\`. ${availableParallelism()} cores of ${cpus()[0]?.model.trim()},`,
  );
  console.log(`${threads} threads, Node ${process.version}, ${date}. Seconds: median and minimum of`);
  console.log(`${values.runs} runs. ${peers.map((peer) => `${peer} ${found.get(peer)}`).join(", ")}.`);
  for (const peer of wanted) if (!found.has(peer)) console.log(`SKIPPED ${peer}: it is not installed.`);
  printOrders("csv", peers);
  if (found.has("pyarrow")) {
    inPython("to-parquet", pathOf("csv"), pathOf("parquet"));
    printOrders(
      "parquet",
      peers.filter((peer) => peer !== "qsv"),
    );
  } else console.log("SKIPPED Parquet: pyarrow is not installed.");
} finally {
  for (const format of ["csv", "parquet"]) rmSync(pathOf(format), { force: true });
}
