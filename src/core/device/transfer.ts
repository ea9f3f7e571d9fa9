import { type Plan, texelWords, textureWords, type Words } from "../plan/plan.js";
import type { Execution } from "./execute.js";
import type { Gpu } from "./gpu.js";
import { BufferUsage, MapMode } from "./usage.js";

/** When WebGPU copies a texture to a buffer, each row starts at a multiple of this many bytes. */
const ROW_ALIGNMENT = 256;

/**
 * Uploads words to an execution: to a buffer from its first byte on, and to a texture as a whole. The writes
 * enter the queue immediately.
 *
 * @param inputs the words by the names of buffers and textures. The words of a texture must fill it.
 */
export function upload(gpu: Gpu, { plan, buffers, textures }: Execution, inputs: Words): void {
  for (const [name, words] of Object.entries(inputs)) {
    const texture = plan.textures?.[name];
    if (!texture) {
      gpu.device.queue.writeBuffer(buffers[name]!, 0, words);
      continue;
    }
    const { width, height, format } = texture;
    const layout = { bytesPerRow: width * 4 * texelWords[format], rowsPerImage: height };
    gpu.device.queue.writeTexture({ texture: textures[name]! }, words, layout, [width, height]);
  }
}

/**
 * Reads whole buffers and textures back, all through one buffer. It is for data that are small compared to
 * the device's memory.
 *
 * @throws DeviceError if the device fails or runs out of memory.
 */
export async function readback(gpu: Gpu, execution: Execution, names: readonly string[]): Promise<Words> {
  const places = names.map((name) => ({ name, ...placeOf(execution.plan, name) }));
  const bytes = places.reduce((total, place) => total + place.bytes, 0);
  const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
  const target = await gpu.buffer("readback", Math.max(4, bytes), usage);
  try {
    await gpu.checked("copying the result", () => {
      const encoder = gpu.device.createCommandEncoder();
      let offset = 0;
      for (const { name, bytes, rowBytes, extent } of places) {
        if (extent) {
          const texture = execution.textures[name]!;
          encoder.copyTextureToBuffer({ texture }, { buffer: target, offset, bytesPerRow: rowBytes }, extent);
        } else encoder.copyBufferToBuffer(execution.buffers[name]!, 0, target, offset, bytes);
        offset += bytes;
      }
      gpu.submit(encoder);
    });
    await gpu.settle(target.mapAsync(MapMode.read), "reading the result");
    const all = new Uint32Array(target.getMappedRange());
    const words: Record<string, Uint32Array<ArrayBuffer>> = {};
    let first = 0;
    for (const { name, bytes, rowBytes } of places) {
      const piece = all.subarray(first, first + bytes / 4);
      words[name] = withoutGaps(piece, rowBytes / 4, execution.plan, name);
      first += bytes / 4;
    }
    return words;
  } finally {
    target.destroy();
  }
}

/** How a buffer or a texture is laid out in the readback buffer. */
interface Place {
  readonly bytes: number;
  readonly rowBytes: number;
  /** Texels of a texture; undefined for a buffer. */
  readonly extent?: readonly [width: number, height: number];
}

/** The rows of a texture are padded to ROW_ALIGNMENT. */
function placeOf(plan: Plan, name: string): Place {
  const texture = plan.textures?.[name];
  if (!texture) {
    const { bytes } = plan.buffers[name]!;
    return { bytes, rowBytes: bytes };
  }
  const { width, height, format } = texture;
  const rowBytes = Math.ceil((width * 4 * texelWords[format]) / ROW_ALIGNMENT) * ROW_ALIGNMENT;
  return { bytes: rowBytes * height, rowBytes, extent: [width, height] };
}

function withoutGaps(
  words: Uint32Array<ArrayBuffer>,
  rowWords: number,
  plan: Plan,
  name: string,
): Uint32Array<ArrayBuffer> {
  const texture = plan.textures?.[name];
  if (!texture) return words.slice();
  const { width, height, format } = texture;
  const used = width * texelWords[format];
  const dense = new Uint32Array(textureWords(texture));
  for (let row = 0; row < height; row++) {
    dense.set(words.subarray(row * rowWords, row * rowWords + used), row * used);
  }
  return dense;
}
