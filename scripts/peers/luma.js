// @ts-expect-error: scripts/peers.js installs it
import { Buffer, luma } from "@luma.gl/core";
// @ts-expect-error: scripts/peers.js installs it
import { GPUCommandGraph, GPUSort } from "@luma.gl/gpgpu/gpu-core";
// @ts-expect-error: scripts/peers.js installs it
import { webgpuAdapter } from "@luma.gl/webgpu";

export const types = ["u32"];

const usage = Buffer.STORAGE | Buffer.COPY_SRC | Buffer.COPY_DST;

export async function open() {
  const device = await luma.createDevice({
    type: "webgpu",
    adapters: [webgpuAdapter],
    featureLevel: "max",
    createCanvasContext: false,
  });
  /** @param {Uint32Array<ArrayBuffer>} array */
  const sort = async (array) => {
    const graph = new GPUCommandGraph(device);
    /** @type {Buffer[]} */
    const buffers = [];
    /** @param {string} id */
    const view = (id) => {
      const buffer = device.createBuffer({ id, usage, data: array });
      buffers.push(buffer);
      const handle = graph.importBuffer({ id, byteLength: array.byteLength, usage }, buffer);
      return graph.createDataView(handle, { format: "uint32", length: array.length });
    };
    const views = { keys: view("keys"), values: view("values") };
    const outputs = { outputKeys: view("outputKeys"), outputValues: view("outputValues") };
    new GPUSort({ ...views, ...outputs }).addToGraph(graph);
    const encoder = device.createCommandEncoder();
    graph.compile().encode(encoder, {});
    device.submit(encoder.finish());
    const { buffer, byteOffset } = await buffers[2].readAsync();
    for (const one of buffers) one.destroy();
    return new Uint32Array(buffer, byteOffset, array.length);
  };
  const { vendor, architecture } = device.handle.adapterInfo;
  return { adapter: `${vendor} ${architecture}`, sort };
}
