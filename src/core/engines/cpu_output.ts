import type { ItemSink } from "../streams/item_stream.js";
import type { PhaseClock } from "../streams/phase_clock.js";

/** In Node, a view may have at most 4 GiB, and one read or write at most 2 GiB. */
const WINDOW_BYTES = 64 << 20;

/** Writes `bytes` bytes of a memory, one window at a time. */
export async function writeBytes(
  { buffer }: WebAssembly.Memory,
  at: number,
  bytes: number,
  sink: ItemSink,
  clock: PhaseClock,
): Promise<void> {
  for (let from = 0; from < bytes; from += WINDOW_BYTES) {
    const window = new Uint8Array(buffer as ArrayBuffer, at + from, Math.min(WINDOW_BYTES, bytes - from));
    await clock.time("write", window.length, () => sink.write(window, from));
  }
}

/** Writes items of `bytes` bytes in the order of `indices`, one window at a time. */
export async function writeMoved(
  items: Uint8Array,
  bytes: number,
  indices: Uint32Array,
  sink: ItemSink,
  clock: PhaseClock,
): Promise<void> {
  const from = unitsOf(items, bytes);
  const units = bytes / from.BYTES_PER_ELEMENT;
  const fitting = Math.max(1, Math.floor(WINDOW_BYTES / bytes));
  for (let begin = 0; begin < indices.length; begin += fitting) {
    const count = Math.min(fitting, indices.length - begin);
    const window = new Uint8Array(count * bytes);
    const into = unitsOf(window, bytes);
    for (let i = 0; i < count; i++) {
      const first = indices[begin + i]! * units;
      for (let unit = 0; unit < units; unit++) into[i * units + unit] = from[first + unit]!;
    }
    await clock.time("write", window.length, () => sink.write(window, begin * bytes));
  }
}

/** The same bytes in the widest units that divide an item. */
function unitsOf(
  { buffer, byteOffset, byteLength }: Uint8Array,
  bytes: number,
): Uint8Array | Uint16Array | Uint32Array {
  const unit = bytes % 4 === 0 ? Uint32Array : bytes % 2 === 0 ? Uint16Array : Uint8Array;
  return new unit(buffer as ArrayBuffer, byteOffset, byteLength / unit.BYTES_PER_ELEMENT);
}
