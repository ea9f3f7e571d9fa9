import { FEW_KEYS, machineKey } from "./open.js";
import { forecastCrossover } from "./profile.js";
import { loadProfile } from "./store.js";

/** What `auto` would choose on this machine. */
export interface AutoChoice {
  /** With fewer keys, `auto` takes the CPU and looks for no adapter. */
  readonly cpuBelowKeys: number;
  /** The times that `auto` decides by; undefined before the first sort that measured any. */
  readonly measured:
    | {
        /** The adapter that was compared with the CPU. */
        readonly adapter: string;
        /** ISO 8601. */
        readonly at: string;
        /** By the name of the type: the number of keys from which `auto` takes the adapter; null for never. */
        readonly adapterFromKeys: Readonly<Record<string, number | null>>;
      }
    | undefined;
}

/** Says what `auto` would choose, by this machine's cached profile. It measures nothing. */
export async function autoChoice(): Promise<AutoChoice> {
  const profile = await loadProfile(machineKey());
  const crossovers = Object.keys(profile?.types ?? {}).map((type) => {
    const from = forecastCrossover(profile!, type);
    return [type, from === undefined ? null : Math.max(from, FEW_KEYS)] as const;
  });
  return {
    cpuBelowKeys: FEW_KEYS,
    measured: profile && {
      adapter: profile.adapter,
      at: profile.measuredAt,
      adapterFromKeys: Object.fromEntries(crossovers),
    },
  };
}
