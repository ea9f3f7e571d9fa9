import { OneSweepSort } from "gridwise";
import { download, openDevice, upload } from "./buffers.js";

export const types = ["u32", "i32", "f32", "u64"];

export async function open() {
  const { device, adapter } = await openDevice(({ features }) => ({
    requiredFeatures: ["subgroups", "timestamp-query"].filter((name) => features.has(name)),
    requiredLimits: { maxComputeWorkgroupStorageSize: 32_768 },
  }));
  const sort = async (array, datatype) => {
    const keysInOut = upload(device, array);
    const keysTemp = upload(device, array);
    await new OneSweepSort({ device, datatype, inputLength: array.length }).execute({ keysInOut, keysTemp });
    return download(device, keysInOut, array);
  };
  return { adapter, sort };
}
