import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { HANG_MS } from "../support/hang_limit.js";
import { needs } from "../support/needs.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = pathToFileURL(join(root, "dist/")).href;
const program = fileURLToPath(new URL("program.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gpusort-runtimes-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Runtime {
  readonly name: string;
  readonly command: string;
  /** What comes before the path of a program. */
  readonly args: readonly string[];
}

/** Deno may run code that it kept of an earlier build whose file is as long. */
const denoArgs = ["run", "--no-prompt", "--allow-all", "--no-code-cache"];

const runtimes: readonly Runtime[] = [
  { name: "Node", command: process.execPath, args: [] },
  { name: "Deno", command: process.env.GPUSORT_DENO || "deno", args: denoArgs },
  { name: "Bun", command: process.env.GPUSORT_BUN || "bun", args: ["run"] },
];

const { resolve } = createRequire(import.meta.url);
const hasSwiftShader = (() => {
  try {
    return process.platform === "linux" && process.arch === "x64" && resolve("@sparticuz/chromium") !== "";
  } catch {
    return false;
  }
})();
/** On Linux, Dawn is loaded only where there is a Vulkan loader; SwiftShader's package has one. */
const looksForAdapters = process.platform !== "linux" || hasSwiftShader;

const withSwiftShader = needs(hasSwiftShader, "SwiftShader");
const withLoader = needs(looksForAdapters, "a Vulkan loader, as SwiftShader's package has one");
const withLavapipe = needs(existsSync("/usr/share/vulkan/icd.d/lvp_icd.json"), "lavapipe");

/** All runtimes, whether each is here, and how tests that need it are declared. */
const tested = runtimes.map((runtime) => {
  const { name, command } = runtime;
  const { status, stdout } = spawnSync(command, ["--version"], { encoding: "utf8" });
  if (status === 0) process.stderr.write(`testing in ${name} ${stdout.split("\n")[0]}\n`);
  const withRuntime = needs(status === 0, `${name}, at GPUSORT_${name.toUpperCase()} or on the PATH`);
  return { runtime, isHere: status === 0, withRuntime };
});

function run({ command, args }: Runtime, rest: readonly string[]) {
  const options = { cwd: root, encoding: "utf8", timeout: HANG_MS, killSignal: "SIGKILL" } as const;
  const { status, signal, stdout, stderr } = spawnSync(command, [...args, ...rest], options);
  const said = `${signal ? `it was killed after ${HANG_MS} ms or less by ${signal}; ` : ""}${stdout}${stderr}`;
  expect(status, said).toBe(0);
  return { stdout, stderr };
}

/** What the program says at its end. */
const sortAll = (runtime: Runtime, ...args: string[]) =>
  JSON.parse(
    run(runtime, [program, dist, ...args])
      .stdout.trim()
      .split("\n")
      .at(-1)!,
  );

for (const { runtime, withRuntime } of tested) {
  withRuntime.describe(`in ${runtime.name}`, () => {
    it("sorts all types on threads of the CPU", () => {
      expect(sortAll(runtime, "cpu")).toEqual({ name: "CPU", threads: 2 });
    });

    it("sorts files, as the command does", () => {
      const output = join(folder, `${runtime.name}.i32`);
      const real = "fixtures/flight_delays.i32";
      const { ascending } = JSON.parse(readFileSync(join(root, "fixtures/expected.json"), "utf8"))[
        "flight_delays.i32"
      ].sha256;
      const expectSorted = () => {
        expect(createHash("sha256").update(readFileSync(output)).digest("hex")).toBe(ascending);
        rmSync(output);
      };
      run(runtime, ["bin/gpusort.js", real, "--device", "cpu", "-o", output]);
      expectSorted();
      run(runtime, ["bin/gpusort.js", real, "--device", "cpu", "-S", "4M", "-T", folder, "-o", output]);
      expectSorted();
      const script = join(folder, "sort_file.mjs");
      const paths = [join(root, real), output].map((path) => JSON.stringify(path)).join(", ");
      const library = JSON.stringify(`${dist}index.js`);
      writeFileSync(
        script,
        `import { sortFile } from ${library};\nawait sortFile(${paths}, { device: "cpu" });\n`,
      );
      run(runtime, [script]);
      expectSorted();
    });

    withLoader.it("takes the CPU, and says why, where Dawn does not load", () => {
      const copy = join(folder, `no dawn in ${runtime.name}`);
      copyWithoutDawn(copy);
      const script = join(copy, "open.js");
      writeFileSync(
        script,
        `import { openEngine } from "./dist/index.js";
      const { engine, notice } = await openEngine("auto");
      console.log(JSON.stringify({ device: engine.device, notice }));`,
      );
      const { device, notice } = JSON.parse(run(runtime, [script]).stdout);
      expect(device).toBe("CPU");
      expect(notice).toMatch(/^the npm package webgpu does not load: .+, so this runs on the CPU$/);
    });
  });
}

/** Makes a folder with the built library, and with a package webgpu whose addon is damaged. */
function copyWithoutDawn(copy: string): void {
  const dawn = join(copy, "node_modules/webgpu");
  mkdirSync(dawn, { recursive: true });
  cpSync(join(root, "dist"), join(copy, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(copy, "package.json"));
  for (const name of ["index.js", "package.json"]) {
    cpSync(join(root, "node_modules/webgpu", name), join(dawn, name));
  }
  const addons = join(
    dawn,
    "dist",
    `${process.platform}-${process.platform === "darwin" ? "universal" : process.arch}`,
  );
  mkdirSync(addons, { recursive: true });
  writeFileSync(join(addons, "dawn.node"), "no addon");
  for (const name of ["@sparticuz", "valibot"]) {
    symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  }
}

// Node is not among them: test/adapter tests it on devices.
for (const { runtime, isHere, withRuntime } of tested) {
  if (runtime.command === process.execPath) continue;
  (isHere ? withSwiftShader : withRuntime).describe(`on SwiftShader by Dawn in ${runtime.name}`, () => {
    it("sorts and argsorts all types", () => {
      expect(sortAll(runtime, "swiftshader").name).toMatch(/SwiftShader/);
    });
  });
  if (runtime.name !== "Deno") continue;
  (isHere ? withLavapipe : withRuntime).describe("on Deno's own WebGPU", () => {
    it("gpusort/core sorts and argsorts all types", () => {
      expect(sortAll(runtime, "own").name).toMatch(/llvmpipe/);
    });
  });
}
