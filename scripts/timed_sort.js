// How scripts/tune.js and scripts/matrix.js time a sort plan.
import { median } from "../dist/bench/statistics.js";
import { DeviceJob } from "../dist/core/engines/device_job.js";
import { checkTotals } from "../dist/core/sort/inspect.js";

/** Bytes that are written to a device at a time. */
const PIECE = 1 << 24;

/**
 * Sorts keys again and again by a plan, each time from the same input, and checks the last result.
 *
 * @param opened the device, its adapter and its traits.
 * @param job the type of the keys, and the options of the sort.
 * @param effort how many times to measure at least, for how many milliseconds to keep the GPU busy before the
 *   measurements that count, and what the sorts of one measurement take in all.
 * @param meanwhile is called with the job on the device and the copies of its input, before all ends.
 * @returns the median and the least of the last measurements, in milliseconds a sort, and what `meanwhile` found.
 */
export async function timeSort(
  { gpu, adapter, traits },
  { type, keys, plan, options },
  { runs, warmMs, busyMs },
  meanwhile = () => undefined,
) {
  const onDevice = await DeviceJob.allocate(
    gpu,
    { type, keyCount: keys.length, verify: true, options },
    plan,
    traits,
  );
  try {
    await onDevice.prepare();
    const pristine = [];
    for (const name of onDevice.values ? ["keys", "values"] : ["keys"]) {
      pristine.push({ from: await onDevice.copyOf(name), to: onDevice[name] });
    }
    const bytes = new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      for (const buffer of [pristine[0].from, onDevice.keys]) gpu.device.queue.writeBuffer(buffer, at, piece);
    }
    const before = await onDevice.inspectInput();
    const samples = [];
    const begin = performance.now();
    let sorted;
    for (let repeats = 0; samples.length < runs || performance.now() - begin < warmMs; ) {
      sorted = await onDevice.sort({ pristine, repeats });
      samples.push(sorted.ms);
      repeats = Math.min(60, Math.floor(busyMs / sorted.ms));
    }
    checkTotals(keys.length, before, await onDevice.inspectResult(sorted), adapter.driver);
    const last = samples.slice(-runs);
    return { ms: median(last), least: Math.min(...last), found: await meanwhile(onDevice, pristine) };
  } finally {
    onDevice.destroy();
  }
}
