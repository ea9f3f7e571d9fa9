import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";

const places: Workplace[] = [];
afterAll(() => Promise.all(places.map((place) => place.remove())));
let work: Workplace;
const keys = Uint32Array.of(3, 1, 2);
const bytes = new Uint8Array(keys.buffer);
beforeEach(async () => {
  work = await Workplace.create();
  places.push(work);
  await work.write("keys.u32", bytes);
});

/** Runs a command line that must be refused: exit code 2, nothing on standard output, and no new file. */
async function refused(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await work.run(args);
  expect([code, stdout.toString()], stderr).toEqual([2, ""]);
  expect(await work.names()).toEqual(["keys.u32"]);
  return stderr;
}

describe("an option that would have no effect is refused:", () => {
  const withCheck = [
    ["-m"],
    ["--argsort"],
    ["--head", "1"],
    ["-o", "out"],
    ["--to", "npy"],
    ["--force"],
    ["--algorithm", "radix"],
    ["--device", "cpu"],
    ["--no-verify"],
    ["--explain"],
    ["--trace", "t.json"],
    ["--json"],
  ];

  it("--no-verify of a check, and not --verify", async () => {
    expect(await refused(["-c", "keys.u32", "--no-verify"])).toMatch(/^gpusort: --no-verify cannot be used/);
    expect(await refused(["-c", "keys.u32", "--verify", "full"])).toMatch(
      /^gpusort: --verify cannot be used/,
    );
  });

  it.each(withCheck)("%s of a check", async (...option) => {
    expect(await refused(["-c", "keys.u32", ...option])).toMatch(
      /^gpusort: --[a-z-]+ cannot be used with --check\n {2}leave one of them out: /,
    );
  });

  it("--trace to standard output", async () => {
    expect(await refused(["keys.u32", "-o", "out", "--trace", "-"])).toBe(
      "gpusort: --trace - names no file\n  name one; --trace ./- is a file of that name\n",
    );
  });

  it("but not what scripts give to every sort(1), which takes it for a check", async () => {
    for (const options of [
      ["-S", "1M"],
      ["-S1G", "-T", "."],
      ["--parallel", "2"],
      ["--memory", "50%"],
    ]) {
      const { code, stderr } = await work.run(["-c", "keys.u32", ...options]);
      expect([code, stderr], options.join(" ")).toEqual([
        1,
        expect.stringMatching(/^gpusort: keys\.u32: key 1 is out of/),
      ]);
      expect(await work.run(["-C", "keys.u32", ...options])).toMatchObject({ code: 1, stderr: "" });
    }
    expect(await refused(["-c", "keys.u32", "-S", "much"])).toContain("--memory 'much' is not an amount");
  });

  it("the options of the inputs, of verify --combine", async () => {
    for (const option of [["-t", "u32"], ["--record", "4"], ["--skip-bytes", "4"], ["-r"]]) {
      expect(await refused(["verify", "--combine", "keys.u32", ...option])).toMatch(
        /^gpusort: --[a-z-]+ cannot be used with --combine\n/,
      );
    }
  });

  it.each([
    [["--record", "10", "-t", "u32"], /^gpusort: --type cannot be used with --record\n/],
    [["--record", "10", "--byte-order", "big"], /^gpusort: --byte-order cannot be used with --record\n/],
    [["-o", "k.txt", "--byte-order", "big"], /^gpusort: --byte-order has no effect on text\n/],
  ])("gen %j", async (options, message) => {
    const output = options.includes("-o") ? [] : ["-o", "k.bin"];
    expect(await refused(["gen", "10", ...output, ...options])).toMatch(message);
  });

  it.each([
    [["--sizes", "4", "--min", "2"], "--min cannot be used with --sizes"],
    [["--sizes", "4", "--step", "3"], "--step cannot be used with --sizes"],
    [["--theme", "dark"], "--theme has no effect without --plot"],
    [["--threshold", "3"], "--threshold has no effect without --compare"],
    [["--end-to-end", "--out", "o"], "--out cannot be used with --end-to-end"],
    [["--end-to-end", "--columns", "typed"], "--columns cannot be used with --end-to-end"],
    [["--end-to-end", "--threads", "2"], "--threads cannot be used with --end-to-end"],
    [["--end-to-end", "--no-crossover"], "--no-crossover cannot be used with --end-to-end"],
    [["--json", "--seed-table"], "--seed-table cannot be used with --json"],
    [["--algorithm", "bitonic"], "--algorithm bitonic is one of a GPU, but this benchmark runs on the CPU"],
  ])("bench %j", async (options, message) => {
    const stderr = await refused(["bench", ...options, "--device", "cpu"]);
    expect(stderr.split("\n")[0]).toBe(`gpusort: ${message}`);
  });

  it("an algorithm of a GPU, on the CPU", async () => {
    expect(await refused(["keys.u32", "--algorithm", "bitonic", "--device", "cpu"])).toBe(
      "gpusort: the CPU does not sort by the algorithm 'bitonic', but by 'radix'\n" +
        "  leave the algorithm out, or choose another device (--algorithm, --device)\n",
    );
  });

  it("an algorithm of a GPU, of records, which no GPU sorts", async () => {
    const stderr = await refused(["keys.u32", "--record", "4", "--algorithm", "bitonic", "--device", "gpu"]);
    expect(stderr).toBe(
      "gpusort: an algorithm does not apply to keys.u32: it is read as records, whose keys have types of their own\n" +
        "  leave it out, or name another format (--algorithm, --format)\n",
    );
  });

  it("a byte order of records whose keys are bytes", async () => {
    expect(await refused(["keys.u32", "--record", "4", "--byte-order", "big", "--device", "cpu"])).toMatch(
      /a byte order does not apply to the keys of keys\.u32: they are bytes.*\n.*\(--byte-order, --key\)\n$/,
    );
  });

  it("--no-timing of a demo that measures no times", async () => {
    expect(await refused(["demo", "threads", "--no-timing", "--device", "cpu"])).toMatch(
      /^gpusort: --no-timing has no effect on demo threads\n {2}leave it out/,
    );
  });
});

describe("a merge that cannot merge says so, and sorts:", () => {
  it.each([
    [
      ["-m", "a.txt", "a.txt", "-o", "b.u8", "-t", "u8"],
      "text, pipes and compressed files are read only once",
    ],
    [["-m", "keys.u32", "keys.u32", "-o", "b.u32", "--argsort"], "indices cannot be merged"],
  ])("%j", async (args, reason) => {
    await work.write("a.txt", "1\n2\n");
    const { code, stderr } = await work.onCpu(args);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(`^gpusort: ${reason}.*, so all inputs are sorted`),
    ]);
    expect((await work.onCpu([...args, "-q"])).stderr).toBe("");
  });
});

describe("-q", () => {
  it("is an option of every command", async () => {
    const { stdout } = await work.run(["--help"]);
    const [, list] = /\nCommands:\n([\s\S]*?)\n\n/.exec(stdout.toString())!;
    const commands = [...list!.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name!);
    expect(commands).toEqual(expect.arrayContaining(["sort", "verify", "gen", "bench", "devices", "demo"]));
    const ofJobs = ["plan", "sort", "cut", "merge", "finish", "status"].map((name) => ["job", name]);
    const others = commands.filter((name) => name !== "help" && name !== "job").map((name) => [name]);
    for (const command of [...others, ...ofJobs]) {
      const { stdout: help } = await work.run([...command, "--help"]);
      expect(help.toString(), command.join(" ")).toContain("-q, --quiet");
    }
    expect(await work.run(["gen", "4", "-o", "k", "-q"])).toMatchObject({ code: 0, stderr: "" });
    expect((await work.run(["verify", "k", "-q"])).stdout.toString()).toBe("");
    expect(await work.onCpu(["demo", "threads", "-q"])).toMatchObject({ code: 0, stderr: "" });
    expect((await work.run(["demo", "-q"])).stdout.toString()).toContain("waves");
  });

  it("leaves verify its exit code, and its findings as JSON", async () => {
    expect(await work.run(["verify", "keys.u32", "-q"])).toMatchObject({ code: 1, stderr: "" });
    const json = await work.run(["verify", "keys.u32", "-q", "--json"]);
    expect(JSON.parse(json.stdout.toString())).toMatchObject({ count: 3, inversions: 1 });
  });

  it("is part of -C, which checks silently as in sort(1)", async () => {
    expect(await work.run(["-C", "-c", "keys.u32"])).toMatchObject({ code: 1, stderr: "" });
    const silent = await work.run(["-C", "keys.u32"], "");
    expect([silent.code, silent.stdout.toString(), silent.stderr]).toEqual([1, "", ""]);
    expect(await refused(["-C", "keys.u32", "-o", "out"])).toContain("--output cannot be used with -C\n");
  });
});

describe("an empty value", () => {
  it.each([
    ["bench --device cpu --sizes", /^gpusort: --sizes '' is not a whole number/],
    ["gen 10 -o more.u32 --type", /^gpusort: unknown element type ''/],
    ["job plan keys.u32 -o parts --job", /^gpusort: the name of the folder of the job is empty/],
    [
      "job plan keys.u32 --job job -o",
      /^gpusort: the name of the folder of the output is empty.*\n.*--output/,
    ],
  ])("is not taken for none: %s ''", async (words, message) => {
    expect(await refused([...words.split(" "), ""])).toMatch(message);
  });
});

describe("numbers", () => {
  it("are read by every command in the same notation", async () => {
    expect((await work.run(["gen", "1K", "-o", "k.bin", "--offset", "2^10", "--total", "1e4"])).code).toBe(0);
    expect((await work.read("k.bin")).length).toBe(4000);
    expect((await work.onCpu(["k.bin", "-o", "-", "-q", "--head", "1e2"], "")).stdout.length).toBe(400);
    expect((await work.run(["verify", "k.bin", "--skip-bytes", "1K"], "")).stdout.toString()).toMatch(
      /count +750\n/,
    );
    expect((await work.run(["verify", "k.bin", "--record", "2^3"], "")).stdout.toString()).toMatch(
      /count +500\n/,
    );
  });

  it("that no file has are refused", async () => {
    for (const options of [
      ["10", "--offset", "9007199254740990"],
      ["10", "--offset", "4503599627370495"],
      ["10", "--offset", "2^60"],
      ["10", "--total", "9007199254740993"],
      ["10", "--record", "9007199254740993"],
      ["10", "--record", "1e15"],
      ["10", "--seed", "2^32"],
    ]) {
      const stderr = await refused(["gen", ...options, "-o", "k.bin"]);
      expect(stderr).toMatch(
        /^gpusort: --\w+ '?\d.* (is not a whole number from|plus 10 keys is more than) .*\n {2}/,
      );
    }
    for (const option of ["--skip-bytes", "--record"]) {
      expect(await refused(["verify", "keys.u32", option, "2^53"])).toContain(
        `${option} '2^53' is not a whole`,
      );
    }
  });

  it("of the last keys of the longest file make the keys that the whole file would have", async () => {
    const part = ["gen", "4", "--offset", String(2 ** 52 - 4), "-t", "u64", "--dist", "sorted", "-o", "-"];
    const { code, stdout } = await work.run(part);
    expect(code).toBe(0);
    const last = new BigUint64Array(new Uint8Array(stdout).buffer);
    expect([...last]).toEqual([...last].sort());
    expect(last[3]! >> 52n).toBe(0xfffn);
  });
});

describe("a wrong word gets a way out:", () => {
  it.each([
    [["-t", "float64"], "did you mean f64?"],
    [["-t", "uint32"], "did you mean u32?"],
    [["-t", "int"], "did you mean i32?"],
    [["-t", "double"], "did you mean f64?"],
    [["--format", "txt"], "did you mean text?"],
    [["--format", "numpy"], "did you mean npy?"],
    [["--to", "binary", "-o", "x"], "did you mean raw?"],
    [["--algorithm", "radxi"], "did you mean radix?"],
    [["--byte-order", "lttle"], "did you mean little?"],
  ])("%j", async (options, hint) => {
    expect(await refused(["keys.u32", ...options, "--device", "cpu"])).toMatch(`\n  ${hint} use one of `);
  });

  it.each([
    [["--dist", "unifrom"], "did you mean uniform?"],
    [["--columns", "typd"], "did you mean typed?"],
    [["--columns", "typed/gpuu"], "did you mean typed/gpu?"],
    [["--plot", "x.svg", "--theme", "drak"], "did you mean dark?"],
    [["--type", "float"], "did you mean f32?"],
  ])("bench %j", async (options, hint) => {
    expect(await refused(["bench", ...options, "--device", "cpu"])).toContain(`\n  ${hint} use`);
  });

  it("a device", async () => {
    for (const command of [["keys.u32"], ["devices"]]) {
      expect(await refused([...command, "--device", "softwear"])).toMatch(
        /^gpusort: no adapter like 'softwear' was found\n {2}did you mean software\? /m,
      );
    }
  });

  it("a command, also if its options are not those of sort", async () => {
    const hint = "did you mean gpusort verify?";
    expect(await refused(["verfy", "keys.u32"])).toContain(`there is no file or command verfy\n  ${hint}`);
    expect(await refused(["verfy", "keys.u32", "--combine"])).toContain(hint);
    await work.write("verfy", bytes);
    expect((await work.onCpu(["verfy", "-t", "u32", "-o", "-", "-q"], "")).code).toBe(0);
  });

  it.each([
    [["-R"], "use shuf(1)"],
    [["-nR"], "use shuf(1)"],
    [["-k2R"], "use shuf(1)"],
    [["-t", "ab"], "or, to separate the fields of lines, one byte"],
    [["--check=quiet"], "or -C to see nothing"],
    [["--buffer-size=1G"], "write -S or --memory"],
  ])("%j of sort(1)", async (options, hint) => {
    const stderr = await refused(["keys.u32", ...options]);
    expect(stderr).toMatch(/\n {2}\S/);
    expect(stderr).toContain(hint);
  });

  it("but options of other commands get no hint about sort(1)", async () => {
    expect(await refused(["gen", "-R", "4"])).not.toContain("shuf(1)");
  });

  it("but -h prints the help of commands that sort no lines", async () => {
    const help = { code: 0, stdout: expect.toSatisfy((out) => `${out}`.startsWith("Usage: gpusort")) };
    for (const args of [
      ["gen", "-h"],
      ["bench", "-h"],
      ["job", "plan", "-h"],
    ]) {
      expect(await work.run(args)).toMatchObject({ ...help, stderr: "" });
    }
  });
});

describe("an option before the file, with its value as another word,", () => {
  it("is not taken for a command, nor is its value", async () => {
    await work.write("n.txt", "10\n9\n");
    for (const options of [
      ["--sort", "numeric"],
      ["--device", "cpu"],
      ["--threads", "1"],
      ["-k", "1,1n"],
    ]) {
      const { code, stdout, stderr } = await work.onCpu([...options, "n.txt", "-q", "-o", "-"]);
      expect([code, stdout.toString(), stderr], options.join(" ")).toEqual([0, "9\n10\n", ""]);
    }
    expect(await work.names()).toEqual(["keys.u32", "n.txt"]);
  });

  it("leaves an error about a file that is not there to be about that file", async () => {
    for (const options of [
      ["--sort", "numeric"],
      ["--dvice", "cpu"],
      ["-o", "sort"],
    ]) {
      expect(await refused([...options, "none.txt"])).not.toContain("command --sort");
    }
    expect(await refused(["--sort", "numeric", "none.txt"])).toContain("there is no file none.txt");
  });
});

describe("the default output", () => {
  it.each([
    [["keys.u32", "--argsort"], "keys.argsort.u32"],
    [["k.f64", "--argsort"], "k.argsort.u32"],
    [["k.npy", "--argsort"], "k.argsort.npy"],
    [["k.txt", "--argsort"], "k.argsort.txt"],
    [["k.f64", "--argsort", "--to", "npy"], "k.argsort.npy"],
    [["keys.u32", "--argsort", "--record", "4"], "keys.argsort.u32"],
    [["keys.u32", "--to", "npy"], "keys.sorted.npy"],
    [["k.npy", "--to", "text"], "k.sorted.txt"],
    [["k.npy", "--to", "raw", "-t", "f64"], "k.sorted.f64"],
  ])("of %j is named for what it holds: %s", async (args, name) => {
    for (const input of ["k.f64", "k.npy", "k.txt"]) await work.run(["gen", "5", "-o", input, "-t", "f64"]);
    await work.write("k.txt", "2\n1\n");
    const before = await work.names();
    expect(await work.onCpu([...args, "-q"])).toMatchObject({ code: 0, stderr: "" });
    expect((await work.names()).filter((one) => !before.includes(one))).toEqual([name]);
    const type = name === "k.sorted.txt" ? ["-t", "f64"] : [];
    expect(await work.run(["verify", name, ...type])).toMatchObject({ stderr: "" });
  });

  it("needs a name if nothing says the type of its keys", async () => {
    await work.run(["gen", "5", "-o", "k.npy"]);
    const { code, stderr } = await work.onCpu(["k.npy", "--to", "raw"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--to raw needs a name that says the type")]);
  });
});

describe("a name of the output for keys of another type", () => {
  it.each([
    [["keys.u32", "-o", "x.f64"], "x.f64 is named for f64 keys, but would hold u32 keys"],
    [["keys.u32", "--argsort", "-o", "x.i64"], "x.i64 is named for i64 keys, but would hold u32 keys"],
    [["gen", "4", "-t", "f32", "-o", "x.u8"], "x.u8 is named for u8 keys, but would hold f32 keys"],
  ])("is refused: %j", async (args, message) => {
    const stderr = await refused(args[0] === "gen" ? args : [...args, "--device", "cpu"]);
    expect(stderr).toMatch(
      new RegExp(`^gpusort: the output ${message}\\n  name it \\*\\..*\\(--output, --to\\)`),
    );
  });

  it("is fine with --to, and if the input has it too", async () => {
    expect((await work.onCpu(["keys.u32", "-o", "x.f64", "--to", "raw"])).code).toBe(0);
    expect((await work.onCpu(["keys.u32", "-t", "i32"])).code).toBe(0);
    expect(await work.names()).toEqual(["keys.sorted.u32", "keys.u32", "x.f64"]);
  });
});

describe("gpusort --help", () => {
  it("shows the options of sorting and examples", async () => {
    const { stdout } = await work.run(["--help"]);
    const text = stdout.toString();
    for (const part of [
      "--argsort",
      "-o, --output <file>",
      "-S, --memory <size>",
      "Examples:\n  gpusort keys",
    ]) {
      expect(text).toContain(part);
    }
  });

  it.each(["", "sort", "verify", "gen", "bench", "devices", "completion"])(
    "%s: no line is too long for a terminal",
    async (command) => {
      const { stdout } = await work.run([...command.split(" ").filter(Boolean), "--help"]);
      const lines = stdout.toString().split("\n");
      // The default of --columns is one long word.
      expect(lines.filter((line) => line.length > 80 && line.trim().includes(" "))).toEqual([]);
    },
  );

  it("shows examples of each command that run", async () => {
    const { stdout } = await work.run(["gen", "--help"]);
    const [, line] = /Examples:\n {2}gpusort (gen 2\^20 -o keys\.f64) /.exec(stdout.toString())!;
    expect((await work.run(line!.split(" "))).code).toBe(0);
    expect((await work.read("keys.f64")).length).toBe(8 * 2 ** 20);
  });
});

describe("exit code 1 means out of order and nothing else:", () => {
  const root = fileURLToPath(new URL("..", import.meta.url));

  it("an error that nothing catches exits with 2", () => {
    const program = [
      'import { main } from "./dist/cli.js";',
      'setTimeout(() => { throw new Error("too late"); });',
      'await main(["node", "gpusort", "-", "--device", "cpu"]);',
    ];
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", program.join("\n")],
      {
        cwd: root,
        encoding: "utf8",
        stdio: ["pipe", "pipe", "pipe"],
        input: "x".repeat(2 ** 22 + 1),
      },
    );
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^gpusort: too late\n {2}this is a bug in gpusort/),
    ]);
  });
});
