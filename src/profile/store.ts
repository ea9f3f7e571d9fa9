import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { PROFILE_SCHEMA, type Profile } from "./profile.js";

/** Where the user's caches are on this platform. */
function cacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME;
  if (process.platform === "win32" && LOCALAPPDATA) return LOCALAPPDATA;
  return process.platform === "darwin" ? join(homedir(), "Library", "Caches") : join(homedir(), ".cache");
}

/** The file of a machine's profile: one each, since a home folder may be on several. */
export function profilePath(machine: string): string {
  const name = createHash("sha256").update(machine).digest("hex").slice(0, 12);
  return join(cacheFolder(), "gpusort", `profile-${name}.json`);
}

/** A month: drivers change, and a profile that chose the CPU would not see it. */
const MOST_AGE_MS = 30 * 24 * 3600 * 1000;

/** The profile that was kept; undefined if there is none, or none that can be used. */
export function loadProfile(machine: string, now = Date.now()): Profile | undefined {
  try {
    const profile = JSON.parse(readFileSync(profilePath(machine), "utf8")) as Profile;
    const age = now - Date.parse(profile.measuredAt);
    const usable =
      profile.schema === PROFILE_SCHEMA && profile.machine === machine && age >= 0 && age < MOST_AGE_MS;
    return usable && isSound(profile) ? profile : undefined;
  } catch {
    return undefined; // missing or spoilt: it is made again
  }
}

function isSound({ openSeconds, types }: Profile): boolean {
  return (
    openSeconds >= 0 &&
    Object.values(types).every(
      ({ cpu, gpu, firstSeconds }) =>
        firstSeconds >= 0 &&
        [cpu, gpu].every((curve) => curve.length > 0 && curve.every(([n, t]) => n > 0 && t > 0)),
    )
  );
}

/** Keeps a profile. @returns whether that went well: a cache that cannot be written is no error. */
export function saveProfile(profile: Profile): boolean {
  const path = profilePath(profile.machine);
  try {
    mkdirSync(dirname(path), { recursive: true });
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, `${JSON.stringify(profile, null, 2)}\n`);
    renameSync(temporary, path);
    return true;
  } catch {
    return false;
  }
}
