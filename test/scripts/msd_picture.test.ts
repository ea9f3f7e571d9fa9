import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

it("the picture of docs/kernels.md shows what the kernels do", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/msd_picture.js"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout).toBe(readFileSync(`${root}docs/msd.svg`, "utf8"));
});
