import { InputError } from "../errors.js";
import type { Limits } from "../plan/grid.js";
import { formatBytes, formatCount } from "../report/units.js";

/** @throws InputError if the device allows no workgroup of this shape. */
export function requireWorkgroup(size: readonly number[], limits: Limits, option: string): void {
  const sides = [
    limits.maxComputeWorkgroupSizeX,
    limits.maxComputeWorkgroupSizeY,
    limits.maxComputeWorkgroupSizeZ,
  ];
  const most = limits.maxComputeInvocationsPerWorkgroup;
  const invocations = size.reduce((all, one) => all * one, 1);
  if (invocations <= most && size.every((side, axis) => side <= sides[axis]!)) return;
  throw new InputError(`${option} ${size.join("x")} is ${formatCount(invocations)} invocations`, {
    hint: `this device takes at most ${formatCount(most)} a workgroup, ${sides.join(" x ")} along its sides`,
  });
}

/** @throws InputError if a side has more workgroups than the device dispatches. */
export function requireGrid(grid: readonly number[], limits: Limits, option: string): void {
  const most = limits.maxComputeWorkgroupsPerDimension;
  if (grid.every((workgroups) => workgroups <= most)) return;
  throw new InputError(`${option} ${grid.join("x")} is too many workgroups`, {
    hint: `this device takes at most ${formatCount(most)} along a side`,
  });
}

/** @throws InputError if a buffer of so many bytes cannot be bound. */
export function requireBuffer(bytes: number, limits: Limits, what: string): void {
  const most = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  if (bytes <= most) return;
  throw new InputError(`${what} would take a buffer of ${formatBytes(bytes)}`, {
    hint: `this device binds at most ${formatBytes(most)}: take less`,
  });
}

/** @throws InputError if a texture has more texels along a side than the device allows. */
export function requireTexture(width: number, height: number, limits: Limits, what: string): void {
  const most = limits.maxTextureDimension2D;
  if (width <= most && height <= most) return;
  throw new InputError(`${what} is ${formatCount(width)} x ${formatCount(height)} pixels`, {
    hint: `this device takes textures of at most ${formatCount(most)} a side: scale it down`,
  });
}
