import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder } from "../files/cache_folder.js";
import type { Profile } from "./schema.js";

/** The path of a machine's profile. Machines that share a home folder have different paths. */
export async function profilePath(machine: string): Promise<string> {
  const name = createHash("sha256").update(machine).digest("hex").slice(0, 12);
  return join(await cacheFolder(), `profile-${name}.json`);
}

/** One month. Drivers change, and a profile that chooses the CPU would never notice a faster one. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000;

/** Loads a machine's profile; undefined if it is missing, damaged, too old or another machine's. */
export async function loadProfile(machine: string, now = Date.now()): Promise<Profile | undefined> {
  try {
    const text = readFileSync(await profilePath(machine), "utf8");
    // Imported here, so that a sort without a profile does not wait for the module, about 10 ms.
    const [{ parse }, { profileSchema }] = await Promise.all([import("valibot"), import("./schema.js")]);
    const profile = parse(profileSchema, JSON.parse(text));
    const age = now - Date.parse(profile.measuredAt);
    return profile.machine === machine && age >= 0 && age < MAX_AGE_MS ? profile : undefined;
  } catch {
    return undefined; // a missing or damaged profile is measured again
  }
}

/** Saves a profile. @returns whether it could be written. A cache that cannot be written is not an error. */
export async function saveProfile(profile: Profile): Promise<boolean> {
  const path = await profilePath(profile.machine);
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
