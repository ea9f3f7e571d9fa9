// How bench/tune.js and bench/matrix.js time a sort plan.
import { median } from "../dist/bench/statistics.js";
import { Execution } from "../dist/core/device/execute.js";
import { Timer } from "../dist/core/device/timer.js";
import { BufferUsage, MapMode } from "../dist/core/device/usage.js";
import { DeviceJob } from "../dist/core/engines/device_job.js";
import { checkTotals } from "../dist/core/sort/evidence.js";
import { readSelected } from "../dist/core/sort/select/select.js";

/**
 * @typedef {import("../dist/core/device/gpu.js").Gpu} Gpu
 * @typedef {import("../dist/core/elements.js").ElementType} ElementType
 * @typedef {import("../dist/core/elements.js").KeyArray} KeyArray
 * @typedef {import("../dist/core/engines/device_job.js").Sorted} Sorted
 * @typedef {import("../dist/core/plan/plan.js").Plan} Plan
 * @typedef {import("../dist/core/plan/traits.js").DeviceTraits} DeviceTraits
 * @typedef {import("../dist/core/sort/key.js").SortOptions} SortOptions
 * @typedef {import("../dist/core/sort/key.js").SortPlan} SortPlan
 * @typedef {import("../dist/dawn/choose_adapter.js").AdapterSummary} AdapterSummary
 * @typedef {{ from: GPUBuffer, to: GPUBuffer }} Copy of an input, from which it is restored
 *
 * @typedef {object} Effort
 * @property {number} runs how many times to measure at least.
 * @property {number} warmMs for how many milliseconds to keep the GPU busy before the measurements that count.
 * @property {number} busyMs what the sorts of one measurement take in all.
 */

/** Bytes that are written to a device at a time. */
const PIECE = 1 << 24;
/** Bytes that are read back at a time. */
const WINDOW = 1 << 28;

/**
 * A GPU that was idle while it got its keys is slow until it has been busy for this many milliseconds.
 *
 * @param {number} keyCount
 */
export const warmMs = (keyCount) => (keyCount > 2 ** 21 ? 1500 : 250);

/**
 * Sorts keys again and again by a plan, each time from the same input, and checks the last result. Values of
 * one word are the indices of the keys, and tell whether equal keys kept their order.
 *
 * @template T
 * @param {{ gpu: Gpu, adapter: AdapterSummary, traits: DeviceTraits }} opened
 * @param {{ type: ElementType, keys: KeyArray, plan: SortPlan, options: SortOptions }} job
 * @param {Effort} effort
 * @param {(onDevice: DeviceJob, pristine: Copy[]) => T} meanwhile is called with the job on the device and the
 *   copies of its input, before all ends.
 * @returns the median and the least of the last measurements, in milliseconds a sort, and what `meanwhile`
 *   found.
 */
export async function timeSort(
  { gpu, adapter, traits },
  { type, keys, plan, options },
  { runs, warmMs, busyMs },
  meanwhile,
) {
  const unique = plan.distinct !== undefined;
  const task = { type, keyCount: keys.length, verify: true, unique, options };
  const onDevice = await DeviceJob.allocate({ gpu, task, plan, traits });
  try {
    await onDevice.prepare();
    const ofKeys = { from: await onDevice.copyOf("keys"), to: onDevice.keys };
    const ofValues = onDevice.values && { from: await onDevice.copyOf("values"), to: onDevice.values };
    const pristine = ofValues ? [ofKeys, ofValues] : [ofKeys];
    /**
     * @param {ArrayBufferView} array
     * @param {GPUBuffer} buffer
     */
    const write = (array, buffer) => {
      const memory = /** @type {ArrayBuffer} */ (array.buffer);
      const bytes = new Uint8Array(memory, array.byteOffset, array.byteLength);
      for (let at = 0; at < bytes.length; at += PIECE) {
        gpu.device.queue.writeBuffer(buffer, at, bytes.subarray(at, at + PIECE));
      }
    };
    write(keys, ofKeys.from);
    if (options.payload === 4 && ofValues) {
      const indices = new Uint32Array(keys.length);
      for (let i = 0; i < indices.length; i++) indices[i] = i;
      write(indices, ofValues.from);
    }
    const encoder = gpu.device.createCommandEncoder();
    for (const { from, to } of pristine) encoder.copyBufferToBuffer(from, 0, to, 0, to.size);
    gpu.submit(encoder);
    const before = await onDevice.inspectInput();
    const samples = [];
    const begin = performance.now();
    let sorted = await onDevice.sort({ pristine });
    for (let repeats = 0; samples.length < runs || performance.now() - begin < warmMs; ) {
      sorted = await onDevice.sort({ pristine, repeats });
      samples.push(sorted.ms);
      repeats = Math.min(60, Math.floor(busyMs / sorted.ms));
    }
    if (plan.selection !== undefined) await checkSelected(onDevice, sorted, plan, options, adapter.driver);
    else if (plan.distinct !== undefined) await checkUnique(onDevice, sorted, plan);
    else checkTotals(keys.length, before, await onDevice.inspectResult(sorted), adapter.driver);
    const isWhole = plan.selection === undefined && plan.distinct === undefined;
    if (isWhole && (options.payload === 4 || options.payload === "index") && type.bytes >= 4) {
      await requireStable(gpu, keys, sorted);
    }
    const last = samples.slice(-runs);
    return { ms: median(last), least: Math.min(...last), found: await meanwhile(onDevice, pristine) };
  } finally {
    onDevice.destroy();
  }
}

/**
 * Checks the first keys; if too many keys equal the last of them, only whether they are in order.
 *
 * @param {DeviceJob} onDevice
 * @param {Sorted} result
 * @param {SortPlan} plan
 * @param {SortOptions} options
 * @param {string} driver
 */
async function checkSelected(onDevice, { keys, values }, { selection = "" }, { top = 0 }, driver) {
  const { count, bound, isWhole } = readSelected(await onDevice.read(selection));
  const first = await onDevice.inspectFirst({ keys, count: top, values });
  if (count < top || first.seen !== top || first.inversions > 0) {
    throw new Error(`${driver} selected wrong keys`);
  }
  if (!isWhole) return;
  const before = await onDevice.inspectUpTo(bound);
  checkTotals(count, before, await onDevice.inspectFirst({ keys, count, values }), driver);
}

/**
 * Checks that the distinct keys are in order and differ.
 *
 * @param {DeviceJob} onDevice
 * @param {Sorted} result
 * @param {SortPlan} plan
 */
async function checkUnique(onDevice, { keys }, plan) {
  const [distinct = 0] = await onDevice.read(plan.distinct ?? "");
  const found = await onDevice.inspectFirst({ keys, count: distinct });
  if (found.inversions > 0 || found.distinct !== distinct) throw new Error("not all keys are distinct");
}

/**
 * Checks that values are the indices of their keys, and that keys with equal bits kept their order.
 *
 * @param {Gpu} gpu
 * @param {KeyArray} keys
 * @param {Sorted} sorted
 */
async function requireStable(gpu, keys, sorted) {
  const words = keys.BYTES_PER_ELEMENT / 4;
  const input = new Uint32Array(keys.buffer, keys.byteOffset, words * keys.length);
  const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
  const most = Math.min(WINDOW / 8, keys.length);
  const windows = [
    { from: sorted.keys, words },
    { from: /** @type {GPUBuffer} */ (sorted.values), words: 1 },
  ].map((one) => ({ ...one, to: gpu.device.createBuffer({ size: 4 * one.words * most, usage }) }));
  const last = new Array(words).fill(-1);
  let lastIndex = -1;
  for (let begin = 0; begin < keys.length; begin += most) {
    const count = Math.min(most, keys.length - begin);
    const encoder = gpu.device.createCommandEncoder();
    for (const { from, to, words } of windows)
      encoder.copyBufferToBuffer(from, 4 * words * begin, to, 0, 4 * words * count);
    gpu.submit(encoder);
    await Promise.all(windows.map(({ to }) => gpu.settle(to.mapAsync(MapMode.read), "reading the result")));
    const [sortedKeys, indices] = windows.map(
      ({ to, words }) => new Uint32Array(to.getMappedRange(0, 4 * words * count)),
    );
    for (let i = 0; i < count; i++) {
      const index = indices[i];
      let isSame = true;
      for (let word = 0; word < words; word++) {
        const part = sortedKeys[words * i + word];
        if (input[words * index + word] !== part)
          throw new Error(`place ${begin + i} has the value of another key`);
        isSame &&= last[word] === part;
        last[word] = part;
      }
      if (isSame && index <= lastIndex) throw new Error(`equal keys changed their order at ${begin + i}`);
      lastIndex = index;
    }
    for (const { to } of windows) to.unmap();
  }
  for (const { to } of windows) to.destroy();
}

/**
 * Times each pass of a plan by itself.
 *
 * @param {DeviceJob} onDevice the job, and `pristine` the copies of its input.
 * @param {Gpu} gpu
 * @param {Plan} plan
 * @param {Copy[]} pristine
 * @returns the kernel's name and the median of its milliseconds, for each pass.
 */
export async function timePasses(gpu, plan, onDevice, pristine) {
  const given = { keys: onDevice.keys, ...(onDevice.values ? { values: onDevice.values } : {}) };
  const whole = await Execution.prepare(gpu, plan, given);
  try {
    return await timeEachPass(gpu, plan, whole, pristine);
  } finally {
    whole.destroy();
  }
}

/**
 * The same for a plan that has been prepared. So many untimed sorts go before.
 *
 * @param {Gpu} gpu
 * @param {Plan} plan
 * @param {Execution} whole
 * @param {Copy[]} pristine
 * @param {number} repeats
 */
export async function timeEachPass(gpu, plan, whole, pristine = [], repeats = 0) {
  const single = await Promise.all(
    plan.passes.map((pass) => Execution.prepare(gpu, { ...plan, passes: [pass] }, whole.buffers)),
  );
  const timers = (await Promise.all(plan.passes.map(() => Timer.create(gpu)))).filter(
    (one) => one !== undefined,
  );
  if (timers.length < single.length) throw new Error("the device has no timestamps");
  /** @type {number[][]} */
  const all = plan.passes.map(() => []);
  for (let run = 0; run < 12; run++) {
    const encoder = gpu.device.createCommandEncoder();
    whole.encode(encoder, undefined, repeats);
    for (const { from, to } of pristine) encoder.copyBufferToBuffer(from, 0, to, 0, to.size);
    for (const [i, one] of single.entries()) one.encode(encoder, timers[i]);
    for (const timer of timers) timer.resolve(encoder);
    gpu.submit(encoder);
    for (const [i, timer] of timers.entries()) all[i].push(await timer.readMs());
  }
  for (const one of [...single, ...timers]) one.destroy();
  return plan.passes.map(({ program }, i) => `${program.kernel} ${median(all[i].slice(3)).toFixed(4)}`);
}
