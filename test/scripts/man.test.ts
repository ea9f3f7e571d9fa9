import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/commands/program.js";
import { needs } from "../support/needs.js";

const page = fileURLToPath(new URL("../../man/gpusort.1", import.meta.url));
const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const groff = needs(spawnSync("groff", ["--version"]).status === 0, "groff");

describe("the manual page", () => {
  it("is in the package", () => {
    expect(manifest.man).toBe("./man/gpusort.1");
    expect(manifest.files).toContain("man");
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
