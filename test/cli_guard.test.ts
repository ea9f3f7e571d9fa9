import { spawn, spawnSync } from "node:child_process";
import { cpSync, promises as fs, mkdirSync, rmSync, truncateSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { StatusLine } from "../src/commands/terminal/status_line.js";
import { comparisonText } from "../src/report/compare.js";
import { devicesTable } from "../src/report/devices.js";
import { explainText } from "../src/report/explain.js";
import { jsonText } from "../src/report/json.js";
import type { Strategy } from "../src/sort/strategy.js";
import { type Ended, endOf, Workplace } from "./support/command.js";
import { HANG_MS } from "./support/hang_limit.js";
import { needs } from "./support/needs.js";

const work = await Workplace.create();
afterAll(() => work.remove());
const bin = new URL("../bin/gpusort.js", import.meta.url).pathname;

const linux = needs(process.platform === "linux", "Linux");

/** Clears the screen in two ways, forges a line, and reverses what follows. */
const HOSTILE = "\u001b[2J\u009b2J\ngpusort: all is well\r\u007f\u0007\u202e\u2066\u2028";
const ESCAPED = "\\u001b[2J\\u009b2J\\ngpusort: all is well\\r\\u007f\\u0007\\u202e\\u2066\\u2028";
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Expects that a text has no character that a terminal acts on, but line breaks, and no endless line. */
function expectHarmless(text: string): void {
  for (const line of text.split("\n")) {
    expect(line).not.toMatch(UNPRINTABLE);
    expect(Buffer.byteLength(line)).toBeLessThan(2048);
  }
}

function expectRefusal({ code, stdout, stderr }: Ended, message: RegExp): void {
  expect([code, stdout.toString()]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain("bug in gpusort");
  expectHarmless(stderr);
}

linux.describe("a hostile name", () => {
  const name = `k${HOSTILE}.u32`;
  const shown = `k${ESCAPED}.u32`;

  it("is escaped in the summary, the explanation, the findings and the disorder", async () => {
    await work.write(name, new Uint8Array(Uint32Array.of(3, 1, 2).buffer));
    const sorted = await work.onCpu([name, "--force", "--explain"]);
    expect(sorted.code).toBe(0);
    expect(sorted.stderr).toContain(`${shown} -> k${ESCAPED}.sorted.u32: `);
    expectHarmless(sorted.stderr);
    const verified = await work.run(["verify", name]);
    expect(verified.stdout.toString()).toContain(shown);
    expectHarmless(verified.stdout.toString());
    const checked = await work.run([name, "-c"]);
    expect([checked.code, checked.stderr]).toEqual([
      1,
      `gpusort: ${shown}: key 1 is out of order: 1 after 3\n`,
    ]);
  });

  it("stays exact in JSON, but for the terminal", async () => {
    const { stdout } = await work.onCpu([name, "--force", "--json"]);
    expectHarmless(stdout.toString());
    expect(JSON.parse(stdout.toString()).input).toBe(name);
  });

  it.each([
    ["a missing file", [`none${HOSTILE}`]],
    ["a folder", ["keys.u32", "-o", `none${HOSTILE}/out`]],
    ["a type", ["keys.u32", "-t", HOSTILE]],
    ["an algorithm", ["keys.u32", "--algorithm", HOSTILE]],
    ["a number", ["keys.u32", "--head", HOSTILE]],
    ["an option", [`--${HOSTILE}`]],
    ["a summary", ["verify", "--combine", HOSTILE]],
    ["a demo", ["demo", HOSTILE]],
    ["an option of a demo", ["demo", "vecadd", `--${HOSTILE}`]],
    ["a benchmark's distribution", ["bench", "--dist", HOSTILE]],
    ["an older benchmark", ["bench", "--compare", HOSTILE]],
  ])("is escaped in the refusal of %s, and cut if it is long", async (_, args) => {
    await work.write("keys.u32", new Uint8Array(12));
    for (const text of [HOSTILE, HOSTILE.repeat(2000)]) {
      const typed = args.map((arg) => arg.replace(HOSTILE, text));
      const ended = await (args[0] === "verify" ? work.run(typed) : work.onCpu(typed));
      expectRefusal(ended, /\\u001b\[2J/);
    }
  });

  it("is escaped where the content of a file has it", async () => {
    const header = `{'descr': '${HOSTILE}', 'fortran_order': False, 'shape': (1,), }`.padEnd(117);
    const preamble = Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, header.length, 0]);
    await work.write("bad.npy", Buffer.concat([preamble, Buffer.from(header, "latin1")]));
    expectRefusal(await work.onCpu(["bad.npy"]), /bad\.npy/);
    await work.write("bad.txt", `1\n${HOSTILE.replaceAll("\n", "")}\n2\n`);
    expectRefusal(await work.onCpu(["bad.txt", "-t", "i64"]), /\\u001b\[2J/);
    const moved = await work.onCpu(["bad.txt", "-o", "moved.txt"]);
    expect(moved.stderr).toContain("\\u001b[2J");
    expectHarmless(moved.stderr);
    await work.write("long.txt", `1\n${"9z".repeat(500_000)}\n2\n`);
    expectRefusal(await work.onCpu(["long.txt", "-t", "i64"]), /long\.txt/);
    await work.write(
      "bad.json",
      JSON.stringify({ type: HOSTILE, order: HOSTILE, schema: HOSTILE, rows: [] }),
    );
    expectRefusal(await work.run(["verify", "--combine", "bad.json"]), /bad\.json/);
    expectRefusal(await work.onCpu(["bench", "--compare", "bad.json"]), /bad\.json/);
    await work.write("raw.json", HOSTILE);
    expectRefusal(await work.run(["verify", "--combine", "raw.json"]), /raw\.json/);
  });
});

describe("an adapter's name", () => {
  const adapter = {
    name: HOSTILE,
    driver: HOSTILE,
    vendor: HOSTILE,
    architecture: HOSTILE,
    origin: "system",
    software: true,
    features: [],
    subgroups: true,
    subgroupSize: { min: 4, max: 4 },
    backend: "Vulkan",
    limits: {
      maxComputeInvocationsPerWorkgroup: 256,
      maxComputeWorkgroupSizeX: 256,
      maxComputeWorkgroupSizeY: 256,
      maxComputeWorkgroupSizeZ: 64,
      maxComputeWorkgroupStorageSize: 32_768,
      maxComputeWorkgroupsPerDimension: 65_535,
      maxStorageBufferBindingSize: 2 ** 30,
      maxBufferSize: 2 ** 30,
      maxTextureDimension2D: 8192,
    },
  } as unknown as Parameters<typeof devicesTable>[0][number];

  it("is escaped in the table, in JSON, in explanations and in a status line", () => {
    expectHarmless(
      devicesTable([adapter], {
        selector: HOSTILE,
        chosen: adapter,
        auto: { mayHaveGpu: true, cpuBelowKeys: 1, gpuFromBytes: 1 },
      }),
    );
    expectHarmless(jsonText([adapter]));
    const strategy: Strategy = { kind: "in memory", itemCount: 1, smallerChunks: [] };
    const deviceChoice = { reason: "asked" } as const;
    const told = explainText({
      device: HOSTILE.replaceAll("\n", ""),
      threads: 1,
      deviceChoice,
      strategy,
      notice: undefined,
    });
    expectHarmless(told);
    let line = "";
    const stream = { isTTY: true, columns: 200, write: (text: string) => (line += text) };
    new StatusLine(stream as unknown as NodeJS.WriteStream).show(HOSTILE);
    expect(line).toBe(`\r\u001b[2K${ESCAPED}`);
  });

  it("and all other names are escaped in comparisons with older results", () => {
    const change = {
      task: HOSTILE,
      type: HOSTILE,
      distribution: HOSTILE,
      payloadBytes: 0,
      algorithm: HOSTILE,
      keyCount: 1,
      way: "gpu",
      oldSeconds: 1,
      newSeconds: 1,
      ratio: 1,
      low: 1,
      high: 1,
      referenceRatio: null,
      verdict: "equal",
    } as const;
    const other = { ...change, task: "sort", type: "u32", distribution: "uniform", algorithm: "auto" };
    expectHarmless(comparisonText({ threshold: 0.05, unmatched: 0, changes: [change, other] }, 1000));
  });
});

linux.describe("a document that has no end, or no bottom", () => {
  it.each([[["verify", "--combine", "/dev/zero"]], [["bench", "--compare", "/dev/zero", "--device", "cpu"]]])(
    "is refused: %j",
    async (args) => {
      expectRefusal(await work.run(args), /\/dev\/zero'? is longer than 64 MiB/);
    },
  );

  it.each([
    ["open arrays", "[".repeat(1e6)],
    ["nested arrays", "[".repeat(3e5) + "]".repeat(3e5)],
    ["nested objects", `${'{"a":'.repeat(3e5)}1${"}".repeat(3e5)}`],
    ["prototypes", '{"__proto__": {"type": "u32"}, "constructor": {"prototype": {"x": 1}}}'],
    ["a prototype with rows", '{"schema": "gpusort-bench/1", "__proto__": {"rows": []}, "rows": 1}'],
    ["rows that are nested", `{"rows": ${"[".repeat(3e5)}${"]".repeat(3e5)}}`],
    ["a type of all objects, and infinity", '{"type": "__proto__", "order": "ascending", "count": 1e999}'],
  ])("is refused: %s", async (_, text) => {
    await work.write("odd.json", text);
    expectRefusal(await work.run(["verify", "--combine", "odd.json"]), /odd\.json/);
    expectRefusal(await work.onCpu(["bench", "--compare", "odd.json"]), /odd\.json/);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

linux.describe("an error that is not gpusort's own", () => {
  const shell = (command: string, env: NodeJS.ProcessEnv = {}) =>
    spawnSync("bash", ["-c", command, process.execPath, bin], {
      cwd: work.folder,
      env: { ...process.env, ...env },
      encoding: "utf8",
      timeout: HANG_MS,
    });

  it("of the system is an error with a hint, and no bug: too few open files", async () => {
    await work.write("keys.u32", new Uint8Array(12));
    const withFiles = (files: number) =>
      shell(`ulimit -n ${files}; exec "$0" "$1" keys.u32 --force -q --device cpu`);
    let [enough, files] = [40, 0];
    expect(withFiles(enough).status).toBe(0);
    while (enough - files > 1) {
      const some = (enough + files) >> 1;
      if (withFiles(some).status === 0) enough = some;
      else files = some;
    }
    const { status, stderr } = withFiles(files);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^gpusort: .*EMFILE.*\n {2}.*ulimit -n/);
    expect(stderr).not.toContain("bug in gpusort");
  });

  it("of the system names the limit of a file's size, for outputs and temporary files", async () => {
    await work.write("keys.u32", new Uint8Array(1 << 20));
    const ended = shell('ulimit -f 64; exec "$0" "$1" keys.u32 --force -q --device cpu');
    expect(ended.stderr).toMatch(/^gpusort: cannot write .*EFBIG.*\n {2}.*ulimit -f.*\(--output\)/);
    const spilled = shell('ulimit -f 64; exec "$0" "$1" - -t u32 -q -S 100 -T . < keys.u32');
    expect(spilled.stderr).toMatch(/^gpusort: cannot keep temp.*EFBIG.*\n {2}.*ulimit -f.*\(--temp-dir\)/);
    expect([ended.status, spilled.status]).toEqual([2, 2]);
  });

  it("of memory is one too: a picture larger than any memory", async () => {
    await work.write("huge.png", "");
    truncateSync(work.path("huge.png"), 2 ** 34);
    const ended = await work.run(["demo", "blur", "huge.png", "--device", "cpu"]);
    expectRefusal(ended, /^gpusort: the memory does not suffice: .*\n {2}free some memory, .*--memory\n$/);
    await fs.rm(work.path("huge.png"));
  });

  it("of addresses is one too, and its way out is one: V8 reserves 10 GB for each memory", async () => {
    await work.write(
      "keys.u32",
      Uint8Array.from({ length: 4000 }, (_, i) => -i),
    );
    await work.write("lines.txt", "b\na\n");
    const limited = (...words: string[]) =>
      `ulimit -v 8000000; exec "$0" "$1" ${words.join(" ")} --force -q --device cpu --threads 1`;
    for (const words of [["keys.u32"], ["keys.u32", "-S", "1b"], ["lines.txt"]]) {
      const { status, stderr } = shell(limited(...words));
      expect(stderr).toMatch(
        /^gpusort: the memory does not suffice: .*\n {2}.*\(ulimit -v\).*trap-handler\n$/,
      );
      expect(status).toBe(2);
      const ended = shell(limited(...words), { NODE_OPTIONS: "--disable-wasm-trap-handler" });
      expect([ended.stderr, ended.status]).toEqual(["", 0]);
    }
  });

  it("that nothing awaits ends with 2, because 1 means: not in order", async () => {
    const waitsForStart = (then: string) =>
      `const timer = setInterval(() => {
        if (process.listenerCount("SIGTERM") === 0) return;
        clearInterval(timer);
        setTimeout(() => { ${then} }, 100);
      }, 5)`;
    for (const then of [
      'Promise.reject(new Error("the \\u001b[2J reason"))',
      'throw new Error("the \\u001b[2J reason")',
      "Promise.reject(undefined)",
    ]) {
      const module = `data:text/javascript,${encodeURIComponent(waitsForStart(then))}`;
      // This takes seconds, in which the error comes.
      const child = spawn(process.execPath, ["--import", module, bin, "gen", "2^30", "-o", "/dev/null"]);
      const { code, stderr } = await endOf(child);
      expect(stderr).toMatch(
        /^gpusort: .*(the \\u001b\[2J reason|undefined).*\n {2}this is a bug in gpusort:\n/,
      );
      expectHarmless(stderr);
      expect(code).toBe(2);
    }
  });

  it("that keeps the command from loading ends with 2 as well", () => {
    mkdirSync(work.path("broken"));
    cpSync(new URL("../bin", import.meta.url), work.path("broken/bin"), { recursive: true });
    const { status, stderr } = shell('"$0" broken/bin/gpusort.js --version');
    expect(stderr).toMatch(
      /^gpusort: cannot load its own code: Cannot find module .*\n {2}install it again\n$/,
    );
    expect(status).toBe(2);
  });

  it("of standard error does not stop the work: nobody reads the messages", async () => {
    await work.write("keys.u32", new Uint8Array(Uint32Array.of(3, 1, 2).buffer));
    const ends = `for i in $(seq ${HANG_MS / 50}); do [ -s code ] && exit; sleep 0.05; done`;
    const unheard = (args: string) => {
      rmSync(work.path("code"), { force: true });
      shell(`{ sleep 0.2; "$0" "$1" ${args} --device cpu; echo $? >code; } 2>&1 | true; ${ends}`);
    };
    unheard("keys.u32 -o heard.u32 --explain");
    expect((await work.read("code")).toString()).toBe("0\n");
    expect(Buffer.from(Uint32Array.of(1, 2, 3).buffer).equals(await work.read("heard.u32"))).toBe(true);
    unheard("none.u32");
    expect((await work.read("code")).toString()).toBe("2\n");
  });
});
