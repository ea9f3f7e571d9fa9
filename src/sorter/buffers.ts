import type { Supplied } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { BufferUsage } from "../device/usage.js";
import { InputError } from "../errors.js";
import { nameOf } from "./arrays.js";
import type { BufferRequirement } from "./description.js";

/** A range of a buffer. */
export interface BufferRegion {
  readonly buffer: GPUBuffer;
  /** Bytes. */
  readonly offset: number;
  readonly bytes: number;
}

/** What a caller gave for a sort's buffers, by the plan's names, and what they are needed for. */
export type GivenBuffers = Readonly<Record<string, Supplied>>;
export type NeededBuffers = Readonly<Record<string, BufferRequirement>>;

/** The caller's data, which no dispatch reads where it writes others of them: they may be ranges of one buffer. */
const MAY_SHARE = ["keys", "values", "count"];

/**
 * Holds buffers against what a sort needs, before anything is encoded.
 *
 * @throws InputError for what is no buffer, too small, misaligned, lacks a usage, belongs to another device, or is given
 *   for two things that cannot be in one buffer.
 */
export async function requireBuffers(gpu: Gpu, needed: NeededBuffers, given: GivenBuffers): Promise<void> {
  const regions = Object.entries(needed).map(([name, need]) => {
    const region = regionOf(name, given[name]!, need.bytes);
    requireFit(name, region, need, gpu.device.limits);
    return { name, ...region };
  });
  regions.forEach((one, i) => {
    for (const other of regions.slice(0, i)) requireApart(other, one);
  });
  await Promise.all(regions.map((region) => requireDevice(gpu.device, region)));
}

/** @throws InputError unless it is a buffer, or a range of one. */
export function regionOf(name: string, given: Supplied, bytes: number): BufferRegion {
  const isRange =
    typeof given === "object" && given !== null && "buffer" in given && !ArrayBuffer.isView(given);
  const { buffer, offset } = isRange ? given : { buffer: given as GPUBuffer | undefined, offset: 0 };
  if (typeof buffer?.usage !== "number" || typeof buffer.size !== "number") {
    throw new InputError(`${name} is ${nameOf(buffer)}, and no GPUBuffer`, {
      hint: `pass a GPUBuffer, or { buffer, offset }, for ${name}`,
    });
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
  if (!Number.isInteger(offset) || offset < 0 || offset % alignment !== 0) {
    throw new InputError(`${name} begins at byte ${offset} of its buffer, which this device cannot bind`, {
      hint: `use an offset that is a multiple of ${alignment} (minStorageBufferOffsetAlignment)`,
    });
  }
  if (buffer.size - offset < bytes) {
    throw new InputError(
      `${name} has ${Math.max(0, buffer.size - offset)} bytes from byte ${offset} on, and needs ${bytes}`,
      { hint: "make the buffer larger, or the sort's capacity smaller; requirements() tells the sizes" },
    );
  }
  const missing = [
    ...((buffer.usage & BufferUsage.storage) === 0 ? ["STORAGE"] : []),
    ...(isUniform && (buffer.usage & BufferUsage.uniform) === 0 ? ["UNIFORM"] : []),
  ];
  if (missing.length > 0) {
    throw new InputError(`the buffer of ${name} lacks the usage ${missing.join(" and ")}`, {
      hint: `create it with GPUBufferUsage.${missing.join(" | GPUBufferUsage.")}`,
    });
  }
}

type Named = BufferRegion & { readonly name: string };

function requireApart(a: Named, b: Named): void {
  if (a.buffer !== b.buffer) return;
  if (!MAY_SHARE.includes(a.name) || !MAY_SHARE.includes(b.name)) {
    throw new InputError(
      `${a.name} and ${b.name} are in one buffer, which WebGPU cannot read and write at once`,
      {
        hint: "give every scratch buffer a GPUBuffer of its own",
      },
    );
  }
  if (a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes) {
    throw new InputError(`${a.name} and ${b.name} overlap in their buffer`, {
      hint: "give them ranges apart, or a buffer each",
    });
  }
}

/** A device takes no other device's buffer into a bind group, and so tells whose it is. */
async function requireDevice(device: GPUDevice, { name, buffer, offset }: Named): Promise<void> {
  const storage = { binding: 0, visibility: COMPUTE, buffer: { type: "storage" } } as const;
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
    `this device does not take the buffer of ${name}: it is another device's, or invalid`,
    {
      hint: "create the buffer on the device that the sorter was created for (sorter.device)",
      cause,
    },
  );
}

/** GPUShaderStage.COMPUTE. */
const COMPUTE = 0x4;
