/** Radix sorts on a device by tunings that no table has: small tiles, so that few keys fill many of them. */

import { BufferUsage, MapMode } from "../../../dist/core/device/usage.js";
import { elementType } from "../../../dist/core/elements.js";
import { DeviceJob } from "../../../dist/core/engines/device_job.js";
import { checkTotals } from "../../../dist/core/sort/evidence.js";
import { radixPlan } from "../../../dist/core/sort/radix/radix.js";
import { distributionNames, keyCount, makeKeys } from "./keys.js";
import { bytesDiffer, gather, keysDiffer, orderOf } from "./oracle.js";
import { bytesIn, bytesOf, keysIn } from "./types.js";

/**
 * @typedef {import("./spec.js").Context} Context
 * @typedef {import("./spec.js").KeySpec} KeySpec
 * @typedef {import("./types.js").TypeName} TypeName
 */

/** A device compiles new kernels for each type, payload and tuning, so there are few of each. */
/** @type {TypeName[]} */
const typeNames = ["u32", "i32", "f32", "u64", "f64"];
/** @type {(0 | 4 | "index")[]} */
const payloads = [0, 4, "index"];
const small = { workgroupSize: 32, keysPerInvocation: 2, columns: 3 };
const fallback = { workgroupSize: 64, keysPerInvocation: 2, workgroups: 5, spinLimit: 32 };
/**
 * Those of two levels have no digit bits of the second one yet, which the device's subgroups decide.
 *
 * @type {(Omit<import("../../../dist/core/sort/msd/msd_tuning.js").MsdTuning, "second"> & { second?: Omit<
 *   import("../../../dist/core/sort/msd/msd_tuning.js").LevelTuning, "digitBits"> })[]}
 */
const msds = [
  { ...small, digitBits: 4, local: { workgroupSize: 32, keysPerInvocation: 5, binBits: 7 } },
  { ...small, digitBits: 4, fallback, local: { workgroupSize: 32, keysPerInvocation: 5, binBits: 7 } },
  { ...small, digitBits: 4, samples: 64, local: { workgroupSize: 32, keysPerInvocation: 9, binBits: 7 } },
  {
    ...small,
    digitBits: 5,
    second: { tilesPerChunk: 2 },
    samples: 128,
    local: { workgroupSize: 32, keysPerInvocation: 3, binBits: 7 },
  },
  {
    ...small,
    digitBits: 5,
    second: { tilesPerChunk: 2, long: { workgroupSize: 64, keysPerInvocation: 3, binBits: 7 } },
    samples: 128,
    local: { workgroupSize: 32, keysPerInvocation: 3, binBits: 7 },
  },
  {
    ...small,
    digitBits: 5,
    second: {
      tilesPerChunk: 2,
      long: { workgroupSize: 64, keysPerInvocation: 3, binBits: 7 },
      remap: { samples: 4096, rows: 4 },
    },
    samples: 128,
    local: { workgroupSize: 32, keysPerInvocation: 3, binBits: 7 },
  },
];

/**
 * Whether the device has what these tunings need: workgroups of whole subgroups.
 *
 * @param {Context} context
 */
export function canRunPlans({ engine: { device } }) {
  const traits = device?.gpu.traits;
  return traits?.subgroups === true && [4, 8, 16, 32].includes(traits.subgroupSize.min);
}

/**
 * @param {import("../random.js").Random} random
 * @returns {KeySpec}
 */
export function makePlanCase(random) {
  const type = random.pick(typeNames);
  const distribution = random.pick(distributionNames);
  const keys = makeKeys(random, type, keyCount(random, 40_000), distribution);
  const msd = random.below(msds.length);
  return {
    kind: "plan",
    type,
    itemBytes: bytesOf(type),
    fields: [{ offset: 0, type }],
    distribution,
    inputs: [bytesIn(keys)],
    msd,
    descending: random.chance(0.4),
    payload: random.pick(payloads),
  };
}

/**
 * @param {KeySpec} spec
 * @param {Context} context
 * @returns {Promise<string | undefined>}
 */
export async function runPlanCase(spec, { engine }) {
  const { type: name, itemBytes, inputs, msd = 0, descending = false, payload = 0 } = spec;
  const { gpu } = /** @type {import("../../../dist/index.js").OpenedDevice} */ (engine.device);
  const { traits } = gpu;
  const { min } = traits.subgroupSize;
  const { second, ...first } = msds[msd];
  // A workgroup of the second level's scan has an invocation for each digit value, and is at least a subgroup.
  const levels = second ? { second: { ...second, digitBits: Math.max(3, Math.log2(min)) } } : {};
  const type = elementType(name);
  const keys = keysIn(inputs[0], name);
  /** @type {import("../../../dist/core/sort/radix/radix_tuning.js").SubgroupTuning} */
  const tuning = {
    family: "subgroup",
    ...small,
    // Whole subgroups add up the digit values of the stable passes, in workgroups of as many invocations.
    ...(min > 16 ? { digitBits: 6, workgroupSize: 64 } : { digitBits: 4 }),
    subgroupSize: min,
    lockstep: false,
    fusedScan: second === undefined && first.samples === undefined,
    msd: { ...first, ...levels },
  };
  const options = { descending, payload };
  const plan = radixPlan(keys.length, type, options, traits, tuning);
  const job = { type, keyCount: keys.length, verify: true, options };
  const onDevice = await DeviceJob.allocate({ gpu, task: job, plan, traits });
  try {
    await onDevice.prepare();
    gpu.device.queue.writeBuffer(onDevice.keys, 0, /** @type {ArrayBuffer} */ (keys.buffer));
    if (payload === 4 && onDevice.values) {
      const indices = new Uint32Array(keys.length).map((_, i) => i);
      gpu.device.queue.writeBuffer(onDevice.values, 0, indices);
    }
    const before = await onDevice.inspectInput();
    const sorted = await onDevice.sort();
    checkTotals(keys.length, before, await onDevice.inspectResult(sorted), "the device");
    const items = { bytes: inputs[0], itemBytes, fields: [{ offset: 0, type: name }] };
    const order = orderOf(items, { descending });
    const expected = keysIn(gather(items, order), name);
    const found = keysDiffer(await readBack(gpu, sorted.keys, keys), expected, keys);
    if (found || !sorted.values) return found;
    return bytesDiffer(bytesIn(await readBack(gpu, sorted.values, order)), bytesIn(order), 4, "value");
  } finally {
    onDevice.destroy();
  }
}

/**
 * As many keys as there are in `like` from the start of a buffer.
 *
 * @param {import("../../../dist/core/device/gpu.js").Gpu} gpu
 * @param {GPUBuffer} from
 * @param {T} like
 * @returns {Promise<T>}
 * @template {import("./types.js").Keys} T
 */
async function readBack(gpu, from, like) {
  const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
  const window = await gpu.buffer("readback", Math.max(4, like.byteLength), usage);
  try {
    const encoder = gpu.device.createCommandEncoder();
    encoder.copyBufferToBuffer(from, 0, window, 0, like.byteLength);
    gpu.submit(encoder);
    await gpu.settle(window.mapAsync(MapMode.read), "reading the result");
    const make = /** @type {new (memory: ArrayBuffer) => T} */ (like.constructor);
    return new make(window.getMappedRange().slice(0, like.byteLength));
  } finally {
    window.destroy();
  }
}
