import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const cli = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gpusort-"));
afterAll(() => rmSync(folder, { recursive: true }));

const keys = Uint32Array.from({ length: 5000 }, (_, i) => Math.imul(i, 0x9e3779b1));
const input = join(folder, "keys.u32");
writeFileSync(input, keys);
const sorted = Buffer.from(keys.slice().sort().buffer);

/** Through a real shell, as its redirections and pipes are what is tested; Node's own pipes are sockets. */
function shell(command: string): { status: number | null; stderr: string } {
  const script = command.replaceAll("GPUSORT", `"${process.execPath}" "${cli}"`);
  return spawnSync("bash", ["-c", script], { cwd: folder, encoding: "utf8" });
}

const posix = process.platform === "linux";
if (!posix) process.stderr.write("SKIPPED: standard output through a shell: only on Linux\n");

describe.runIf(posix)("standard output", () => {
  it("may be a file, which then holds all the keys", () => {
    expect(shell("GPUSORT keys.u32 --device cpu -q -o - > out").status).toBe(0);
    expect(readFileSync(join(folder, "out")).equals(sorted)).toBe(true);
  });

  it("that takes less than all is an error, never a short file and success", () => {
    const { status, stderr } = shell("ulimit -f 2; GPUSORT keys.u32 --device cpu -q -o - > short");
    expect(status).not.toBe(0);
    expect(stderr).not.toContain("bug in gpusort");
    expect(statSync(join(folder, "short")).size).toBeLessThan(sorted.length);
  });

  it("that is full is told as any error: exit code 2, a sentence and a way out", () => {
    for (const command of ["GPUSORT keys.u32 --device cpu -q -o -", "GPUSORT demo vecadd --device cpu"]) {
      const { status, stderr } = shell(`${command} > /dev/full`);
      expect(status).toBe(2);
      expect(stderr).toMatch(/^gpusort: cannot write standard output: .*\n {2}\S/m);
    }
  });

  it("may be named as a file, and so may a pipe to another program", () => {
    const piped = shell("GPUSORT keys.u32 --device cpu -q -o /dev/stdout | cat > piped");
    expect([piped.status, piped.stderr]).toEqual([0, ""]);
    expect(readFileSync(join(folder, "piped")).equals(sorted)).toBe(true);
    expect(shell("GPUSORT keys.u32 --device cpu -q -o >(cat > substituted); sleep 0.3").status).toBe(0);
    expect(readFileSync(join(folder, "substituted")).equals(sorted)).toBe(true);
  });
});

describe.runIf(posix)("standard input", () => {
  it("may be a file, of which some may have been read", () => {
    expect(shell("GPUSORT - --device cpu -q -o whole < keys.u32").status).toBe(0);
    expect(readFileSync(join(folder, "whole")).equals(sorted)).toBe(true);
    const rest =
      "(dd bs=4 count=4000 of=/dev/null status=none; GPUSORT - --device cpu -q -o rest) < keys.u32";
    expect(shell(rest).status).toBe(0);
    const expected = Buffer.from(keys.slice(4000).sort().buffer);
    expect(readFileSync(join(folder, "rest")).equals(expected)).toBe(true);
  });
});

describe.runIf(posix)("a cache that cannot be written", () => {
  it("does not keep the adapters from being listed", () => {
    const env = { ...process.env, XDG_CACHE_HOME: "/etc/passwd" };
    expect(() => execFileSync(process.execPath, [cli, "devices"], { env, stdio: "pipe" })).not.toThrow();
  });
});
