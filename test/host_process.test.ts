import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { embeddedFolder } from "../src/dawn/embedded.js";
import { HANG_MS } from "./support/hang_limit.js";
import { needs } from "./support/needs.js";

const folder = mkdtempSync(join(tmpdir(), "gpusort-host-"));
afterAll(() => rmSync(folder, { recursive: true }));

const program = fileURLToPath(new URL("support/host_program.js", import.meta.url));
const library = new URL("../dist/", import.meta.url).href;

/** What a process, started with flags of V8, finds changed after it has sorted by the library. */
function changedBy(device: string, flags: readonly string[] = []): unknown {
  const args = ["--allow-natives-syntax", ...flags, program, library, device, folder];
  const env = { ...process.env, XDG_CACHE_HOME: folder };
  const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8", timeout: HANG_MS });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

it.each([
  ["by default", []],
  ["that optimizes at once", ["--no-liftoff"]],
  ["that compiles at once", ["--no-wasm-lazy-compilation"]],
])("a sort on the CPU leaves a process as it is, with a V8 %s", (_, flags) => {
  expect(changedBy("cpu", flags)).toEqual([]);
});

const withDriver = needs(await embeddedFolder(), "the embedded driver");

withDriver.it("a sort on the software adapter leaves a process as it is", () => {
  expect(changedBy("swiftshader")).toEqual([]);
});
