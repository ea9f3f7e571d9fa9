import { BufferUsage, MapMode } from "../../src/core/device/usage.js";
import { elementType, type KeyArray, type TypeName } from "../../src/core/elements.js";
import type { BufferRegion } from "../../src/core/sorter/buffers.js";

/** The usages of the buffers of tests. */
export const data = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;

/** What tests do with buffers of a device. */
export function deviceBuffers(device: GPUDevice) {
  /** A buffer of `size` bytes, rounded up to whole words, with the bytes from `offset` on. */
  const upload = (bytes: ArrayBufferView<ArrayBuffer>, size = bytes.byteLength, offset = 0) => {
    const buffer = device.createBuffer({ size: offset + Math.max(4, Math.ceil(size / 4) * 4), usage: data });
    device.queue.writeBuffer(buffer, offset, bytes);
    return buffer;
  };
  const download = async ({ buffer, offset, bytes }: BufferRegion): Promise<ArrayBuffer> => {
    const size = Math.ceil(bytes / 4) * 4;
    const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
    const readback = device.createBuffer({ size: Math.max(4, size), usage });
    submit((encoder) => encoder.copyBufferToBuffer(buffer, offset, readback, 0, size));
    await readback.mapAsync(MapMode.read);
    const copy = readback.getMappedRange().slice(0, bytes);
    readback.destroy();
    return copy;
  };
  const submit = (record: (encoder: GPUCommandEncoder) => void) => {
    const encoder = device.createCommandEncoder();
    record(encoder);
    device.queue.submit([encoder.finish()]);
  };
  const keysAt = async (region: BufferRegion, name: TypeName): Promise<KeyArray> =>
    new (elementType(name).array)(await download(region));
  return { upload, download, submit, keysAt };
}
