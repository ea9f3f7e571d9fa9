import { InputError } from "../core/errors.js";
import type { Limits } from "../core/plan/grid.js";
import { formatBytes, formatCount } from "../report/units.js";

/** @throws InputError if the device does not allow a workgroup of this shape. */
export function requireWorkgroup(size: readonly number[], limits: Limits): void {
  const sides = [
    limits.maxComputeWorkgroupSizeX,
    limits.maxComputeWorkgroupSizeY,
    limits.maxComputeWorkgroupSizeZ,
  ];
  const most = limits.maxComputeInvocationsPerWorkgroup;
  const invocations = size.reduce((all, one) => all * one, 1);
  if (invocations <= most && size.every((side, axis) => side <= sides[axis]!)) return;
  throw new InputError(`--workgroup ${size.join("x")} is ${formatCount(invocations)} invocations`, {
    hint: [
      `this device allows at most ${formatCount(most)} per workgroup,`,
      `and at most ${sides.join(" x ")} along its dimensions`,
    ].join(" "),
  });
}

/** @throws InputError if the grid has more workgroups in a dimension than the device allows. */
export function requireGrid(grid: readonly number[], limits: Limits, option: string): void {
  const most = limits.maxComputeWorkgroupsPerDimension;
  if (grid.every((workgroups) => workgroups <= most)) return;
  throw new InputError(`${option} ${grid.join("x")} is too many workgroups`, {
    hint: `this device allows at most ${formatCount(most)} per dimension`,
  });
}

/** @throws InputError if the device cannot bind a buffer of this many bytes. */
export function requireBuffer(bytes: number, limits: Limits, what: string): void {
  const most = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  if (bytes <= most) return;
  throw new InputError(`${what} would need a buffer of ${formatBytes(bytes)}`, {
    hint: `this device allows at most ${formatBytes(most)}; make it smaller`,
  });
}

/** @throws InputError if a texture has more texels along a side than the device allows. */
export function requireTexture(width: number, height: number, limits: Limits, what: string): void {
  const most = limits.maxTextureDimension2D;
  if (width <= most && height <= most) return;
  throw new InputError(`${what} is ${formatCount(width)} x ${formatCount(height)} pixels`, {
    hint: `this device allows textures of at most ${formatCount(most)} pixels per side; make it smaller`,
  });
}
