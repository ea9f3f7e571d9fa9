import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, it, vi } from "vitest";
import { parseDocument } from "../src/bench/document.js";
import { Workplace } from "./support/command.js";

const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gpusort-bench-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs the command in the tests' folder with its own cache, and waits until it ends. */
function gpusort(args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, "cache") };
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stdout: Buffer[] = [];
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout: Buffer.concat(stdout), stderr }));
  });
}

/** Runs the command on the CPU, so that nothing depends on this machine's drivers. */
const onCpu = (args: readonly string[]) => gpusort([...args, "--device", "cpu"]);

/**
 * Runs a benchmark of one cell.
 *
 * @returns a function that writes its result with other times, the same in all rounds. `--out` takes such a
 *   file as measured, so that a comparison does not depend on what else this machine does.
 */
async function steadyResults(args: readonly string[]) {
  const measured = join(folder, "measured.jsonl");
  rmSync(measured, { force: true });
  expect((await onCpu([...args, "--out", measured])).code).toBe(0);
  const [head, line] = readFileSync(measured, "utf8")
    .split("\n")
    .map((text) => text && JSON.parse(text));
  const [cell] = Object.values<Record<string, unknown>>(line.row.cells);
  return (name: string, seconds: number, threads: number = head.environment.threads) => {
    for (const key of ["median", "min", "max", "low", "high"]) cell![`${key}Seconds`] = seconds;
    cell!.roundSeconds = Array(24).fill(seconds);
    cell!.roundReferenceSeconds = Array(24).fill(1e-3);
    head.environment.threads = threads;
    writeFileSync(join(folder, `${name}.jsonl`), `${JSON.stringify(head)}\n${JSON.stringify(line)}\n`);
    return join(folder, `${name}.jsonl`);
  };
}

const work = await Workplace.create();
afterAll(() => work.remove());

/** Runs the command in this process, which suffices where it refuses what it is asked for. */
async function expectRefusal(args: readonly string[], message: RegExp): Promise<void> {
  const { code, stdout, stderr } = await work.onCpu(["bench", ...args]);
  expect([code, stdout.toString()]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
}

const write = (name: string, keys: Uint32Array) => writeFileSync(join(folder, name), keys);

describe("gpusort bench", () => {
  it.each([
    [["--min", "many"], /^gpusort: --min 'many' is not a whole number from 1 to 2\^32 - 1\n/],
    [["--min", "1.5"], /^gpusort: --min '1\.5' is not a whole number from 1 to 2\^32 - 1\n/],
    [["--max", "2^32"], /^gpusort: --max '2\^32' is not a whole number from 1 to 2\^32 - 1\n/],
    [["--min", "2^9", "--max", "2^8"], /^gpusort: --min 512 is more than --max 256\n/],
    [["--budget", "-1"], /^gpusort: --budget '-1' /],
    [["--budget", "Infinity"], /^gpusort: --budget 'Infinity' /],
    [["--type", "u33"], /^gpusort: unknown element type 'u33'\n/],
    [["--algorithm", "bogo"], /^gpusort: unknown algorithm 'bogo'\n/],
    [["2^9"], /too many arguments/],
  ])("refuses %j before it measures anything", expectRefusal);

  it.each([
    [["--dist", "gauss"], /^gpusort: unknown distribution 'gauss'\n/],
    [["--dist", "nan-laced", "--type", "f32,u32"], /^gpusort: u32 is not a float type/],
    [
      ["--columns", "cqu"],
      /^gpusort: --columns: unknown column 'cqu'\n {2}did you mean cpu\? use array, typed, cpu, gpu/,
    ],
    [["--threads", "0"], /^gpusort: --threads '0' is not a whole number from 1 to 255\n/],
    [["--threads", "256"], /^gpusort: --threads '256' is not a whole number from 1 to 255\n/],
    [
      ["--threads", "2", "--columns", "typed,gpu"],
      /^gpusort: --threads has no effect without the column cpu\n/,
    ],
    [["--payload", "6"], /^gpusort: --payload '6' is not a multiple of 4\n/],
    [
      ["--task", "tpo:5"],
      /^gpusort: unknown task 'tpo:5'\n {2}did you mean top:K\? use one of sort, top:K, /,
    ],
    [
      ["--task", "sort,top"],
      /^gpusort: the task top lacks its number of keys\n {2}write top:K, as in top:1000\n/,
    ],
    [["--task", "top:0"], /^gpusort: --task: the number '0' is not a whole number from 1 to 2\^32 - 1\n/],
    [
      ["--task", "unique", "--payload", "4,8"],
      /^gpusort: --payload 4,8 gives each key a value, but --task unique /,
    ],
    [["--task", "top:5", "--seed-table"], /^gpusort: --seed-table has no effect without the task sort\n/],
    [["--task", "top:5", "--end-to-end"], /^gpusort: --task cannot be used with --end-to-end\n/],
    [["--step", "1"], /^gpusort: --step 1 is not a factor greater than 1\n/],
    [["--sizes", "5,six"], /^gpusort: --sizes 'six' is not a whole number from 1 to 2\^32 - 1\n/],
    [["--error", "0"], /^gpusort: --error '0' /],
    [["--compare", "x", "--threshold", "none"], /^gpusort: --threshold 'none' /],
    [["--plot", "x.svg", "--theme", "pink"], /^gpusort: --theme 'pink' is not a theme\n/],
    [["--json", "--csv"], /^gpusort: --json, --csv and --markdown all print to standard output\n/],
    [["--plot", "bench.pdf"], /^gpusort: --plot 'bench\.pdf' ends in neither \.svg nor \.png\n/],
    [["--plot", "no-such-folder/bench.svg"], /^gpusort: .*no-such-folder/],
    [["--compare", "no-such-file"], /^gpusort: --compare 'no-such-file' cannot be read: ENOENT/],
    [["--end-to-end", "--csv"], /^gpusort: --csv cannot be used with --end-to-end\n/],
  ])("also refuses %j", expectRefusal);

  const quick = ["--sizes", "4", "--budget", "0.2"];

  it("measures the sorts on the CPU without an adapter, and does not mention crossovers", async () => {
    const { code, stdout, stderr } = await onCpu(["bench", ...quick]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.toString()).toMatch(/^│ +4 │( +[\d.]+ [nµm]s[~*]? │){3}( +[\d.]+x │){2}$/m);
    expect(stdout.toString()).toMatch(/^u32 keys, uniform\non the CPU\n/);
    expect(stdout.toString()).not.toContain("beats");
    expect(
      Math.max(
        ...stdout
          .toString()
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThan(100);
  });

  it("says why it has no times of a GPU, if they are asked for", async () => {
    const { code, stdout } = await onCpu(["bench", ...quick, "--columns", "cpu,gpu,round-trip,cpu/gpu"]);
    expect(code).toBe(0);
    expect(stdout.toString()).toMatch(/^│ +4 │ +[\d.]+ [nµm]s[~*]? │ +no │ +no │ +│$/m);
    expect(stdout.toString()).not.toContain("beats");
  });

  it("sorts on as many threads as asked, says so, and ends", async () => {
    const args = ["bench", "--sizes", "2^18", "--budget", "0.3", "--columns", "cpu"];
    for (const [threads, text] of [
      ["1", "1 thread"],
      ["3", "3 threads"],
    ] as const) {
      const shown = await onCpu([...args, "--threads", threads]);
      expect([shown.code, shown.stderr]).toEqual([0, ""]);
      expect(shown.stdout.toString()).toContain(`CPU sort: gpusort's own, with at most ${text}\n`);
    }
    const { code, stdout } = await onCpu([...args, "--threads", "3", "--json"]);
    expect(code).toBe(0);
    const { environment, rows } = JSON.parse(stdout.toString());
    expect(environment.threads).toBe(3);
    expect(rows).toMatchObject([{ cells: { cpu: { medianSeconds: expect.any(Number) } } }]);
  });

  it("does not call a change of the threads a change of the sort", async () => {
    const args = ["bench", "--sizes", "1000", "--budget", "0.2", "--columns", "cpu"];
    const write = await steadyResults([...args, "--threads", "1"]);
    const older = write("one", 1e-6);
    const compare = (threads: number) => {
      const out = write(`now_${threads}`, 1e-3, threads);
      return onCpu([...args, "--threads", `${threads}`, "--out", out, "--compare", older]);
    };
    const [same, other] = [await compare(1), await compare(2)];
    expect(same.code).toBe(5);
    expect(other.code).toBe(0);
    expect(other.stdout.toString()).toContain(
      "cpu had 1 thread at most and now has 2, so its change is called machine\n",
    );
  });

  it("sorts keys with values on the CPU by gpusort, because JavaScript's own sorts cannot", async () => {
    const { code, stdout } = await onCpu(["bench", ...quick, "--payload", "8", "--json"]);
    expect(code).toBe(0);
    const refused = { skipped: "keys only" };
    expect(JSON.parse(stdout.toString()).rows).toMatchObject([
      { cells: { array: refused, typed: refused, cpu: { medianSeconds: expect.any(Number) } } },
    ]);
  });

  it("prints everything as JSON, and nothing else on standard output", async () => {
    const columns = ["--columns", "array,typed,cpu,gpu"];
    const { code, stdout } = await onCpu(["bench", ...quick, "--type", "f64", "--json", ...columns]);
    expect(code).toBe(0);
    const measured = { medianSeconds: expect.any(Number), minSeconds: expect.any(Number) };
    const skipped = { skipped: "no adapter" };
    const document = JSON.parse(stdout.toString());
    expect(document).toMatchObject({
      environment: { node: process.version, adapter: null },
      stopRule: { budgetSeconds: 0.2, relativeError: 0.02 },
      rows: [
        {
          type: "f64",
          keyCount: 4,
          cells: { array: measured, typed: measured, cpu: measured, gpu: skipped },
        },
      ],
    });
    const schema = JSON.parse(readFileSync(new URL("../docs/bench.schema.json", import.meta.url), "utf8"));
    const validate = new Ajv2020().compile(schema);
    validate(document);
    expect(validate.errors).toBeNull();
  });

  it("goes through tasks, which the table tells apart", async () => {
    const tasks = ["--task", "sort,top:2^1,top:2,segments:3,unique", "--payload", "0,4"];
    const { code, stdout } = await onCpu(["bench", ...quick, ...tasks, "--json"]);
    expect(code).toBe(0);
    const { rows } = JSON.parse(stdout.toString());
    const measured = { medianSeconds: expect.any(Number) };
    const skipped = { skipped: "keys only" };
    expect(rows).toMatchObject(
      ["sort", "top:2", "segments:3", "unique"].flatMap((task) => [
        { task, payloadBytes: 0, cells: { array: measured, typed: measured, cpu: measured } },
        {
          task,
          payloadBytes: 4,
          cells: { array: skipped, typed: skipped, cpu: task === "unique" ? skipped : measured },
        },
      ]),
    );
    const two = await onCpu(["bench", ...quick, "--task", "top:2,unique", "--columns", "typed,cpu"]);
    expect(two.stdout.toString()).toMatch(/^top:2, unique of u32 keys, uniform\n/);
    expect(two.stdout.toString()).toMatch(/^│ task +│ +keys │/m);
    expect(two.stdout.toString()).toMatch(/^│ unique │ +4 │( +[\d.]+ [nµm]s[~*]? │){2}$/m);
  });

  it("prints CSV and Markdown", async () => {
    const csv = await onCpu(["bench", ...quick, "--columns", "typed,cpu", "--csv"]);
    const series = "sort,u32,uniform,0,auto,4,grid";
    expect(csv.stdout.toString()).toMatch(
      new RegExp(`^task,type,distribution,.*\\r\\n${series},typed,\\d.*\\r\\n${series},cpu,\\d`),
    );
    const markdown = await onCpu(["bench", ...quick, "--columns", "typed,cpu,typed/cpu", "--markdown"]);
    expect(markdown.stdout.toString()).toMatch(
      /^\| keys \| Typed Array \.sort \| CPU sort \| typed \/ cpu \|\n(\| ---: ){4}\|\n\| 4 \| /,
    );
  });

  it("writes rows as they are measured, continues after a kill, and refuses other files", async () => {
    const out = join(folder, "rows.jsonl");
    const args = ["bench", "--budget", "0.2", "--columns", "typed", "--out", out];
    expect((await onCpu([...args, "--sizes", "4,8"])).code).toBe(0);
    const lines = readFileSync(out, "utf8").split("\n");
    expect(lines).toHaveLength(1 + 2 + 1);
    // As if it had been killed while it wrote the second row.
    writeFileSync(out, `${lines.slice(0, 2).join("\n")}\n${lines[2]!.slice(0, 50)}`);
    const again = await onCpu([...args, "--sizes", "4,8,16", "--json"]);
    expect(again.code).toBe(0);
    const { rows } = JSON.parse(again.stdout.toString());
    expect(rows[0]).toEqual(JSON.parse(lines[1]!).row);
    expect(rows.map(({ keyCount }: { keyCount: number }) => keyCount)).toEqual([4, 8, 16]);
    expect(readFileSync(out, "utf8").split("\n")).toHaveLength(1 + 3 + 1);

    const other = await onCpu([...args, "--sizes", "4", "--error", "1"]);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain("cannot be continued: the bound of the error was 0.02 and is now 0.01");
    writeFileSync(join(folder, "keys.u32"), "my keys");
    const wrong = await onCpu(["bench", ...quick, "--out", join(folder, "keys.u32")]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/^gpusort: --out '.*keys\.u32' is not a benchmark result/);
    const dash = await onCpu(["bench", ...quick, "--out", "-"]);
    expect([dash.code, dash.stderr]).toEqual([2, expect.stringMatching(/^gpusort: --out - names no file\n/)]);
    expect(readFileSync(join(folder, "keys.u32"), "utf8")).toBe("my keys");
  });

  describe("that is interrupted", () => {
    /** Interrupts a benchmark after its first row, which `--out` keeps. */
    async function interrupted(args: readonly string[]) {
      const columns = ["--columns", "typed", "--error", "100", "--budget", "30"];
      const name = `${args.length}${args[0] ?? ""}.jsonl`;
      const sizes = ["--sizes", "4,2^22"];
      const { child, ended } = work.start([
        "bench",
        ...sizes,
        ...columns,
        ...args,
        "--out",
        name,
        "--device",
        "cpu",
      ]);
      const lines = async () =>
        (await work.names()).includes(name) ? (await work.read(name)).toString().split("\n").length : 0;
      while ((await lines()) < 3) {
        expect(child.exitCode).toBeNull();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      child.kill("SIGINT");
      return { name, ...(await ended) };
    }

    it.each([
      [["--json"], /^\{\n/],
      [["--csv"], /^task,.*\r\nsort,u32,uniform,0,auto,4,grid,typed,\d.*\r\n$/],
      [["--markdown"], /^\| keys \| Typed Array \.sort \|\n\| ---: \| ---: \|\n\| 4 \| [^|]+ \|\n$/],
      [[], /│ +4 │ [^│]+│\n└─+┴─+┘\n/],
    ])("prints the rows that it has, and says where they are kept: %j", async (args, expected) => {
      const { name, signal, stdout, stderr } = await interrupted(args);
      expect(signal).toBe("SIGINT");
      expect(stdout.toString()).toMatch(expected);
      expect(stderr).toBe(
        `gpusort: interrupted after 1 of 2 rows\n  they are in '${name}', which the same command continues\n`,
      );
      if (!args.includes("--json")) return;
      const document = JSON.parse(stdout.toString());
      expect(document).toMatchObject({ interrupted: true, rows: [{ keyCount: 4 }] });
      expect(parseDocument(stdout.toString(), "x").rows).toEqual(document.rows);
    });

    it("draws no plot, and says so", async () => {
      const { stderr } = await interrupted(["--plot", "never.svg"]);
      expect(stderr).toMatch(/ continues\n {2}no plot was drawn\n$/);
      expect((await work.names()).filter((name) => name.includes("never.svg"))).toEqual([]);
    });

    it("prints as JSON the rows of whole commands that it has", async () => {
      vi.stubEnv("TMPDIR", work.folder);
      const sizes = ["--sizes", "4,2^20"];
      const { child, ended } = work.start(["bench", "--end-to-end", ...sizes, "--json", "--device", "cpu"]);
      const inputBytes = async () => {
        const folder = (await work.names()).find((name) => name.startsWith("gpusort-bench-"));
        return statSync(work.path(`${folder}/keys.u32`), { throwIfNoEntry: false })?.size;
      };
      while ((await inputBytes()) !== 4 * 2 ** 20) {
        expect(child.exitCode).toBeNull();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      child.kill("SIGINT");
      const { signal, stdout } = await ended;
      expect(signal).toBe("SIGINT");
      expect(JSON.parse(stdout.toString())).toMatchObject({ interrupted: true, endToEnd: [{ keyCount: 4 }] });
    });
  });

  it("compares with an older result, and exits with 5 if it is slower", async () => {
    const args = ["bench", "--sizes", "1000", "--budget", "0.2", "--columns", "typed"];
    const write = await steadyResults(args);
    const [now, fast, slow] = [write("now", 1e-3), write("fast", 1e-4), write("slow", 1e-2)];
    const slower = await onCpu([...args, "--out", now, "--compare", fast]);
    expect(slower.code).toBe(5);
    expect(slower.stdout.toString()).toContain("1 slower, 0 faster, 0 equal, 0 too noisy");
    const faster = await onCpu([...args, "--out", now, "--compare", slow, "--json"]);
    expect(faster.code).toBe(0);
    expect(JSON.parse(faster.stdout.toString()).comparison.changes).toMatchObject([{ verdict: "faster" }]);
    const other = ["bench", "--sizes", "999", "--budget", "0.2", "--compare", slow];
    expect(await onCpu(other)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is in --compare '.*slow\.jsonl' too, so nothing was compared\n/),
    });
  });

  it("draws a plot", async () => {
    const svg = join(folder, "bench.svg");
    const args = ["bench", "--sizes", "4,16", "--budget", "0.2", "--plot", svg];
    expect((await onCpu(args)).code).toBe(0);
    expect(readFileSync(svg, "utf8")).toMatch(/^<svg [\s\S]*number of keys[\s\S]*<\/svg>$/);
  });

  it("times the whole command, with the phases that the command itself reports", async () => {
    const { code, stdout } = await onCpu(["bench", "--end-to-end", ...quick, "--json"]);
    expect(code).toBe(0);
    const [row] = JSON.parse(stdout.toString()).endToEnd;
    write("keys", new Uint32Array([3, 1, 2]));
    const sorted = await onCpu(["sort", "keys", "-t", "u32", "--json", "-o", "end.u32"]);
    const names = (phases: { name: string }[]) => phases.map(({ name }) => name);
    expect(names(row.phases)).toEqual(names(JSON.parse(sorted.stdout.toString()).phases));
    expect(names(row.phases)).toEqual(["start", "read", "convert", "sort", "write", "publish"]);
    expect(row.processMs).toBeGreaterThan(row.totalMs);
  });
});

describe("gpusort sort", () => {
  it("explains the choice of the device and of the method", async () => {
    write("few", new Uint32Array([3, 1, 2]));
    const { code, stderr } = await gpusort(["sort", "few", "-t", "u32", "-o", "few.out", "--explain"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^CPU, on .* threads?: it sorts up to 3 keys faster than a GPU can be opened\nall 3 items at once: they fit in memory\nfew -> /,
    );
    const quiet = await gpusort(["sort", "few", "-t", "u32", "-o", "few.out", "-q"]);
    expect([quiet.code, quiet.stderr]).toEqual([0, ""]);
  });

  it("writes its phases as a Chrome trace", async () => {
    write("traced", new Uint32Array([3, 1, 2]));
    const { code } = await onCpu([
      "sort",
      "traced",
      "-t",
      "u32",
      "-o",
      "traced.out",
      "--trace",
      "trace.json",
    ]);
    expect(code).toBe(0);
    const { traceEvents } = JSON.parse(readFileSync(join(folder, "trace.json"), "utf8"));
    const names = traceEvents
      .filter(({ ph }: { ph: string }) => ph === "X")
      .map(({ name }: { name: string }) => name);
    const all = ["load", "start", "read", "convert", "sort", "write", "publish", "close"];
    expect(new Set(names)).toEqual(new Set(all));
  });
});
