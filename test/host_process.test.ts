import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

it.each([
  ["numbers", { type: "u32" }, 90],
  ["records", { recordBytes: 16 }, 50],
])("many sorts of %s on threads take no more memory than some", (_, options, turns) => {
  const input = join(folder, "many.bin");
  writeFileSync(
    input,
    new Uint8Array(2 ** 22).map((_, i) => Math.imul(i, 0x9e3779b1) >>> 24),
  );
  const body = `
    const { sortFile } = await import(${JSON.stringify(`${library}index.js`)});
    const options = ${JSON.stringify({ ...options, device: "cpu", threads: 2 })};
    for (let turn = 0; turn < ${turns}; turn++) await sortFile(${JSON.stringify(input)}, "/dev/null", options);
    console.log(process.resourceUsage().maxRSS / 1024);`;
  const args = ["--input-type=module", "-e", body];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: HANG_MS });
  if (stdout === "") throw new Error(stderr);
  expect(Number(stdout)).toBeLessThan(540); // MiB; as many memories take 660 and more
});

const withDriver = needs(await embeddedFolder(), "the embedded driver");

withDriver.it("a sort on the software adapter leaves a process as it is", () => {
  expect(changedBy("swiftshader")).toEqual([]);
});
