import { mayHaveGpu } from "../dawn/gpu_files.js";
import { machineKey } from "./machine.js";
import { FEW_KEYS } from "./open.js";
import { forecastCrossover } from "./profile.js";
import { loadProfile } from "./store.js";

/** What `auto` would choose on this machine. */
export interface AutoChoice {
  /** Whether `auto` looks for a GPU at all. It never takes a software adapter. */
  readonly mayHaveGpu: boolean;
  /** With fewer keys, `auto` takes the CPU and looks for no GPU. */
  readonly cpuBelowKeys: number;
  /** The times that `auto` decides by; undefined before they are measured. */
  readonly measured:
    | {
        /** The GPU that was compared with the CPU; null if none could be opened. */
        readonly adapter: string | null;
        /** ISO 8601. */
        readonly at: string;
        /** By the name of the type: the number of keys from which `auto` takes the GPU; null for never. */
        readonly adapterFromKeys: Readonly<Record<string, number | null>>;
      }
    | undefined;
}

/** Says what `auto` would choose, by this machine's cached profile. It measures nothing. */
export async function autoChoice(hasGpu = mayHaveGpu): Promise<AutoChoice> {
  const profile = await loadProfile(machineKey());
  const crossovers = Object.entries(profile?.types ?? {}).map(([type, times]) => {
    const from = forecastCrossover({ ...times, openSeconds: profile!.openSeconds });
    return [type, from === undefined ? null : Math.max(from, FEW_KEYS)] as const;
  });
  return {
    mayHaveGpu: hasGpu(),
    cpuBelowKeys: FEW_KEYS,
    measured: profile && {
      adapter: profile.adapter,
      at: profile.measuredAt,
      adapterFromKeys: Object.fromEntries(crossovers),
    },
  };
}
