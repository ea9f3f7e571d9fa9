import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type PlanOptions, planJob } from "../../src/jobs/make_plan.js";
import { needsOf } from "../../src/jobs/needs.js";
import { sortRun } from "../../src/jobs/sort_run.js";

const root = await fs.mkdtemp(join(tmpdir(), "gpusort-needs-"));
afterAll(() => fs.rm(root, { recursive: true }));
let count = 0;

async function planOf(name: string, bytes: number, options: Partial<PlanOptions>) {
  const folder = join(root, String(count++));
  await fs.mkdir(folder);
  const path = join(folder, name);
  await fs.writeFile(path, "");
  await fs.truncate(path, bytes); // a hole: no plan reads it
  const { job } = await planJob([path], { job: join(folder, "J"), output: join(folder, "OUT"), ...options });
  return { job, needs: needsOf(job) };
}

describe("what a plan says of temporary space", () => {
  const record = { recordBytes: 8, keys: [{ offset: 0, bytes: 4 }] };
  const cases: [string, string, Partial<PlanOptions>][] = [
    // Integers and floats of each width.
    ...["u8", "i16", "f16", "u32", "f32", "i64", "f64"].map(
      (name): [string, string, Partial<PlanOptions>] => [name, `in.${name}`, {}],
    ),
    ["records", "in.bin", record],
  ];

  it.each(cases)("is what the tasks take: %s", async (_, name, options) => {
    const memoryBytes = 2 ** 22;
    for (const [runBytes, taken] of [
      [undefined, false],
      [3 * memoryBytes, true],
    ] as const) {
      const { job, needs } = await planOf(name, 3 * memoryBytes, { ...options, memoryBytes, runBytes });
      expect(needs.taskTemporaryBytes).toBe(taken ? 3 * memoryBytes : 0);
      const { receipt } = await sortRun(job, 0, { device: "cpu", threads: 1 });
      expect(receipt.phases!.some(({ name }) => name === "spill")).toBe(taken);
    }
  });
});

describe("runs", () => {
  const memoryBytes = 2 ** 37;

  it("are no longer than what any device sorts at once, however much memory there is", async () => {
    const { job, needs } = await planOf("in.u64", 2 ** 36, { memoryBytes });
    expect(job.runs).toBe(33);
    expect(needs).toMatchObject({ runBytes: expect.toSatisfy((n) => n < 2 ** 31), taskTemporaryBytes: 0 });
    const records = await planOf("in.bin", 2 ** 36, { memoryBytes, recordBytes: 64, keys: undefined });
    expect(records.needs.taskTemporaryBytes).toBe(0);
  });

  it("are longer where there would be too many for a merge to open, and need temporary space then", async () => {
    const { job, needs } = await planOf("in.u64", 2 ** 42, { memoryBytes });
    expect(job.runs).toBe(1000);
    expect(needs.taskTemporaryBytes).toBe(needs.runBytes);
  });
});
