// A web page that sorts on threads and compares the results with JavaScript's. threads.test.ts calls it.
import { createSorter, elementType } from "gpusort/core";

/** Any bits, so floats include NaNs, infinities and zeros of both signs. */
function randomKeys(name, count) {
  const type = elementType(name);
  const words = new Uint32Array(Math.ceil((count * type.bytes) / 4));
  let state = count;
  for (let i = 0; i < words.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    words[i] = i % 61 === 0 ? 0x8000_0000 * (i % 2) : Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  }
  return new type.array(words.buffer, 0, count);
}

function firstDifference(actual, expected) {
  if (actual.length !== expected.length) return `${actual.length} keys instead of ${expected.length}`;
  const isNan =
    actual instanceof elementType("f16").array ? (bits) => (bits & 0x7fff) > 0x7c00 : Number.isNaN;
  const at = expected.findIndex((key, i) => !Object.is(key, actual[i]) && !(isNan(key) && isNan(actual[i])));
  return at < 0 ? undefined : `element ${at} is ${actual[at]} instead of ${expected[at]}`;
}

/** What a call comes to, as text. */
const outcome = (call) =>
  call.then(
    () => "sorted",
    (error) => `${error.name}: ${error.message}`,
  );

const sorters = [];

globalThis.gpusortPage = {
  /** Makes intervals a tenth as long. */
  hurry() {
    const { setInterval } = globalThis;
    globalThis.setInterval = (call, ms) => setInterval(call, ms / 10);
  },

  /** Creates the sorter that the other functions use. */
  async open(threads) {
    sorters.push(await createSorter("cpu", { threads }));
  },

  /** @returns how the sorted keys differ from those that TypedArray.prototype.sort sorts. */
  async sort(name, count, descending = false) {
    const keys = randomKeys(name, count);
    const sorted = await sorters.at(-1).sort(keys, { descending });
    const expected = keys.sort();
    return firstDifference(sorted, descending ? expected.reverse() : expected);
  },

  /** @returns how the order of keys with many duplicates, and their values, differ from the stable order. */
  async sortStably(count) {
    const keys = randomKeys("u32", count).map((key) => key % 1000);
    const expected = Uint32Array.from(keys.keys()).sort((a, b) => keys[a] - keys[b] || a - b);
    const indices = await sorters.at(-1).argsort(keys);
    const { values } = await sorters.at(-1).sortPairs(keys, Uint32Array.from(keys.keys()));
    return firstDifference(indices, expected) ?? firstDifference(values, expected);
  },

  /** Aborts a sort after some milliseconds. @returns what it comes to, and whether it wrote anything. */
  async abort(count, delayMs) {
    const aborter = new AbortController();
    const into = new Uint32Array(count);
    const sorting = sorters.at(-1).sort(randomKeys("u32", count), { into, signal: aborter.signal });
    setTimeout(() => aborter.abort(new Error("stop")), delayMs);
    return { outcome: await outcome(sorting), wrote: into.some((key) => key !== 0) };
  },

  outcome: (count) => outcome(sorters.at(-1).sort(randomKeys("u32", count))),

  openOutcome: (threads) => outcome(createSorter("cpu", { threads })),

  /** Destroys all sorters, one of them while it sorts. @returns what that sort comes to. */
  async close(count) {
    const sorting = outcome(sorters.at(-1).sort(randomKeys("u32", count)));
    setTimeout(() => {
      for (const sorter of sorters.splice(0)) sorter.destroy();
    }, 5);
    return sorting;
  },
};
