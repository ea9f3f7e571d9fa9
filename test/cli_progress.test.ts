import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";

const work = await Workplace.create();
afterAll(() => work.remove());
const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const terminal = spawnSync("script", ["--version"]).stdout?.toString().includes("util-linux") ?? false;
if (!terminal) process.stderr.write("SKIPPED: progress on a terminal: it needs the command script(1)\n");

/** A pipe that is slow enough for the progress line to appear. */
const slow = (command: string) =>
  `(head -c 400000 keys.u32; sleep 1.5; tail -c +400001 keys.u32) | ${command}`;

describe("progress", () => {
  it.runIf(terminal)("is shown as a line on a terminal after a second, and erased at the end", async () => {
    await work.run(["gen", "200000", "-o", "keys.u32", "--force"]);
    const command = slow(`${process.execPath} ${bin} - -o out.u32 --device cpu -S 1M -T .`);
    const { stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
      cwd: work.folder,
      encoding: "utf8",
    });
    // Each line replaces the one before it.
    const lines = stdout.split("\r\u001b[2K");
    expect(
      lines.some((line) => /^(reading|spilling|gathering|writing) [\d.]+ [kM]B, [\d.]+ GB\/s$/.test(line)),
    ).toBe(true);
    expect(lines.at(-1)).toMatch(/^standard input -> out\.u32: 200,000 u32 keys/);
  });

  it("is not shown if standard error is not a terminal", async () => {
    await work.run(["gen", "200000", "-o", "keys.u32", "--force"]);
    const command = slow(`${process.execPath} ${bin} - -o out.u32 -q --device cpu`);
    const { status, stderr } = spawnSync("sh", ["-c", command], { cwd: work.folder, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});
