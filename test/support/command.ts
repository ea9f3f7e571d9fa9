import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../src/cli.js";
import { serialQueue } from "../../src/core/streams/serial_queue.js";

const bin = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));
if (!existsSync(new URL("../../dist/command/cli.js", import.meta.url)))
  throw new Error("build first: npm run build");

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A temporary folder for a test file, in which the command runs. */
export class Workplace {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<Workplace> {
    return new Workplace(await fs.mkdtemp(join(tmpdir(), "gpusort-work-")));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, bytes: Uint8Array | string): Promise<void> {
    return fs.writeFile(this.path(name), bytes);
  }

  read(name: string): Promise<Buffer> {
    return fs.readFile(this.path(name));
  }

  async names(): Promise<string[]> {
    return (await fs.readdir(this.folder)).sort();
  }

  /** Starts a process of the command. */
  start(args: readonly string[]): { child: ChildProcessWithoutNullStreams; ended: Promise<Ended> } {
    const child = spawn(process.execPath, [bin, ...args], { cwd: this.folder });
    return { child, ended: endOf(child) };
  }

  /**
   * Runs the command and waits until it ends. It runs in this process, which takes a tenth of the time, unless
   * it uses the standard streams for data or may open a device.
   */
  run(args: readonly string[], input?: Uint8Array | string): Promise<Ended> {
    if (input === undefined && runsAnywhere(args)) return this.#here(args);
    const { child, ended } = this.start(args);
    child.stdin.on("error", () => {}); // a command that refuses its options reads no input
    child.stdin.end(input);
    return ended;
  }

  /** Runs the command on the CPU, so that nothing depends on this machine's drivers. */
  onCpu(args: readonly string[], input?: Uint8Array | string): Promise<Ended> {
    return this.run([...args, "--device", "cpu"], input);
  }

  #here(args: readonly string[]): Promise<Ended> {
    return inTurn(async () => {
      const cwd = process.cwd();
      const [stdout, stderr] = [process.stdout, process.stderr].map(capture) as [Captured, Captured];
      process.chdir(this.folder);
      try {
        await run(["node", "gpusort", ...args]);
        return {
          code: Number(process.exitCode ?? 0),
          signal: null,
          stdout: stdout.bytes(),
          stderr: stderr.bytes().toString(),
        };
      } finally {
        process.exitCode = undefined;
        process.chdir(cwd);
        stdout.end();
        stderr.end();
      }
    });
  }

  async remove(): Promise<void> {
    await fs.rm(this.folder, { recursive: true });
  }
}

/** What a process printed and how it ended. */
export function endOf(child: ChildProcess): Promise<Ended> {
  const stdout: Buffer[] = [];
  let stderr = "";
  child.stdout!.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr!.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  return new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout: Buffer.concat(stdout), stderr }));
  });
}

function runsAnywhere(args: readonly string[]): boolean {
  if (args.includes("-") || args.includes("--debug")) return false;
  return (
    ["gen", "verify"].includes(args[0]!) || args.some((arg) => /^-[cC]$/.test(arg)) || args.at(-1) === "cpu"
  );
}

/** Commands in this process share its streams and its folder. */
const inTurn = serialQueue("continue");

interface Captured {
  bytes(): Buffer;
  end(): void;
}

/** Keeps what is written to a stream of this process until `end`. */
function capture(stream: NodeJS.WriteStream): Captured {
  const chunks: Buffer[] = [];
  const { write } = stream;
  stream.write = ((chunk: string | Uint8Array, ...more: unknown[]) => {
    chunks.push(Buffer.from(chunk as string));
    const done = more.at(-1);
    if (typeof done === "function") done();
    return true;
  }) as typeof stream.write;
  return {
    bytes: () => Buffer.concat(chunks),
    end: () => {
      stream.write = write;
    },
  };
}
