import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { HANG_MS } from "./support/hang_limit.js";
import { needs } from "./support/needs.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const folder = mkdtempSync(join(tmpdir(), "gpusort-documents-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The JavaScript examples of a document. */
const examplesOf = (path: string) =>
  [...read(path).matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
const examples = ["README.md", "docs/library.md"].flatMap((path) =>
  examplesOf(path).map((code, i) => [`${path} ${i + 1}`, code] as const),
);

/** The outputs that the comments at the ends of the example's `console.log` lines promise. */
const promised = (code: string) =>
  [...code.matchAll(/console\.log\(.*\);? \/\/ (.*)$/gm)].map(([, line]) => line!);

// An example finds the built package by its own name, as in a user's module, because it runs in the package's
// folder.
function run(args: readonly string[], input?: string) {
  return spawnSync(process.execPath, args, { cwd: root, input, encoding: "utf8", timeout: HANG_MS });
}
const runModule = (code: string) => run(["--input-type=module"], code);

// Some examples need a device. A process of its own finds out whether there is one, because an example opens
// its own.
const probe = runModule(
  'import { openDevice } from "gpusort"; const opened = await openDevice("auto"); process.exit(opened ? 0 : 3);',
);
const adapter = needs(probe.status !== 3, "an adapter");

adapter.describe("the documents' examples", () => {
  it("exist, and say what they print", () => {
    expect(examples.map(([name]) => name)).toEqual([
      "README.md 1",
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map((i) => `docs/library.md ${i}`),
    ]);
    for (const [name, code] of examples) expect(promised(code), name).not.toEqual([]);
  });

  it.each(examples)("%s does what it says", (_, code) => {
    const { status, stdout, stderr } = runModule(code);
    expect(stdout.trimEnd().split("\n"), stderr).toEqual(promised(code));
    expect(status, stderr).toBe(0);
  });
});

describe("the documents' examples as TypeScript", () => {
  it("compile with strict types, as docs/library.md says", () => {
    const project = join(folder, "typed");
    mkdirSync(join(project, "node_modules"), { recursive: true });
    symlinkSync(root, join(project, "node_modules/gpusort"), "junction");
    for (const name of ["webgpu", "@types"]) {
      symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name), "junction");
    }
    const files = examples.map(([name, code]) => {
      const file = `${name.replaceAll(/\W/g, "_")}.ts`;
      writeFileSync(join(project, file), code);
      return file;
    });
    const compilerOptions = {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      target: "es2022",
      lib: ["es2022"],
      types: ["node"],
      module: "nodenext",
    };
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const { status, stdout, stderr } = run(["node_modules/typescript/bin/tsc", "-p", project]);
    expect(stdout).toBe("");
    expect(status, stderr).toBe(0);
  });
});

adapter.describe("the programs of examples/", () => {
  const programs: Record<string, { args: string[]; prints: RegExp }> = {
    "sort-file.js": {
      args: ["fixtures/flight_delays.i32", join(folder, "sorted.i32")],
      prints: /^1000003 i32 keys, verified: true\n$/,
    },
    "nearest.js": { args: [], prints: /^(point \d+: 0\.00\d+ away\n){10}$/ },
    "every-frame.js": { args: [], prints: /^10 frames of 1000000 particles, the last one in order: true\n$/ },
  };

  it("are all run here", () => {
    const files = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".js"));
    expect(files.sort()).toEqual(Object.keys(programs).sort());
  });

  it.each(Object.entries(programs))("%s runs, and prints what it should", (name, { args, prints }) => {
    const { status, stdout, stderr } = run([`examples/${name}`, ...args]);
    expect(stdout, stderr).toMatch(prints);
    expect(status, stderr).toBe(0);
  });
});

describe("the documents", () => {
  /** Folders that neither the repository nor the package has. */
  const made = /(^|\/)(node_modules|dist|\.[a-z]+|docs\/api)\//;
  const documents = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".md") && !made.test(path));
  const links = documents.flatMap((path) =>
    [
      ...read(path)
        .replace(/```[\s\S]*?```/g, "")
        .matchAll(/\]\(([^)\s]+)\)/g),
    ]
      .map(([, target]) => target!)
      .filter((target) => !/^(https?|mailto):/.test(target))
      .map((target) => ({ path, target })),
  );

  it("link only to files and headings that exist in a clone", () => {
    const broken = links.filter(({ path, target }) => {
      const [file = "", heading] = target.split("#");
      const full = file === "" ? path : relative(root, join(root, dirname(path), file));
      if (!existsSync(join(root, full)) || made.test(full)) return true;
      return heading !== undefined && full.endsWith(".md") && !anchorsOf(full).has(heading);
    });
    expect(broken).toEqual([]);
  });

  it("name only files of the project that exist, and so do the comments of the source", () => {
    const sources = ["src", "assembly"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .map((path) => `${folder}/${path.replaceAll("\\", "/")}`),
    );
    const named =
      /(?<![\w/.-])(?:assembly|docs|examples|scripts|src|test|wgsl)\/[\w/.-]+\.(?:js|md|py|ts|wgsl)\b/g;
    const missing = [...documents, ...sources].flatMap((path) =>
      [...read(path).matchAll(named)]
        .map(([name]) => name)
        .filter((name) => !existsSync(join(root, name)))
        .map((name) => `${path} names ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const headings = read(path).matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, text]) =>
      text!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
