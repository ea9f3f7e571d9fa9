import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, expect, it } from "vitest";
import { copyProbe } from "../../src/bench/machine.js";
import type { BenchDocument } from "../../src/bench/schema.js";
import { isMeasured } from "../../src/bench/schema.js";
import { gpuTaskContender, roundTripTaskContender } from "../../src/bench/sorter_contenders.js";
import { parseTask } from "../../src/bench/tasks.js";
import { runPlan } from "../../src/core/device/run.js";
import { elementType } from "../../src/core/elements.js";
import { GpuEngine } from "../../src/core/engines/gpu.js";
import { provenTraits } from "../../src/core/engines/lockstep.js";
import { deviceCopyPlan } from "../../src/core/plan/device_copy.js";
import { Planner } from "../../src/core/sorter/planner.js";
import { Sorter } from "../../src/core/sorter/sorter.js";
import { randomKeys } from "../support/keys.js";
import { needs } from "../support/needs.js";
import { describeOnDevice, selector, withDevice } from "./device.js";

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gpusort-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the command prints about any adapter. Each of these tests compiles for seconds on lavapipe. */
const { it: itOnOthers } = needs(selector !== "llvmpipe", "an adapter that compiles faster than lavapipe");

function gpusort(args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, XDG_CACHE_HOME: join(folder, "cache") };
    const child = spawn(process.execPath, [path("bin/gpusort.js"), ...args], { env });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("close", (code) => resolve({ code, stdout, stderr: stderr.replaceAll(/^Warning: .*\n/gm, "") }));
    child.stdin.end();
  });
}

describeOnDevice("the copy kernel", ({ gpu }) => {
  it.each([1, 7, 4096, 100_003])("copies exactly %i vectors", async (vectors) => {
    const keys = randomKeys(elementType("u32"), vectors * 4, 5) as Uint32Array<ArrayBuffer>;
    expect(await runPlan(gpu, deviceCopyPlan(vectors * 16, gpu.traits), { keys })).toEqual(keys);
  });

  it("is timed, with one run and with several", async () => {
    const probe = await copyProbe(gpu);
    expect(probe.bytes % 16).toBe(0);
    expect(await probe.run()).toBeGreaterThan(0);
    expect(await probe.run(2)).toBeGreaterThan(0);
  });
});

describeOnDevice("a task on the device", ({ gpu }) => {
  /** Keys of few values, some of them NaNs and zeros of both signs. */
  const keys = Float64Array.from(
    { length: 500 },
    (_, i) => [Number.NaN, -0, 0, 1.5, -7][((i * i * i) % 11) % 5]!,
  );
  const sorted = keys.slice().sort();
  const distinct = [-7, -0, 0, 1.5, Number.NaN];
  const segments = keys.slice();
  for (let begin = 0; begin < 500; begin += 64) segments.subarray(begin, begin + 64).sort();
  const counts = distinct.map((key) => keys.filter((one) => Object.is(one, key)).length);

  it.each([
    ["top:20", { keys: [...sorted.subarray(0, 20)] }],
    ["top:5000", { keys: [...sorted] }],
    ["segments:64", { keys: [...segments] }],
    ["segments:500", { keys: [...sorted] }],
    ["unique", { keys: distinct, counts }],
  ])("gives the same in every run: %s", async (name, expected) => {
    const traits = await provenTraits(gpu);
    const engine = new GpuEngine(gpu, "the device", traits);
    const on = { engine, gpu, sorter: new Sorter({ engine, gpu, planner: await Planner.openFull(traits) }) };
    const task = parseTask(name);
    for (const payloadBytes of task.keysOnly ? [0] : [0, 8]) {
      const input = { task, type: elementType("f64"), payloadBytes, gpusort: task.gpusort! };
      for (const make of [gpuTaskContender, roundTripTaskContender]) {
        const trial = await make(on, input, "auto").start(keys);
        for (let run = 0; run < 2; run++) {
          const [[, seconds]] = Object.entries(await trial.run()) as [[string, number]];
          expect(seconds).toBeGreaterThan(0);
          const { keys: found, counts: repeats } = await trial.result();
          expect({ keys: [...found], counts: repeats && [...repeats] }).toEqual({
            counts: undefined,
            ...expected,
          });
          const indices = await trial.indices?.();
          expect(indices?.length).toBe(payloadBytes > 0 ? found.length : undefined);
          if (indices) expect([...indices].map((index) => keys[index])).toEqual([...found]);
        }
        trial.end();
      }
    }
  });
});

withDevice.describe(`gpusort bench on ${selector}`, () => {
  it("prints JSON that fits the schema, for two algorithms and all columns, and draws a plot", async () => {
    const plot = join(folder, "bench.svg");
    const { code, stdout } = await gpusort([
      "bench",
      ...["--device", selector, "--sizes", "2^10,2^11", "--budget", "4", "--algorithm", "radix,bitonic"],
      ...["--columns", "typed,cpu,gpu,round-trip,upload,readback", "--dist", "zipf", "--type", "f32"],
      ...["--json", "--plot", plot],
    ]);
    expect(code).toBe(0);
    const document = JSON.parse(stdout) as BenchDocument;
    const schema = JSON.parse(readFileSync(path("docs/bench.schema.json"), "utf8"));
    const validate = new Ajv2020().compile(schema);
    validate(document);
    expect(validate.errors).toBeNull();
    const grid = document.rows.filter(({ purpose }) => purpose === "grid");
    expect(grid.map(({ keyCount, algorithm }) => [keyCount, algorithm])).toEqual([
      [1024, "radix"],
      [1024, "bitonic"],
      [2048, "radix"],
      [2048, "bitonic"],
    ]);
    for (const { cells, copyBytesPerSecond } of grid) {
      expect(Object.keys(cells).sort()).toEqual(["cpu", "gpu", "readback", "round-trip", "typed", "upload"]);
      expect(Object.values(cells).every(isMeasured)).toBe(true);
      expect(copyBytesPerSecond).toBeGreaterThan(0);
    }
    expect(document.crossovers.map(({ algorithm, way, against }) => [algorithm, way, against])).toEqual(
      ["radix", "bitonic"].flatMap((algorithm) => [
        [algorithm, "gpu", "cpu"],
        [algorithm, "gpu", "typed"],
        [algorithm, "round-trip", "cpu"],
        [algorithm, "round-trip", "typed"],
      ]),
    );
    expect(readFileSync(plot, "utf8")).toContain("zipf");
  });

  itOnOthers("measures keys with values", async () => {
    const args = [
      "bench",
      "--device",
      selector,
      "--sizes",
      "2^12",
      "--budget",
      "0.3",
      "--payload",
      "0,4,8",
      "--json",
    ];
    const { code, stdout } = await gpusort([...args, "--columns", "typed,cpu,gpu,round-trip"]);
    expect(code).toBe(0);
    const { rows, crossovers } = JSON.parse(stdout) as BenchDocument;
    const grid = rows.filter(({ purpose }) => purpose === "grid");
    expect(grid.map(({ payloadBytes }) => payloadBytes)).toEqual([0, 4, 8]);
    for (const { payloadBytes, cells } of grid) {
      const { typed, ...others } = cells;
      expect(Object.values(others).every(isMeasured)).toBe(true);
      expect(isMeasured(typed)).toBe(payloadBytes === 0);
    }
    const withValues = crossovers.filter(({ payloadBytes }) => payloadBytes > 0);
    expect(withValues.map(({ against }) => against)).toEqual(Array(4).fill("cpu"));
  });

  itOnOthers("measures tasks, with values and without", async () => {
    const args = [
      "bench",
      "--device",
      selector,
      "--sizes",
      "300",
      "--budget",
      "0.1",
      "--no-crossover",
      "--json",
    ];
    const tasks = ["--task", "top:20,segments:64,unique", "--payload", "0,4", "--dist", "few"];
    const columns = ["--columns", "typed,cpu,gpu,round-trip,upload", "--algorithm", "auto,radix"];
    const { code, stdout, stderr } = await gpusort([...args, ...tasks, ...columns]);
    expect([code, stderr]).toEqual([0, ""]);
    const { rows } = JSON.parse(stdout) as BenchDocument;
    expect(rows).toHaveLength(3 * 2 * 2);
    for (const { task, payloadBytes, algorithm, cells } of rows) {
      const able = task !== "unique" || payloadBytes === 0;
      expect([task, payloadBytes, isMeasured(cells.cpu)]).toEqual([task, payloadBytes, able]);
      for (const cell of [cells.gpu, cells["round-trip"]]) {
        if (able && algorithm === "auto") expect(isMeasured(cell)).toBe(true);
        else expect(cell).toEqual({ skipped: algorithm === "auto" ? "keys only" : "auto only" });
      }
      expect(cells.upload).toEqual({ skipped: "sort only" });
    }
  });

  itOnOthers(
    "compares with an array's own sort, and says below its table from where on it is faster",
    async () => {
      const { code, stdout } = await gpusort([
        "bench",
        "--device",
        selector,
        "--sizes",
        "2^10",
        "--budget",
        "1",
      ]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/│ +keys │ +Array │ +Typed │ CPU sort │ GPU sort │ +GPU │ array \/ │\n/);
      expect(stdout).toMatch(/│ +1,024 │( +[\d.,]+ [nµm]?s[~*]? │){5} +[<\d.,]+x │\n/);
      expect(stdout.replaceAll(/\s+/g, " ").trim()).toMatch(
        / (beats|does not beat) gpusort on the CPU at .*, for the sort alone\. It .* TypedArray\.prototype\.sort/,
      );
    },
  );
});

withDevice.describe("--device auto", () => {
  it("explains its choice", async () => {
    const { auto } = JSON.parse((await gpusort(["devices", "--json", "-q"])).stdout);
    const input = join(folder, "many.u32");
    writeFileSync(input, randomKeys(elementType("u32"), auto.cpuBelowKeys, 3) as Uint32Array);
    const { code, stderr } = await gpusort(["sort", input, "--explain", "-o", join(folder, "sorted.u32")]);
    expect(code).toBe(0);
    expect(stderr).toMatch(auto.mayHaveGpu ? /, by an estimate:\n/ : /^CPU, .*: this machine has no GPU/);
  });

  it("traces the phases on the device", async () => {
    const input = join(folder, "traced.u32");
    const trace = join(folder, "trace.json");
    writeFileSync(input, randomKeys(elementType("u32"), 50_000, 3) as Uint32Array);
    const args = ["sort", input, "-q", "--trace", trace, "--device", selector, "-o", join(folder, "t.u32")];
    expect((await gpusort(args)).code).toBe(0);
    const { traceEvents } = JSON.parse(readFileSync(trace, "utf8"));
    const spans = traceEvents.filter(({ ph }: { ph: string }) => ph === "X");
    const names = spans.map(({ name }: { name: string }) => name);
    for (const name of ["start", "upload", "sort", "radix sort", "readback", "publish"])
      expect(names).toContain(name);
  });
});
