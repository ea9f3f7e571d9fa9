/*
 * The flag constants of WebGPU, with the numbers of its specification. Browsers define them as globals, but
 * Node does not, and a library must not add globals.
 */

export const BufferUsage = {
  mapRead: 0x0001,
  mapWrite: 0x0002,
  copySource: 0x0004,
  copyDestination: 0x0008,
  uniform: 0x0040,
  storage: 0x0080,
  indirect: 0x0100,
  queryResolve: 0x0200,
} as const;

export const TextureUsage = {
  copySource: 0x01,
  copyDestination: 0x02,
  binding: 0x04,
  storage: 0x08,
} as const;

export const ShaderStage = { compute: 0x4 } as const;

export const MapMode = { read: 0x0001, write: 0x0002 } as const;
