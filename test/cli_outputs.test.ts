import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { needs } from "./support/needs.js";

const cli = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gpusort-outputs-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(at(name));

const keys = Uint32Array.from({ length: 1000 }, (_, i) => Math.imul(i, 0x9e3779b1));
const sorted = Buffer.from(keys.slice().sort().buffer);
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(at(name), { recursive: true });
  writeFileSync(at("keys.u32"), keys);
});

/** Runs a script in a real shell, in which SORT is `gpusort sort` on the CPU. */
function shell(script: string) {
  const command = `"${process.execPath}" "${cli}"`;
  const words = script
    .replaceAll(/\bSORT\b/g, `${command} sort --device cpu -q`)
    .replaceAll(/\bGPUSORT\b/g, command);
  const ended = spawnSync("bash", ["-c", words], { cwd: folder });
  return { status: ended.status, stdout: ended.stdout, stderr: ended.stderr.toString() };
}

/** Expects one message with a hint, no stack trace, and exit code 2. */
function expectRefusal({ status, stderr }: { status: number | null; stderr: string }, message: RegExp): void {
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^gpusort: .+\n {2}\S.*\n$/);
  expect(status).toBe(2);
}

const isLinux = process.platform === "linux";
const linux = needs(isLinux, "Linux");

linux.describe("an output that is a descriptor", () => {
  const whole = Buffer.concat([Buffer.from("HEADER\n"), sorted]);

  it.each([
    ["standard output in a file", "{ echo HEADER; SORT keys.u32 -o /dev/stdout; } > f"],
    ["standard output that appends", "echo HEADER > f; SORT keys.u32 -o /dev/stdout >> f"],
    ["another one", "{ echo HEADER >&3; SORT keys.u32 -o /dev/fd/3; } 3> f"],
    ["one in /proc", "{ echo HEADER >&3; SORT keys.u32 -o /proc/self/fd/3; } 3> f"],
    ["one behind links", "ln -s /dev/stdout a; ln -s a b; { echo HEADER; SORT keys.u32 -o b; } > f"],
  ])("is written where it stands: %s", (_, script) => {
    const before = readdirSync(folder);
    expect(shell(script)).toMatchObject({ status: 0, stderr: "" });
    expect(read("f").equals(whole)).toBe(true);
    const after = readdirSync(folder).filter((name) => !["a", "b", "f"].includes(name));
    expect(after).toEqual(before);
  });

  it("may be a file that was removed", () => {
    const ended = shell("exec 3<> f; rm f; SORT keys.u32 -o /dev/stdout >&3; cat /proc/self/fd/3");
    expect(ended).toMatchObject({ status: 0, stderr: "" });
    expect(ended.stdout.equals(sorted)).toBe(true);
    expect(readdirSync(folder)).toEqual(["keys.u32"]);
  });

  it("that is a pipe may be closed by its reader", () => {
    const ended = shell("set -o pipefail; SORT keys.u32 -o /dev/stdout | true");
    expect(ended).toMatchObject({ status: 0, stderr: "" });
  });

  it("does not take the summary as JSON too", () => {
    const ended = shell("SORT keys.u32 -o /dev/stdout --json > f");
    expectRefusal(ended, /--json and the sorted keys cannot both go to standard output/);
  });
});

linux.describe("an input that is a descriptor", () => {
  it.each([
    "SORT -t u32 /dev/stdin < keys.u32",
    "SORT -t u32 <(cat keys.u32)",
    "SORT -t u32 /dev/fd/3 3< keys.u32",
  ])("goes to standard output by default: %s", (script) => {
    const ended = shell(script);
    expect(ended).toMatchObject({ status: 0, stderr: "" });
    expect(ended.stdout.equals(sorted)).toBe(true);
    expect(readdirSync(folder)).toEqual(["keys.u32"]);
  });

  it("is read from its position", () => {
    const skip = "dd bs=4 count=900 of=/dev/null status=none";
    for (const name of ["-", "/dev/stdin", "/dev/fd/0"]) {
      const { stdout } = shell(`{ ${skip}; SORT -t u32 ${name}; } < keys.u32`);
      expect(stdout.equals(Buffer.from(keys.slice(900).sort().buffer))).toBe(true);
    }
  });

  it("may be named only once", () => {
    expectRefusal(shell("SORT - /dev/stdin -o f < keys.u32"), /standard input is named twice/);
    expectRefusal(shell("SORT /dev/fd/3 /dev/fd/3 -o f 3< keys.u32"), /\/dev\/fd\/3 is named twice/);
  });
});

linux.describe("a standard stream that is closed", () => {
  it.each([
    ["SORT keys.u32 -o - >&-", /^gpusort: standard output is closed/],
    ["SORT keys.u32 -o /dev/stdout >&-", /^gpusort: cannot write \/dev\/stdout: it is closed/],
    ["GPUSORT gen 10 -o - >&-", /^gpusort: standard output is closed/],
    ["SORT - <&-", /^gpusort: cannot read standard input: it is closed/],
    ["SORT /dev/stdin <&-", /^gpusort: cannot read \/dev\/stdin: it is closed/],
    ["SORT /dev/fd/9", /^gpusort: cannot read \/dev\/fd\/9: it is closed/],
  ])("is an error: %s", (script, message) => expectRefusal(shell(script), message));

  it("is not /dev/null that a user named", () => {
    expect(shell("SORT keys.u32 -o - > /dev/null")).toMatchObject({ status: 0, stderr: "" });
    expect(shell("SORT - < /dev/null")).toMatchObject({ status: 0, stderr: "" });
  });
});

it.each(["SORT keys.u32", "GPUSORT gen 4", "GPUSORT job plan keys.u32 --job job"])(
  "refuses a second output: %s",
  (command) => {
    expectRefusal(shell(`${command} -o out.u32 -o more.u32`), /--output is given twice/);
    expect(readdirSync(folder)).toEqual(["keys.u32"]);
  },
);

describe("a file that the command would write twice", () => {
  const trace = (path: string) => `SORT keys.u32 -o sorted.u32 --trace ${path}`;

  linux.it.each([
    [trace("keys.u32"), /keys\.u32 is also the input, which would be overwritten\n.*\(--trace\)/],
    [trace("./link"), /link is also the input/],
    [trace("hard"), /hard is also the input/],
    [trace("sorted.u32"), /sorted\.u32 is also the output.*\n.*\(--trace\)/],
    [trace("folder/../sorted.u32"), /sorted\.u32 is also the output/],
    ["SORT keys.u32 -o - --trace /dev/stdout > f", /\/dev\/stdout is also the output/],
    ["SORT - -o f --trace keys.u32 < keys.u32", /keys\.u32 is also the input/],
    ["GPUSORT bench --out x.svg --plot ./x.svg", /x\.svg is also the file of --out.*\n.*\(--plot\)/],
    ["GPUSORT demo blur p.png -o ./p.png", /p\.png is also the input.*\n.*\(--output\)/],
  ])("is refused: %s", (script, message) => {
    shell("ln -s keys.u32 link; ln keys.u32 hard; mkdir folder; echo a picture > p.png");
    const before = readdirSync(folder);
    expectRefusal(shell(script), message);
    expect(readdirSync(folder).filter((name) => name !== "f")).toEqual(before);
    expect(read("keys.u32").equals(Buffer.from(keys.buffer))).toBe(true);
  });

  it("is not refused if it is named twice", () => {
    expect(shell("SORT keys.u32 -o out.u32 -o out.u32").status).toBe(0);
    expect(read("out.u32").equals(sorted)).toBe(true);
  });

  it("is not refused if it is /dev/null", () => {
    expect(shell("SORT keys.u32 -o /dev/null --trace /dev/null").status).toBe(0);
  });

  it("is refused before anything is read if the trace cannot be written", () => {
    const ended = shell("SORT missing.u32 -o sorted.u32 --trace nowhere/trace.json");
    expectRefusal(
      ended,
      /^gpusort: cannot write nowhere\/trace\.json: there is no folder nowhere\n.*\(--trace\)/,
    );
  });

  it("is left as it was if the sort fails", () => {
    writeFileSync(at("trace.json"), "old");
    expect(shell("SORT missing.u32 -o sorted.u32 --trace trace.json").status).toBe(2);
    expect(read("trace.json").toString()).toBe("old");
    expect(readdirSync(folder)).toEqual(["keys.u32", "trace.json"]);
  });
});

describe("--verify", () => {
  it.each(["sorted.u32", "sorted.npy", "sorted.txt"])("full checks %s on the disk", (name) => {
    expect(shell(`SORT keys.u32 -u -o ${name}`).status).toBe(0);
    const plain = read(name);
    expect(shell(`SORT keys.u32 -u -o ${name} --verify=full`)).toMatchObject({ status: 0, stderr: "" });
    expect(read(name).equals(plain)).toBe(true);
  });

  it("full is refused for a pipe, and another word is no level", () => {
    const message = /^gpusort: the output \S.* cannot be read back.*\n.*\(--output, --verify\)/;
    expectRefusal(shell("SORT keys.u32 --verify=full -o -"), message);
    expectRefusal(shell("SORT keys.u32 --verify=full -o /dev/null"), message);
    expectRefusal(shell("SORT keys.u32 --verify most -o f"), /--verify 'most' is not a level/);
  });
});

/** Another user than root, who may write to everything. */
const nobody = { uid: 65534, gid: 65534 };
const root = process.getuid?.() === 0;
const user = root ? nobody : {};
const reachable = spawnSync(process.execPath, [cli, "--version"], user).status === 0;
const asUser = needs(isLinux && reachable, "Linux, and a user other than root who can run this clone");
const asRoot = needs(root, "root");

asUser.describe("an output that its user may not write to", () => {
  const sortAs = (...args: string[]) => {
    const words = [cli, "keys.u32", "--device", "cpu", "-q", ...args];
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, ...user });
    return { status, stderr: stderr.toString() };
  };
  beforeEach(() => {
    chmodSync(folder, 0o777);
    writeFileSync(at("kept.u32"), "old");
    if (root) chownSync(at("kept.u32"), nobody.uid, nobody.gid);
    chmodSync(at("kept.u32"), 0o444);
  });

  it("is replaced only by force, and keeps its mode", () => {
    const message = /^gpusort: the output kept\.u32 is write-protected\n.*\(--force, --output\)/;
    expectRefusal(sortAs("-o", "kept.u32"), message);
    expect(read("kept.u32").toString()).toBe("old");
    expect(sortAs("-o", "kept.u32", "--force")).toMatchObject({ status: 0, stderr: "" });
    expect(read("kept.u32").equals(sorted)).toBe(true);
    expect(statSync(at("kept.u32")).mode & 0o777).toBe(0o444);
  });

  asRoot.it("may belong to somebody else", () => {
    chownSync(at("kept.u32"), 0, 0);
    chmodSync(at("kept.u32"), 0o644);
    expectRefusal(sortAs("-o", "kept.u32"), /kept\.u32 is write-protected/);
  });

  it("is not the trace either", () => {
    expectRefusal(sortAs("-o", "f", "--trace", "kept.u32"), /kept\.u32 is write-protected\n.*\(--trace\)/);
    expect(existsSync(at("f"))).toBe(false);
  });

  it("is refused by gen, too", () => {
    const gen = (...args: string[]) =>
      spawnSync(process.execPath, [cli, "gen", "10", "-o", "kept.u32", ...args], { cwd: folder, ...user });
    expect(gen().status).toBe(2);
    expect(gen("--force").status).toBe(0);
  });
});

linux.describe("a new output", () => {
  it("of a private input is private, also if that is compressed text of which only its contents say so", () => {
    const ended = shell(
      "umask 022; printf 'b\\na\\n' | gzip > private; chmod 600 private; SORT private -o f",
    );
    expect(ended.stderr).toBe("");
    expect([readFileSync(at("f"), "utf8"), statSync(at("f")).mode & 0o777]).toEqual(["a\nb\n", 0o600]);
  });

  it("of a private input is private", () => {
    chmodSync(at("keys.u32"), 0o600);
    expect(shell("umask 022; SORT keys.u32; SORT -t u32 - -o f < keys.u32").status).toBe(0);
    for (const name of ["keys.sorted.u32", "f"]) expect(statSync(at(name)).mode & 0o777).toBe(0o600);
  });
});

linux.describe("a name", () => {
  it("that is empty is refused", () => {
    expectRefusal(shell("SORT '' -o f"), /^gpusort: the name of the input is empty/);
    expectRefusal(shell("SORT keys.u32 -o ''"), /^gpusort: the name of the output is empty\n.*\(--output\)/);
    expectRefusal(
      shell("SORT keys.u32 -o f -T ''"),
      /^gpusort: the name of the folder for temporary files is empty\n.*\(--temp-dir\)/,
    );
  });

  it("of the greatest length works, also in place", () => {
    const name = `${"n".repeat(251)}.u32`;
    symlinkSync("keys.u32", at("link"));
    expect(shell(`cp link ${name}; SORT ${name} -o ${name}`)).toMatchObject({ status: 0, stderr: "" });
    expect(read(name).equals(sorted)).toBe(true);
  });

  it("that is not UTF-8 is refused for files, and works for the folder", () => {
    const input = shell("cp keys.u32 $'a\\xff.u32'; SORT $'a\\xff.u32' -o f");
    expectRefusal(input, /bytes of its name that are not UTF-8 were lost/);
    expectRefusal(shell("SORT keys.u32 -o $'b\\xff'"), /^gpusort: cannot write b.: bytes of its name/);
    const script =
      "mkdir $'c\\xff'; cp keys.u32 $'c\\xff'; cd $'c\\xff'; SORT keys.u32 -o keys.u32 && cat keys.u32";
    const ended = shell(script);
    expect(ended).toMatchObject({ status: 0, stderr: "" });
    expect(ended.stdout.equals(sorted)).toBe(true);
    expect(shell("rm -r $'a\\xff.u32' $'c\\xff'").status).toBe(0);
  });
});
