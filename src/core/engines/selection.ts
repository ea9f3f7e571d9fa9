import type { ItemSink } from "../streams/item_stream.js";
import type { PhaseClock } from "../streams/phase_clock.js";
import type { SortJob } from "./engine.js";

/**
 * Refuses jobs whose `unique` or `head` engines do not support.
 *
 * @param indices whether indices are sorted.
 * @param counts the sink for counts, if there is one.
 * @throws TypeError if a job that moves values keeps only some keys; if one that sorts indices or compares
 *   some bits keeps only distinct keys; or if it asks for counts without a sink for them, or has such a sink
 *   and does not ask for them.
 */
export function requireSelection(
  { unique, head, bits, payloadBytes }: SortJob,
  indices: boolean,
  counts: ItemSink | undefined,
): void {
  if (!counts !== (unique !== "counts"))
    throw new TypeError(`a sink for counts is for unique: "counts", which needs one`);
  if (unique && (indices || bits || payloadBytes)) {
    throw new TypeError("unique needs keys that are sorted by all of their bits, without values");
  }
  if (head !== undefined && payloadBytes) throw new TypeError("head needs keys or indices, without values");
}

/** Counts that are written at a time, at most. */
const MOST_AT_ONCE = 1 << 20;

/** Writes the counts of `count` keys each of which occurs once. */
export async function writeOnes(sink: ItemSink, count: number, clock: PhaseClock): Promise<void> {
  const ones = new Uint32Array(Math.min(MOST_AT_ONCE, count)).fill(1);
  for (let at = 0; at < count; at += ones.length) {
    const window = new Uint8Array(ones.buffer, 0, 4 * Math.min(ones.length, count - at));
    await clock.time("write", window.length, () => sink.write(window, 4 * at));
  }
}
