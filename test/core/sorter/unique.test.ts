import { expect, it } from "vitest";
import type { Gpu } from "../../../src/core/device/gpu.js";
import type { SortJob, SortReport } from "../../../src/core/engines/engine.js";
import { Sorter } from "../../../src/core/sorter/sorter.js";
import type { ItemSink, ItemSource } from "../../../src/core/streams/item_stream.js";

const bytesOf = (...words: number[]) => new Uint8Array(Uint32Array.from(words).buffer);

/** A sorter whose engine finds two distinct keys, whatever the keys are. */
function sorterOf(jobs: SortJob[]) {
  const engine = {
    device: "a GPU",
    sort: async (job: SortJob, _: ItemSource, sink: ItemSink, __: unknown, counts?: ItemSink) => {
      jobs.push(job);
      await sink.write(bytesOf(5, 7), 0);
      await counts?.write(bytesOf(1000, 25), 0);
      return { written: 2 } as SortReport;
    },
    argsort: async () => ({}) as SortReport,
    close: () => {},
  };
  return new Sorter({ engine, gpu: {} as Gpu });
}

it("takes distinct keys and counts from the engine, and no other keys", async () => {
  const jobs: SortJob[] = [];
  const sorter = sorterOf(jobs);
  const { keys, counts } = await sorter.unique(new Uint32Array(2 ** 17 + 1), { counts: true });
  expect([keys, counts]).toEqual([Uint32Array.of(5, 7), Uint32Array.of(1000, 25)]);
  expect([keys.buffer.byteLength, counts!.buffer.byteLength]).toEqual([8, 8]);
  expect(await sorter.unique(new Uint32Array(2 ** 17 + 1))).toEqual({ keys: Uint32Array.of(5, 7) });
  expect(jobs.map(({ unique }) => unique)).toEqual(["counts", true]);
});
