import { promises as fs, mkdtempSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { always, type Calls, failedCalls, failedDisks, rolesOf, spread } from "./cases.js";
import { inTurns } from "./in_turns.js";
import { type Job, jobs } from "./jobs.js";
import { buildShim, runUnder } from "./shim.js";
import { type Case, type Role, Trial } from "./trial.js";

/** Whether all cases run. Otherwise only a few of each kind do, of some sorts. */
const full = process.env.GPUSORT_TESTS === "full";
const chosen = full ? jobs : jobs.filter(({ name }) => /in core, in place|npy, out of core/.test(name));
/** Every error number is tried in core, out of core and from a pipe: other sorts share the code for it. */
const triesAll = ({ name }: Job) => /in core, in place|npy, out of core|pipe/.test(name);
const named = (some: readonly Job[]) => some.map((job) => [job.name, job] as const);

const root = mkdtempSync(join(tmpdir(), "gpusort-faults-"));
const { library, withShim } = buildShim(root);
const trial = new Trial(library ?? "", root);
const { EACCES, EIO } = constants.errno;
afterAll(async () => {
  await fs.rm(root, { recursive: true });
  const { injected, killed } = trial;
  process.stderr.write(`${injected} sorts with faults of system calls; ${killed} of them were killed at a call
`);
});

it.runIf(full)("a C compiler is here", () => expect(library).toBeDefined());

/** Runs cases, two at a time, and expects that none has a problem. */
async function expectSound(job: Job, cases: (calls: Calls) => Omit<Case, "job">[]): Promise<void> {
  const { calls, output } = await trial.count(job);
  if (job.outOfCore) expect(calls("temporary", "write"), "writes of temporary files").toBeGreaterThan(1);
  const all = cases(calls).map((which) => ({ job, ...which }));
  expect(all.length).toBeGreaterThan(0);
  const problems = await inTurns(all, (which) => trial.judge(which, output));
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
}
withShim.describe("with faults of system calls", () => {
  describe.each(named(chosen))("%s", (_, job) => {
    it.each(rolesOf(job))("each call on the %s fails", async (role, kinds) => {
      const isPipe = role === "input" && job.input === "-";
      const some = kinds.filter((call) => !isPipe || call === "read");
      await expectSound(job, (calls) => {
        // If the library does not see what every sort calls, it goes another way.
        for (const call of some.filter((kind) => always.includes(kind)))
          expect(calls(role, call), `${role} ${call}`).toBeGreaterThan(0);
        // How many reads a pipe takes differs from run to run; the first few are always there.
        const sure: Calls = isPipe ? (...which) => Math.min(4, calls(...which)) : calls;
        const ways = full ? (triesAll(job) ? "all" : "one error") : "few";
        return [...failedCalls(job, role, some, sure, ways), ...failedDisks(role, some, sure)];
      });
    });

    it("reads and writes are short throughout", async () => {
      // Byte by byte where that does not take long.
      const action = job.outOfCore ? "short:4099" : "short:1";
      await expectSound(job, (calls) =>
        [
          { role: "input", call: "read" } as const,
          { role: "output", call: "write" } as const,
          { role: "temporary", call: "read" } as const,
          { role: "temporary", call: "write" } as const,
        ]
          .filter(({ role, call }) => calls(role, call) > 0)
          .map((which) => ({ ...which, action, times: 0 })),
      );
    });

    it("the disk is full from some byte on", async () => {
      const { output } = await trial.count(job);
      // At each byte of a few keys; elsewhere in a header, at its end, and in what follows.
      const most = full ? (job.outOfCore ? 5 : 24) : 3;
      const rooms = spread(output.length, most).map((room) => `room:${room}`);
      await expectSound(job, () => [
        ...rooms.map((action) => ({ role: "output", call: "write", action, times: 0 }) as const),
        ...(job.outOfCore ? rooms.slice(0, -1) : []).map(
          (action) => ({ role: "temporary", call: "write", action, times: 0 }) as const,
        ),
      ]);
    });
  });

  it("the folder of the output cannot be synced", async () => {
    await expectSound(chosen[0]!, () => [
      { role: "folder", call: "open", action: `error:${EACCES}` },
      { role: "folder", call: "sync", action: `error:${EIO}` },
      { role: "folder", call: "close", action: `error:${EIO}` },
    ]);
  });
});

withShim.it("a signal while the hidden file is created leaves nothing behind", async () => {
  const folder = join(root, "signal");
  await fs.mkdir(folder);
  await fs.writeFile(join(folder, "in.u32"), new Uint8Array(4000));
  const fault = { path: ".gpusort$", call: "open", action: "term" } as const;
  const ended = await runUnder(library!, fault, ["in.u32", "-o", "out.u32", "--device", "cpu"], folder);
  expect(ended.calls).toMatchObject([{ hit: true }]);
  expect(ended).toMatchObject({ code: null, signal: "SIGTERM" });
  expect(await fs.readdir(folder)).toEqual(["in.u32"]);
});

withShim.describe("a bit that flips on its way to the disk", () => {
  const flips = (role: Role, count: number, args: readonly string[]) =>
    spread(count, full ? 4 : 2).flatMap((from) =>
      (full ? [0, 7] : [3]).map(
        (bit) => ({ role, call: "write", action: `flip:${bit}`, from, args }) as const,
      ),
    );

  const outOfCore = jobs.filter((job) => job.outOfCore && (full || /npy|lines/.test(job.name)));
  it.each(named(outOfCore))("in temporary files is noticed: %s", async (_, job) => {
    await expectSound(job, (calls) => flips("temporary", calls("temporary", "write"), []));
  });

  it.each(named(chosen))("in the output is noticed by --verify=full: %s", async (_, job) => {
    await expectSound(job, (calls) => flips("output", calls("output", "write"), ["--verify=full"]));
  });
});
