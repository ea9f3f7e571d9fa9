import { existsSync, promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { parseTasks } from "../../src/jobs/command_words.js";
import { makeCuts } from "../../src/jobs/cut.js";
import { findInputs } from "../../src/jobs/find_inputs.js";
import { finishJob } from "../../src/jobs/finish.js";
import { JobFolder, jobFolders, type TaskKind } from "../../src/jobs/folder.js";
import { planJob } from "../../src/jobs/make_plan.js";
import { mergePart } from "../../src/jobs/merge_part.js";
import { identityOf, readReceipt } from "../../src/jobs/receipt.js";
import { sealed, UnfinishedError, unsealed } from "../../src/jobs/sealed.js";
import { sortRun } from "../../src/jobs/sort_run.js";
import { jobStatus } from "../../src/jobs/status.js";
import { needs } from "../support/needs.js";
import { mayGiveAway } from "../support/other_user.js";

const root = await fs.mkdtemp(join(tmpdir(), "gpusort-job-faults-"));
afterAll(() => fs.rm(root, { recursive: true }));
const posix = needs(process.platform !== "win32", "a POSIX system");
const onCpu = { device: "cpu", threads: 1 } as const;
const RUNS = 3;
const PARTS = 4;
const keys = Uint32Array.from({ length: 3001 }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
const sorted = Buffer.from(keys.slice().sort().buffer);

let folder = "";
let count = 0;
let job: JobFolder;
const at = (name: string) => join(folder, name);
const plan = (options = {}) =>
  planJob([at("in.u32")], { job: at("J"), output: at("OUT"), parts: PARTS, runBytes: 4004, ...options });

beforeEach(async () => {
  folder = join(root, String(count++));
  await fs.mkdir(folder);
  await fs.writeFile(at("in.u32"), Buffer.from(keys.buffer));
  ({ job } = await plan());
  expect([job.runs, job.parts]).toEqual([RUNS, PARTS]);
});

async function sortAll(): Promise<void> {
  for (let run = 0; run < RUNS; run++) await sortRun(job, run, onCpu);
}
async function mergeAll(): Promise<void> {
  for (let part = 0; part < PARTS; part++) await mergePart(job, part, onCpu);
}
async function upToMerge(): Promise<void> {
  await sortAll();
  await makeCuts(job);
  await mergeAll();
}
async function output(): Promise<Buffer> {
  const parts = Array.from({ length: PARTS }, (_, part) => fs.readFile(job.partPath(part)));
  return Buffer.concat(await Promise.all(parts));
}
const isPublished = () =>
  fs.stat(job.successPath).then(
    () => true,
    () => false,
  );

/** Changes one byte of a file. */
async function flip(path: string, position: number): Promise<void> {
  const bytes = await fs.readFile(path);
  bytes[position]! ^= 1;
  await fs.writeFile(path, bytes);
}

/** Writes a receipt or the head of the cuts anew, with other values. */
async function reseal(path: string, change: object): Promise<void> {
  const content = unsealed(await fs.readFile(path, "utf8")) as object;
  await fs.writeFile(path, sealed({ ...content, ...change }));
}
const lastOf = async (part: number) => (await readReceipt(job, "merge", part))!.last;
const readBy = async (kind: "sort" | "merge", index: number) => (await readReceipt(job, kind, index))!.read;

/** Changes an item of a run so that all are still in order. */
async function addOne(path: string): Promise<void> {
  const items = new Uint32Array(new Uint8Array(await fs.readFile(path)).buffer);
  items[500]! += 1;
  await fs.writeFile(path, items);
}

/** Swaps two items of a file. */
async function swapItems(path: string): Promise<void> {
  const items = new Uint32Array(new Uint8Array(await fs.readFile(path)).buffer);
  [items[500], items[501]] = [items[501]!, items[500]!];
  await fs.writeFile(path, items);
}

/** Changes of items, which then are in order or not. */
const rots: Readonly<Record<string, (path: string) => Promise<void>>> = {
  "out of order": (path) => flip(path, 1003),
  "in order": addOne,
};

/** Makes a receipt match its file as it is now: only some digits of a time of modification can be set back. */
async function hideChange(kind: TaskKind, index: number): Promise<void> {
  await reseal(job.receiptPath(kind, index), (await identityOf(job.resultPath(kind, index)))!);
}

/** Expects the end of the job to find that run 1 has changed. */
async function expectFoundAtLast(check = async () => {}): Promise<void> {
  await hideChange("sort", 1);
  await mergeAll();
  await expect(finishJob(job)).rejects.toThrow(
    /^the parts hold other items than the runs: runs are not what/,
  );
  await check();
  await upToMerge();
  await finishJob(job);
  expect(await output()).toEqual(sorted);
}

/** Waits until a write would change the time of modification. */
const tick = () => new Promise((resolve) => setTimeout(resolve, 30));

describe("finish", () => {
  beforeEach(upToMerge);

  const faults: Record<string, () => Promise<void>> = {
    "a part that is missing": () => fs.rm(job.partPath(2)),
    "a part that was cut short": () => fs.truncate(job.partPath(2), 100),
    "a part that was edited": async () => {
      await tick();
      await flip(job.partPath(2), 500);
    },
    "a part in the place of another": () => fs.copyFile(job.partPath(1), job.partPath(2)),
    "two parts that changed places": async () => {
      await fs.rename(job.partPath(2), at("x"));
      await fs.rename(job.partPath(1), job.partPath(2));
      await fs.rename(at("x"), job.partPath(1));
    },
    "a receipt that was edited": async () => {
      const path = job.receiptPath("merge", 2);
      await fs.writeFile(path, (await fs.readFile(path, "utf8")).replace(/"written": \d+/, '"written": 1'));
    },
    "a receipt that was cut short": () => fs.truncate(job.receiptPath("merge", 2), 50),
    "a receipt of another part": () => fs.copyFile(job.receiptPath("merge", 1), job.receiptPath("merge", 2)),
    "a receipt of another version": () => reseal(job.receiptPath("merge", 2), { gpusort: "0.0.1" }),
    "a receipt of another job": () => reseal(job.receiptPath("merge", 2), { job: "0123456789abcdef" }),
    "a receipt of a file of another length": () => reseal(job.receiptPath("merge", 2), { bytes: 1 }),
    "a receipt of other cuts": () => reseal(job.receiptPath("merge", 2), { cuts: "0123456789abcdef" }),
    "a part that begins before the one before it ends": () =>
      reseal(job.receiptPath("merge", 2), { first: "00000000" }),
    "a part that was made of too few items": async () =>
      reseal(job.receiptPath("merge", 2), { read: (await readBy("merge", 2)) - 1 }),
  };

  it.each(Object.keys(faults))("finds %s, and the named task mends it", async (name) => {
    await faults[name]!();
    await expect(finishJob(job)).rejects.toThrow(UnfinishedError);
    expect(await isPublished()).toBe(false);
    for (let part = 0; part < PARTS; part++) await mergePart(job, part, onCpu);
    await finishJob(job);
    expect(await output()).toEqual(sorted);
  });

  it("accepts parts that were copied elsewhere and back: it reads them", async () => {
    await tick();
    await fs.copyFile(job.partPath(2), at("copy"));
    await fs.copyFile(at("copy"), job.partPath(2));
    expect((await finishJob(job)).items).toBe(keys.length);
  });

  const edits: typeof rots = { ...rots, "of the order alone": swapItems };

  it.each(Object.keys(edits))(
    "that is to read all parts finds an edit that no time of modification shows: %s",
    async (how) => {
      await edits[how]!(job.partPath(2));
      await hideChange("merge", 2);
      const refused = finishJob(job, { readAll: true });
      await expect(refused).rejects.toThrow(/^part 2 is missing, edited, or another part/);
      await mergePart(job, 2, onCpu);
      await finishJob(job, { readAll: true });
      expect(await output()).toEqual(sorted);
    },
  );

  it("refuses other files among the parts", async () => {
    await fs.copyFile(job.partPath(1), `${job.partPath(1)}.copy`);
    await expect(finishJob(job)).rejects.toThrow(
      /holds part-00001-of-00004\.u32\.copy, which the job did not/,
    );
    expect(await isPublished()).toBe(false);
  });

  it("finds a run that was sorted from other items", async () => {
    await reseal(job.receiptPath("sort", 1), { checksum: "0123456789abcdef" });
    await expect(finishJob(job)).rejects.toThrow(/^run 1 is not the one that was cut/);
  });

  it("finds a run that was made of too few items, and names it", async () => {
    await reseal(job.receiptPath("sort", 1), { read: (await readBy("sort", 1)) - 1 });
    await expect(finishJob(job)).rejects.toMatchObject({
      message: expect.stringMatching(/^the runs hold 3000 of 3001 items: runs are not what they were/),
      hint: expect.stringMatching(/^run gpusort job sort .* 1, then/),
    });
    await upToMerge();
    expect((await finishJob(job)).items).toBe(keys.length);
  });
});

describe("a run", () => {
  beforeEach(sortAll);

  it.each(["edited", "cut short", "removed"])("that was %s is found, and sorted again", async (how) => {
    await tick();
    if (how === "edited") await flip(job.runPath(1), 1000);
    else if (how === "cut short") await fs.truncate(job.runPath(1), 400);
    else await fs.rm(job.runPath(1));
    expect((await jobStatus(job)).sorted).toEqual([0, 2]);
    await expect(makeCuts(job)).rejects.toThrow(UnfinishedError);
    expect((await sortRun(job, 1, onCpu)).wasDone).toBe(false);
    await upToMerge();
    await finishJob(job);
    expect(await output()).toEqual(sorted);
  });

  it("whose samples were changed is found, and sorted again", async () => {
    await flip(job.samplesPath(1), 3);
    await expect(makeCuts(job)).rejects.toThrow(/^the samples of run 1 were changed/);
    expect((await sortRun(job, 1, onCpu)).wasDone).toBe(false);
    await makeCuts(job);
  });

  it("that was edited after the cut is found by the parts that read it", async () => {
    await makeCuts(job);
    await tick();
    await flip(job.runPath(1), 1000);
    await expect(mergePart(job, 0, onCpu)).rejects.toThrow(/^run 1 is not what its receipt says/);
    await sortRun(job, 1, onCpu);
    await mergeAll();
    await finishJob(job);
    expect(await output()).toEqual(sorted);
  });

  it("that was touched after the cut, but is whole, is read and merged", async () => {
    await makeCuts(job);
    await tick();
    await fs.utimes(job.runPath(1), new Date(), new Date());
    await mergeAll();
    await finishJob(job);
    expect(await output()).toEqual(sorted);
  });

  it.each(Object.keys(rots))(
    "that a disk has changed unnoticed, %s, is found at last, and named",
    async (how) => {
      await makeCuts(job);
      await rots[how]!(job.runPath(1));
      await expectFoundAtLast(async () => {
        expect(await jobStatus(job)).toMatchObject({ sorted: [0, 2], merged: [] });
      });
    },
  );

  it("that is whole, but was touched, is read and kept", async () => {
    await tick();
    await fs.utimes(job.runPath(1), new Date(), new Date());
    expect((await jobStatus(job)).sorted).toEqual([0, 2]);
    expect((await sortRun(job, 1, onCpu)).wasDone).toBe(true);
    expect((await jobStatus(job)).sorted).toEqual([0, 1, 2]);
  });
});

describe("cuts", () => {
  beforeEach(async () => {
    await sortAll();
    await makeCuts(job);
  });
  const rowBytes = RUNS * 8 + 16;

  const faults: Record<string, [how: () => Promise<void>, message: RegExp]> = {
    "rows that were edited": [() => flip(job.cutRowsPath, rowBytes + 3), /was changed, or cut short$/],
    "rows that changed places": [
      async () => {
        const rows = await fs.readFile(job.cutRowsPath);
        const moved = [rows.subarray(rowBytes, 2 * rowBytes), rows.subarray(0, rowBytes)];
        await fs.writeFile(job.cutRowsPath, Buffer.concat([...moved, rows.subarray(2 * rowBytes)]));
      },
      /was changed, or cut short$/,
    ],
    "rows that were cut short": [() => fs.truncate(job.cutRowsPath, 2 * rowBytes), /are not cut into parts$/],
    "rows that are missing": [() => fs.rm(job.cutRowsPath), /are not cut into parts$/],
    "a head that was edited": [() => flip(job.cutsPath, 100), /are not cut into parts$/],
    "a head of another version": [
      () => reseal(job.cutsPath, { gpusort: "0.0.1" }),
      /are not cut into parts$/,
    ],
  };

  it.each(Object.keys(faults))("with %s are refused, and made again as they were", async (name) => {
    const before = [await fs.readFile(job.cutsPath), await fs.readFile(job.cutRowsPath)];
    const [change, message] = faults[name]!;
    await change();
    const refused = mergePart(job, 1, onCpu);
    await expect(refused).rejects.toThrow(UnfinishedError);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ hint: expect.stringContaining("gpusort job cut") });
    expect((await makeCuts(job)).wasDone).toBe(false);
    expect([await fs.readFile(job.cutsPath), await fs.readFile(job.cutRowsPath)]).toEqual(before);
    expect((await makeCuts(job)).wasDone).toBe(true);
    await mergeAll();
    await finishJob(job);
    expect(await output()).toEqual(sorted);
  });

  it("name the places of a part in few bytes of a file, whatever the number of parts", async () => {
    expect((await fs.stat(job.cutRowsPath)).size).toBe((PARTS - 1) * rowBytes);
    expect(JSON.parse(await fs.readFile(job.cutsPath, "utf8"))).toMatchObject({ runs: RUNS, parts: PARTS });
  });
});

describe("a job that keeps the first of equal keys", () => {
  beforeEach(async () => {
    ({ job } = await plan({ job: at("J2"), output: at("OUT2"), unique: true }));
    await sortAll();
    await makeCuts(job);
  });

  it("finds a part that begins with the last key of the one before it", async () => {
    await mergeAll();
    await reseal(job.receiptPath("merge", 2), { first: await lastOf(1) });
    await expect(finishJob(job)).rejects.toThrow(/^a part begins with the item that the part before it ends/);
  });

  it("finds a run that a disk has changed unnoticed", async () => {
    await addOne(job.runPath(1));
    await expectFoundAtLast();
  });
});

describe("a finished job", () => {
  beforeEach(async () => {
    await upToMerge();
    await finishJob(job);
  });

  it("loses its _SUCCESS.json if its output turns out to be damaged", async () => {
    await fs.rm(job.partPath(1));
    await expect(finishJob(job)).rejects.toThrow(UnfinishedError);
    expect(await isPublished()).toBe(false);
    expect(await jobStatus(job)).toMatchObject({ merged: [0, 2, 3], finished: false });
  });

  it("keeps its _SUCCESS.json if a stranger's file appears beside its parts, and names the file", async () => {
    const before = await fs.readFile(job.successPath);
    await fs.writeFile(at("OUT/notes.txt"), "");
    const refusal = finishJob(job);
    await expect(refusal).rejects.toThrow(/OUT holds notes\.txt, which the job did not write/);
    await expect(refusal).rejects.toHaveProperty(
      "hint",
      expect.stringMatching(/^the parts of the job are right/),
    );
    expect(await fs.readFile(job.successPath)).toEqual(before);
    expect(await jobStatus(job)).toMatchObject({ finished: true });
    await fs.rm(at("OUT/notes.txt"));
    await finishJob(job);
  });

  it("loses it for a damaged part, also beside a stranger's file", async () => {
    await fs.writeFile(at("OUT/notes.txt"), "");
    await fs.rm(job.partPath(1));
    await expect(finishJob(job)).rejects.toThrow(UnfinishedError);
    expect(await isPublished()).toBe(false);
  });

  it("whose runs were removed sorts nothing again", async () => {
    await finishJob(job, { removeRuns: true });
    expect((await jobStatus(job)).sorted).toEqual([0, 1, 2]);
    expect((await sortRun(job, 1, onCpu)).wasDone).toBe(true);
    expect(await fs.readdir(at("J/runs"))).toHaveLength(RUNS);
    await fs.rm(job.partPath(1));
    expect((await jobStatus(job)).sorted).toEqual([]);
    await upToMerge();
    await finishJob(job);
    expect(await output()).toEqual(sorted);
  });

  it("has no temporary files of workers that were lost, and keeps others", async () => {
    const lost = ".deadbeef-77-0123456789ab.gpusort";
    const [run, part] = [at(`J/runs/.00000${lost}`), at(`OUT/.part-00001-of-00004.u32${lost}`)];
    for (const path of [run, part, at("OUT/.hidden")]) await fs.writeFile(path, "");
    await finishJob(job);
    expect([existsSync(run), existsSync(part), existsSync(at("OUT/.hidden"))]).toEqual([false, false, true]);
  });
});

posix.describe("permissions", () => {
  it("of whatever shows keys are those of the inputs", async () => {
    await fs.chmod(at("in.u32"), 0o600);
    ({ job } = await plan({ job: at("J2"), output: at("OUT2") }));
    await upToMerge();
    await finishJob(job);
    const shown = [
      job.runPath(0),
      job.samplesPath(0),
      job.receiptPath("sort", 0),
      job.receiptPath("merge", 0),
    ];
    for (const path of [...shown, job.partPath(0), job.successPath]) {
      expect([path, (await fs.stat(path)).mode & 0o777]).toEqual([path, 0o600]);
    }
  });
});

posix.it.each([0o600, 0o640, 0o644])(
  "a plan that shows the header of an input has its mode: %o",
  async (mode) => {
    await fs.writeFile(at("in.txt"), "salary\n3\n1\n");
    await fs.chmod(at("in.txt"), mode);
    const folders = { job: at("J3"), output: at("OUT3") };
    await planJob([at("in.txt")], { ...folders, header: true });
    expect((await fs.stat(at("J3/plan.json"))).mode & 0o777).toBe(mode & ~process.umask());
    expect((await planJob([at("in.txt")], { ...folders, header: true })).wasDone).toBe(true);
  },
);

posix.it("a plan that shows nothing of its inputs is for every worker", async () => {
  await fs.chmod(at("in.u32"), 0o600);
  await plan({ job: at("J3"), output: at("OUT3") });
  expect((await fs.stat(at("J3/plan.json"))).mode & 0o777).toBe(0o666 & ~process.umask());
});

describe("a task", () => {
  it("that comes too early says what must run first", async () => {
    await expect(makeCuts(job)).rejects.toThrow(/^3 of 3 runs are not sorted yet/);
    await expect(mergePart(job, 0, onCpu)).rejects.toThrow(/are not cut into parts/);
    await sortAll();
    await makeCuts(job);
    await expect(finishJob(job)).rejects.toThrow(/^4 of 4 parts are not written yet/);
  });

  it("refuses inputs that were changed since the plan", async () => {
    await tick();
    await flip(at("in.u32"), 5000);
    await expect(sortRun(job, 1, onCpu)).rejects.toThrow(/in\.u32 was changed since the job was planned/);
    expect(await fs.readdir(at("J/runs"))).toEqual([]);
  });

  it("refuses an input that was empty when the job was planned, and is not any more", async () => {
    await fs.writeFile(at("empty.u32"), "");
    const options = { job: at("J2"), output: at("OUT2"), runBytes: 4004 };
    const { job } = await planJob([at("in.u32"), at("empty.u32")], options);
    expect(job.runs).toBe(RUNS);
    await sortRun(job, 2, onCpu);
    await fs.rm(job.receiptPath("sort", 2));
    await fs.writeFile(at("empty.u32"), new Uint8Array(4));
    await expect(sortRun(job, 2, onCpu)).rejects.toThrow(/empty\.u32 was changed since the job was planned/);
  });

  it("refuses a number that the job does not have", async () => {
    await expect(sortRun(job, 3, onCpu)).rejects.toThrow(/has no run 3/);
    await expect(mergePart(job, 4, onCpu)).rejects.toThrow(/has no part 4/);
    expect(() => parseTasks(["0-3"], "run", 3)).toThrow(
      expect.objectContaining({ message: "the job has no run 3", hint: "the runs are 0 to 2" }),
    );
    expect(() => parseTasks(["1"], "part", 1)).toThrow(
      expect.objectContaining({ hint: "the only part is 0" }),
    );
  });
});

describe("a plan", () => {
  it("that is missing, edited, or of another version is refused", async () => {
    await expect(JobFolder.open(at("no"))).rejects.toThrow(/^there is no job in .*no: it has no plan\.json/);
    const path = at("J/plan.json");
    const text = await fs.readFile(path, "utf8");
    await fs.writeFile(path, text.replace('"parts": 4', '"parts": 5'));
    await expect(JobFolder.open(at("J"))).rejects.toThrow(/is not the plan of a job: it was changed/);
    for (const other of [text.slice(0, 100), `${text}x`, "", "null", "1"]) {
      await fs.writeFile(path, other);
      await expect(JobFolder.open(at("J"))).rejects.toThrow(/is not the plan of a job: it was changed/);
    }
    await fs.writeFile(path, sealed({ ...(unsealed(text) as object), gpusort: "0.0.1" }));
    await expect(JobFolder.open(at("J"))).rejects.toThrow(/was planned by gpusort 0\.0\.1, and this is/);
  });

  it.each([
    [{ parts: 0 }, /^the output cannot have 0 parts/],
    [{ parts: 1.5 }, /^the output cannot have 1.5 parts/],
    [{ parts: 5 }, /holds another job, or one of other inputs or options/],
    [{ job: "J2" }, /is not empty: it belongs to the job in .*J$/],
    [{ job: "J2", output: "J2/out" }, /overlap/],
    [{ job: ".", output: "../other" }, /lies in the folder of the job/],
    [{ job: "in.u32", output: "OUT2" }, /in.u32/],
  ] as const)("with %j is refused, and nothing is created", async (options, message) => {
    const { job: folder = "J", output: out = "OUT" } = options as { job?: string; output?: string };
    const before = await fs.readdir(at("."));
    const planned = plan({ ...options, job: at(folder), output: at(out) });
    await expect(planned).rejects.toThrow(message);
    await expect(planned).rejects.toThrow(InputError);
    expect(await fs.readdir(at("."))).toEqual(before);
  });

  it("for a folder with something in it is refused", async () => {
    await fs.mkdir(at("full"));
    await fs.writeFile(at("full/x"), "");
    const others = { job: at("J2"), output: at("OUT2") };
    await expect(plan({ ...others, output: at("full") })).rejects.toThrow(/is not empty: it holds x/);
    await expect(plan({ ...others, job: at("full") })).rejects.toThrow(/is not empty: it holds x/);
    await fs.symlink(at("none/there"), at("dangling"));
    for (const name of ["job", "output"])
      await expect(plan({ ...others, [name]: at("dangling") })).rejects.toThrow(
        /dangling.* cannot be used as a folder: /,
      );
  });

  it("that fails removes the folders that it made, and no others", async () => {
    await fs.mkdir(at("kept"));
    await fs.writeFile(at("file"), "");
    const before = await fs.readdir(at("."), { recursive: true });
    const long = "x".repeat(300); // no file system has such a name
    for (const name of [at("file/OUT2"), at(`new/${long}/OUT2`)]) {
      for (const folders of [
        { job: at("kept/new/J2"), output: name },
        { job: name, output: at("kept/OUT2") },
      ])
        await expect(plan(folders)).rejects.toThrow("cannot be used as a folder");
    }
    expect(await fs.readdir(at("."), { recursive: true })).toEqual(before);
  });

  it("that fails because another one is made in its folders leaves them to that one", async () => {
    const folders = { job: at("J2"), output: at("OUT2") };
    for (let i = 0; i < 20; i++) {
      const planned = await Promise.allSettled([plan(folders), plan({ ...folders, parts: PARTS + 1 })]);
      const made = planned.flatMap((one) => (one.status === "fulfilled" ? [one.value.job] : []));
      expect(made).toHaveLength(1);
      expect(await fs.readdir(at("J2"))).toEqual(expect.arrayContaining([...jobFolders]));
      for (const name of ["J2", "OUT2"]) await fs.rm(at(name), { recursive: true });
    }
  });

  it("that is made again creates the folders that are gone", async () => {
    for (const name of ["J/runs", "J/parts", "OUT"]) await fs.rm(at(name), { recursive: true });
    expect((await plan()).wasDone).toBe(true);
    await upToMerge();
    await finishJob(job);
    expect(await output()).toEqual(sorted);
  });

  it("of more parts than a folder should hold is refused", async () => {
    const others = { job: at("J2"), output: at("OUT2") };
    await expect(plan({ ...others, parts: 1e6 + 1 })).rejects.toThrow("cannot have 1000001 parts");
    expect((await plan({ ...others, parts: 1e6 })).job.parts).toBe(1e6);
  });

  it("of lines, tables or pipes is refused", async () => {
    await fs.writeFile(at("lines.txt"), "b\na\n");
    const others = { job: at("J2"), output: at("OUT2") };
    const refused = (name: string) => planJob([name.startsWith("/") ? name : at(name)], others);
    await expect(refused("lines.txt")).rejects.toThrow(/lines\.txt holds lines of text, and a job sorts/);
    await expect(refused("/dev/null")).rejects.toThrow(/is no file, but a pipe or a device/);
    await expect(planJob([at("*.none")], others)).rejects.toThrow(/^there is no file .*\*\.none/);
    await expect(planJob([], others)).rejects.toThrow(/^a job needs inputs/);
    await expect(planJob(["-"], others)).rejects.toThrow("a job cannot read standard input");
  });

  it("finds the inputs of a pattern, in the order of their names", async () => {
    for (const name of ["b.u32", "a.u32", "c.i32"]) await fs.writeFile(at(name), new Uint8Array(4));
    const { job: planned } = await planJob([at("[ab].u32"), at("in.*")], {
      job: at("J2"),
      output: at("OUT2"),
    });
    const names = ["a.u32", "b.u32", "in.u32"];
    expect(planned.plan.inputs.map(({ path }) => path)).toEqual(names.map(at));
  });

  it("of a list in braces in quotes is refused, whose parts a shell takes for inputs of which none may be missing", async () => {
    await fs.writeFile(at("a1.u32"), new Uint8Array(4));
    for (const pattern of ["a{1,2}.u32", "?{1,2}.u32", "?{1..2}.u32"]) {
      const { message, hint } = await findInputs([at(pattern)]).catch((error) => error);
      expect([message, hint], pattern).toEqual([
        `there is no file ${at(pattern)}`,
        "leave a list in braces outside of the quotes",
      ]);
    }
    await fs.writeFile(at("{1,2}.u32"), new Uint8Array(4));
    await expect(findInputs([at("{1,2}*")])).resolves.toEqual([at("{1,2}.u32")]);
  });

  it("of a pattern that matches a link to a file that is gone is refused, as its items would be missing", async () => {
    await fs.symlink(at("gone.u32"), at("link.u32"));
    await fs.symlink(at("gone.txt"), at("other.txt"));
    const planned = planJob([at("*.u32")], { job: at("J2"), output: at("OUT2") });
    await expect(planned).rejects.toThrow(`there is no file ${at("link.u32")}`);
  });

  posix.it("of a pattern that leads into a folder that cannot be read is refused", async () => {
    for (const path of [root, folder]) await fs.chmod(path, 0o777);
    await fs.mkdir(at("open"));
    await fs.mkdir(at("closed"));
    for (const name of ["open/1.u32", "closed/2.u32"]) await fs.writeFile(at(name), new Uint8Array(4));
    const find = (pattern = "*/*.u32") => findInputs([at(pattern)]);
    await expect(find()).resolves.toEqual(["closed/2.u32", "open/1.u32"].map(at));
    await fs.chmod(at("closed"), 0);
    if (mayGiveAway) process.seteuid?.("nobody");
    try {
      for (const pattern of ["*/*.u32", "**/*.u32", "?*e?/*", "closed/[0-9].u32"]) {
        await expect(find(pattern), pattern).rejects.toThrow(`cannot read ${at("closed")}: EACCES`);
      }
      // Neither pattern takes files of that folder, though the first matches its name.
      const atTop = (await fs.readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
      await expect(find("*")).resolves.toEqual(atTop.map(({ name }) => at(name)).sort());
      await expect(find("[o]pen/*")).resolves.toEqual([at("open/1.u32")]);
    } finally {
      if (mayGiveAway) process.seteuid?.(0);
      await fs.chmod(at("closed"), 0o777);
    }
  });

  it("of a pattern takes the files of the working folder, too, whatever its name and the way to it", async () => {
    const work = at("work [1] (2)");
    for (const name of ["other", "work [1] (2)"]) {
      await fs.mkdir(at(name));
      await fs.writeFile(at(`${name}/1.u32`), new Uint8Array(4));
    }
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(work);
    try {
      const both = [at("other/1.u32"), join(work, "1.u32")];
      for (const pattern of [at("*/1.u32"), "../*/1.u32", "../[ow]*/*.u32", at("**/1.u32")]) {
        await expect(findInputs([pattern]), pattern).resolves.toEqual(both);
      }
      for (const pattern of ["*", "./?.u32", "**", "../w*/*"]) {
        await expect(findInputs([pattern]), pattern).resolves.toEqual(both.slice(1));
      }
    } finally {
      cwd.mockRestore();
    }
  });

  it("takes a name with the characters of a pattern for a name, if there is such a file", async () => {
    for (const name of ["in[1].u32", "in1.u32"]) await fs.writeFile(at(name), new Uint8Array(4));
    const { job: planned } = await planJob([at("in[1].u32")], { job: at("J2"), output: at("OUT2") });
    expect(planned.plan.inputs.map(({ path }) => path)).toEqual([at("in[1].u32")]);
  });
});
