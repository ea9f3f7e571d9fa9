import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, readSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needs } from "./needs.js";

/** The command of GNU sort; undefined where there is none. */
export const gnuSort = ["sort", "gsort"].find((command) =>
  spawnSync(command, ["--version"]).stdout?.toString().includes("GNU coreutils"),
);

/** How tests that need GNU sort are declared. */
export const withGnuSort = needs(gnuSort, "GNU sort");

/** Runs the script of each request, and says how it ended. The folder goes when this process does. */
const SERVE = `
cd "$1" && exec <requests >results || exit
while read -r _; do (. ./script); echo $?; done
rm -r "$1"`;

/** What a shell has read and written, and its requests and results. */
interface Shell {
  readonly folder: string;
  readonly requests: number;
  readonly results: number;
}

/**
 * A shell that starts GNU sort many times. This process has much memory, and a system that forks it to start
 * another program takes longer than to sort a few lines.
 */
let shell: Shell | undefined;

function startShell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), "gpusort-gnu-"));
  spawnSync("mkfifo", [join(folder, "requests"), join(folder, "results")]);
  spawn("sh", ["-c", SERVE, "sh", folder], { stdio: "ignore" }).unref();
  // In this order the shell opens them, too: each waits for the other.
  const requests = openSync(join(folder, "requests"), "w");
  return { folder, requests, results: openSync(join(folder, "results"), "r") };
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/** Runs GNU sort, with the order of bytes. */
export function runGnu(
  args: readonly string[],
  input: Buffer,
  cwd = process.cwd(),
): { readonly status: number; readonly stdout: Buffer; readonly stderr: string } {
  shell ??= startShell();
  const { folder, requests, results } = shell;
  const path = (name: string) => join(folder, name);
  const files = ["<", ">", "2>"].map((sign, i) => sign + quoted(path(["input", "output", "errors"][i]!)));
  const command = ["LC_ALL=C", gnuSort!, ...args.map(quoted), ...files].join(" ");
  writeFileSync(path("input"), input);
  writeFileSync(path("script"), `cd ${quoted(cwd)} && ${command}\n`);
  writeSync(requests, "\n");
  const status = Buffer.alloc(8);
  const length = readSync(results, status);
  if (length === 0) throw new Error("the shell that runs GNU sort has ended");
  const [stdout, stderr] = [readFileSync(path("output")), readFileSync(path("errors"), "utf8")];
  // Some file systems write a file to the disk before it is closed if it was written over.
  for (const name of ["script", "input", "output", "errors"]) unlinkSync(path(name));
  return { status: Number(status.toString("latin1", 0, length)), stdout, stderr };
}

/** What GNU sort makes of a text, with the order of bytes; `files` are named as operands instead of it. */
export function sortByGnu(args: readonly string[], input: Buffer, cwd?: string): Buffer {
  const { status, stdout, stderr } = runGnu(args, input, cwd);
  if (status !== 0) throw new Error(`sort ${args.join(" ")} failed: ${stderr}`);
  return stdout;
}
