import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { jobExitCode } from "../../src/commands/job/job_exit_code.js";
import { planJob } from "../../src/jobs/make_plan.js";
import { type OpenRun, openSortedRuns } from "../../src/jobs/run_file.js";
import { UnfinishedError } from "../../src/jobs/sealed.js";
import { sortRun } from "../../src/jobs/sort_run.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";

const root = await fs.mkdtemp(join(tmpdir(), "gpusort-job-held-"));
afterAll(() => fs.rm(root, { recursive: true }));

const changes = {
  "cut short": (path: string) => fs.truncate(path, 8),
  "written to": async (path: string) => {
    await new Promise((resolve) => setTimeout(resolve, 30)); // until a write changes the time of modification
    await fs.appendFile(path, "more");
  },
};

const threads = new KernelThreads(1);
afterAll(() => threads.close());

describe("a run that changes while it is read", () => {
  it.each(Object.entries(changes))("is sorted again: %s", async (name, change) => {
    const at = (file: string) => join(root, name, file);
    await fs.mkdir(join(root, name));
    await fs.writeFile(
      at("in.u32"),
      Buffer.from(Uint32Array.from({ length: 1000 }, (_, i) => 1000 - i).buffer),
    );
    const { job } = await planJob([at("in.u32")], { job: at("J"), output: at("OUT") });
    const { receipt } = await sortRun(job, 0, { device: "cpu", threads: 1 });
    const [{ file, items }] = (await openSortedRuns(job, [receipt], threads)) as [OpenRun];
    try {
      await change(job.runPath(0));
      const read = () => items.source!.read(new Uint8Array(4000), 0);
      const error = await read()
        .then(() => file.checkUnchanged())
        .catch((cause) => cause);
      expect(error).toBeInstanceOf(UnfinishedError);
      expect(error.message).toBe(`run 0 was changed while it was read: ${error.cause.message}`);
      expect(error.hint).toContain(`gpusort job sort '${job.path}' 0`);
      expect(jobExitCode(error)).toBe(4);
    } finally {
      await file.close();
    }
  });
});

it("a job that another client plans at the same time is the same job", async () => {
  const at = (file: string) => join(root, "twice", file);
  await fs.mkdir(at("."));
  await fs.writeFile(at("in.u32"), Buffer.alloc(4000));
  const plan = () => planJob([at("in.u32")], { job: at("J"), output: at("OUT"), memoryBytes: 2 ** 26 });
  const { readdir } = fs;
  const others: string[] = [];
  const spy = vi.spyOn(fs, "readdir").mockImplementation((async (path: string) => {
    if (path === at("J") && others.length === 0) {
      others.push("plans now");
      others.push((await plan()).job.id);
    }
    return readdir(path);
  }) as never);
  try {
    const { job } = await plan();
    expect(others).toEqual(["plans now", job.id]);
  } finally {
    spy.mockRestore();
  }
});
