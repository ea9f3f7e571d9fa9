import { expect, it } from "vitest";
import { deviceDescriptor } from "../../../src/core/device/descriptor.js";
import { InputError } from "../../../src/core/errors.js";
import { defaultLimits } from "../../../src/core/plan/grid.js";
import { nullAdapter } from "../../support/null_backend.js";

// Dawn's null backend answers as a device does, without a driver.
const adapter = await nullAdapter();

/** The adapter as far as a descriptor depends on it. */
const like = (features: readonly string[], limits: object) =>
  ({ features: new Set(features), limits }) as unknown as GPUAdapter;

it("opens a device with the adapter's limits and the features that gpusort uses", async () => {
  const device = await adapter.requestDevice(deviceDescriptor(adapter));
  expect(device.features.has("subgroups")).toBe(true);
  expect(device.features.has("timestamp-query")).toBe(adapter.features.has("timestamp-query"));
  for (const name of Object.keys(defaultLimits) as (keyof typeof defaultLimits)[]) {
    expect([name, device.limits[name]]).toEqual([name, adapter.limits[name]]);
  }
  device.destroy();
});

it("asks for nothing that the adapter lacks, and for no more than gpusort uses", () => {
  const features = ["shader-f16", "timestamp-query", "subgroups"];
  const { requiredFeatures } = deviceDescriptor(like(features, adapter.limits));
  expect(requiredFeatures.toSorted()).toEqual(["subgroups", "timestamp-query"]);
  expect(deviceDescriptor(like([], adapter.limits)).requiredFeatures).toEqual([]);
});

it("gives each caller an object of its own, to which it can add", () => {
  const descriptor = deviceDescriptor(adapter);
  descriptor.requiredFeatures.push("shader-f16");
  descriptor.requiredLimits.maxBufferSize = 1;
  expect(deviceDescriptor(adapter).requiredFeatures).not.toContain("shader-f16");
  expect(deviceDescriptor(adapter).requiredLimits.maxBufferSize).toBe(adapter.limits.maxBufferSize);
});

it("says what to do where there is no adapter", () => {
  const none = null as unknown as GPUAdapter;
  expect(() => deviceDescriptor(none)).toThrow(InputError);
  expect(() => deviceDescriptor(none)).toThrow("there is no adapter: it is null");
});
