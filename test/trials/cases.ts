import { constants } from "node:os";
import type { Job } from "./jobs.js";
import type { Call } from "./shim.js";
import type { Case, Role } from "./trial.js";

/** How often a sort makes a call of a kind on a file. */
export type Calls = (role: Role, call: Call) => number;

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
];

/** Calls that every sort makes on each of its files. */
export const always: readonly Call[] = ["open", "read", "write", "close"];

/** At most so many numbers from 0 to n - 1: the first, the last, and some between. */
export function spread(n: number, most: number): number[] {
  if (n <= most) return Array.from({ length: n }, (_, i) => i);
  if (most === 1) return [n - 1];
  return Array.from({ length: most }, (_, i) => Math.round((i * (n - 1)) / (most - 1)));
}

/**
 * Which of the ways in which a call can fail are tried: all of them; all but further error numbers, as files of
 * every sort are read and written by the same code, which tells them apart; or the first and the last.
 */
const ways = {
  all: (actions: readonly string[]) => actions,
  "one error": (actions: readonly string[]) => {
    const error = actions.find((action) => action.startsWith("error:"));
    return actions.filter((action) => action === error || !action.startsWith("error:"));
  },
  few: (actions: readonly string[]) => [...new Set([actions[0]!, actions.at(-1)!])],
};

/** The files of a job, and the calls on them. */
export const rolesOf = (job: Job) => roles.filter(([role]) => role !== "temporary" || job.outOfCore);

type Plan = Omit<Case, "job">;

/**
 * One call fails, in each of some ways: the first and the last, and in core one between; only the last where
 * not all ways are tried.
 */
export function failedCalls(
  job: Job,
  role: Role,
  kinds: readonly Call[],
  calls: Calls,
  some: keyof typeof ways,
): Plan[] {
  const most = some !== "all" ? 1 : job.outOfCore ? 2 : 3;
  return kinds.flatMap((call) =>
    ways[some](actions[call]).flatMap((action) =>
      spread(calls(role, call), most).map((from) => ({ role, call, action, from })),
    ),
  );
}

/** A disk that fails for good, from some call on. */
export function failedDisks(role: Role, kinds: readonly Call[], calls: Calls): Plan[] {
  return kinds
    .filter((call) => ["read", "write", "sync"].includes(call))
    .flatMap((call) =>
      spread(calls(role, call), 1).map((from) => ({ role, call, action: `error:${EIO}`, from, times: 0 })),
    );
}
