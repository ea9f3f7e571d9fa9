import { afterAll, describe, expect, it } from "vitest";
import { elementTypes } from "../../../src/core/elements.js";
import { InputError } from "../../../src/core/errors.js";
import { createSorter } from "../../../src/dawn/create_sorter.js";
import { itSelectsOfSegments, itSortsSegments } from "../../support/sorter_segments.js";

describe("segments on the CPU", async () => {
  const sorter = await createSorter("cpu", { threads: 2 });
  afterAll(() => sorter.destroy());

  itSortsSegments(
    sorter,
    elementTypes.map(({ name }) => name),
    {
      "no keys": [0, 0],
      "no segments of keys": [],
      "short ones": Array.from({ length: 500 }, (_, i) => (i * i) % 67),
      "long and short ones": [3, 16_384, 0, 16_385, 5, 1, 1, 20_001, 7],
      "batches that are full": [8192, 8192, 1, 16_383, 2],
    },
  );

  itSelectsOfSegments(
    sorter,
    elementTypes.map(({ name }) => name),
    {
      "no keys": [0, 0],
      "short ones": Array.from({ length: 300 }, (_, i) => (i * i) % 67),
      "long and short ones": [3, 16_384, 0, 16_385, 5, 1, 1, 193, 7],
      "one segment": [1000],
      "many keys": [5, 140_000, 30],
    },
  );

  it("refuses offsets that are not segments of the keys, and says which", async () => {
    const refusal = async (segments: unknown, keys = new Uint32Array(10)) => {
      const error = await sorter.sort(keys, { segments: segments as Uint32Array }).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(InputError);
      return `${error.message}; ${error.hint}`;
    };
    expect(await refusal([0, 10])).toMatch(/segments is Array.*Uint32Array/);
    expect(await refusal(new Uint32Array())).toMatch(/segments is empty/);
    expect(await refusal(Uint32Array.of(1, 10))).toMatch(/begins at key 1/);
    expect(await refusal(Uint32Array.of(0, 7, 6, 10))).toMatch(/segments\[2\] is 6, less than 7/);
    expect(await refusal(Uint32Array.of(0, 7, 9))).toMatch(/ends at key 9, but there are 10 keys/);
    expect(await refusal(Uint32Array.of(0, 11))).toMatch(/ends at key 11/);
  });

  it("takes the offsets that there are when the call begins", async () => {
    const count = 200_000;
    const keys = new Uint32Array(count).map((_, i) => (i * 7919) % count);
    const expected = keys.slice();
    for (const [begin, end] of [
      [0, 50_000],
      [50_000, 100_000],
      [100_000, count],
    ] as const)
      expected.subarray(begin, end).sort();
    const offsets = () => Uint32Array.of(0, 50_000, 100_000, count);
    const changes: ((segments: Uint32Array) => void)[] = [
      (segments) => segments.fill(0),
      (segments) => (segments[1] = 150_000),
      (segments) => structuredClone(segments.buffer, { transfer: [segments.buffer as ArrayBuffer] }),
    ];
    for (const change of changes) {
      const call = <T>(sort: (segments: Uint32Array) => Promise<T>) => {
        const segments = offsets();
        const running = sort(segments);
        change(segments);
        return running;
      };
      expect(await call((segments) => sorter.sort(keys, { segments }))).toEqual(expected);
      const pairs = await call((segments) => sorter.sortPairs(keys, keys, { segments }));
      expect(pairs).toEqual({ keys: expected, values: expected });
      const indices = await call((segments) => sorter.argsort(keys, { segments, top: 3 }));
      expect([...indices].map((index) => keys[index])).toEqual(
        [0, 50_000, 100_000].flatMap((begin) => [...expected.subarray(begin, begin + 3)]),
      );
    }
  });

  it("rejects with the signal's reason, and leaves the keys as they were", async () => {
    const keys = Uint32Array.of(3, 1, 2, 0);
    const segments = Uint32Array.of(0, 2, 4);
    const signal = AbortSignal.abort("enough");
    await expect(sorter.sort(keys, { segments, into: keys, signal })).rejects.toBe("enough");
    expect(keys).toEqual(Uint32Array.of(3, 1, 2, 0));
  });

  describe("of many short ones", () => {
    const count = 2 ** 21;
    const segments = new Uint32Array(count / 4 + 1).map((_, s) => 4 * s);
    const descending = new Uint32Array(count).map((_, i) => count - i);
    const calls = {
      sort: (into: Uint32Array, signal?: AbortSignal) => sorter.sort(into, { segments, into, signal }),
      argsort: (into: Uint32Array, signal?: AbortSignal) => sorter.argsort(into, { segments, into, signal }),
      sortPairs: (into: Uint32Array, signal?: AbortSignal) =>
        sorter.sortPairs(into, into.slice(), {
          segments,
          into: { keys: into, values: into.slice() },
          signal,
        }),
    };

    it.each(Object.entries(calls))("lets timers fire meanwhile: %s", async (_, call) => {
      let fired = false;
      setTimeout(() => {
        fired = true;
      }, 1);
      await call(descending.slice());
      expect(fired).toBe(true);
    });

    it.each(Object.entries(calls))("ends with the reason, and writes nothing: %s", async (_, call) => {
      const stopping = new AbortController();
      const reason = new Error("no longer wanted");
      setTimeout(() => stopping.abort(reason), 1);
      const keys = descending.slice();
      await expect(call(keys, stopping.signal)).rejects.toBe(reason);
      expect(keys).toEqual(descending);
    });
  });
});
