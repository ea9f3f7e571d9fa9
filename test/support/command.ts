import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));
if (!existsSync(new URL("../../dist/cli.js", import.meta.url))) throw new Error("build first: npm run build");

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A folder of its own for a test file, and the command run in it. */
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

  start(args: readonly string[]): { child: ChildProcess; ended: Promise<Ended> } {
    const child = spawn(process.execPath, [bin, ...args], { cwd: this.folder });
    const stdout: Buffer[] = [];
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk;
    });
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => resolve({ code, signal, stdout: Buffer.concat(stdout), stderr }));
    });
    return { child, ended };
  }

  /** Runs the command to its end. */
  run(args: readonly string[], input?: Uint8Array | string): Promise<Ended> {
    const { child, ended } = this.start(args);
    child.stdin!.on("error", () => {}); // a command that refuses its options reads no input
    child.stdin!.end(input);
    return ended;
  }

  /** The same on the CPU, where nothing depends on this machine's drivers. */
  onCpu(args: readonly string[], input?: Uint8Array | string): Promise<Ended> {
    return this.run([...args, "--device", "cpu"], input);
  }

  async remove(): Promise<void> {
    await fs.rm(this.folder, { recursive: true });
  }
}
