import type { ElementType } from "../core/elements.js";
import type { Engine, SortJob } from "../core/engines/engine.js";
import { DeviceError } from "../core/errors.js";
import { memorySink, memorySource } from "../core/streams/memory.js";
import type { OpenDevice } from "../dawn/adapter.js";
import { openEngine } from "../dawn/open_engine.js";
import { distribution, generateKeys } from "../testdata/distributions.js";
import { cpuEngine } from "../threads/cpu_engine.js";
import type { CurvePoint } from "./curve.js";
import { machineKey } from "./machine.js";
import type { Profile, TypeProfile } from "./schema.js";
import { loadProfile, saveProfile } from "./store.js";

/** Numbers of keys. With more, the times grow in proportion. */
const SIZES = [2 ** 18, 2 ** 20, 2 ** 22, 2 ** 24];
const RUNS = 3;

/** A size is skipped if its runs would take longer than this, judging by the size before it. */
const MAX_SECONDS = 1;

/**
 * Measures how fast this machine sorts on its CPU and on its GPU, and saves it, so that `auto` chooses by it.
 * It takes about a second per type. Times of other types, measured before with the same GPU, are kept.
 *
 * @param onType called before each type is measured.
 * @returns the profile, and whether it could be saved. Its adapter is null if no GPU opens.
 */
export async function measureMachine(
  types: readonly ElementType[],
  openDevice?: OpenDevice,
  onType: (type: ElementType) => void = () => {},
): Promise<{ profile: Profile; saved: boolean }> {
  const machine = machineKey();
  const measuredAt = new Date().toISOString();
  const begin = performance.now();
  const opened = await openEngine("gpu", { openDevice }).catch((error) => {
    if (error instanceof DeviceError) return undefined;
    throw error;
  });
  const openSeconds = (performance.now() - begin) / 1000;
  const adapter = opened?.engine.device ?? null;
  const kept = await loadProfile(machine);
  if (!opened && kept?.adapter) return { profile: kept, saved: true }; // it may be busy now
  const measured: Record<string, TypeProfile> = kept && kept.adapter === adapter ? { ...kept.types } : {};
  if (opened) {
    const cpu = cpuEngine();
    try {
      for (const type of types) {
        onType(type);
        measured[type.name] = await measureType(cpu, opened.engine, type);
      }
    } finally {
      cpu.close();
      opened.engine.close();
    }
  }
  const schema = "gpusort-profile/2";
  const profile = { schema, measuredAt, machine, adapter, openSeconds, types: measured } as const;
  return { profile, saved: await saveProfile(profile) };
}

/** Times whole sorts of keys of one type on both engines, as the command runs them. */
export async function measureType(cpu: Engine, gpu: Engine, type: ElementType): Promise<TypeProfile> {
  const smallest = Math.min(SIZES[0]!, gpu.capacity(jobOf(type, 0)));
  const first = await timeSort(gpu, type, smallest);
  const curve = await measureCurve(gpu, type);
  const firstSeconds = Math.max(0, first - curve[0]![1]);
  return { cpu: await measureCurve(cpu, type), gpu: curve, firstSeconds };
}

async function measureCurve(engine: Engine, type: ElementType): Promise<CurvePoint[]> {
  const capacity = engine.capacity(jobOf(type, 0));
  const curve: CurvePoint[] = [];
  for (const size of SIZES.filter((size, i) => i === 0 || size <= capacity)) {
    const [before, seconds] = curve.at(-1) ?? [size, 0];
    if (RUNS * seconds * (size / before) > MAX_SECONDS) break;
    const keyCount = Math.min(size, capacity);
    await timeSort(engine, type, keyCount); // gets its memory
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) times.push(await timeSort(engine, type, keyCount));
    curve.push([keyCount, Math.min(...times)]);
  }
  return curve;
}

async function timeSort(engine: Engine, type: ElementType, keyCount: number): Promise<number> {
  const keys = generateKeys(distribution("uniform"), type, keyCount, 1);
  const from = new Uint8Array(keys.buffer as ArrayBuffer);
  const to = new Uint8Array(from.length);
  const { totalMs } = await engine.sort(jobOf(type, keyCount), memorySource(from), memorySink(to));
  return totalMs / 1000;
}

function jobOf(type: ElementType, keyCount: number): SortJob {
  return { type, keyCount, descending: false, algorithm: "auto", verify: true };
}
