import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  createReadStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { selector, withDevice } from "./device.js";

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const fixture = path("fixtures/flight_delays.i32");
const { sha256 } = JSON.parse(readFileSync(path("fixtures/expected.json"), "utf8"))["flight_delays.i32"];
const folder = mkdtempSync(join(tmpdir(), "gpusort-"));
afterAll(() => rmSync(folder, { recursive: true }));

const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

function gpusort(
  args: string[],
  input?: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; stdout: Buffer; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path("bin/gpusort.js"), ...args, "--device", selector], {
      env: { ...process.env, ...environment },
    });
    const stdout: Buffer[] = [];
    let stderr = "";
    child.stdout.on("data", (chunk) => stdout.push(chunk));
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    // Node's own pipes are sockets, for which the command cannot hide Dawn's warnings.
    const own = () => stderr.replaceAll(/^Warning: .*\n/gm, "");
    child.on("close", (code) => resolve({ code, stdout: Buffer.concat(stdout), stderr: own() }));
    if (input === undefined) child.stdin.end();
    else createReadStream(input).pipe(child.stdin);
  });
}

withDevice.describe(`the command on ${selector}`, () => {
  it("sorts a real file as NumPy does", async () => {
    const output = join(folder, "ascending.i32");
    const { code, stdout, stderr } = await gpusort([fixture, "-o", output, "-v"]);
    expect([code, stdout.length]).toEqual([0, 0]);
    expect(digest(readFileSync(output))).toBe(sha256.ascending);
    expect(stderr).toMatch(/^\S+ -> \S+: 1,000,003 i32 keys \(4\.00 MB\), ascending\nradix on .*, verified/);
    expect(stderr).toMatch(/GPU sort +[\d.,]+ +[\d.]+\n/);
  });

  it("sorts one to three keys or lines, and leaves out equal ones", async () => {
    for (const count of [1, 2, 3]) {
      const some = [3, 1, 3].slice(0, count);
      const distinct = [...new Set(some)].sort();
      const sorted = async (file: string, content: NodeJS.ArrayBufferView | string, ...options: string[]) => {
        const input = join(folder, file);
        writeFileSync(input, content);
        const { code, stdout, stderr } = await gpusort([input, "-o", "-", "-q", ...options]);
        expect([code, stderr]).toEqual([0, ""]);
        return stdout;
      };
      for (const [type, array] of [
        ["u8", Uint8Array],
        ["u32", Uint32Array],
        ["f64", Float64Array],
      ] as const) {
        const bytes = await sorted(`few.${type}`, array.from(some), "-u");
        expect([...bytes]).toEqual([...Buffer.from(array.from(distinct).buffer)]);
      }
      const text = some.join("\n").concat("\n");
      expect(`${await sorted("few.txt", text)}`).toBe(some.sort().join("\n").concat("\n"));
      expect(`${await sorted("few.txt", text, "-u")}`).toBe(distinct.join("\n").concat("\n"));
    }
  });

  it("sorts standard input to standard output in descending order, with both algorithms", async () => {
    for (const algorithm of ["radix", "bitonic"]) {
      const args = ["-", "-r", "-q", "-t", "i32", "--algorithm", algorithm];
      const { code, stdout, stderr } = await gpusort(args, fixture);
      expect([code, stderr]).toEqual([0, ""]);
      expect(digest(stdout)).toBe(sha256.descending);
    }
  });

  it.runIf(process.platform === "linux")(
    "sorts as well if its cache is damaged or cannot be used",
    async () => {
      const cache = join(folder, "cache");
      const sorts = async (home: string, explains: RegExp) => {
        const output = join(folder, "from_cache.i32");
        const args = [fixture, "-o", output, "--explain"];
        const { code, stderr } = await gpusort(args, undefined, {
          XDG_CACHE_HOME: home,
          // This process has set them already.
          __GL_SHADER_DISK_CACHE_PATH: undefined,
          MESA_SHADER_CACHE_DIR: undefined,
        });
        expect([code, digest(readFileSync(output))]).toEqual([0, sha256.ascending]);
        expect(stderr).toMatch(explains);
      };
      const noProblem = /: chosen by --device or --algorithm\nall /;
      await sorts(cache, noProblem);
      for (const entry of readdirSync(join(cache, "gpusort", "shaders"), {
        recursive: true,
        encoding: "utf8",
      })) {
        const file = join(cache, "gpusort", "shaders", entry);
        if (statSync(file).isFile()) writeFileSync(file, "this is no cache of shaders".repeat(100));
      }
      await sorts(cache, noProblem);
      writeFileSync(join(folder, "no_folder"), "");
      await sorts(
        join(folder, "no_folder"),
        /\nthe driver may compile its shaders in each run: .* cannot be written/,
      );
    },
  );

  it.runIf(process.platform === "linux")("hides Dawn's messages if standard error is a pipe", () => {
    const bin = `"${process.execPath}" "${path("bin/gpusort.js")}"`;
    const command = `${bin} devices --device ${selector} 2>&1 >/dev/null | cat`;
    expect(execFileSync("sh", ["-c", command], { encoding: "utf8" })).toBe("");
  });

  it("prints the phases as JSON", async () => {
    const { code, stdout } = await gpusort([fixture, "-o", join(folder, "json.i32"), "--json"]);
    expect(code).toBe(0);
    const summary = JSON.parse(stdout.toString());
    expect(summary).toMatchObject({
      keyCount: 1_000_003,
      type: "i32",
      verified: true,
      gpuClock: "timestamp queries",
    });
    const names = summary.phases.map(({ name }: { name: string }) => name);
    expect([names[0], names.at(-1)]).toEqual(["start", "publish"]);
    const inside = ["prepare", "read", "readback", "sort", "upload", "verify", "write"];
    expect(names.slice(1, -1).sort()).toEqual(inside);
    expect(summary.gpuMs).toBeGreaterThan(0);
  });

  it("refuses an adapter that does not exist, and leaves no file", async () => {
    const args = [fixture, "-o", join(folder, "none.i32"), "--device", "no such adapter"];
    const child = spawn(process.execPath, [path("bin/gpusort.js"), ...args]);
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(code).toBe(2);
    expect(() => readFileSync(join(folder, "none.i32"))).toThrow("ENOENT");
  });
});
