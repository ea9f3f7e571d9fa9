// A web page that sorts keys on devices of several kinds, and compares the results with JavaScript's.
// matrix.test.ts calls it.
import { createSorter, deviceDescriptor, elementType } from "gpusort/core";

const features = (adapter, wanted) => wanted.filter((name) => adapter.features.has(name));

/** How to open a device of each kind. */
const kinds = {
  "default limits": (adapter) => ({ requiredFeatures: deviceDescriptor(adapter).requiredFeatures }),
  "the adapter's limits": deviceDescriptor,
  "no subgroups": (adapter) => ({ requiredFeatures: features(adapter, ["timestamp-query"]) }),
  "no timestamps": (adapter) => ({ requiredFeatures: features(adapter, ["subgroups"]) }),
  compatibility: () => ({}),
};

/** Random bits, in which every seventh key is one of few, or special for floats. */
function randomKeys(name, count) {
  const type = elementType(name);
  const words = new Uint32Array(Math.ceil((count * type.bytes) / 4));
  let state = count + 1;
  for (let i = 0; i < words.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    words[i] = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  }
  const keys = new (name === "f16" ? Float16Array : type.array)(words.buffer, 0, count);
  const one = typeof keys[0] === "bigint" ? 1n : 1;
  const few = type.order === "float" ? [NaN, 0, -0, Infinity, -Infinity] : [one, one + one];
  for (let i = 0; i < count; i += 7) keys[i] = few[(i / 7) % few.length];
  return keys;
}

function firstDifference(actual, expected) {
  if (actual.length !== expected.length) return `${actual.length} items instead of ${expected.length}`;
  const at = expected.findIndex((key, i) => !Object.is(key, actual[i]));
  return at < 0 ? undefined : `item ${at} is ${actual[at]} instead of ${expected[at]}`;
}

/** Where each key goes in a stable sort. All NaNs are equal, and last; -0 comes before 0. */
function stableOrder(keys, descending) {
  // Comparisons say nothing of NaNs and of zeros of different signs.
  const rank = (key) => (Number.isNaN(key) ? 2 : Object.is(key, -0) ? -1 : 0);
  const compare = (a, b) => {
    const [x, y] = [keys[a], keys[b]];
    if (Number.isNaN(x) || Number.isNaN(y) || x === y) return rank(x) - rank(y);
    return x < y ? -1 : 1;
  };
  const order = Uint32Array.from(keys, (_, i) => i);
  return order.sort(descending ? (a, b) => compare(b, a) : compare);
}

async function openKind(kind) {
  const options = kind === "compatibility" ? { featureLevel: "compatibility" } : {};
  const adapter = await navigator.gpu.requestAdapter(options);
  const device = await adapter.requestDevice(kinds[kind](adapter));
  const errors = [];
  device.onuncapturederror = ({ error }) => errors.push(error.message);
  return { device, sorter: await createSorter(device), errors };
}

async function resident({ device, sorter }, type, keys) {
  const capacity = Math.max(1, keys.length);
  const description = { type, capacity, count: keys.length, payload: "index", descending: true };
  const { bytes, usage } = sorter.requirements(description).keys;
  const buffer = device.createBuffer({ size: bytes, usage, mappedAtCreation: true });
  const source = new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
  new Uint8Array(buffer.getMappedRange()).set(source);
  buffer.unmap();
  const sort = await sorter.prepare({ ...description, keys: buffer });
  const encoder = device.createCommandEncoder();
  sort.encode(encoder);
  const size = Math.max(4, 4 * keys.length);
  const readback = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  encoder.copyBufferToBuffer(sort.values.buffer, sort.values.offset, readback, 0, size);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ);
  const indices = new Uint32Array(readback.getMappedRange().slice(0, 4 * keys.length));
  for (const each of [buffer, readback, sort]) each.destroy();
  return indices;
}

const opened = {};

/** The keys of a type and a number, what JavaScript makes of them, and their order; of the last type only. */
const expectations = { type: undefined, bySize: new Map() };

function expected(type, size) {
  if (expectations.type !== type) Object.assign(expectations, { type, bySize: new Map() });
  const { bySize } = expectations;
  if (!bySize.has(size)) {
    const keys = randomKeys(type, size);
    bySize.set(size, { keys, sorted: keys.slice().sort(), order: stableOrder(keys, true) });
  }
  return bySize.get(size);
}

globalThis.gpusortMatrix = {
  adapter: async () => (await navigator.gpu?.requestAdapter()) !== null && navigator.gpu !== undefined,
  limits: async (kind) => {
    opened[kind] ??= await openKind(kind);
    const { limits, features } = opened[kind].device;
    return {
      invocations: limits.maxComputeInvocationsPerWorkgroup,
      storage: limits.maxComputeWorkgroupStorageSize,
      features: [...features],
    };
  },
  /** @returns what was wrong, in sentences. */
  run: async (kind, type, sizes) => {
    opened[kind] ??= await openKind(kind);
    const { sorter, errors } = opened[kind];
    const wrong = [];
    for (const size of sizes) {
      const { keys: before, sorted, order } = expected(type, size);
      const keys = before.slice();
      const note = (form, difference) =>
        difference && wrong.push(`${form} of ${size} ${type} keys: ${difference}`);
      note("sort", firstDifference(await sorter.sort(keys), sorted));
      note("argsort", firstDifference(await sorter.argsort(keys, { descending: true }), order));
      note("resident argsort", firstDifference(await resident(opened[kind], type, keys), order));
      note("input", firstDifference(keys, before));
    }
    return [...wrong, ...errors.splice(0)];
  },
};
