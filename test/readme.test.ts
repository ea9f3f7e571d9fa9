import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const section = readme.split(/^## /m).find((part) => part.startsWith("The library\n"))!;
const examples = [...section.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);

/** What a line prints, by the comment that ends it. */
const promised = (code: string) =>
  [...code.matchAll(/console\.log\(.*\);? \/\/ (.*)$/gm)].map(([, line]) => line!);

// As a module of a user's would, an example finds the built package by its own name, from the package's folder.
const run = (code: string) =>
  spawnSync(process.execPath, ["--input-type=module"], {
    cwd: root,
    input: code,
    encoding: "utf8",
    timeout: 50_000,
  });

// Two of them need a device; a process of its own finds out, since examples open theirs.
const probe = run(
  'import { openDevice } from "gpusort"; const opened = await openDevice("auto"); process.exit(opened ? 0 : 3);',
);
const lacking = probe.status === 3;
if (lacking) process.stderr.write("SKIPPED: the readme's examples: this machine has no adapter\n");

describe.runIf(!lacking)("the readme's examples of the library", () => {
  it("are there, and say what they print", () => {
    expect(examples.length).toBe(4);
    for (const code of examples) expect(promised(code)).not.toEqual([]);
  });

  it.each(examples.map((code, i) => [i + 1, code] as const))("%i does what it says", (_, code) => {
    const { status, stdout, stderr } = run(code);
    expect(stdout.trimEnd().split("\n"), stderr).toEqual(promised(code));
    expect(status, stderr).toBe(0);
  });
});
