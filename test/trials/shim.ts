import { spawn, spawnSync } from "node:child_process";
import { promises as fs } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Ended, endOf } from "../support/command.js";
import { HANG_MS } from "../support/hang_limit.js";
import { type Needs, needs } from "../support/needs.js";

const bin = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));
const source = fileURLToPath(new URL("faults.c", import.meta.url));

export type Call =
  | "open"
  | "read"
  | "write"
  | "sync"
  | "truncate"
  | "rename"
  | "link"
  | "unlink"
  | "close"
  | "stat"
  | "mode";

/** What faults.c does to the calls of a process. */
export interface Fault {
  /** A part of the path; a "$" at its end stands for the end of the path. */
  readonly path: string;
  readonly call: Call | "any";
  /** As FAULT_DO in faults.c, such as "error:5". */
  readonly action: string;
  /** The first call that fails, counted from 0. Default: 0. */
  readonly from?: number | undefined;
  /** How many calls fail; 0 for all that follow. Default: 1. */
  readonly times?: number | undefined;
}

/** A call that the shim saw, and whether it failed. */
export interface SeenCall {
  readonly hit: boolean;
  readonly call: Call;
  readonly path: string;
}

/** What a process printed, how it ended, and the calls that matched its fault. */
export interface FaultyRun extends Ended {
  readonly calls: readonly SeenCall[];
}

interface Shim {
  /** The compiled library; undefined where it cannot be compiled. */
  readonly library: string | undefined;
  /** How tests that need it are declared. */
  readonly withShim: Needs;
}

/** Compiles faults.c into a folder. */
export function buildShim(folder: string): Shim {
  const lacks = (what: string) => ({ library: undefined, withShim: needs(false, what) });
  if (process.platform !== "linux") return lacks("Linux");
  const library = join(folder, "faults.so");
  for (const compiler of ["cc", "gcc", "clang"]) {
    const args = ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl"];
    const { status, stderr, error } = spawnSync(compiler, args, { encoding: "utf8" });
    if (status === 0) return { library, withShim: needs(true, compiler) };
    if (!error) throw new Error(`${compiler} does not compile faults.c: ${stderr}`);
  }
  return lacks("a C compiler");
}

/** Runs the command in a folder, under a fault. It is killed if it hangs. */
export async function runUnder(
  library: string,
  fault: Fault,
  args: readonly string[],
  folder: string,
  input?: Uint8Array,
): Promise<FaultyRun> {
  const log = `${folder}.log`;
  const env = {
    ...process.env,
    UV_USE_IO_URING: "0", // its reads and writes are no calls of libc
    LD_PRELOAD: library,
    FAULT_PATH: fault.path,
    FAULT_CALL: fault.call,
    FAULT_FROM: String(fault.from ?? 0),
    FAULT_TIMES: String(fault.times ?? 1),
    FAULT_DO: fault.action,
    FAULT_LOG: log,
  };
  const child = spawn(process.execPath, [bin, ...args], { cwd: folder, env });
  child.stdin.on("error", () => {}); // it may end before it has read its input
  child.stdin.end(input);
  const timer = setTimeout(() => child.kill("SIGABRT"), HANG_MS);
  const ended = await endOf(child);
  clearTimeout(timer);
  const text = await fs.readFile(log, "utf8").catch(() => "");
  await fs.rm(log, { force: true });
  return { ...ended, calls: parseLog(text) };
}

function parseLog(text: string): SeenCall[] {
  return [...text.matchAll(/^(hit|seen) (\w+) \d+ (.*)$/gm)].map(([, verdict, call, path]) => ({
    hit: verdict === "hit",
    call: call as Call,
    path: path!,
  }));
}
