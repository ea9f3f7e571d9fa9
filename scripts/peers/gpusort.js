// @ts-expect-error: scripts/peers.js builds it
import { createSorter, deviceDescriptor } from "gpusort-core/standalone";
import { openDevice } from "./buffers.js";

export const types = ["u32", "i32", "f32", "u64", "i64", "f64"];

export async function open() {
  const { device, adapter } = await openDevice(deviceDescriptor);
  const sorter = await createSorter(device);
  return { adapter, sort: (/** @type {import("./buffers.js").Keys} */ keys) => sorter.sort(keys) };
}
