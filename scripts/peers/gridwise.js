// @ts-expect-error: scripts/peers.js installs it
import { OneSweepSort } from "gridwise";
import { download, openDevice, upload } from "./buffers.js";

export const types = ["u32", "i32", "f32", "u64"];

/** @type {GPUFeatureName[]} */
const FEATURES = ["subgroups", "timestamp-query"];

export async function open() {
  const { device, adapter } = await openDevice(({ features }) => ({
    requiredFeatures: FEATURES.filter((name) => features.has(name)),
    requiredLimits: { maxComputeWorkgroupStorageSize: 32_768 },
  }));
  /**
   * @param {import("./buffers.js").Keys} array
   * @param {string} datatype
   */
  const sort = async (array, datatype) => {
    const keysInOut = upload(device, array);
    const keysTemp = upload(device, array);
    await new OneSweepSort({ device, datatype, inputLength: array.length }).execute({ keysInOut, keysTemp });
    return download(device, keysInOut, array);
  };
  return { adapter, sort };
}
