import { spawn } from "node:child_process";
import { promises as fs, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { elementType, elementTypes, type KeyArray } from "../src/core/elements.js";
import { keyElement } from "../src/core/float16.js";
import { endOf, Workplace } from "./support/command.js";
import { randomKeys, sortedCopy } from "./support/keys.js";
import { needs } from "./support/needs.js";

const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const posix = needs(process.platform !== "win32", "a POSIX system");

const workplaces: Workplace[] = [];
afterAll(() => Promise.all(workplaces.map((made) => made.remove())));

let work: Workplace;
let folder: string;
beforeEach(async () => {
  work = await Workplace.create();
  workplaces.push(work);
  folder = work.folder;
});

const start = (args: readonly string[]) => work.start(args);
const gpusort = (args: readonly string[], input?: Uint8Array) => work.run(args, input);
const onCpu = (args: readonly string[], input?: Uint8Array) => work.onCpu(args, input);

const bytesOf = (keys: KeyArray) => new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
const sortedBytes = (keys: KeyArray, descending = false) => bytesOf(sortedCopy(keys, descending));
const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;
const names = () => work.names();

const read = (name: string) => work.read(name);

/** Whole numbers. Equal values have equal bits, so sorted files can be compared byte by byte. */
function keysOf(name: string, count = 1000): KeyArray {
  const type = elementType(name);
  const keys = randomKeys(elementType(type.words === 1 ? "i32" : "i64"), count, 11);
  // All whole numbers of 11 bits are f16.
  const number = (i: number) => (name === "f16" ? Number(keys[i]) & 0x7ff : Number(keys[i]));
  return type.order === "float"
    ? new type.array(count).map(((_: never, i: number) => keyElement(number(i), type)) as never)
    : new type.array(keys.buffer, 0, count);
}

async function write(name: string, keys: KeyArray | string): Promise<void> {
  await work.write(name, typeof keys === "string" ? keys : bytesOf(keys));
}

const keys = keysOf("u32");

describe("gpusort FILE", () => {
  it("writes the sorted keys to a new file, prints a summary, and does not change the input", async () => {
    await write("keys.u32", keys);
    const { code, stdout, stderr } = await onCpu(["keys.u32"]);
    expect([code, stdout.toString()]).toEqual([0, ""]);
    expect(stderr).toContain("keys.u32 -> keys.sorted.u32: 1,000 u32 keys (4.00 kB), ascending\n");
    expect(stderr).toMatch(/\nradix on CPU, verified, [\d.]+ m?s, [\d.]+ [kM] keys\/s\n$/);
    expect(await names()).toEqual(["keys.sorted.u32", "keys.u32"]);
    expect(same(await read("keys.sorted.u32"), sortedBytes(keys))).toBe(true);
    expect(same(await read("keys.u32"), bytesOf(keys))).toBe(true);
  });

  it("sorts correctly on the device that this machine has", async () => {
    await write("keys.u32", keys);
    const { code, stdout } = await gpusort(["keys.u32"]);
    expect([code, stdout.toString()]).toEqual([0, ""]);
    expect(same(await read("keys.sorted.u32"), sortedBytes(keys))).toBe(true);
  });

  it("is the same as gpusort sort FILE", async () => {
    await write("bench", keys);
    expect((await onCpu(["sort", "bench", "-t", "u32"])).code).toBe(0);
    expect(same(await read("bench.sorted"), sortedBytes(keys))).toBe(true);
  });

  it.each(elementTypes)("reads $name keys from a file with that extension", async ({ name }) => {
    const input = keysOf(name);
    await write(`keys.${name}`, input);
    const { code, stderr } = await onCpu([`keys.${name}`]);
    expect(code).toBe(0);
    expect(stderr).toContain(`1,000 ${name} keys`);
    expect(same(await read(`keys.sorted.${name}`), sortedBytes(input))).toBe(true);
  });

  it.each(elementTypes)("sorts $name keys with --type, and descending with --reverse", async ({ name }) => {
    const input = keysOf(name);
    await write("keys.bin", input);
    const { code, stderr } = await onCpu(["keys.bin", "--type", name, "-r"]);
    expect(code).toBe(0);
    expect(stderr).toContain("descending");
    expect(same(await read("keys.sorted.bin"), sortedBytes(input, true))).toBe(true);
  });

  it.each([0, 1, 2])("sorts %i keys", async (count) => {
    const input = keysOf("u32", count);
    await write("few.u32", input);
    const { code } = await onCpu(["few.u32"]);
    expect(code).toBe(0);
    expect(same(await read("few.sorted.u32"), sortedBytes(input))).toBe(true);
  });

  it("skips the check with --no-verify, and reports that", async () => {
    await write("keys.u32", keys);
    const { code, stderr } = await onCpu(["keys.u32", "--no-verify"]);
    expect(code).toBe(0);
    expect(stderr).toContain("radix on CPU, not verified, ");
  });

  it("prints nothing with --quiet", async () => {
    await write("keys.u32", keys);
    const { code, stdout, stderr } = await onCpu(["keys.u32", "-q"]);
    expect([code, stdout.toString(), stderr]).toEqual([0, "", ""]);
    expect(same(await read("keys.sorted.u32"), sortedBytes(keys))).toBe(true);
  });

  it("prints the summary as JSON with --json, and nothing on standard error", async () => {
    await write("keys.f64", keysOf("f64"));
    const { code, stdout, stderr } = await onCpu(["keys.f64", "--json", "-r"]);
    expect([code, stderr]).toEqual([0, ""]);
    const ms = expect.any(Number);
    expect(JSON.parse(stdout.toString())).toEqual({
      input: "keys.f64",
      output: "keys.sorted.f64",
      type: "f64",
      itemBytes: 8,
      bytes: 8000,
      written: 1000,
      keyCount: 1000,
      descending: true,
      device: "CPU",
      algorithm: "radix",
      verified: true,
      phases: [
        { name: "start", ms, bytes: 0 },
        { name: "read", ms, bytes: 8000 },
        { name: "convert", ms, bytes: 0 },
        { name: "sort", ms, bytes: 0 },
        { name: "write", ms, bytes: 8000 },
        { name: "publish", ms, bytes: 0 },
      ],
      totalMs: ms,
      loadMs: ms,
      closeMs: ms,
    });
  });

  it.each([
    ["-n"],
    ["-n", "-S", "1"],
    ["-n", "-m"],
    ["-n", "-m", "-S", "1M"],
    ["--header", "--by", "1"],
    ["--header", "--by", "1", "-S", "1"],
  ])("counts the bytes that were read of lines, each of them once: %s %s %s %s", async (...options) => {
    const numbers = Array.from({ length: 200_000 }, (_, i) => i + 1e6);
    await work.write("lines.txt", numbers.join("\n"));
    const args = ["lines.txt", ...options, "-o", "out.txt", "--json"];
    const { phases } = JSON.parse((await work.onCpu(args)).stdout.toString());
    expect(phases).toContainEqual({ name: "read", ms: expect.any(Number), bytes: 8 * numbers.length - 1 });
  });
});

describe("the output", () => {
  beforeEach(() => write("keys.u32", keys));

  it("replaces an existing default output only with --force", async () => {
    await write("keys.sorted.u32", "precious");
    const refused = await onCpu(["keys.u32"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toBe(
      "gpusort: the output keys.sorted.u32 exists already\n" +
        "  allow it to be replaced, or name another output (--force, --output)\n",
    );
    expect((await read("keys.sorted.u32")).toString()).toBe("precious");
    expect((await onCpu(["keys.u32", "--force"])).code).toBe(0);
    expect(same(await read("keys.sorted.u32"), sortedBytes(keys))).toBe(true);
  });

  it("goes to the file of -o, and replaces it", async () => {
    await write("out.bin", "old");
    expect((await onCpu(["keys.u32", "-o", "out.bin"])).code).toBe(0);
    expect(same(await read("out.bin"), sortedBytes(keys))).toBe(true);
    expect(await names()).toEqual(["keys.u32", "out.bin"]);
  });

  it("may replace the input file", async () => {
    expect((await onCpu(["keys.u32", "-o", "keys.u32"])).code).toBe(0);
    expect(same(await read("keys.u32"), sortedBytes(keys))).toBe(true);
    expect(await names()).toEqual(["keys.u32"]);
  });

  it("on standard output holds only keys, and the summary goes to stderr", async () => {
    const { code, stdout, stderr } = await onCpu(["keys.u32", "-o", "-"]);
    expect(code).toBe(0);
    expect(same(stdout, sortedBytes(keys))).toBe(true);
    expect(stderr).toContain("keys.u32 -> standard output");
    expect(await names()).toEqual(["keys.u32"]);
  });

  it("goes to standard output if the input is standard input, even if it takes several reads", async () => {
    const many = keysOf("u64", 400_000);
    const { code, stdout, stderr } = await onCpu(["-", "-t", "u64"], bytesOf(many));
    expect(code).toBe(0);
    expect(same(stdout, sortedBytes(many))).toBe(true);
    expect(stderr).toContain("standard input -> standard output: 400,000 u64 keys");
  });

  it("goes to the file of -o if the input is standard input", async () => {
    expect((await onCpu(["-", "-t", "u32", "-o", "out.u32"], bytesOf(keys))).code).toBe(0);
    expect(same(await read("out.u32"), sortedBytes(keys))).toBe(true);
  });

  it("is empty for an empty input", async () => {
    const { code, stdout } = await onCpu(["-", "-q"], new Uint8Array());
    expect([code, stdout.length]).toEqual([0, 0]);
  });

  it("may be a pipe that the reader closes early, without an error", async () => {
    await write("many.u32", keysOf("u32", 2 ** 21));
    const { child, ended } = start(["many.u32", "-o", "-", "--device", "cpu"]);
    child.stdout.once("data", () => child.stdout.destroy());
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([0, ""]);
  });
});

describe("gpusort refuses", () => {
  beforeEach(() => write("keys.u32", keys));

  const cases: [name: string, args: string[], message: RegExp][] = [
    [
      "two files without an output",
      ["a", "b"],
      /^gpusort: several files are sorted into one.*\n {2}name it with --output/,
    ],
    [
      "a file that does not exist",
      ["nothing.u32"],
      /^gpusort: there is no file nothing\.u32\n {2}check the path/,
    ],
    [
      "a command that does not exist",
      ["benhc"],
      /^gpusort: there is no file or command benhc\n {2}did you mean gpusort bench\?/,
    ],
    ["a directory", ["."], /^gpusort: \. is a directory\n/],
    [
      "an unknown type",
      ["keys.u32", "-t", "u33"],
      /^gpusort: unknown element type 'u33'\n {2}use one of u8, /,
    ],
    [
      "an unknown algorithm",
      ["keys.u32", "--algorithm", "bogo"],
      /^gpusort: unknown algorithm 'bogo'\n {2}use /,
    ],
    ["an unknown option", ["keys.u32", "--bogus"], /^gpusort: unknown option '--bogus'\n\(gpusort --help /],
    [
      "an option without its value",
      ["keys.u32", "-o"],
      /^gpusort: option '-o, --output <file>' argument missing/,
    ],
    [
      "an output in a folder that does not exist",
      ["keys.u32", "-o", "no/such/out"],
      /^gpusort: cannot write no\/such\/out: there is no folder no\/such\n/,
    ],
    ["an output that is a folder", ["keys.u32", "-o", "."], /^gpusort: the output \. is a directory\n/],
    [
      "the keys and the summary on standard output",
      ["keys.u32", "-o", "-", "--json"],
      /^gpusort: --json and the sorted keys /,
    ],
  ];

  it.each(cases)("%s: exit code 2, one message, and nothing on standard output", async (_, args, message) => {
    const { code, stdout, stderr } = await gpusort(args);
    expect([code, stdout.toString()]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(await names()).toEqual(["keys.u32"]);
  });

  it("--json if sorted standard input also goes to standard output", async () => {
    const { code, stdout, stderr } = await onCpu(["-", "--json"], bytesOf(keys));
    expect([code, stdout.length]).toEqual([2, 0]);
    expect(stderr).toContain("cannot both go to standard output");
  });

  it.each([
    [1001, "u32", "1 byte is left over"],
    [1004, "f64", "4 bytes are left over"],
  ])("a file of %i bytes of %s, and reports how many bytes are left over", async (length, type, leftOver) => {
    await fs.writeFile(join(folder, "cut.bin"), new Uint8Array(length));
    const { code, stderr } = await onCpu(["cut.bin", "-t", type]);
    expect(code).toBe(2);
    expect(stderr).toContain(`cut.bin has ${length} bytes`);
    expect(stderr).toContain(leftOver);
  });

  it("standard input with bytes left over, and writes no output", async () => {
    const { code, stdout, stderr } = await onCpu(["-", "-t", "u32"], new Uint8Array(7));
    expect([code, stdout.length]).toEqual([2, 0]);
    expect(stderr).toContain("standard input has 7 bytes");
    expect(stderr).toContain("3 bytes are left over");
  });

  it("a missing file, with a stack trace only with --debug", async () => {
    for (const args of [
      ["--debug", "nothing.u32"],
      ["nothing.u32", "--debug"],
    ]) {
      const { code, stderr } = await onCpu(args);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^gpusort: there is no file nothing\.u32\n/);
      expect(stderr).toMatch(/^InputError: there is no file nothing\.u32\n\s+at /m);
      const places = [...stderr.matchAll(/\((src\/\S+\.ts):(\d+)\)/g)];
      expect(places.length).toBeGreaterThan(3);
      const lines = places.map(([, file, line]) => readFileSync(file!, "utf8").split("\n")[Number(line) - 1]);
      expect(lines[0]).toMatch(/new InputError\(/);
      expect(lines.filter((line) => !/\(/.test(line!))).toEqual([]);
    }
  });
});

describe("a sort that fails", () => {
  beforeEach(async () => {
    await write("keys.u32", keys);
    await write("out.u32", "old");
  });

  it("because the device does not exist keeps the old output and leaves no other file", async () => {
    const { code, stdout, stderr } = await gpusort(["keys.u32", "-o", "out.u32", "--device", "abacus"]);
    expect([code, stdout.toString()]).toEqual([2, ""]);
    expect(stderr).toContain("gpusort: no adapter like 'abacus' was found\n");
    expect(stderr).toMatch(/choose auto.* cpu.* \(--device\)\n$/);
    expect((await read("out.u32")).toString()).toBe("old");
    expect(await names()).toEqual(["keys.u32", "out.u32"]);
  });

  posix.it("because the output cannot grow keeps the old output and leaves no other file", async () => {
    const limited = spawn(
      "sh",
      [
        "-c",
        'ulimit -f 1; exec "$@"',
        "sh",
        process.execPath,
        bin,
        "keys.u32",
        "-o",
        "out.u32",
        "--device",
        "cpu",
      ],
      { cwd: folder },
    );
    const { code, stdout, stderr } = await endOf(limited);
    expect([code, stdout.toString()]).toEqual([2, ""]);
    expect(stderr).toMatch(/^gpusort: cannot write out\.u32: EFBIG/);
    expect((await read("out.u32")).toString()).toBe("old");
    expect(await names()).toEqual(["keys.u32", "out.u32"]);
  });
});

posix.describe("a sort that is killed", () => {
  /** Starts a sort that takes about a second, and waits until it has started to write its output. */
  async function underWay() {
    await write("many.f64", keysOf("f64", 2 ** 22));
    await write("out.f64", "old");
    const { child, ended } = start(["many.f64", "-o", "out.f64", "--device", "cpu"]);
    while (!(await names()).some((name) => name.endsWith(".gpusort"))) {
      expect(child.exitCode).toBeNull();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return { child, ended };
  }

  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const)(
    "by %s keeps the old output, leaves no other file, and ends by that signal",
    async (signal) => {
      const { child, ended } = await underWay();
      child.kill(signal);
      expect(await ended).toMatchObject({ code: null, signal, stderr: "" });
      expect((await read("out.f64")).toString()).toBe("old");
      const left = (await names()).filter((name) => !name.startsWith("core")); // where SIGQUIT may dump memory
      expect(left).toEqual(["many.f64", "out.f64"]);
    },
  );

  it("by SIGTERM ends also while it waits for a silent pipe", async () => {
    const { child, ended } = start(["-", "-o", "silent.u32", "--device", "cpu"]);
    await new Promise((resolve) => setTimeout(resolve, 1000)); // until it reads, on most machines
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ signal: "SIGTERM", stderr: "" });
    expect((await names()).filter((name) => name.includes("silent"))).toEqual([]);
  });

  it("by SIGKILL keeps the old output", async () => {
    const { child, ended } = await underWay();
    child.kill("SIGKILL");
    expect((await ended).signal).toBe("SIGKILL");
    expect((await read("out.f64")).toString()).toBe("old");
  });
});

describe("gpusort itself", () => {
  it("prints the package's version", async () => {
    const { code, stdout, stderr } = await gpusort(["--version"]);
    expect([code, stdout.toString(), stderr]).toEqual([0, `${manifest.version}\n`, ""]);
  });

  it("lists its commands with --help, and a command's options with its own --help", async () => {
    const { code, stdout, stderr } = await gpusort(["--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const command of ["sort", "bench", "devices", "demo"]) {
      expect(stdout.toString()).toMatch(new RegExp(`^ {2}${command} `, "m"));
    }
    const sort = await gpusort(["sort", "--help"]);
    const unknown = await gpusort(["sort", "keys.u32", "--format", "no such format"]);
    const [, names] = /use one of (.*)$/m.exec(unknown.stderr)!;
    for (const name of names!.split(", ")) {
      expect(sort.stdout.toString()).toMatch(new RegExp(`input format: [^(]*\\b${name}\\b`));
      expect(sort.stdout.toString()).toMatch(new RegExp(`output format: [^(]*\\b${name}\\b`));
    }
    expect(sort.code).toBe(0);
    for (const option of [
      "--type",
      "--reverse",
      "--output",
      "--force",
      "--device",
      "--no-verify",
      "--json",
    ]) {
      expect(sort.stdout.toString()).toContain(option);
    }
  });
});

describe("gpusort devices", () => {
  it("reports no CPU, and says that it is no adapter", async () => {
    const { code, stderr } = await gpusort(["devices", "--report", "--device", "cpu"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("only an adapter can be reported, and cpu is"),
    ]);
    expect(stderr).not.toContain("driver");
  });

  it("prints every adapter and the chosen one as JSON, also if there is no adapter", async () => {
    const { code, stdout } = await gpusort(["devices", "--json"]);
    expect(code).toBe(0);
    const { adapters, selector, chosen, auto } = JSON.parse(stdout.toString());
    expect([selector, chosen]).toEqual(["auto", null]); // it depends on the sort
    const { mayHaveGpu, gpuFromBytes } = auto;
    expect(auto).toEqual({ mayHaveGpu, cpuBelowKeys: 2 ** 22, gpuFromBytes });
    expect([typeof mayHaveGpu, gpuFromBytes > 0]).toEqual(["boolean", true]);
    for (const adapter of adapters) {
      expect(adapter).toMatchObject({ name: expect.any(String), software: expect.any(Boolean) });
      expect(adapter.limits.maxBufferSize).toBeGreaterThan(0);
    }
  });

  it("lists the adapters under a stale GPUSORT_DEVICE, and says that it names none", async () => {
    const env = { ...process.env, GPUSORT_DEVICE: "uuid:GPU-0123" };
    const under = (args: readonly string[]) =>
      endOf(spawn(process.execPath, [bin, "devices", ...args], { cwd: folder, env }));
    const listed = await under(["--json"]);
    expect(listed.code).toBe(0);
    expect(JSON.parse(listed.stdout.toString())).toMatchObject({ selector: "uuid:GPU-0123", chosen: null });
    expect(listed.stderr).toMatch(
      /^gpusort: GPUSORT_DEVICE names no device: there is no GPU whose UUID begins with 'GPU-0123' that/m,
    );
    const asked = await under(["--device", "uuid:GPU-0123"]);
    expect([asked.code, asked.stdout.toString()]).toEqual([2, ""]);
    expect(asked.stderr).toContain("gpusort: there is no GPU whose UUID begins");
  });
});

describe("gpusort demo", () => {
  const demos =
    "threads grid vecadd texture-add barrier transpose blur waves particles network occupancy".split(" ");

  it("lists the demos, without arguments and with --help", async () => {
    for (const args of [["demo"], ["demo", "--help"]]) {
      const { code, stdout, stderr } = await gpusort(args);
      expect([code, stderr]).toEqual([0, ""]);
      for (const name of demos) expect(stdout.toString()).toMatch(new RegExp(`^ +${name} +\\S`, "m"));
    }
  });

  it("refuses an unknown demo, and lists the demos", async () => {
    const { code, stdout, stderr } = await onCpu(["demo", "life"]);
    expect([code, stdout.toString()]).toEqual([2, ""]);
    expect(stderr).toBe(`gpusort: there is no demo 'life'\n  use one of ${demos.join(", ")}\n`);
  });

  it("lists a demo's own options with --help", async () => {
    const { code, stdout } = await gpusort(["demo", "blur", "--help"]);
    expect(code).toBe(0);
    for (const word of ["<image>", "--sigma", '"2.5"', "--count", "--output", "--device", "--no-timing"]) {
      expect(stdout.toString()).toContain(word);
    }
  });

  // Smaller than the defaults, for some of which the CPU kernels take a second.
  const less: Record<string, string[]> = {
    grid: ["--size", "100x70"],
    barrier: ["--count", "5000"],
    transpose: ["--rows", "45", "--columns", "70"],
    waves: ["--steps", "20"],
    particles: ["--count", "500"],
    occupancy: ["--workgroups", "9"],
  };

  it.each(demos.filter((name) => name !== "blur"))(
    "%s runs without an image and without an adapter",
    async (name) => {
      const { code, stdout, stderr } = await onCpu(["demo", name, ...(less[name] ?? [])]);
      expect([code, stderr]).toEqual([0, `demo ${name} ran on the CPU\n`]);
      expect(stdout.toString()).toMatch(/\n$/);
    },
  );

  it("threads draws the book's example", async () => {
    const { stdout } = await onCpu(["demo", "threads"]);
    expect(stdout.toString()).toContain("│ · · · · · · · · │ o o █ o o o o o │ · · · · · · · · │\n");
    expect(stdout.toString()).toContain(
      "SV_DispatchThreadID  (10, 13, 0) = (1, 1, 0) * (8, 8, 1) + (2, 5, 0)\n",
    );
    expect(stdout.toString()).toContain("SV_GroupIndex        42 = 0 * 8 * 8 + 5 * 8 + 2\n");
  });

  it("grid covers the article's image without idle invocations", async () => {
    const { stdout } = await onCpu(["demo", "grid", "--size", "1024x768", "--workgroup", "32x8"]);
    expect(stdout.toString()).toMatch(/^ {2}32 x 8 +32 x 96 +786,432 +0 +0\.0% +not needed$/m);
    expect(stdout.toString()).toMatch(/^ {2}256 x 1 +4 x 768 /m);
  });

  it("vecadd prints the chapter's 32 lines and nothing else", async () => {
    const { code, stdout, stderr } = await onCpu(["demo", "vecadd"]);
    const lines = Array.from({ length: 32 }, (_, i) => `(0, ${2 * i}, ${i}, ${i}, ${-i})\n`);
    expect([code, stdout.toString()]).toEqual([0, lines.join("")]);
    expect(stderr).toBe("demo vecadd ran on the CPU\n");
  });

  it("transpose prints a corner of a matrix, before and after", async () => {
    const { code, stdout } = await onCpu(["demo", "transpose", "--rows", "45", "--columns", "70"]);
    expect(code).toBe(0);
    expect(stdout.toString()).toContain("  100  101  102  103  104  105\n");
    expect(stdout.toString()).toContain("    1  101  201  301  401  501\n");
  });

  it("particles says nothing of a GPU if there was none", async () => {
    const { stdout } = await onCpu(["demo", "particles", "--count", "500"]);
    expect(stdout.toString()).toContain(
      "the last step ran 8 workgroups of 64 invocations: a kernel computed",
    );
    expect(stdout.toString()).not.toContain("GPU");
  });

  it("draws to the file of --output", async () => {
    await write("old.png", "old");
    for (const [output, ...args] of [
      ["old.png", "texture-add"],
      ["sharp.png", "waves", "--size", "32x32", "--steps", "4"],
      ["moving.gif", "waves", "--size", "32x32", "--steps", "4"],
      ["energy.svg", "waves", "--size", "32x32", "--steps", "4"],
      ["network.svg", "network"],
      ["blurred.png", "blur", "old.png", "--sigma", "0.5", "--count", "2"],
    ] as [string, ...string[]][]) {
      const { code, stderr } = await onCpu(["demo", ...args, "-o", output]);
      expect([code, stderr], args.join(" ")).toEqual([0, expect.stringMatching(/ran on the CPU/)]);
      const head = (await read(output)).subarray(0, 4).toString("latin1");
      expect({ png: "\x89PNG", gif: "GIF8", svg: "<svg" }[output.slice(-3)], output).toBe(head);
    }
    expect(await names()).toEqual([
      "blurred.png",
      "energy.svg",
      "moving.gif",
      "network.svg",
      "old.png",
      "sharp.png",
    ]);
  });

  const refused: [name: string, args: string[], message: RegExp][] = [
    ["no image", ["blur"], /^gpusort: missing required argument 'image'/],
    [
      "an image that does not exist",
      ["blur", "no.png"],
      /^gpusort: there is no file no\.png\n {2}check the path/,
    ],
    [
      "a file that is not an image",
      ["blur", "keys.u32"],
      /^gpusort: keys\.u32 is not a PNG or JPEG image\n {2}convert it/,
    ],
    ["a directory", ["blur", "."], /^gpusort: \. is a directory/],
    [
      "an output in a format that the demo cannot draw",
      ["waves", "-o", "out.jpg"],
      /cannot draw to out\.jpg\n {2}.*\.png or \.gif or \.svg/,
    ],
    [
      "an output in a folder that does not exist",
      ["network", "-o", "no/such.svg"],
      /^gpusort: cannot write no\/such\.svg: there is no folder no\n/,
    ],
    ["--output of a demo that draws nothing", ["vecadd", "-o", "out.png"], /^gpusort: unknown option '-o'/],
    [
      "a plot of times with --no-timing",
      ["occupancy", "--workgroups", "1", "-o", "out.svg"],
      /nothing was timed\n {2}choose a --device .*, without --no-timing/,
    ],
    ["an option of another demo", ["threads", "--sigma", "1"], /^gpusort: unknown option '--sigma'/],
    [
      "an invalid value of an option",
      ["waves", "--steps", "many"],
      /^gpusort: --steps 'many' is not a whole number from 1 to/,
    ],
    ["too many arguments", ["threads", "more"], /^gpusort: too many arguments/],
  ];

  it.each(refused)("refuses %s: exit code 2, and a hint", async (_, args, message) => {
    await write("keys.u32", keys);
    const { code, stderr } = await onCpu(["demo", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(await names()).toEqual(["keys.u32"]);
  });
});
