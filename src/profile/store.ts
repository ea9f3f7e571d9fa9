import { closeSync, lstatSync, openSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder } from "../files/cache_folder.js";
import { makeFolder, readOwnFile, replaceOwnFile } from "../files/own_files.js";
import type { Profile } from "./schema.js";

/** The path of a machine's profile. Machines that share a home folder have different paths. */
export async function profilePath(machine: string): Promise<string> {
  const { createHash } = process.getBuiltinModule("node:crypto"); // few sorts need it, and it takes 4 ms
  const name = createHash("sha256").update(machine).digest("hex").slice(0, 12);
  return join(await cacheFolder(), `profile-${name}.json`);
}

/** One month. Drivers change, and a profile that chooses the CPU would never notice a faster one. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000;

/** A day: a GPU that did not open may have been busy. */
const MAX_AGE_WITHOUT_GPU_MS = 24 * 3600 * 1000;

/** A profile of all element types takes 6 KB. */
const MAX_BYTES = 64 << 10;

/** Loads a machine's profile; undefined if it is missing, damaged, too old, another machine's or user's. */
export async function loadProfile(machine: string, now = Date.now()): Promise<Profile | undefined> {
  try {
    const text = readOwnFile(await profilePath(machine), MAX_BYTES)?.toString("utf8");
    if (text === undefined) return undefined;
    // Imported here, so that a sort without a profile does not wait for the module, about 10 ms.
    const [{ parse }, { profileSchema }] = await Promise.all([import("valibot"), import("./schema.js")]);
    const profile = parse(profileSchema, JSON.parse(text));
    const age = now - Date.parse(profile.measuredAt);
    const mostAge = profile.adapter === null ? MAX_AGE_WITHOUT_GPU_MS : MAX_AGE_MS;
    return profile.machine === machine && age >= 0 && age < mostAge ? profile : undefined;
  } catch {
    return undefined; // a missing or damaged profile is measured again
  }
}

/** A measurement that failed is not tried again for a day. */
const MAX_CLAIM_MS = 24 * 3600 * 1000;

/**
 * Claims the measurement of a type for this process, so that no other one measures at the same time.
 *
 * @returns false if another process has claimed it within a day, or if the cache cannot be written.
 */
export async function claimMeasurement(machine: string, type: string, now = Date.now()): Promise<boolean> {
  const path = `${await profilePath(machine)}.${type}`;
  try {
    makeFolder(dirname(path));
    const since = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && now - since < MAX_CLAIM_MS) return false;
    if (since !== undefined) rmSync(path);
    closeSync(openSync(path, "wx", 0o600));
    return true;
  } catch {
    return false;
  }
}

/** Saves a profile. @returns whether it could be written. A cache that cannot be written is not an error. */
export async function saveProfile(profile: Profile): Promise<boolean> {
  const path = await profilePath(profile.machine);
  try {
    makeFolder(dirname(path));
    replaceOwnFile(path, `${JSON.stringify(profile, null, 2)}\n`);
    return true;
  } catch {
    return false;
  }
}
