import type { TypeName } from "../core/elements.js";
import type { DeviceTraits } from "../core/plan/traits.js";

/**
 * What a report of a device says, as JSON that anybody can attach to an issue. docs/hardware/ keeps such files,
 * and scripts/hardware.js makes the table of docs/hardware.md from them. It names no file, user or host.
 */
export interface HardwareReport {
  /** The version of this format. */
  readonly format: 1;
  /** When it was made: a date as in 2026-11-27. */
  readonly date: string;
  /** The version of gpusort, and its commit if that is known. */
  readonly gpusort: string;
  /** What ran it: Dawn, Node and the operating system, or the browser. */
  readonly runtime: string;
  readonly adapter: ReportedAdapter;
  readonly features: readonly string[];
  /** The limits, subgroups and progress that the device reports. */
  readonly reported: DeviceTraits;
  /** Those that the test on the device confirmed. */
  readonly tested: DeviceTraits;
  readonly correctness: Correctness;
  /** How `residentMs` and `bitonicMs` were measured. */
  readonly gpuClock: string;
  readonly times: readonly Times[];
}

/** An adapter as the system or the browser describes it. */
export interface ReportedAdapter {
  readonly name: string;
  readonly vendor: string;
  readonly architecture: string;
  readonly driver: string;
  /** The graphics API, such as "vulkan"; empty in a browser, which does not tell. */
  readonly backend: string;
  readonly software: boolean;
}

/** Arrays that the device sorted, compared with what JavaScript's own sort makes of them. */
export interface Correctness {
  readonly types: readonly TypeName[];
  readonly sizes: readonly number[];
  /** How many arrays were sorted of those that were planned: a slow device does not reach all. */
  readonly sorted: number;
  readonly planned: number;
  readonly wrong: readonly WrongArray[];
}

export interface WrongArray {
  readonly type: TypeName;
  readonly size: number;
  readonly call: "sort" | "argsort";
  /** The error, or "in another order". */
  readonly what: string;
}

/** Milliseconds for u32 keys, the least of some runs. */
export interface Times {
  readonly keyCount: number;
  /** Of keys that stay on the device. */
  readonly residentMs: number;
  /** Of a typed array of keys, with the way to the device and back, and the check. */
  readonly keysMs: number;
  /** Of such keys with values of a word. */
  readonly pairsMs: number;
  /** Beside them: of keys that stay on the device, by the bitonic sort. */
  readonly bitonicMs: number;
  /** `Uint32Array.prototype.sort`, with the copy of the keys. */
  readonly platformMs: number;
  /** Of a typed array of keys, by gpusort on the CPU. */
  readonly cpuMs: number;
}
