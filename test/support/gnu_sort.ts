import { spawnSync } from "node:child_process";
import { needs } from "./needs.js";

/** The command of GNU sort; undefined where there is none. */
export const gnuSort = ["sort", "gsort"].find((command) =>
  spawnSync(command, ["--version"]).stdout?.toString().includes("GNU coreutils"),
);

/** How tests that need GNU sort are declared. */
export const withGnuSort = needs(gnuSort, "GNU sort");

/** What GNU sort makes of a text, with the order of bytes; `files` are named as operands instead of it. */
export function sortByGnu(args: readonly string[], input: Buffer, cwd?: string): Buffer {
  const env = { ...process.env, LC_ALL: "C" };
  const { status, stdout, stderr } = spawnSync(gnuSort!, args, { input, env, cwd, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`sort ${args.join(" ")} failed: ${stderr}`);
  return stdout;
}
