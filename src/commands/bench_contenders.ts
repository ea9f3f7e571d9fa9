import type { Contender } from "../bench/contender.js";
import { CopyProbe } from "../bench/copy_probe.js";
import { cpuContender, gpuRoundTripContender, gpuSortContender } from "../bench/engine_contenders.js";
import { arrayContender, typedArrayContender } from "../bench/javascript_contenders.js";
import type { ElementType } from "../core/elements.js";
import type { Engine } from "../core/engines/engine.js";
import type { OpenedEngine } from "../dawn/open_engine.js";
import type { Settings } from "./bench_settings.js";

/** The engines of a benchmark. They are the same one without an adapter. */
export interface Engines {
  readonly gpu: Engine;
  readonly cpu: Engine;
}

/** The sorts of one type and payload that fill the columns. */
export function contendersFor(
  type: ElementType,
  payloadBytes: number,
  { axes: { algorithms }, metrics }: Settings,
  { gpu, cpu }: Engines,
): Contender[] {
  const all = [
    arrayContender(type, payloadBytes),
    typedArrayContender(payloadBytes),
    cpuContender(cpu, type, payloadBytes),
    ...algorithms.map((name) => gpuSortContender(gpu, type, name, payloadBytes)),
    ...algorithms.map((name) => gpuRoundTripContender(gpu, type, name, payloadBytes)),
  ];
  return all.filter((contender) => contender.metrics.some((way) => metrics.has(way)));
}

/** Bytes of a copy so small that its time is only the delay of a submission and its answer. */
const TINY_BYTES = 4096;

/** The copies that show how fast a device is now. */
export async function probes({ gpu, adapter }: NonNullable<OpenedEngine["device"]>) {
  const [large, tiny] = [await CopyProbe.create(gpu), await CopyProbe.create(gpu, TINY_BYTES)];
  return { large, tiny, software: adapter.software };
}
