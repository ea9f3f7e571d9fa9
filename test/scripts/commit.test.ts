import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { commitOf } from "../../scripts/commit.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gpusort-commit-"));
afterAll(() => rmSync(folder, { recursive: true }));

function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
  const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], { cwd, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return stdout.trim();
}

/** A repository with one commit. */
function repository(name: string): { path: string; head: string } {
  const path = join(folder, name);
  mkdirSync(path);
  git(path, "init", "-q");
  writeFileSync(join(path, "file"), "1");
  git(path, "add", "file");
  git(path, "commit", "-q", "-m", "first");
  return { path, head: git(path, "rev-parse", "HEAD") };
}

describe("the commit of a build", () => {
  it("is that of the repository, and dirty if tracked files were changed", () => {
    const { path, head } = repository("clone");
    expect(commitOf(path)).toBe(head);
    writeFileSync(join(path, "untracked"), "");
    expect(commitOf(path)).toBe(head);
    writeFileSync(join(path, "file"), "2");
    expect(commitOf(path)).toBe(`${head}-dirty`);
  });

  it("is null outside of Git, in a folder of another repository, and before the first commit", () => {
    const outside = join(folder, "outside");
    mkdirSync(outside);
    expect(commitOf(outside)).toBeNull();
    const { path } = repository("other");
    mkdirSync(join(path, "node_modules"));
    expect(commitOf(join(path, "node_modules"))).toBeNull();
    git(outside, "init", "-q");
    expect(commitOf(outside)).toBeNull();
  });

  it("does not depend on what Git sets for its hooks", () => {
    const [{ path, head }, other] = [repository("hooked"), repository("hook")];
    process.env.GIT_DIR = join(other.path, ".git");
    try {
      expect(commitOf(path)).toBe(head);
    } finally {
      delete process.env.GIT_DIR;
    }
  });

  it("is in a benchmark's result, wherever the package lies", async () => {
    const { commit } = await import(new URL("../../dist/build.generated.js", import.meta.url).href);
    const { path } = repository("vendored");
    for (const part of ["bin", "dist", "package.json"])
      cpSync(join(root, part), join(path, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(path, "node_modules"));
    const args = [
      "bench",
      "--sizes",
      "4",
      "--budget",
      "0.1",
      "--columns",
      "typed",
      "--json",
      "--device",
      "cpu",
    ];
    const { stdout, stderr } = spawnSync(process.execPath, [join(path, "bin/gpusort.js"), ...args], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout).environment.commit).toBe(commit);
  });
});
