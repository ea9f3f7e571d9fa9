// How bench/top_rows.js and bench/scans.js time what the library encodes into a pass of its caller.
import { median } from "../dist/bench/statistics.js";
import { Timer } from "../dist/core/device/timer.js";
import { BufferUsage, MapMode } from "../dist/core/device/usage.js";
import { createSorter } from "../dist/core/index.js";
import { openDevice } from "../dist/dawn/adapter.js";

/** Bytes that are written to a device at a time. */
const PIECE = 1 << 24;
/** A GPU that was idle is slow until it has been busy for some time. */
const WARM_MS = 500;
const RUNS = 15;

const { storage, copySource, copyDestination, mapRead } = BufferUsage;

/**
 * Opens an adapter.
 *
 * @param {string} selector
 * @param {{ subgroups?: boolean }} options whether the sorter may use subgroups.
 * @returns the name of the adapter, a sorter, and functions for its buffers and times.
 */
export async function openBench(selector, { subgroups = true } = {}) {
  const opened = await openDevice(selector);
  if (!opened) throw new Error("no adapter was found");
  const { gpu, adapter } = opened;
  const { device } = gpu;
  if (!subgroups) {
    const features = [...device.features].filter((name) => !name.startsWith("subgroup"));
    Object.defineProperty(device, "features", { value: new Set(features) });
  }
  const timer = await Timer.create(gpu);
  /** @param {number} size */
  const buffer = (size) => device.createBuffer({ size, usage: storage | copySource | copyDestination });

  /** @param {(pass: GPUComputePassEncoder) => void} encode */
  async function timeOnce(encode) {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass(timer?.passDescriptor);
    encode(pass);
    pass.end();
    timer?.resolve(encoder);
    const begin = performance.now();
    gpu.submit(encoder);
    if (timer) return timer.readMs();
    await device.queue.onSubmittedWorkDone();
    return performance.now() - begin;
  }

  return {
    driver: adapter.driver,
    sorter: await createSorter(device),
    buffer,
    /**
     * A buffer that holds an array.
     *
     * @param {ArrayBufferView} array
     */
    upload(array) {
      const target = buffer(array.byteLength);
      const memory = /** @type {ArrayBuffer} */ (array.buffer);
      const bytes = new Uint8Array(memory, array.byteOffset, array.byteLength);
      for (let at = 0; at < bytes.length; at += PIECE) {
        device.queue.writeBuffer(target, at, bytes.subarray(at, at + PIECE));
      }
      return target;
    },
    /**
     * The first words of a region of a buffer.
     *
     * @param {{ buffer: GPUBuffer, offset?: number }} region
     * @param {number} words
     */
    async read({ buffer: source, offset = 0 }, words) {
      const readback = device.createBuffer({ size: 4 * words, usage: mapRead | copyDestination });
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(source, offset, readback, 0, 4 * words);
      gpu.submit(encoder);
      await readback.mapAsync(MapMode.read);
      const copy = new Uint32Array(readback.getMappedRange().slice(0));
      readback.destroy();
      return copy;
    },
    /**
     * The median of the milliseconds that it takes after heating, by the clock of the GPU if it has one.
     *
     * @param {(pass: GPUComputePassEncoder) => void} encode
     */
    async time(encode) {
      const times = [];
      const begin = performance.now();
      while (times.length < RUNS || performance.now() - begin < WARM_MS) times.push(await timeOnce(encode));
      return median(times.slice(-RUNS));
    },
  };
}
