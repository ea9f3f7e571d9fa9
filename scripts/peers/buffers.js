/**
 * What libraries that take a GPUDevice and buffers of it have in common.
 *
 * @typedef {Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Float32Array<ArrayBuffer>
 *   | BigUint64Array<ArrayBuffer> | BigInt64Array<ArrayBuffer> | Float64Array<ArrayBuffer>} Keys
 */

/** @param {(adapter: GPUAdapter) => GPUDeviceDescriptor} descriptorOf what is requested besides the default */
export async function openDevice(descriptorOf = () => ({})) {
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error("the browser has no adapter");
  const device = await adapter.requestDevice(descriptorOf(adapter));
  const { vendor, architecture } = adapter.info;
  return { device, adapter: `${vendor} ${architecture}` };
}

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = globalThis.GPUBufferUsage;

/**
 * @param {GPUDevice} device
 * @param {Keys} array
 * @returns a buffer that holds the bytes of an array.
 */
export function upload(device, array) {
  const buffer = device.createBuffer({ size: array.byteLength, usage: STORAGE | COPY_SRC | COPY_DST });
  device.queue.writeBuffer(buffer, 0, array);
  return buffer;
}

/**
 * @template {Keys} T
 * @param {GPUDevice} device
 * @param {GPUBuffer} buffer
 * @param {T} like
 * @returns the bytes of a buffer as an array like another one.
 */
export async function download(device, buffer, like) {
  const readback = device.createBuffer({ size: like.byteLength, usage: COPY_DST | MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, readback, 0, like.byteLength);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ);
  const make = /** @type {new (bytes: ArrayBuffer) => T} */ (like.constructor);
  const array = new make(readback.getMappedRange().slice(0));
  readback.destroy();
  return array;
}
