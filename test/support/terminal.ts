import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { needs } from "./needs.js";

const bin = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));

/** Whether this machine can run a command on a terminal of its own. */
export const hasTerminal =
  spawnSync("script", ["--version"]).stdout?.toString().includes("util-linux") ?? false;

/** How tests that need a terminal are declared. */
export const withTerminal = needs(hasTerminal, "the command script(1)");

export interface TerminalOptions {
  readonly cwd: string;
  readonly columns?: number;
  /** What is typed, as soon as the screen shows `when`; immediately without it. */
  readonly types?: { readonly keys: string; readonly when?: string };
  readonly env?: NodeJS.ProcessEnv;
}

export interface Screen {
  readonly code: number | null;
  /** Everything that was written to the terminal, with its control sequences. */
  readonly bytes: string;
  /** What was written between two erased lines. A status line is one of them. */
  readonly lines: readonly string[];
}

/** Runs a shell command on a terminal. GPUSORT in it is the command of this project. */
export function onTerminal(command: string, options: TerminalOptions): Promise<Screen> {
  const { cwd, columns = 80, types, env = {} } = options;
  const script = `stty cols ${columns}; ${command.replaceAll("GPUSORT", `'${process.execPath}' '${bin}'`)}`;
  const child = spawn("script", ["-qec", script, "/dev/null"], { cwd, env: { ...process.env, ...env } });
  let bytes = "";
  let typed = types === undefined;
  const type = () => {
    if (typed || !bytes.includes(types!.when ?? "")) return;
    typed = true;
    child.stdin.write(types!.keys);
  };
  type();
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk;
    type();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, bytes, lines: bytes.split("\r\u001b[2K") }));
  });
}
