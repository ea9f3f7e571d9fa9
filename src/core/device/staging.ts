import type { Bytes } from "../bytes.js";
import type { GPUBuffer, GPUCommandEncoder } from "../host_types.js";
import { settleAll } from "../settle_all.js";
import type { Gpu } from "./gpu.js";
import { BufferUsage, MapMode } from "./usage.js";

/** Measures transfers. Its calls may overlap. */
export interface TransferClock {
  /** Called when a transfer starts to move bytes. */
  begin(): void;
  /** Called when `bytes` bytes have arrived. */
  end(bytes: number): void;
}

/**
 * Bytes per window. A larger window takes longer to make, 0.2 ms a MiB on an H200, and its bytes have left
 * the processor's cache before they are written. A smaller one spends its time in the event loop.
 */
const WINDOW_BYTES = { upload: 16 << 20, readback: 8 << 20 };
const WINDOWS = 4;

type Ring = keyof typeof WINDOW_BYTES;

/** The windows of a ring through which `bytes` bytes are moved. */
function windowsFor(ring: Ring, bytes: number) {
  const size = Math.min(WINDOW_BYTES[ring], wholeWords(bytes));
  return { size, count: Math.min(WINDOWS, Math.ceil(bytes / Math.max(1, size))) };
}

/** Bytes of all windows, after `bytes` bytes were uploaded and read back. */
export function stagingBytes(bytes: number): number {
  const rings = Object.keys(WINDOW_BYTES) as Ring[];
  return rings.reduce((sum, ring) => {
    const { size, count } = windowsFor(ring, bytes);
    return sum + size * count;
  }, 0);
}

/** WebGPU copies whole words. The length of every buffer is a multiple of a word. */
const wholeWords = (bytes: number) => Math.ceil(bytes / 4) * 4;

/**
 * Moves bytes between the CPU and device buffers through rings of mapped windows. The caller reads directly
 * into mapped memory and writes directly from it, so no CPU memory of the size of the data is allocated.
 * Several windows are in flight: while one is filled, another is copied.
 */
export class Staging {
  readonly #gpu: Gpu;
  readonly #rings = new Map<Ring, GPUBuffer[]>();
  /** The buffer of which a submission of the caller copies the first window. */
  #copied: GPUBuffer | undefined;

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /**
   * Fills the first `bytes` bytes of `target` with what `fill` writes into the windows.
   *
   * @param target a buffer of the device with usage COPY_DST.
   * @param bytes at most the length of the buffer.
   * @param fill gets a mapped window and the offset of its first byte in the whole. Several calls run at a
   *   time. The window must be full when the promise of the call resolves.
   * @param clock measures the copies to the device.
   * @throws DeviceError if the device fails or runs out of memory; and any error of `fill`.
   */
  async upload(
    target: GPUBuffer,
    bytes: number,
    fill: (window: Bytes, offset: number) => Promise<void>,
    clock: TransferClock,
  ): Promise<void> {
    this.#copied = undefined; // if an earlier job did not read it back
    const ring = await this.#ring("upload", bytes, BufferUsage.mapWrite | BufferUsage.copySource, true);
    await this.#forEachWindow(ring, bytes, async (window, offset, size) => {
      if (window.mapState === "unmapped") await this.#map(window, MapMode.write);
      await fill(new Uint8Array(window.getMappedRange(), 0, size), offset);
      window.unmap();
      clock.begin();
      this.#copy(window, 0, target, offset, size);
      await this.#map(window, MapMode.write);
      clock.end(size);
    });
  }

  /**
   * Passes the first `bytes` bytes of `source` to `drain`, window by window.
   *
   * @param source a buffer of the device with usage COPY_SRC.
   * @param bytes at most the length of the buffer.
   * @param drain gets a mapped window and the offset of its first byte in the whole. Several calls run at a
   *   time, but they start in order. The window is reused when the promise of the call has resolved.
   * @param clock measures the copies from the device.
   * @throws DeviceError if the device fails or runs out of memory; and any error of `drain`.
   */
  async readback(
    source: GPUBuffer,
    bytes: number,
    drain: (window: Bytes, offset: number) => Promise<void>,
    clock: TransferClock,
  ): Promise<void> {
    const copied = this.#copied;
    this.#copied = undefined;
    const ring = await this.#readbackRing(bytes);
    await this.#forEachWindow(ring, bytes, async (window, offset, size) => {
      clock.begin();
      const isCopied = offset === 0 && copied === source;
      if (!isCopied) this.#copy(source, offset, window, 0, size);
      await this.#map(window, MapMode.read);
      clock.end(size);
      await drain(new Uint8Array(window.getMappedRange(), 0, size), offset);
      window.unmap();
    });
  }

  /** Makes the windows in which `bytes` bytes will be read back, so that `readback` finds them. */
  async expectReadback(bytes: number): Promise<void> {
    await this.#readbackRing(bytes);
  }

  /**
   * Encodes the copy of the first window of what will be read back next, so that it is done with the caller's
   * submission. To be called after `expectReadback` for as many bytes.
   */
  encodeReadback(encoder: GPUCommandEncoder, source: GPUBuffer, bytes: number): void {
    const [window] = this.#rings.get("readback")!;
    encoder.copyBufferToBuffer(source, 0, window!, 0, wholeWords(Math.min(window!.size, bytes)));
    this.#copied = source;
  }

  #readbackRing(bytes: number): Promise<GPUBuffer[]> {
    return this.#ring("readback", bytes, BufferUsage.mapRead | BufferUsage.copyDestination, false);
  }

  /** Destroys the windows. The next transfer makes new ones. */
  destroy(): void {
    for (const window of [...this.#rings.values()].flat()) window.destroy();
    this.#rings.clear();
    this.#copied = undefined;
  }

  /**
   * Every window of the ring takes the next piece when it is free. After a failure, no new piece is started.
   */
  async #forEachWindow(
    ring: readonly GPUBuffer[],
    bytes: number,
    move: (window: GPUBuffer, offset: number, size: number) => Promise<void>,
  ): Promise<void> {
    let next = 0;
    const run = async (window: GPUBuffer) => {
      while (next < bytes) {
        const offset = next;
        const size = Math.min(window.size, bytes - offset);
        next += size;
        try {
          await move(window, offset, size);
        } catch (error) {
          next = bytes;
          throw error;
        }
      }
    };
    // The caller may destroy the windows only after every one of them is idle.
    await settleAll(ring.map(run));
  }

  async #ring(name: Ring, bytes: number, usage: number, mapped: boolean): Promise<GPUBuffer[]> {
    const ring = this.#rings.get(name) ?? [];
    this.#rings.set(name, ring);
    const { size, count } = windowsFor(name, bytes);
    if (ring[0] && ring[0].size < size) for (const small of ring.splice(0)) small.destroy();
    while (ring.length < count) ring.push(await this.#gpu.buffer(`${name} window`, size, usage, mapped));
    return ring.slice(0, count);
  }

  #copy(source: GPUBuffer, from: number, target: GPUBuffer, to: number, size: number): void {
    const encoder = this.#gpu.device.createCommandEncoder();
    encoder.copyBufferToBuffer(source, from, target, to, wholeWords(size));
    this.#gpu.submit(encoder);
  }

  #map(window: GPUBuffer, mode: number): Promise<undefined> {
    return this.#gpu.settle(window.mapAsync(mode), "mapping a staging window");
  }
}
