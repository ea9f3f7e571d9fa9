import type { Gpu } from "../../src/core/device/gpu.js";
import type { KeyArray, TypeName } from "../../src/core/elements.js";
import { createSorter, type Sorter } from "../../src/core/index.js";

/** A way to sort the keys of one array, prepared. */
export interface Contender {
  readonly name: string;
  readonly isGpusort: boolean;
  /** Sorts once. @returns the milliseconds of a sort. */
  run(): Promise<number>;
  /** The sorted keys of the last run. */
  result(): Promise<KeyArray>;
  close(): void;
}

/** What sorts in this page: each sorter is opened once. */
export interface Sorters {
  readonly cpu: Sorter;
  readonly gpu?: Sorter | undefined;
}

export async function openSorters(gpu: Gpu | undefined): Promise<Sorters> {
  return { cpu: await createSorter("cpu"), gpu: gpu && (await createSorter(gpu.device)) };
}

/** A batch of prepared sorts is timed as one, so that it takes at least this long: the clock is coarse. */
const BATCH_MS = 25;

/** The most sorts of a batch. */
const MOST = 64;

/** The contenders for some keys. */
export async function contendersFor(
  keys: KeyArray,
  type: TypeName,
  { cpu, gpu }: Sorters,
): Promise<Contender[]> {
  return [
    platformSort(keys),
    arrayToArray(`gpusort on the CPU, ${threadsText()}`, cpu, keys),
    ...(gpu ? [arrayToArray("gpusort, array to array", gpu, keys), await resident(gpu, keys, type)] : []),
  ];
}

function threadsText(): string {
  if (!globalThis.crossOriginIsolated) return "one thread";
  const threads = Math.min(16, navigator.hardwareConcurrency);
  return threads === 1 ? "one thread" : `up to ${threads} threads`;
}

async function timed(run: () => Promise<void> | void): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

function platformSort(keys: KeyArray): Contender {
  const into = keys.slice() as KeyArray;
  return {
    name: `${keys.constructor.name}.prototype.sort`,
    isGpusort: false,
    run: () => {
      (into as Uint32Array).set(keys as Uint32Array);
      return timed(() => void into.sort());
    },
    result: async () => into,
    close: () => {},
  };
}

function arrayToArray(name: string, sorter: Sorter, keys: KeyArray): Contender {
  const into = keys.slice() as KeyArray;
  return {
    name,
    isGpusort: true,
    run: () => timed(async () => void (await sorter.sort(keys, { into }))),
    result: async () => into,
    close: () => {},
  };
}

/** A prepared sort of a buffer. `input: "keep"` lets each run sort the same keys. */
async function resident(sorter: Sorter, keys: KeyArray, type: TypeName): Promise<Contender> {
  const device = sorter.device!;
  const description = { type, capacity: keys.length, input: "keep" } as const;
  const { bytes, usage } = sorter.requirements(description).keys;
  const buffer = device.createBuffer({ size: bytes, usage: usage | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, keys as GPUAllowSharedBufferSource);
  const sort = await sorter.prepare({ ...description, keys: buffer });
  const sortTimes = (times: number) => {
    const encoder = device.createCommandEncoder();
    for (let i = 0; i < times; i++) sort.encode(encoder);
    return timed(async () => {
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
    });
  };
  let batch = 1;
  return {
    name: "gpusort, on the GPU",
    isGpusort: true,
    run: async () => {
      const ms = await sortTimes(batch);
      if (batch > 1 || ms > BATCH_MS) return ms / batch;
      batch = Math.min(MOST, Math.ceil(BATCH_MS / Math.max(ms, 0.1)));
      return (await sortTimes(batch)) / batch;
    },
    result: async () => {
      const { buffer: from, offset } = sort.keys;
      const size = Math.ceil(keys.byteLength / 4) * 4;
      const to = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(from, offset, to, 0, size);
      device.queue.submit([encoder.finish()]);
      await to.mapAsync(GPUMapMode.READ);
      const copy = to.getMappedRange().slice(0, keys.byteLength);
      to.destroy();
      return new (keys.constructor as Uint32ArrayConstructor)(copy) as KeyArray;
    },
    close: () => {
      sort.destroy();
      buffer.destroy();
    },
  };
}
