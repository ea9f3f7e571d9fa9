import { type BigIntStats, readFileSync } from "node:fs";
import type { OpenFile } from "./system.js";

const SET_IDS = 0o6000;
const OWNER = 0o700;
const GROUP = 0o070;

/**
 * Gives a new file the mode and the owner of the file that it replaces. If it replaces none, it gets the mode
 * of other new files, without the permissions that one of its inputs does not give.
 *
 * The mode comes last, because the system drops a part of it when the owner changes. Some file systems have
 * no modes; there, the file stays as it is.
 */
export async function givePermissions(
  file: OpenFile,
  existing: BigIntStats | undefined,
  inputs: readonly BigIntStats[],
): Promise<void> {
  const mode = existing ? await takeOwner(file, existing) : newMode(inputs, (await file.stat()).gid);
  await file.chmod(mode).catch((cause: NodeJS.ErrnoException) => {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(cause.code ?? "")) throw cause;
  });
}

/**
 * Gives a file the owner of the old one. Only root may change the owner. If the group cannot be kept either,
 * the new group gets no permissions.
 *
 * @returns the mode that the file may then have.
 */
async function takeOwner(file: OpenFile, old: BigIntStats): Promise<number> {
  const [uid, gid, mode] = [Number(old.uid), Number(old.gid), Number(old.mode) & 0o7777];
  const succeeds = (change: Promise<void>) =>
    change.then(
      () => true,
      () => false,
    );
  if (await succeeds(file.chown(uid, gid))) return mode;
  const keptGroup = await succeeds(file.chown(-1, gid));
  return mode & ~SET_IDS & ~(keptGroup ? 0 : GROUP);
}

/** @param gid the group of the new file. */
function newMode(inputs: readonly BigIntStats[], gid: bigint): number {
  const allowed = inputs.map((input) => {
    const others = Number(input.mode) & 0o007;
    const group = input.gid === gid ? Number(input.mode) & GROUP : others << 3;
    return OWNER | group | others;
  });
  return allowed.reduce((mode, limit) => mode & limit, 0o666 & ~umask());
}

/** The permissions that new files do not get. Node's own function changes them for all threads meanwhile. */
function umask(): number {
  try {
    const [, mask] = /^Umask:\s*([0-7]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    if (mask !== undefined) return Number.parseInt(mask, 8);
  } catch {} // not Linux
  return process.umask();
}
