import type { Limits } from "../../src/core/plan/grid.js";
import { type DeviceTraits, defaultTraits } from "../../src/core/plan/traits.js";

/** The limits of a GPU of today. */
export const usualLimits: Limits = {
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
  maxComputeWorkgroupSizeY: 1024,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxComputeWorkgroupStorageSize: 49_152,
  maxStorageBufferBindingSize: 2 ** 31 - 4,
  maxBufferSize: 2 ** 40,
  maxTextureDimension2D: 8192,
};

/** Traits as NVIDIA's GPUs have them on Linux, where the tests when an engine opens succeed. */
export const nvidiaTraits: DeviceTraits = {
  ...defaultTraits,
  limits: usualLimits,
  subgroupSize: { min: 32, max: 32 },
  subgroups: true,
  lockstep: true,
  parallelProgress: true,
};
