import { cpus, hostname } from "node:os";
import type { ElementType } from "../elements.js";
import { CpuEngine } from "../engines/cpu.js";
import type { Engine } from "../engines/engine.js";
import { type OpenedEngine, openEngine } from "../engines/open.js";
import { measureType } from "./measure.js";
import { type Forecast, forecast, forecastCrossover, PROFILE_SCHEMA, type Profile } from "./profile.js";
import { loadProfile, profilePath, saveProfile } from "./store.js";

/** What is to be sorted, as far as the choice depends on it. */
export interface Task {
  /** Undefined for what is no number, such as a record. */
  readonly type: ElementType | undefined;
  /** Undefined where only the end of the input tells. */
  readonly keyCount: number | undefined;
  readonly algorithm: string;
}

export interface OpenedFastest extends OpenedEngine {
  /** Why it is this engine. */
  readonly choice: Choice;
}

export type Choice =
  /** The caller asked for it, by a device or by an algorithm that only a GPU has. */
  | { readonly reason: "asked" }
  /** It is not known what is to be sorted, or how much. */
  | { readonly reason: "unknown" }
  /** There is nothing else. */
  | { readonly reason: "no adapter" }
  /** So few that no device can be opened in the time. */
  | { readonly reason: "few keys"; readonly keyCount: number }
  /** By the profile. */
  | ({
      readonly reason: "forecast";
      readonly adapter: string;
      /** The number of keys from which the adapter would be chosen. */
      readonly crossover: number | undefined;
      /** Where the profile is kept; undefined where it could not be. */
      readonly path: string | undefined;
      /** Seconds that measuring it took, if that was just now. */
      readonly profiledSeconds: number | undefined;
      readonly measuredAt: string;
    } & Forecast);

/** Sorted on the CPU in about a millisecond, when any driver takes tens of them to be found. */
const FEW_KEYS = 2 ** 14;

/**
 * Opens what sorts such a task the fastest, for `auto`; anything else is opened as it is asked for.
 *
 * How fast the CPU and the adapter are is measured once for each machine and type, in about a second, and kept in the
 * user's cache for a month. So a sort that the CPU wins does not even look for an adapter.
 *
 * @param version gpusort's own: another one's profile is not used.
 * @throws what `openEngine` throws.
 */
export async function openFastest(selector: string, task: Task, version: string): Promise<OpenedFastest> {
  if (selector !== "auto" || task.algorithm !== "auto") {
    return { ...(await openEngine(selector)), choice: { reason: "asked" } };
  }
  const { type, keyCount } = task;
  if (!type || keyCount === undefined)
    return { ...(await openEngine(selector)), choice: { reason: "unknown" } };
  if (keyCount < FEW_KEYS) return onCpu({ reason: "few keys", keyCount });

  const machine = machineKey(version);
  const kept = loadProfile(machine);
  const foretold = kept && forecast(kept, type.name, keyCount);
  if (kept && foretold && foretold.cpuSeconds <= foretold.gpuSeconds) {
    return onCpu(explain(kept, foretold, type.name, undefined, true));
  }
  const begin = performance.now();
  const opened = await openEngine("auto");
  const openSeconds = (performance.now() - begin) / 1000;
  const { engine } = opened;
  if (!engine.gpuClock) return { ...opened, choice: { reason: "no adapter" } };
  if (kept && foretold && kept.adapter === engine.device) {
    return { ...opened, choice: explain(kept, foretold, type.name, undefined, true) };
  }

  const measuring = performance.now();
  const profile = await withType(kept, machine, engine, type, openSeconds);
  const profiledSeconds = (performance.now() - measuring) / 1000;
  const saved = saveProfile(profile);
  const times = forecast(profile, type.name, keyCount)!;
  const choice = explain(profile, times, type.name, profiledSeconds, saved);
  // The device is open now, and what that took is not got back.
  if (times.gpuSeconds - times.openSeconds - times.firstSeconds < times.cpuSeconds)
    return { ...opened, choice };
  engine.close();
  return onCpu(choice);
}

async function withType(
  kept: Profile | undefined,
  machine: string,
  engine: Engine,
  type: ElementType,
  openSeconds: number,
): Promise<Profile> {
  const sameAdapter = kept?.adapter === engine.device;
  return {
    schema: PROFILE_SCHEMA,
    measuredAt: new Date().toISOString(),
    machine,
    adapter: engine.device,
    openSeconds,
    types: {
      ...(sameAdapter ? kept.types : {}),
      [type.name]: await measureType(new CpuEngine(), engine, type),
    },
  };
}

function onCpu(choice: Choice): OpenedFastest {
  return { engine: new CpuEngine(), notice: undefined, device: undefined, hardware: false, choice };
}

function explain(
  profile: Profile,
  times: Forecast,
  type: string,
  profiledSeconds: number | undefined,
  saved: boolean,
): Choice {
  return {
    reason: "forecast",
    ...times,
    adapter: profile.adapter,
    crossover: forecastCrossover(profile, type),
    path: saved ? profilePath(profile.machine) : undefined,
    profiledSeconds,
    measuredAt: profile.measuredAt,
  };
}

/** What the CPU's times depend on, and whose cache this is. */
function machineKey(version: string): string {
  const all = cpus();
  return [hostname(), all[0]?.model ?? "", all.length, process.version, version].join("; ");
}
