import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { completion } from "../../../src/commands/completion/completion.js";
import { shellNames } from "../../../src/commands/completion/words.js";
import { createProgram } from "../../../src/commands/program.js";
import { HANG_MS } from "../../support/hang_limit.js";
import { needs } from "../../support/needs.js";
import { hasTerminal } from "../../support/terminal.js";

const folder = mkdtempSync(join(tmpdir(), "gpusort-completion-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "keys.f64"), "");
writeFileSync(join(folder, "my keys.u32"), "");

const program = createProgram();
for (const shell of shellNames) writeFileSync(join(folder, shell), completion(shell, program));

const has = (command: string) => spawnSync(command, ["--version"]).status === 0;
const bash = needs(has("bash"), "bash");
const bashOnTerminal = needs(has("bash") && hasTerminal, "bash, and script(1)");
const zshOnTerminal = needs(has("zsh") && hasTerminal, "zsh, and script(1)");
const fish = needs(has("fish"), "fish");

const run = (command: string, args: string[], input = "") =>
  spawnSync(command, args, { cwd: folder, input, encoding: "utf8", timeout: HANG_MS });

/** What a shell on a terminal makes of words and tabs: the arguments that gpusort would get. */
function typed(shell: string, load: string, lines: readonly string[]): string[] {
  const script = [`${load}; gpusort() { echo "got:$*:"; }`, ...lines, "exit", ""].join("\n");
  const { stdout } = run("script", ["-qec", shell, "/dev/null"], script);
  return [...stdout.matchAll(/got:([^$*:]*):\r?\n/g)].map(([, words]) => words!);
}

/** Words with tabs, and the arguments that gpusort gets. All values are known to the command itself. */
const cases: readonly (readonly [line: string, words: string])[] = [
  ["ver\tke\t", "verify keys.f64"],
  ["--arg\tkeys.f64", "--argsort keys.f64"],
  ["-t u6\tkeys.f64", "-t u64 keys.f64"],
  ["gen 4 --dist nan\t", "gen 4 --dist nan-laced"],
  ["gen 4 --dist sk\t", "gen 4 --dist skewed"],
  ["gen 4 --records gensort-\t", "gen 4 --records gensort-ascii"],
  ["verify --records v\tkeys.f64", "verify --records valsort keys.f64"],
  ["bench --algorithm auto,bi\t", "bench --algorithm auto,bitonic"],
  ["completion fi\t", "completion fish"],
  ["demo tran\t", "demo transpose"],
  ["demo waves --fr\t", "demo waves --frames"],
  ["demo grid --device sof\t", "demo grid --device software"],
];
const lines = cases.map(([line]) => `gpusort ${line}`);
// Zsh and bash differ in the space or comma that they add.
const tidy = (words: readonly string[]) =>
  words.map((one) => one.replace(/[ ,]+$/, "").replace(/ {2,}/g, " "));

describe("completions", () => {
  bashOnTerminal.it("work in bash", () => {
    const words = typed("bash --norc --noprofile -i", "source ./bash", lines);
    expect(tidy(words)).toEqual(cases.map(([, words]) => words));
  });

  zshOnTerminal.it("work in zsh", () => {
    const load = "autoload -Uz compinit; compinit -u -D; source ./zsh";
    expect(tidy(typed("zsh -f -i", load, lines))).toEqual(cases.map(([, words]) => words));
  });

  fish.it("work in fish", () => {
    const complete = cases.map(([line]) => {
      const before = line.slice(0, line.indexOf("\t"));
      const { stdout } = run("fish", ["--no-config", "-c", `source ./fish; complete -C 'gpusort ${before}'`]);
      return [before, stdout.split("\n")[0]!.split("\t")[0]];
    });
    const expected = cases.map(([line, words]) => {
      const place = line.slice(0, line.indexOf("\t")).split(" ").length - 1;
      return words.split(" ")[place];
    });
    expect(complete.map(([, word]) => word)).toEqual(expected);
  });

  bash.it("in bash know the values after =, and files with spaces", () => {
    const words = (line: string[], point: number) => {
      const array = line.map((word) => `'${word}'`).join(" ");
      const script = [
        `source ./bash; COMP_WORDS=(${array}); COMP_CWORD=${point}; _gpusort`,
        `printf '%s\\n' "\${COMPREPLY[@]}"`,
      ].join("\n");
      return run("bash", ["-c", script]).stdout.trim().split("\n");
    };
    expect(words(["gpusort", "--type", "=", "f"], 3)).toEqual(["f16", "f32", "f64"]);
    expect(words(["gpusort", "--type", "=", ""], 2)).toContain("u8");
    expect(words(["gpusort", "my"], 1)).toEqual(["my keys.u32"]);
    expect(words(["gpusort", "--debug", "dev"], 2)).toEqual(["devices"]);
    expect(words(["gpusort", "--head", ""], 2)).toEqual([""]);
  });

  it("know every option of every command", () => {
    const { commands } = createProgram();
    for (const shell of shellNames) {
      const text = completion(shell, program);
      for (const command of commands) {
        expect(text).toContain(command.name());
        for (const { long } of command.options) {
          if (long) expect(text).toContain(shell === "fish" ? `-l ${long.slice(2)}` : long);
        }
      }
    }
  });

  it("are refused for other shells, with the nearest", () => {
    const hint = "did you mean bash? use one of bash, zsh, fish";
    expect(() => completion("bsh", program)).toThrow(expect.objectContaining({ hint }));
    expect(() => completion("toString", program)).toThrow(
      "there are no completions for the shell 'toString'",
    );
  });
});
