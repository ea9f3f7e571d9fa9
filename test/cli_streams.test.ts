import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { needs } from "./support/needs.js";

const cli = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gpusort-"));
afterAll(() => rmSync(folder, { recursive: true }));

const keys = Uint32Array.from({ length: 5000 }, (_, i) => Math.imul(i, 0x9e3779b1));
const input = join(folder, "keys.u32");
writeFileSync(input, keys);
const sorted = Buffer.from(keys.slice().sort().buffer);

/** Runs a command in a real shell, for its redirections and pipes. Node's own pipes are sockets. */
function shell(command: string): { status: number | null; stdout: string; stderr: string } {
  const script = command.replaceAll("GPUSORT", `"${process.execPath}" "${cli}"`);
  return spawnSync("bash", ["-c", script], { cwd: folder, encoding: "utf8" });
}

const linux = needs(process.platform === "linux", "Linux");

linux.describe("standard output", () => {
  it("may be a file, which then holds all keys", () => {
    expect(shell("GPUSORT keys.u32 --device cpu -q -o - > out").status).toBe(0);
    expect(readFileSync(join(folder, "out")).equals(sorted)).toBe(true);
  });

  it("that cannot take all keys is an error: a short file is never a success", () => {
    const { status, stderr } = shell("ulimit -f 2; GPUSORT keys.u32 --device cpu -q -o - > short");
    expect(status).not.toBe(0);
    expect(stderr).not.toContain("bug in gpusort");
    expect(statSync(join(folder, "short")).size).toBeLessThan(sorted.length);
  });

  it("on a full disk is reported like other errors: exit code 2, a message and a hint", () => {
    for (const command of ["GPUSORT keys.u32 --device cpu -q -o -", "GPUSORT demo vecadd --device cpu"]) {
      const { status, stderr } = shell(`${command} > /dev/full`);
      expect(status).toBe(2);
      expect(stderr.match(/^gpusort: .*\n {2}\S/gm)).toEqual([
        expect.stringContaining("cannot write standard output"),
      ]);
    }
  });

  it("may be named as a file in /dev, and so may a pipe to another program", () => {
    const piped = shell("GPUSORT keys.u32 --device cpu -q -o /dev/stdout | cat > piped");
    expect([piped.status, piped.stderr]).toEqual([0, ""]);
    expect(readFileSync(join(folder, "piped")).equals(sorted)).toBe(true);
    expect(shell("GPUSORT keys.u32 --device cpu -q -o >(cat > substituted); sleep 0.3").status).toBe(0);
    expect(readFileSync(join(folder, "substituted")).equals(sorted)).toBe(true);
  });
});

linux.describe("standard input", () => {
  it("may be a file, even one of which a part was already read", () => {
    expect(shell("GPUSORT - -t u32 --device cpu -q -o whole < keys.u32").status).toBe(0);
    expect(readFileSync(join(folder, "whole")).equals(sorted)).toBe(true);
    const rest =
      "(dd bs=4 count=4000 of=/dev/null status=none; GPUSORT - -t u32 --device cpu -q -o rest) < keys.u32";
    expect(shell(rest).status).toBe(0);
    const expected = Buffer.from(keys.slice(4000).sort().buffer);
    expect(readFileSync(join(folder, "rest")).equals(expected)).toBe(true);
  });
});

linux.describe("text and packed files that nobody names", () => {
  it("are refused if they may be meant otherwise, and no output is left", () => {
    const zero =
      "is no text, as byte 5 is 0, and nothing says what it holds\n  name the type of its keys: u8, i8,";
    const cases = [
      ["printf 'abcd\\0' > keys; GPUSORT keys --device cpu", `gpusort: keys ${zero}`],
      ["printf 'abcd\\0' > keys; GPUSORT -c keys", `gpusort: keys ${zero}`],
      ["printf 'abcd\\0' | GPUSORT - --device cpu", `gpusort: standard input ${zero}`],
      [
        "printf 22221111 > numbers.bin; GPUSORT numbers.bin --device cpu",
        "numbers.bin is named for binary keys",
      ],
      [
        "printf '\\xfd7zXZ\\0\\0\\4' > keys.xz; GPUSORT keys.xz -t u32 --device cpu",
        "gpusort: keys.xz is an xz file\n",
      ],
      [
        "gzip -c keys.u32 | gzip | GPUSORT verify -",
        "gpusort: standard input is compressed twice: a gzip file is inside\n  unpack it: zcat | gpusort -",
      ],
    ] as const;
    for (const [command, message] of cases) {
      expect(shell(command)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/ \(.*--format.*\)\n$/),
      });
      expect(shell(command).stderr).toContain(message);
    }
    expect(readdirSync(folder).filter((name) => name.includes("sorted"))).toEqual([]);
  });

  it("are numbers of text, or lines, by what they hold", () => {
    expect(shell("seq 11 -1 9 | GPUSORT --device cpu -q | cat").stdout).toBe("9\n10\n11\n");
    expect(shell("printf 'hello world!' | GPUSORT --device cpu -q | cat").stdout).toBe("hello world!\n");
    expect(shell("printf 'b 1\\na 2\\n' | GPUSORT --device cpu -q | cat").stdout).toBe("a 2\nb 1\n");
  });

  it("are sorted after what the hints say", () => {
    expect(
      shell("seq 9 -1 1 > nine; GPUSORT nine --format text --device cpu -q -o out && cat out").stdout,
    ).toBe("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    expect(shell("printf 22221111 > keys; GPUSORT keys --format raw --device cpu -q -o - | cat").stdout).toBe(
      "11112222",
    );
    expect(
      shell("gzip -c keys.u32 > keys.gz; zcat keys.gz | GPUSORT - -t u32 --device cpu -q -o out").status,
    ).toBe(0);
    expect(readFileSync(join(folder, "out")).equals(sorted)).toBe(true);
  });
});

linux.describe("a cache that cannot be written", () => {
  it("does not prevent the list of adapters", () => {
    const env = { ...process.env, XDG_CACHE_HOME: "/etc/passwd" };
    expect(() => execFileSync(process.execPath, [cli, "devices"], { env, stdio: "pipe" })).not.toThrow();
  });
});
