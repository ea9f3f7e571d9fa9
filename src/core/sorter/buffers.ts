import type { Supplied } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { BufferUsage, ShaderStage } from "../device/usage.js";
import { InputError } from "../errors.js";
import type { GPUBuffer } from "../host_types.js";
import { requireKnown, shown } from "../names.js";
import { type BufferRequirement, wordWindow } from "./description.js";

/** A range of a GPU buffer. */
export interface BufferRegion {
  /** The buffer that the range is in. It may be longer than the range. */
  readonly buffer: GPUBuffer;
  /** The first byte of the range in the buffer. */
  readonly offset: number;
  /** The length of the range in bytes. */
  readonly bytes: number;
}

/** The buffers that a caller passes for a sort, by their names in the plan. */
export type SuppliedBuffers = Readonly<Record<string, Supplied>>;
/** The buffers that a sort needs, by their names in the plan. */
export type NeededBuffers = Readonly<Record<string, BufferRequirement>>;

/**
 * These may be ranges of the same buffer, because no dispatch reads one of them and writes another. Indices are
 * written while keys are read.
 */
const MAY_SHARE = { moved: ["keys", "values", "count"], indices: ["keys", "count"], none: [] };

/** Whether a buffer of a plan is a single word, which may be anywhere in a buffer of the caller. */
export function isWord(name: string): boolean {
  return name === "count" || name === "total";
}

/**
 * Checks the caller's buffers against the needs of a sort, before anything is encoded.
 *
 * @param values whether values are moved, or are the indices of the keys; "none" if no buffer may be shared.
 * @throws InputError if a value is not a buffer or a range of one; if a buffer is too small, is misaligned,
 *   lacks a usage, or belongs to another device; or if two ranges overlap or may not be in the same buffer.
 */
export async function requireBuffers(
  gpu: Gpu,
  needed: NeededBuffers,
  supplied: SuppliedBuffers,
  values: keyof typeof MAY_SHARE,
): Promise<void> {
  const regions = Object.entries(needed).map(([name, need]) => {
    const region = regionOf(name, supplied[name]!, need.bytes);
    requireFit(name, region, need, gpu.device.limits);
    return { name, ...region };
  });
  regions.forEach((one, i) => {
    for (const other of regions.slice(0, i)) requireApart(other, one, MAY_SHARE[values]);
  });
  const bound = regions.map((region) =>
    isWord(region.name) ? { ...region, ...wordWindow(region) } : region,
  );
  await Promise.all(bound.map((region) => requireDevice(gpu.device, region)));
}

/** The fields of a range. A region that another sort returned may be passed, and so may a GPUBufferBinding. */
const RANGE_NAMES = ["buffer", "offset", "bytes", "size"];

/** @throws InputError if `supplied` is neither a buffer nor a range of one, or has a field that is unknown. */
export function regionOf(name: string, supplied: Supplied, bytes: number): BufferRegion {
  const isRange =
    typeof supplied === "object" &&
    supplied !== null &&
    "buffer" in supplied &&
    !ArrayBuffer.isView(supplied);
  if (isRange) requireKnown(`the range of ${name}`, supplied, RANGE_NAMES);
  const { buffer, offset } = isRange ? supplied : { buffer: supplied as GPUBuffer | undefined, offset: 0 };
  if (typeof buffer?.usage !== "number" || typeof buffer.size !== "number") {
    throw new InputError(`${name} is ${shown(buffer)}, not a GPUBuffer`, {
      hint: `pass a GPUBuffer, or { buffer, offset }, for ${name}`,
    });
  }
  if (offset !== undefined && typeof offset !== "number") {
    throw new InputError(`the offset of ${name} is ${shown(offset)}`, { hint: "pass a number of bytes" });
  }
  return { buffer, offset: offset ?? 0, bytes };
}

function requireFit(
  name: string,
  { buffer, offset }: BufferRegion,
  { bytes, usage }: BufferRequirement,
  limits: GPUSupportedLimits,
): void {
  const isUniform = (usage & BufferUsage.uniform) !== 0;
  const alignment = Math.max(
    limits.minStorageBufferOffsetAlignment,
    isUniform ? limits.minUniformBufferOffsetAlignment : 0,
  );
  const [step, why] = isWord(name) ? [4, "a word"] : [alignment, "minStorageBufferOffsetAlignment"];
  if (!Number.isInteger(offset) || offset < 0 || offset % step !== 0) {
    throw new InputError(`this device cannot bind ${name} at byte ${offset} of its buffer`, {
      hint: `use an offset that is a multiple of ${step} (${why})`,
    });
  }
  if (buffer.size - offset < bytes) {
    throw new InputError(
      `${name} has ${Math.max(0, buffer.size - offset)} bytes from byte ${offset} on but needs ${bytes}`,
      { hint: "use a larger buffer or a smaller capacity; requirements() returns the sizes of a sort" },
    );
  }
  const missing = [
    ...((buffer.usage & BufferUsage.storage) === 0 ? ["STORAGE"] : []),
    ...(isUniform && (buffer.usage & BufferUsage.uniform) === 0 ? ["UNIFORM"] : []),
    ...((usage & ~buffer.usage & BufferUsage.indirect) !== 0 ? ["INDIRECT"] : []),
  ];
  if (missing.length > 0) {
    throw new InputError(`the buffer of ${name} lacks the usage ${missing.join(" and ")}`, {
      hint: `create it with GPUBufferUsage.${missing.join(" | GPUBufferUsage.")}`,
    });
  }
}

type Named = BufferRegion & { readonly name: string };

function requireApart(a: Named, b: Named, mayShare: readonly string[]): void {
  if (a.buffer !== b.buffer) return;
  if (!mayShare.includes(a.name) || !mayShare.includes(b.name)) {
    throw new InputError(
      `${a.name} and ${b.name} are in one buffer, which a WebGPU dispatch cannot both read and write`,
      {
        hint: "pass a separate GPUBuffer for each of them",
      },
    );
  }
  if (a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes) {
    throw new InputError(`${a.name} and ${b.name} overlap in their buffer`, {
      hint: "pass ranges that do not overlap, or separate buffers",
    });
  }
}

/** Creates a bind group with the buffer, which fails if the buffer belongs to another device. */
async function requireDevice(device: GPUDevice, { name, buffer, offset }: Named): Promise<void> {
  const storage = { binding: 0, visibility: ShaderStage.compute, buffer: { type: "storage" } } as const;
  device.pushErrorScope("validation");
  let thrown: unknown;
  try {
    const layout = device.createBindGroupLayout({ entries: [storage] });
    device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer, offset, size: 4 } }] });
  } catch (error) {
    thrown = error;
  }
  const cause = (await device.popErrorScope()) ?? thrown;
  if (!cause) return;
  throw new InputError(
    `this device rejects the buffer of ${name}: it belongs to another device or is invalid`,
    {
      hint: "create the buffer on the device that the sorter was created for (sorter.device)",
      cause,
    },
  );
}
