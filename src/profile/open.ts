import { cpus, hostname } from "node:os";
import { version } from "../build.generated.js";
import type { ElementType } from "../core/elements.js";
import { CpuEngine } from "../core/engines/cpu.js";
import type { Engine } from "../core/engines/engine.js";
import type { OpenDevice } from "../dawn/adapter.js";
import { type OpenedEngine, openEngine } from "../dawn/open_engine.js";
import { type Forecast, forecast, forecastCrossover } from "./profile.js";
import type { Profile } from "./schema.js";
import { loadProfile, profilePath, saveProfile } from "./store.js";

/** The properties of a sort that the choice of its device depends on. */
export interface SortRequest {
  /** Undefined if the items are not numbers but, for example, records. */
  readonly type: ElementType | undefined;
  /** Undefined if it is known only at the end of the input. */
  readonly keyCount: number | undefined;
  readonly algorithm: string;
}

export interface OpenedFastest extends OpenedEngine {
  /** Why this engine was chosen. */
  readonly choice: DeviceChoice;
}

export type DeviceChoice =
  /** The caller named a device or an algorithm. */
  | { readonly reason: "asked" }
  /** The type or the number of the keys is not known. */
  | { readonly reason: "unknown" }
  /** There is no adapter, or it did not open; the notice says which. */
  | { readonly reason: "no adapter" }
  /** The CPU sorts so few keys in less time than it takes to open a device. */
  | { readonly reason: "few keys"; readonly keyCount: number }
  /** The profile predicts that this device is the fastest. */
  | ({
      readonly reason: "forecast";
      readonly adapter: string;
      /** The number of keys from which the adapter would be chosen; undefined if it never is. */
      readonly crossover: number | undefined;
      /** The file of the profile; undefined if it could not be written. */
      readonly path: string | undefined;
      /** Seconds that it took to measure the profile; undefined if an existing profile was used. */
      readonly profiledSeconds: number | undefined;
      readonly measuredAt: string;
    } & Forecast);

/**
 * Below this number of keys, `auto` takes the CPU. It sorts them in about a millisecond, and to find a driver
 * takes tens of milliseconds.
 */
export const FEW_KEYS = 2 ** 14;

export interface OpenFastestOptions {
  /** Opens the device, instead of the usual function. */
  readonly openDevice?: OpenDevice | undefined;
  /** Called before each step that takes a while, with its name: "opening …", "measuring …". */
  readonly onStep?: ((step: string) => void) | undefined;
}

/**
 * Opens the engine that does a sort fastest, if the selector and the algorithm are `auto`. Otherwise opens
 * the engine that the selector names.
 *
 * The speed of the CPU and of the adapter is measured once per machine and type, in about a second, and kept
 * in the user's cache for a month. So a sort that is faster on the CPU does not even look for an adapter.
 *
 * @throws the errors of `openEngine`.
 */
export async function openFastest(
  selector: string,
  task: SortRequest,
  { openDevice, onStep = () => {} }: OpenFastestOptions = {},
): Promise<OpenedFastest> {
  if (selector !== "auto" || task.algorithm !== "auto") {
    if (selector !== "cpu") onStep(opening(selector));
    return { ...(await openEngine(selector, { openDevice })), choice: { reason: "asked" } };
  }
  const { type, keyCount } = task;
  if (!type || keyCount === undefined) {
    onStep(opening(selector));
    return { ...(await openEngine(selector, { openDevice })), choice: { reason: "unknown" } };
  }
  if (keyCount < FEW_KEYS) return onCpu({ reason: "few keys", keyCount });

  const machine = machineKey();
  const kept = await loadProfile(machine);
  const predicted = kept && forecast(kept, type.name, keyCount);
  if (kept && predicted && predicted.cpuSeconds <= predicted.gpuSeconds) {
    return onCpu(await explain(kept, predicted, type.name, undefined, true));
  }
  onStep(opening(kept?.adapter ?? selector));
  const begin = performance.now();
  const opened = await openEngine("auto", { openDevice });
  const openSeconds = (performance.now() - begin) / 1000;
  const { engine } = opened;
  if (!engine.gpuClock) return { ...opened, choice: { reason: "no adapter" } };
  if (kept && predicted && kept.adapter === engine.device) {
    return { ...opened, choice: await explain(kept, predicted, type.name, undefined, true) };
  }

  onStep("measuring this machine once");
  const measuring = performance.now();
  const profile = await withType(kept, machine, engine, type, openSeconds);
  const profiledSeconds = (performance.now() - measuring) / 1000;
  const saved = await saveProfile(profile);
  const times = forecast(profile, type.name, keyCount)!;
  const choice = await explain(profile, times, type.name, profiledSeconds, saved);
  // The device is already open, so the time to open it no longer counts.
  if (times.gpuSeconds - times.openSeconds - times.firstSeconds < times.cpuSeconds)
    return { ...opened, choice };
  engine.close();
  return onCpu(choice);
}

/** @param device an adapter's name or a part of it, or a selector for one of several adapters. */
function opening(device: string): string {
  const kinds: Record<string, string> = { auto: "an adapter", gpu: "a GPU", software: "a software adapter" };
  return `opening ${kinds[device] ?? device}`;
}

async function withType(
  kept: Profile | undefined,
  machine: string,
  engine: Engine,
  type: ElementType,
  openSeconds: number,
): Promise<Profile> {
  const { measureType } = await import("./measure.js"); // most sorts find a profile, or need none
  const sameAdapter = kept?.adapter === engine.device;
  return {
    schema: "gpusort-profile/1",
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

function onCpu(choice: DeviceChoice): OpenedFastest {
  return { engine: new CpuEngine(), notice: undefined, device: undefined, hardware: false, choice };
}

async function explain(
  profile: Profile,
  times: Forecast,
  type: string,
  profiledSeconds: number | undefined,
  saved: boolean,
): Promise<DeviceChoice> {
  return {
    reason: "forecast",
    ...times,
    adapter: profile.adapter,
    crossover: forecastCrossover(profile, type),
    path: saved ? await profilePath(profile.machine) : undefined,
    profiledSeconds,
    measuredAt: profile.measuredAt,
  };
}

/** Everything that the CPU's times depend on, and the host name, since several hosts may share one cache. */
export function machineKey(): string {
  const all = cpus();
  return [hostname(), all[0]?.model ?? "", all.length, process.version, version].join("; ");
}
