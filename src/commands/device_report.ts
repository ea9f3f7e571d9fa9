import { createRequire } from "node:module";
import { version } from "../build.generated.js";
import { elementType } from "../core/elements.js";
import { GpuEngine } from "../core/engines/gpu.js";
import { DeviceError, VerifyError } from "../core/errors.js";
import { Planner } from "../core/sorter/planner.js";
import { Sorter } from "../core/sorter/sorter.js";
import { testedTraits } from "../dawn/tested_traits.js";
import { deviceReportText, type MeasuredSize } from "../report/device_report.js";
import { openDeviceQuietly } from "./quiet.js";

const SIZES = [2 ** 12, 2 ** 16, 2 ** 20, 2 ** 22];
/** No further size is measured after this time. A software adapter takes seconds to compile kernels. */
const MOST_MS = 12_000;
const REPEATS = 3;
/** A cell is not measured again after this time. */
const MOST_CELL_MS = 1500;

/**
 * Opens the device of a selector, measures it, and returns a report of it as text.
 *
 * @param onSize is told the number of keys that is measured next.
 * @throws DeviceError if the selector chooses no device.
 * @throws VerifyError if the device sorts wrongly.
 */
export async function deviceReport(selector: string, onSize: (keyCount: number) => void): Promise<string> {
  const opened = await openDeviceQuietly(selector);
  if (!opened) {
    throw new DeviceError("there is no adapter to report", {
      hint: "install a GPU driver, or choose a software adapter",
      options: ["device"],
    });
  }
  const { gpu, adapter } = opened;
  const tested = await testedTraits(gpu, adapter);
  const engine = new GpuEngine(gpu, adapter.name, tested);
  const sorter = new Sorter({ engine, gpu, planner: await Planner.open(tested) });
  const begin = performance.now();
  const measured: MeasuredSize[] = [];
  for (const keyCount of SIZES) {
    if (performance.now() - begin > MOST_MS) break;
    onSize(keyCount);
    measured.push(await measure(engine, sorter, keyCount));
  }
  const dawn = (createRequire(import.meta.url)("webgpu/package.json") as { version: string }).version;
  const versions = `gpusort ${version}, webgpu ${dawn}, Node ${process.versions.node}, ${process.platform}-${process.arch}`;
  const gpuClock = engine.gpuClock ?? "wall clock";
  return deviceReportText({ versions, adapter, traits: gpu.traits, tested, gpuClock, measured });
}

async function measure(engine: GpuEngine, sorter: Sorter, keyCount: number): Promise<MeasuredSize> {
  const type = elementType("u32");
  const input = new Uint32Array(keyCount).map(
    (_, i) => Math.imul(i, 0x9e37_79b1) ^ Math.imul(i >>> 7, 0x85eb_ca6b),
  );
  const expected = input.slice().sort();
  const job = { type, keyCount, descending: false, algorithm: "auto", verify: true };
  const bytes = new Uint8Array(input.buffer);
  const resident = await engine.resident(job, {
    read: async (into, offset) => into.set(bytes.subarray(offset, offset + into.length)),
  });
  const residentMs = await least(() => resident.run(1));
  const output = new Uint8Array(bytes.length);
  const { memorySink } = await import("../core/streams/memory.js");
  await resident.read(memorySink(output));
  resident.destroy();
  requireSame(new Uint32Array(output.buffer), expected);

  const keysMs = await least(async () => {
    const begin = performance.now();
    const sorted = await sorter.sort(input);
    const ms = performance.now() - begin;
    requireSame(sorted, expected);
    return ms;
  });
  const pairsMs = await least(async () => {
    const begin = performance.now();
    const { keys, values } = await sorter.sortPairs(input, input);
    const ms = performance.now() - begin;
    requireSame(keys, expected);
    requireSame(values, expected);
    return ms;
  });
  return { keyCount, residentMs, keysMs, pairsMs };
}

function requireSame(sorted: Uint32Array, expected: Uint32Array): void {
  if (expected.some((key, i) => key !== sorted[i])) throw new VerifyError("the device sorted wrongly");
}

/** The least of several measurements: the first also compiles. */
async function least(run: () => Promise<number>): Promise<number> {
  const begin = performance.now();
  let ms = await run();
  for (let i = 1; i < REPEATS && performance.now() - begin < MOST_CELL_MS; i++)
    ms = Math.min(ms, await run());
  return ms;
}
