import { afterAll, expect } from "vitest";
import { create } from "webgpu";

/** Dawn's null backend: it compiles kernels and validates calls without a driver, but computes nothing. */
const dawn = create(["backend=null"]);

afterAll(() => {
  expect(dawn).toBeDefined(); // keeps it from being garbage-collected while its adapters and devices are in use
});

/** An adapter of the null backend, which opens one device. */
export async function nullAdapter(): Promise<GPUAdapter> {
  return (await dawn.requestAdapter())!;
}

/** A device with subgroups and the largest workgroups of its adapter. */
export async function deviceWithSubgroups(adapter: GPUAdapter): Promise<GPUDevice> {
  const { limits } = adapter;
  return await adapter.requestDevice({
    requiredFeatures: ["subgroups"],
    requiredLimits: {
      maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
      maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
      maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
    },
  });
}
