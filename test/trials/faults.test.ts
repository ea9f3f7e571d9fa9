import { spawnSync } from "node:child_process";
import { promises as fs, mkdtempSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { inTurns } from "./in_turns.js";
import { type Job, jobs } from "./jobs.js";
import { buildShim, type Call } from "./shim.js";
import { type Case, type Role, Trial } from "./trial.js";

/** Whether all cases run. Otherwise only a few of each kind do, of some sorts. */
const full = process.env.GPUSORT_TRIALS === "full";
const chosen = full ? jobs : jobs.filter(({ name }) => /in core, in place|npy, out of core/.test(name));
const named = (some: readonly Job[]) => some.map((job) => [job.name, job] as const);

const root = mkdtempSync(join(tmpdir(), "gpusort-faults-"));
const library = buildShim(root);
const trial = new Trial(library ?? "", root);
afterAll(async () => {
  await fs.rm(root, { recursive: true });
  const { injected, killed } = trial;
  process.stderr.write(`${injected} sorts with faults of system calls; ${killed} of them were killed at a call
`);
});

it.runIf(full)("a C compiler is here", () => expect(library).toBeDefined());

const { EIO, EACCES, EMFILE, ENOSPC, EDQUOT, EINTR, EAGAIN, EPERM } = constants.errno;
const errors = (...numbers: number[]) => numbers.map((number) => `error:${number}`);
const killed = ["kill-before", "kill-after"];

/** What can happen to a call of each kind. */
const actions: Record<Call, readonly string[]> = {
  open: errors(EIO, EACCES, EMFILE, ENOSPC),
  read: ["short:1", ...errors(EIO, EINTR, EAGAIN)],
  write: ["short:1", ...errors(EIO, ENOSPC, EDQUOT, EINTR, EAGAIN), ...killed],
  sync: [...errors(EIO, ENOSPC), `late:${EIO}`, ...killed],
  truncate: [...errors(EIO), ...killed],
  rename: [...errors(EIO, EACCES, ENOSPC), ...killed],
  link: [...errors(EIO, EACCES, EPERM), ...killed],
  unlink: [...errors(EIO, EACCES), ...killed],
  close: [...errors(EIO, ENOSPC), ...killed],
  stat: errors(EIO),
  mode: [...errors(EPERM, EIO), ...killed],
};

const roles: readonly (readonly [Role, readonly Call[]])[] = [
  ["input", ["open", "read", "stat", "close"]],
  ["output", ["open", "write", "sync", "truncate", "rename", "link", "unlink", "close", "mode"]],
  ["temporary", ["open", "read", "write", "close"]],
  ["folder", ["open", "sync", "close"]],
];

/** At most so many numbers from 0 to n - 1: the first, the last, and some between. */
function spread(n: number, most: number): number[] {
  if (n <= most) return Array.from({ length: n }, (_, i) => i);
  if (most === 1) return [n - 1];
  return Array.from({ length: most }, (_, i) => Math.round((i * (n - 1)) / (most - 1)));
}

const firstAndLast = (all: readonly string[]) => [...new Set([all[0]!, all.at(-1)!])];

/** Runs cases, two at a time, and expects that none has a problem. */
async function expectSound(job: Job, cases: (calls: Calls) => Omit<Case, "job">[]): Promise<void> {
  const { calls, output } = await trial.count(job);
  if (job.outOfCore) expect(calls("temporary", "write"), "writes of temporary files").toBeGreaterThan(1);
  const all = cases(calls).map((which) => ({ job, ...which }));
  expect(all.length).toBeGreaterThan(0);
  const problems = await inTurns(all, (which) => trial.judge(which, output));
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
}
type Calls = (role: Role, call: Call) => number;

const rolesOf = (job: Job) =>
  roles
    .filter(([role]) => (role === "temporary" ? job.outOfCore : true))
    .filter(([role]) => role !== "folder");

describe.runIf(library)("with faults of system calls", { timeout: 600_000 }, () => {
  describe.each(named(chosen))("%s", (_, job) => {
    it.each(rolesOf(job))("each call on the %s fails", async (role, kinds) => {
      const isPipe = role === "input" && job.input === "-";
      const some = kinds.filter((call) => !isPipe || call === "read");
      await expectSound(job, (calls) => [
        ...some.flatMap((call) =>
          (full ? actions[call] : firstAndLast(actions[call])).flatMap((action) =>
            spread(calls(role, call), full ? 3 : 1).map((from) => ({ role, call, action, from })),
          ),
        ),
        // A disk that fails for good.
        ...some
          .filter((call) => ["read", "write", "sync"].includes(call))
          .flatMap((call) =>
            spread(calls(role, call), 1).map((from) => ({
              role,
              call,
              action: `error:${EIO}`,
              from,
              times: 0,
            })),
          ),
      ]);
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
      const most = full ? (job.outOfCore ? 6 : output.length) : 3;
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

const bin = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));
const { stdout: help } = spawnSync(process.execPath, [bin, "sort", "--help"], { encoding: "utf8" });
const readsBack = /--verify\b/.test(help);
if (!readsBack) process.stderr.write("SKIPPED: bits that flip in writes of the output: no --verify=full\n");

describe.runIf(library)("a bit that flips on its way to the disk", { timeout: 600_000 }, () => {
  const flips = (role: Role, count: number, args: readonly string[]) =>
    spread(count, full ? 4 : 2).flatMap((from) =>
      (full ? [0, 7] : [3]).map(
        (bit) => ({ role, call: "write", action: `flip:${bit}`, from, args }) as const,
      ),
    );

  it.each(named(chosen.filter(({ outOfCore }) => outOfCore)))(
    "in temporary files is noticed: %s",
    async (_, job) => {
      await expectSound(job, (calls) => flips("temporary", calls("temporary", "write"), []));
    },
  );

  it.runIf(readsBack).each(named(chosen))("in the output is noticed by --verify=full: %s", async (_, job) => {
    await expectSound(job, (calls) => flips("output", calls("output", "write"), ["--verify=full"]));
  });
});
