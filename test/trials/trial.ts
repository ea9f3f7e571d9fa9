import { promises as fs } from "node:fs";
import { join } from "node:path";
import type { Job } from "./jobs.js";
import { type Call, type Fault, type FaultyRun, runUnder, type SeenCall } from "./shim.js";

/** The files of a sort that a fault can hit. */
export type Role = "input" | "output" | "temporary" | "folder";

/** The name of the folder that a sort runs in. */
const FOLDER = "sorting";

/** How the path of each file looks to the shim. */
const pathOf = (job: Job): Record<Role, string> => ({
  input: job.input === "-" ? "socket:[" : `/${FOLDER}/${job.input}`,
  output: ".gpusort", // the hidden file that becomes the output
  temporary: `/${FOLDER}/temp`,
  folder: `/${FOLDER}$`,
});

/** A fault in one role of a job. */
export interface Case {
  readonly job: Job;
  readonly role: Role;
  readonly call: Call;
  readonly action: string;
  readonly from?: number;
  readonly times?: number;
  readonly args?: readonly string[];
}

const describeCase = ({ job, role, call, action, from = 0, times = 1 }: Case) =>
  `${job.name}: ${role} ${call} ${action} at call ${from}${times === 1 ? "" : `, ${times || "every"} times`}`;

export class Trial {
  readonly #library: string;
  readonly #root: string;
  #next = 0;
  /** How many runs had a fault. */
  injected = 0;
  /** How many of them were killed at a call. */
  killed = 0;

  /** @param root a folder for the folders of the trials. */
  constructor(library: string, root: string) {
    this.#library = library;
    this.#root = root;
  }

  /** Runs a job without a fault. Returns its calls by role, and its output. */
  async count(job: Job): Promise<{ calls: (role: Role, call: Call) => number; output: Buffer }> {
    return this.#inFolder(job, async (folder) => {
      const run = await this.#run(job, { path: "", call: "any", action: "count" }, folder);
      const output = await fs.readFile(join(folder, job.output));
      if (run.code !== 0) throw new Error(`${job.name}: ${run.stderr}`);
      if (!job.isRight(output)) throw new Error(`${job.name}: the output is wrong without a fault`);
      const calls = (role: Role, call: Call) =>
        run.calls.filter((seen) => seen.call === call && matches(pathOf(job)[role], seen)).length;
      return { calls, output };
    });
  }

  /** Runs a case. Returns what it did wrong; undefined if all is well. */
  async judge(which: Case, right: Buffer): Promise<string | undefined> {
    for (let attempt = 0; attempt < 3; attempt++) {
      const problem = await this.#inFolder(which.job, (folder) => this.#attempt(which, right, folder));
      if (problem !== NOT_INJECTED) return problem && `${describeCase(which)}: ${firstLines(problem)}`;
    }
    return `${describeCase(which)}: ${NOT_INJECTED}`;
  }

  async #attempt(which: Case, right: Buffer, folder: string): Promise<string | undefined> {
    const { job, role, call, action, from, times } = which;
    const fault = { path: pathOf(job)[role], call, action, from, times };
    const run = await this.#run(job, fault, folder, which.args);
    if (!run.calls.some(({ hit }) => hit)) return NOT_INJECTED;
    this.injected++;
    if (action.startsWith("kill")) return this.#judgeKilled(job, run, right, folder);
    return problemOf(which, run, right, await stateOf(folder, job));
  }

  /** After SIGKILL: the old output or the new one; the next run works, and removes what was left. */
  async #judgeKilled(job: Job, run: FaultyRun, right: Buffer, folder: string): Promise<string | undefined> {
    this.killed++;
    if (run.signal !== "SIGKILL") return `it ended with ${run.signal ?? run.code}: ${run.stderr}`;
    const killed = await stateOf(folder, job);
    if (!same(killed.output, job.old) && !same(killed.output, right)) return "the output is damaged";
    if (killed.temporary.length > 0) return `it left temporary files: ${killed.temporary}`;
    // Without -o, an output that exists is not replaced: then this run is to say so.
    const isThere = job.old === undefined && killed.output !== undefined;
    const next = await this.#run(job, { path: "", call: "open", action: "count" }, folder);
    const after = await stateOf(folder, job);
    if (after.others.length > 0) return `the next run leaves ${after.others}`;
    if (next.code !== (isThere ? 2 : 0)) return `the next run fails: ${next.stderr}`;
    return same(after.output, right) ? undefined : "the output of the next run is wrong";
  }

  #run(job: Job, fault: Fault, folder: string, args: readonly string[] = []): Promise<FaultyRun> {
    const all = [...job.args, "-T", join(folder, "temp"), "--device", "cpu", "-q", ...args];
    const input = job.input === "-" ? job.inputBytes : undefined;
    return runUnder(this.#library, fault, all, folder, input);
  }

  async #inFolder<T>(job: Job, work: (folder: string) => Promise<T>): Promise<T> {
    const outer = join(this.#root, `trial-${this.#next++}`);
    const folder = join(outer, FOLDER);
    await fs.mkdir(join(folder, "temp"), { recursive: true });
    if (job.input !== "-") await fs.writeFile(join(folder, job.input), job.inputBytes);
    if (job.old) await fs.writeFile(join(folder, job.output), job.old);
    try {
      return await work(folder);
    } finally {
      await fs.rm(outer, { recursive: true });
    }
  }
}

/** So much of a problem as fits a line. */
const firstLines = (problem: string) =>
  problem
    .trim()
    .split(/\s*\n\s*/)
    .slice(0, 4)
    .join(" | ");

const NOT_INJECTED = "the fault was never injected";

function matches(part: string, { path }: SeenCall): boolean {
  return part.endsWith("$") ? path.endsWith(part.slice(0, -1)) : path.includes(part);
}

interface State {
  readonly output: Buffer | undefined;
  readonly inputIsIntact: boolean;
  /** Files that are neither the input nor the output. */
  readonly others: readonly string[];
  readonly temporary: readonly string[];
}

async function stateOf(folder: string, job: Job): Promise<State> {
  const read = (name: string) => fs.readFile(join(folder, name)).catch(() => undefined);
  const own = ["temp", job.input, job.output];
  return {
    output: await read(job.output),
    inputIsIntact: [job.output, "-"].includes(job.input) || same(await read(job.input), job.inputBytes),
    others: (await fs.readdir(folder)).filter((name) => !own.includes(name)),
    temporary: await fs.readdir(join(folder, "temp")),
  };
}

const same = (a: Buffer | undefined, b: Buffer | undefined) => (a && b ? a.equals(b) : a === b);

/** What a message must name if this role fails. */
const nameOf = (job: Job): Record<Role, string> => ({
  input: job.input === "-" ? "standard input" : job.input,
  output: job.output,
  temporary: "temp",
  folder: job.output,
});

function problemOf(which: Case, run: FaultyRun, right: Buffer, state: State): string | undefined {
  const { job, role, call } = which;
  const { code, signal, stderr } = run;
  if (code !== 0 && code !== 2) return `it ended with ${signal ?? code}: ${stderr}`;
  if (!state.inputIsIntact) return "the input has changed";
  // What cannot be unlinked stays: it is the other name of a complete output.
  const mayStay = call === "unlink" && code === 0;
  if (state.others.length > 0 && !mayStay)
    return `it left ${state.others} (exit code ${code}: ${stderr.trim()})`;
  if (state.temporary.length > 0) return `it left temporary files: ${state.temporary}`;
  if (code === 0) return same(state.output, right) ? undefined : "exit code 0, but the output is wrong";
  if (!same(state.output, job.old)) {
    const isNew = same(state.output, right) ? "the new one" : "damaged";
    return `exit code 2, but the output is ${isNew}: ${stderr}`;
  }
  if (/bug in gpusort|\n {4}at /.test(stderr)) return `the error is called a bug: ${stderr}`;
  if (!/^gpusort: .+\n {2}\S.*\n$/.test(stderr)) return `the message is not one line and a hint: ${stderr}`;
  return stderr.includes(nameOf(job)[role])
    ? undefined
    : `the message does not name the ${role}, ${nameOf(job)[role]}: ${stderr}`;
}
