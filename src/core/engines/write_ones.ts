import type { ItemSink } from "../streams/item_stream.js";
import type { PhaseClock } from "../streams/phase_clock.js";

const MOST_AT_ONCE = 1 << 20;

/** Writes the counts of `count` keys each of which occurs once. */
export async function writeOnes(sink: ItemSink, count: number, clock: PhaseClock): Promise<void> {
  const ones = new Uint32Array(Math.min(MOST_AT_ONCE, count)).fill(1);
  for (let at = 0; at < count; at += ones.length) {
    const window = new Uint8Array(ones.buffer, 0, 4 * Math.min(ones.length, count - at));
    await clock.time("write", window.length, () => sink.write(window, 4 * at));
  }
}
