import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it, onTestFinished, vi } from "vitest";
import { parseRowOrder } from "../../src/commands/sort/line_keys.js";
import { Gpu } from "../../src/core/device/gpu.js";
import { DeviceError, VerifyError } from "../../src/core/errors.js";
import type { ProgressState } from "../../src/core/streams/progress.js";
import { AtomicOutput } from "../../src/files/atomic_output.js";
import { explainText } from "../../src/report/explain.js";
import { sortFile } from "../../src/sort/sort_file.js";
import type { SortDecision, SortFileOptions } from "../../src/sort/sort_options.js";
import { faultyDevice } from "../support/faulty_device.js";
import { gnuSort, sortByGnu } from "../support/gnu_sort.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

/** The selector that is opened; undefined for the one that is asked for. */
const chosen = vi.hoisted(() => ({ selector: undefined as string | undefined }));
vi.mock("../../src/auto/open_rows.js", async (load) => {
  const actual = await load<typeof import("../../src/auto/open_rows.js")>();
  const openForRows: typeof actual.openForRows = (selector, ...given) =>
    actual.openForRows(chosen.selector ?? selector, ...given);
  return { ...actual, openForRows };
});

type Faults = Parameters<typeof faultyDevice> extends [unknown, ...infer F] ? F : never;

const folder = mkdtempSync(join(tmpdir(), "gpusort-rows-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string) => join(folder, name);

if (!gnuSort)
  process.stderr.write("SKIPPED: files of rows on a device beside GNU sort: it is not installed\n");

const expected = JSON.parse(readFileSync(new URL("../../fixtures/expected.json", import.meta.url), "utf8"));

const rows = Array.from({ length: 5000 }, (_, i) => {
  const number = ((i * 7919) % 4001) - 2000;
  return `${i},${number}.${(i * 31) % 1000},name${String((i * 17) % 90).padStart(4, "0")},${"x".repeat(i % 50)}`;
});
const table = Buffer.from(`${rows.join("\n")}\n`);
writeFileSync(path("table.csv"), table);
const months = ["jan", "FEB", " Mar", "may", "June", "x", ""];
const units = ["", "K", "k", "M", "G", "m"];
const sizes = rows.map(
  (_, i) => `${months[i % 7]},${((i * 7919) % 401) - 200}.${i % 9}${units[(i * 31) % 6]},${i}`,
);
writeFileSync(path("sizes.csv"), `${sizes.join("\n")}\n`);
writeFileSync(path("unended.csv"), table.subarray(0, table.length - 1));
writeFileSync(path("headed.csv"), `id,number,name,x\n${table}`);
const quoted = [`7,1,"a,b",`, `8,"2","line\r\nbreak ""x""",""\r`, '"9",-100,"",', "10,,c,d"];
writeFileSync(path("quoted.csv"), `\ufeffid,"the\nnumber",name,x\n${table}${quoted.join("\n")}\n`);
writeFileSync(path("stray.csv"), `${table}1,2,a"b",\n`);
writeFileSync(path("unclosed.csv"), `${table}1,2,"b,\n`);
writeFileSync(path("short.csv"), `id,number,name,x\n${table}1,2\n`);
writeFileSync(path("letters.csv"), `id,number,name,x\n${table}1,two,b,\n`);

const linesByGnu = [["2,2n"], ["3,3r", "2,2n"], ["4,4"], ["2.2,3.5b"], ["3"], ["9,9"]];
const firstByGnu = [["2,2n"], ["3,3r"], ["4,4"], ["3.5,3.6n"], ["2,2g"], ["1"]];

describeOnDevice(`files of rows on ${selector}`, (opened) => {
  opened.gpu.keepUntilExit(); // a sort closes its device, and a process opens only one

  async function sort(inputs: readonly string[], keys: readonly string[], given: SortFileOptions = {}) {
    let decision: SortDecision | undefined;
    const rows = parseRowOrder({ key: keys, fieldSeparator: "," })!;
    const summary = await sortFile(inputs.map(path), path("out.csv"), {
      device: selector,
      openDevice: async () => opened,
      rows,
      onDecision: (made) => {
        decision = made;
      },
      ...given,
    });
    return { summary, decision: decision!, output: readFileSync(path("out.csv")) };
  }

  /** The device with faults. It stays open when a sort closes it. */
  function faultyGpu(...faults: Faults) {
    const { device, calls } = faultyDevice(opened.gpu.device, ...faults);
    const gpu = new Gpu(device);
    gpu.keepUntilExit();
    return { gpu, calls };
  }

  it.runIf(gnuSort).each(fewerOnLavapipe([...linesByGnu, ["3,4dfr"], ["2fi", "3,3d"]], linesByGnu))(
    "are sorted as GNU sort does: -k%s",
    async (...keys) => {
      for (const name of ["table.csv", "unended.csv"]) {
        const { summary, decision, output } = await sort([name], keys);
        const args = ["-s", "-t,", ...keys.flatMap((key) => ["-k", key])];
        expect(output.equals(sortByGnu(args, readFileSync(path(name))))).toBe(true);
        expect(summary.device).not.toBe("CPU");
        expect(summary).toMatchObject({ keyCount: rows.length, written: rows.length, verified: true });
        expect(decision).toMatchObject({
          deviceChoice: { reason: "asked" },
          strategy: { rows: rows.length },
        });
      }
    },
  );

  it.runIf(gnuSort).each(fewerOnLavapipe([["2,2h"], ["1,1M", "2,2hr"], ["2,2hf", "1,1Mr"]], []))(
    "are sorted as GNU sort does by units and months: -k%s",
    async (...keys) => {
      const { summary, output } = await sort(["sizes.csv"], keys);
      const args = ["-s", "-t,", ...keys.flatMap((key) => ["-k", key])];
      expect(output.equals(sortByGnu(args, readFileSync(path("sizes.csv"))))).toBe(true);
      expect(summary.device).not.toBe("CPU");
    },
  );

  it.runIf(gnuSort).each(fewerOnLavapipe([...firstByGnu, ["2,2d"]], firstByGnu))(
    "are the first ones of equal keys, as GNU sort leaves them: -u -k%s",
    async (key) => {
      const { summary, output } = await sort(["table.csv"], [key], { unique: true });
      expect(summary.device).not.toBe("CPU");
      expect(output.equals(sortByGnu(["-u", "-t,", "-k", key], table))).toBe(true);
    },
  );

  it("of real data are those that Python gives, by three columns", async () => {
    const by = [
      { column: "origin" },
      { column: "delay", descending: true },
      { column: "date", type: "date" },
    ];
    const flights = fileURLToPath(new URL("../../fixtures/flights.csv", import.meta.url));
    for (const device of [selector, "cpu"]) {
      const options = { device, openDevice: async () => opened, header: true, by, invalid: "last" } as const;
      const { device: used } = await sortFile([flights], path("flights.csv"), options);
      expect(used === "CPU").toBe(device === "cpu");
      const digest = createHash("sha256")
        .update(readFileSync(path("flights.csv")))
        .digest("hex");
      expect(digest).toBe(expected["flights.csv"].sha256.sorted);
    }
  });

  it("may be several, with headers, and go to a stream", async () => {
    const { output, summary } = await sort(["headed.csv", "headed.csv"], ["2,2n"], { header: true });
    const text = output.toString().split("\n");
    expect(text[0]).toBe("id,number,name,x");
    expect(text.length).toBe(2 * rows.length + 2);
    expect(summary.device).not.toBe("CPU");
    const stream = new PassThrough();
    const parts: Buffer[] = [];
    stream.on("data", (part) => parts.push(part));
    const order = parseRowOrder({ key: ["2,2n"], fieldSeparator: "," })!;
    const options = { device: selector, openDevice: async () => opened, rows: order, header: true };
    await sortFile([path("headed.csv"), path("headed.csv")], stream, options);
    expect(Buffer.concat(parts).equals(output)).toBe(true);
  });

  it.each<[string, readonly string[], SortFileOptions]>([
    ["table.csv", ["3,3"], { head: 1 }],
    ["unended.csv", ["3,3r", "2,2n"], { head: 1234 }],
    ["headed.csv", ["2,2n"], { head: 4999, header: true }],
    ["headed.csv", ["2,2n"], { head: 5000, header: true, verify: false }],
    ["table.csv", ["2,2n"], { head: 70, verify: false }],
    ["table.csv", ["2,2n"], { head: 1e9 }],
    ["table.csv", ["3,3"], { unique: true }],
    ["table.csv", ["4,4", "3.5,3.6n"], { unique: true, head: 30 }],
    ["headed.csv", ["2,2n"], { unique: true, header: true, verify: false }],
  ])("are only those that are wanted, as on the CPU: %s %j %j", async (name, keys, given) => {
    const { summary, output } = await sort([name], keys, given);
    expect(summary.device).not.toBe("CPU");
    const onCpu = await sort([name], keys, { ...given, device: "cpu" });
    expect(output.equals(onCpu.output)).toBe(true);
    const { keyCount, written } = onCpu.summary;
    expect(summary).toMatchObject({ keyCount, written });
  });

  it.each<[string, readonly string[], SortFileOptions, string]>([
    ["table.csv", ["2,2n"], { memoryBytes: 100_000 }, "a device takes more memory for them"],
  ])("are sorted on the CPU where the device does not do it: %s %j %j", async (name, keys, given, why) => {
    const { summary, decision, output } = await sort([name], keys, given);
    expect(summary.device).toBe("CPU");
    expect(decision.deviceChoice).toEqual({ reason: "rows", why });
    const onCpu = await sort([name], keys, { ...given, device: "cpu" });
    expect(output.equals(onCpu.output)).toBe(true);
  });

  /** How `--by` sorts on the device, and the bytes that the CPU makes. */
  async function byColumns(name: string, by: SortFileOptions["by"], given: SortFileOptions = {}) {
    const options = { by, header: true, rows: undefined, ...given };
    const onDevice = await sort([name], [], options);
    return { ...onDevice, onCpu: (await sort([name], [], { ...options, device: "cpu" })).output };
  }

  it.each<[string, SortFileOptions]>([
    ["headed.csv", {}],
    ["headed.csv", { invalid: "error" }],
    ["quoted.csv", { invalid: "last" }],
    ["quoted.csv", { invalid: "first", descending: true }],
    ["quoted.csv", {}],
  ])("are sorted by columns: %s %j", async (name, given) => {
    const number = name === "quoted.csv" ? "the\nnumber" : "number";
    const by = [{ column: number, descending: true, type: "number" }, { column: "name" }] as const;
    for (const columns of [by, by.toReversed()]) {
      const { summary, output, onCpu } = await byColumns(name, columns, given);
      expect(summary.by).toContain("number");
      expect(summary.device).not.toBe("CPU");
      expect(output.equals(onCpu)).toBe(true);
    }
  });

  it.each<[string, string, SortFileOptions]>([
    ["short.csv", "row 5002 is too short: it has no field for its key 1", {}],
    ["letters.csv", "row 5002 has no number as its key 2", { invalid: "error" }],
    ["unclosed.csv", "ends within quotes: a quote is not closed", { header: false }],
  ])("are in error as on the CPU: %s", async (name, message, given) => {
    const by =
      given.header === false ? [{ column: "3" }] : [{ column: "name" }, { column: "number", type: "number" }];
    for (const device of [selector, "cpu"])
      await expect(byColumns(name, by, { ...given, device })).rejects.toThrow(message);
  });

  it("are given to the CPU if quotes are within fields", async () => {
    const { decision, output, onCpu } = await byColumns("stray.csv", [{ column: "3" }], { header: false });
    const why = "a quote is where RFC 4180 has none";
    expect(decision.deviceChoice).toEqual({ reason: "rows", why });
    expect(output.equals(onCpu)).toBe(true);
  });

  it("are given to the CPU, and cause no error, where the device may not take the memory", async () => {
    let onCpu = 0;
    const rows = "\n".repeat(50_000);
    writeFileSync(path("empty.txt"), rows);
    for (let memoryBytes = 1 << 18; memoryBytes < 1 << 23; memoryBytes *= 2) {
      const { decision, output } = await sort(["empty.txt"], ["1"], { memoryBytes });
      expect(output.toString()).toBe(rows);
      if (decision.device !== "CPU") continue;
      onCpu++;
      expect(decision.deviceChoice).toMatchObject({ why: "a device takes more memory for them" });
    }
    expect(onCpu).toBeGreaterThan(2);
    expect(onCpu).toBeLessThan(5);
  });

  it("leave the output as it was if the device is lost, or has no memory, at one of its calls", async () => {
    const run = async (...faults: Faults) => {
      const { calls, gpu } = faultyGpu(...faults);
      writeFileSync(path("out.csv"), "before");
      const openDevice = async () => ({ ...opened, gpu: gpu });
      const failure = await sort(["table.csv"], ["3,3"], { openDevice }).then(
        ({ summary }) => summary.device,
        (error: unknown) => error,
      );
      expect(readdirSync(folder).filter((name) => name.includes("out.csv"))).toEqual(["out.csv"]);
      return { failure, calls, output: readFileSync(path("out.csv")) };
    };
    const whole = await run();
    expect(whole.failure).toBe((await sort(["table.csv"], ["3,3"])).summary.device);
    expect(whole.calls.length).toBeGreaterThan(60);
    // Each device compiles all kernels again, so only some calls fail.
    for (const part of [0.05, 0.3, 0.6, 0.8, 0.95]) {
      const at = Math.floor(part * whole.calls.length);
      const lost = await run({ kind: "lost", at });
      expect(lost.failure, `call ${at}, ${whole.calls[at]}`).toBeInstanceOf(DeviceError);
      expect(lost.output.toString()).toBe("before");
      const full = await run({ kind: "out of memory", at });
      // The CPU takes over where nothing was written yet.
      if (full.failure === "CPU") expect(full.output.equals(whole.output)).toBe(true);
      else if (full.failure instanceof DeviceError) expect(full.output.toString()).toBe("before");
      else expect(full.output.equals(whole.output)).toBe(true);
    }
  });

  it("go on on the CPU if the device fails that `auto` has chosen", async () => {
    chosen.selector = selector; // as `auto` chooses it
    onTestFinished(() => {
      chosen.selector = undefined;
    });
    const run = async (given: SortFileOptions, ...faults: Faults) => {
      const { calls, gpu } = faultyGpu(...faults);
      Object.assign(gpu, { kernels: opened.gpu.kernels }); // which are compiled
      const openDevice = async () => ({ ...opened, gpu: gpu });
      const decisions: SortDecision[] = [];
      const onDecision = (one: SortDecision) => decisions.push(one);
      const result = await sort(["table.csv"], ["2,2n"], {
        ...given,
        device: "auto",
        openDevice,
        onDecision,
      });
      return { ...result, calls, decisions };
    };
    const whole = await run({});
    expect(whole.summary.device).not.toBe("CPU");
    const readback = whole.calls.lastIndexOf("mapAsync");
    // Before the first item is sorted, and when the output is written.
    for (const [at, count] of [
      [0, 1],
      [readback, 2],
    ] as const) {
      const { summary, output, decisions } = await run({}, { kind: "lost", at });
      expect(output.equals(whole.output)).toBe(true);
      expect([summary.device, decisions.length]).toEqual(["CPU", count]);
      expect(decisions.at(-1)!.notice).toMatch("failed, so the CPU sorts: the device was lost: injected");
      expect(explainText(decisions.at(-1)!)).toMatch("failed (the device was lost: injected)");
    }
    const readAgain = run({ verify: "full" }, { kind: "lost", at: readback });
    await expect(readAgain).rejects.toThrow(DeviceError);
  });

  it("are not published if a bit changes on the way back", async () => {
    const flip = (window: Uint8Array, label: string) => {
      if (label === "readback window") window[window.length >> 1]! ^= 4;
    };
    const { gpu } = faultyGpu(undefined, flip);
    writeFileSync(path("out.csv"), "before");
    const openDevice = async () => ({ ...opened, gpu: gpu });
    await expect(sort(["table.csv"], ["2,2n"], { openDevice })).rejects.toThrow(VerifyError);
    expect(readFileSync(path("out.csv"), "utf8")).toBe("before");
  });

  it.each([{}, { unique: true }, { unique: true, head: 7 }])(
    "report all that is read and written, and announce its length: %o",
    async (wanted) => {
      const expected = vi.spyOn(AtomicOutput.prototype, "expect");
      onTestFinished(() => expected.mockRestore());
      const states: ProgressState[] = [];
      const onProgress = (state: ProgressState) => states.push(state);
      writeFileSync(path("headed_unended.csv"), `id\n${table.subarray(0, -1)}`);
      const { output } = await sort(["headed_unended.csv"], ["3,3"], { ...wanted, header: true, onProgress });
      expect(expected.mock.calls).toEqual([[output.length]]);
      const read = states.filter(({ phase }) => phase === "reading").at(-1)!;
      expect(read.phaseBytes).toBe(read.phaseTotalBytes);
      const last = states.filter(({ phase }) => phase === "writing").at(-1)!;
      expect(last).toMatchObject({ phaseBytes: output.length, phaseTotalBytes: output.length });
      expect(last.doneBytes).toBe(last.totalBytes);
    },
  );

  it("stay as they were if a signal aborts", async () => {
    for (const after of [0, 2]) {
      const abort = new AbortController();
      let calls = 0;
      writeFileSync(path("out.csv"), "before");
      const onProgress = () => {
        if (calls++ === after) abort.abort(new Error("enough"));
      };
      const sorting = sort(["table.csv"], ["2,2n"], { signal: abort.signal, onProgress });
      await expect(sorting).rejects.toThrow("enough");
      expect(readFileSync(path("out.csv"), "utf8")).toBe("before");
    }
  });
});
