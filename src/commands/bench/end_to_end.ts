import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Budget, rowSeconds } from "../../bench/budget.js";
import { type CommandRun, type EndToEnd, measureCommand } from "../../bench/end_to_end.js";
import type { Axes } from "../../bench/run.js";
import { InputError } from "../../core/errors.js";
import { formatCount } from "../../report/units.js";
import { distribution, generateKeys } from "../../testdata/distributions.js";
import { ChildGuard } from "./child_guard.js";

const command = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));

/**
 * Times the whole command `gpusort sort` from file to file. Each run is a process of its own. The files are
 * kept in a new folder in the system's temporary folder, and removed at the end.
 */
export async function* endToEnd(
  { types, distributions, algorithms, sizes }: Axes,
  device: string,
  relativeError: number,
  budget: Budget,
  progress: (text: string) => void,
): AsyncGenerator<EndToEnd> {
  const folder = mkdtempSync(join(tmpdir(), "gpusort-bench-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const guard = new ChildGuard();
  try {
    for (const type of types) {
      for (const name of distributions) {
        for (const keyCount of sizes) {
          const input = join(folder, `keys.${type.name}`);
          const keys = generateKeys(distribution(name), type, keyCount, keyCount);
          writeFileSync(input, new Uint8Array(keys.buffer));
          for (const algorithm of algorithms) {
            progress(`${formatCount(keyCount)} ${type.name} keys, ${name}: running the whole command`);
            const output = join(folder, `sorted.${type.name}`);
            const run = () => runOnce(input, output, device, algorithm, guard);
            const point = { type: type.name, distribution: name, payloadBytes: 0, keyCount };
            const deadline = budget.now() + 1000 * budget.take(rowSeconds(keyCount));
            yield await measureCommand(point, run, { relativeError, deadline, now: budget.now });
          }
        }
      }
    }
  } finally {
    guard.close();
    process.off("exit", remove);
    remove();
  }
}

async function runOnce(
  input: string,
  output: string,
  device: string,
  algorithm: string,
  guard: ChildGuard,
): Promise<CommandRun> {
  const args = [command, "sort", input, "-o", output, "--json", "--device", device, "--algorithm", algorithm];
  const begin = performance.now();
  const running = promisify(execFile)(process.execPath, args);
  guard.watch(running.child.pid);
  const { stdout } = await running.catch((cause: Error) => {
    const reason = (cause as Error & { stderr?: string }).stderr?.trim() || cause.message;
    throw new InputError(`gpusort sort failed: ${reason.replaceAll(/\s*\n\s*/g, "; ")}`, {
      hint: "try it with fewer keys",
      cause,
    });
  });
  guard.watch(undefined);
  return { ...(JSON.parse(stdout) as Omit<CommandRun, "processMs">), processMs: performance.now() - begin };
}
