import {
  BUFFERUSAGE_COPY_DST,
  BUFFERUSAGE_COPY_SRC,
  ComputeRadixSort,
  createGraphicsDevice,
  DEVICETYPE_WEBGPU,
  StorageBuffer,
  // @ts-expect-error: scripts/peers.js installs it
} from "playcanvas";

export const types = ["u32"];

export async function open() {
  const device = await createGraphicsDevice(document.createElement("canvas"), {
    deviceTypes: [DEVICETYPE_WEBGPU],
  });
  if (device.deviceType !== DEVICETYPE_WEBGPU) throw new Error(`the device is ${device.deviceType}`);
  const { vendor, architecture } = device.gpuAdapter.info;
  /** @param {Uint32Array<ArrayBuffer>} array */
  const sort = async (array) => {
    const keys = new StorageBuffer(device, array.byteLength, BUFFERUSAGE_COPY_SRC | BUFFERUSAGE_COPY_DST);
    keys.write(0, array);
    const sorter = new ComputeRadixSort(device);
    sorter.sort(keys, array.length, 32);
    const sorted = await sorter.sortedKeys.read(0, array.byteLength, new Uint32Array(array.length), true);
    sorter.destroy();
    keys.destroy();
    return sorted;
  };
  return { adapter: `${vendor} ${architecture}`, sort };
}
