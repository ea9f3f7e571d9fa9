import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/commands/program.js";
import { needs } from "../support/needs.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = join(root, "man/gpusort.1");
const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const groff = needs(spawnSync("groff", ["--version"]).status === 0, "groff");

describe("the manual page", () => {
  it("is in the package, and is linked by npm where man looks for it", () => {
    expect(manifest.files).toContain("man");
    const prefix = mkdtempSync(join(tmpdir(), "gpusort-man-"));
    const args = ["install", "-g", "--offline", "--ignore-scripts", "--no-audit", "--prefix", prefix, "."];
    expect(spawnSync("npm", args, { cwd: root, encoding: "utf8" })).toMatchObject({ status: 0 });
    expect(realpathSync(join(prefix, "share/man/man1/gpusort.1"))).toBe(realpathSync(page));
    rmSync(prefix, { recursive: true });
  });

  it("has every command and option, the exit codes and the version", () => {
    const text = readFileSync(page, "utf8").replaceAll("\\-", "-");
    for (const command of createProgram().commands) {
      expect(text).toContain(`.SS gpusort ${command.name()} `);
      for (const { flags } of command.options) expect(text).toContain(`.B ${flags}\n`);
    }
    for (const code of [0, 1, 2, 5]) expect(text).toContain(`.TP\n.B ${code}\n`);
    expect(text).toContain(`gpusort ${manifest.version}`);
  });

  groff.it("is laid out without a warning, and shows what --help says", () => {
    const { stdout, stderr } = spawnSync("groff", ["-man", "-Tutf8", "-ww", "-P-cbou", page], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    const text = stdout.replace(/\s+/g, " ");
    for (const { description } of createProgram().commands.find((one) => one.name() === "sort")!.options) {
      expect(text).toContain(description.replace(/\s+/g, " "));
    }
  });
});
