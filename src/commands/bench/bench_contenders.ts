import type { Contender } from "../../bench/contender.js";
import { cpuContender, gpuRoundTripContender, gpuSortContender } from "../../bench/engine_contenders.js";
import { arrayContender, typedArrayContender } from "../../bench/javascript_contenders.js";
import { copyProbe } from "../../bench/machine.js";
import type { Input } from "../../bench/run.js";
import {
  cpuTaskContender,
  gpuTaskContender,
  roundTripTaskContender,
  type SorterOnCpu,
  type SorterOnGpu,
  transfersOfTask,
} from "../../bench/sorter_contenders.js";
import type { Engine } from "../../core/engines/engine.js";
import { Planner } from "../../core/sorter/planner.js";
import { Sorter } from "../../core/sorter/sorter.js";
import type { OpenedDevice } from "../../dawn/adapter.js";
import type { OpenedEngine } from "../../dawn/open_engine.js";
import { testedTraits } from "../../dawn/tested_traits.js";
import { cpuEngine } from "../../threads/cpu_engine.js";
import type { Settings } from "./bench_settings.js";

/** The engines of a benchmark, and sorters on them. The engines are the same one without an adapter. */
export interface Engines {
  readonly gpu: Engine;
  readonly cpu: Engine;
  readonly sorters: { readonly cpu: SorterOnCpu; readonly gpu: SorterOnGpu | undefined };
}

export async function enginesOf(
  { engine, device }: OpenedEngine,
  { axes: { tasks }, threads }: Settings,
): Promise<Engines> {
  const isAsked = tasks.some(({ gpusort }) => gpusort);
  const onGpu = device && isAsked ? await sorterOnGpu(engine, device) : undefined;
  const cpu = device ? cpuEngine(threads) : engine;
  return {
    gpu: engine,
    cpu,
    sorters: { cpu: { engine: cpu, sorter: new Sorter({ engine: cpu }) }, gpu: onGpu },
  };
}

async function sorterOnGpu(engine: Engine, { gpu, adapter }: OpenedDevice): Promise<SorterOnGpu> {
  const traits = await testedTraits(gpu, adapter);
  return { engine, gpu, sorter: new Sorter({ engine, gpu, planner: await Planner.openFull(traits) }) };
}

/** What fills the columns for one task, type and payload. */
export function contendersFor(
  { task, type, payloadBytes }: Input,
  { axes: { algorithms }, metrics }: Settings,
  { gpu, cpu, sorters }: Engines,
): Contender[] {
  const { gpusort } = task;
  const input = gpusort && { task, type, payloadBytes, gpusort };
  const all = [
    arrayContender(type, payloadBytes, task),
    typedArrayContender(payloadBytes, task),
    ...(input
      ? [
          cpuTaskContender(sorters.cpu, input),
          ...algorithms.map((name) => gpuTaskContender(sorters.gpu, input, name)),
          ...algorithms.map((name) => roundTripTaskContender(sorters.gpu, input, name)),
          ...algorithms.map((name) => transfersOfTask(sorters.gpu, input, name)),
        ]
      : [
          cpuContender(cpu, type, payloadBytes),
          ...algorithms.map((name) => gpuSortContender(gpu, type, name, payloadBytes)),
          ...algorithms.map((name) => gpuRoundTripContender(gpu, type, name, payloadBytes)),
        ]),
  ];
  return all.filter((contender) => contender.metrics.some((way) => metrics.has(way)));
}

/** Bytes of a copy so small that its time is only the delay of a submission and its answer. */
const TINY_BYTES = 4096;

/** The copies that show how fast a device is now. */
export async function probes({ gpu, adapter }: NonNullable<OpenedEngine["device"]>) {
  const [large, tiny] = [await copyProbe(gpu), await copyProbe(gpu, TINY_BYTES)];
  return { large, tiny, software: adapter.software };
}
