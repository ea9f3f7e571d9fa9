import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endOf } from "../support/command.js";

/** What a user opens or runs, and nothing else: the files of the package by their kinds. */
const kinds: Readonly<Record<string, RegExp>> = {
  "what npm shows": /^(CHANGELOG\.md|LICENSE|README\.md|package\.json)$/,
  "the command":
    /^(bin\/(gpusort\.js|package\.json)|dist\/command\/([\w.-]+\.js(\.map)?|LICENSES\.txt|package\.json)|man\/gpusort\.1)$/,
  "the page of the command": /^dist\/page\/([\w-]+\.js|index\.html|style\.css|icon\.svg)$/,
  "the library":
    /^dist\/((auto|core|dawn|files|formats|jobs|kinds|rows|sort|testdata|threads)\/[\w/.]+|index|build\.generated|json_schemas|optional_packages)\.(d\.ts|js)$/,
  "documents of commands and of the library":
    /^docs\/(benchmark|cluster|devices|formats|gallery|hardware|kernels|library|memory-and-safety|performance|reliability|security)\.md$/,
  "the schema of results": /^docs\/bench\.schema\.json$/,
  examples: /^examples\//,
};

/** What README links to for those who have the project, not the package. */
const ofProject = ["ARCHITECTURE.md", "BENCHMARKS.md", "CONTRIBUTING.md", "fixtures/README.md"];

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gpusort-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files: readonly string[];
/** The package as it is unpacked, with what it depends on. */
const installed = join(folder, "package");

beforeAll(() => {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [packed] = JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" }));
  execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", folder]);
  files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => posix.join(parentPath.slice(installed.length + 1), name));
  symlinkSync(join(root, "node_modules"), join(installed, "node_modules"));
});

const gpusort = (...args: string[]) =>
  spawn(process.execPath, [join(installed, "bin/gpusort.js"), ...args], { cwd: folder });

describe("the package", () => {
  it("has files of these kinds alone", () => {
    const kindOf = (path: string) => Object.keys(kinds).filter((kind) => kinds[kind]!.test(path));
    expect(files.filter((path) => kindOf(path).length !== 1)).toEqual([]);
    expect(new Set(files.flatMap(kindOf))).toEqual(new Set(Object.keys(kinds)));
  });

  it("has what README links to, but what is for those who change it", () => {
    const readme = readFileSync(join(installed, "README.md"), "utf8");
    const linked = [...readme.matchAll(/\]\(([^)#]+)/g)].map(([, path]) => path!);
    const here = linked.filter((path) => !path.startsWith("https:"));
    expect(here.length).toBeGreaterThan(10);
    expect(here.filter((path) => !files.includes(path) && !ofProject.includes(path))).toEqual([]);
  });
});

describe("the command, from the package alone", () => {
  it("sorts a file", async () => {
    writeFileSync(join(folder, "keys.u32"), new Uint32Array([3, 1, 2]));
    const { code, stderr } = await endOf(gpusort("keys.u32", "-o", "sorted.u32", "--device", "cpu"));
    expect(code, stderr).toBe(0);
    const sorted = readFileSync(join(folder, "sorted.u32"));
    expect(sorted.equals(Buffer.from(new Uint32Array([1, 2, 3]).buffer))).toBe(true);
  });

  it("serves its page with all that the page links to and loads", async () => {
    const child = gpusort("demo", "page", "--port", "0");
    const ended = endOf(child);
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (line) => resolve(String(line).trim()));
      ended.then(({ stderr }) => reject(new Error(stderr)));
    });
    const seen = new Set(["index.html"]);
    const missing: string[] = [];
    for (const path of seen) {
      const response = await fetch(new URL(path, url));
      if (!response.ok) missing.push(path);
      const text = await response.text();
      const names = path.endsWith(".html")
        ? text.matchAll(/ (?:href|src)="([^"#]+)"/g)
        : text.matchAll(/["'](?:\.\/)?([\w-]+\.js)["']/g);
      for (const [, name] of names) if (!name!.startsWith("data:")) seen.add(name!);
    }
    child.kill();
    await ended;
    expect(missing).toEqual([]);
    expect(seen.size).toBeGreaterThan(10);
  });
});
