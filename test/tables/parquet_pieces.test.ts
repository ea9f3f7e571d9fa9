import * as arrow from "apache-arrow";
import * as wasm from "parquet-wasm";
import { expect, it } from "vitest";
import type { InputFile } from "../../src/files/input_file.js";
import { type CodecTask, runCodecTask } from "../../src/tables/codec_tasks.js";
import { parquet } from "../../src/tables/parquet.js";

/** Reads texts, and notes how many rows each task unpacked. */
async function readIn(
  budget: number,
  texts: readonly string[],
  { groupRows = texts.length, pageRows = 100, dictionary = false } = {},
) {
  const table = new arrow.Table({ text: arrow.vectorFromArray(texts, new arrow.Utf8()) });
  const settings = new wasm.WriterPropertiesBuilder()
    .setMaxRowGroupSize(groupRows)
    .setWriteBatchSize(pageRows)
    .setDataPageSizeLimit(pageRows)
    .setDictionaryEnabled(dictionary);
  const from = wasm.Table.fromIPCStream(arrow.tableToIPC(table, "stream"));
  const bytes = wasm.writeParquet(from, settings.build());
  const input = {
    name: "texts.parquet",
    byteLength: bytes.length,
    read: async (into: Uint8Array, at: number) => into.set(bytes.subarray(at, at + into.length)),
  };
  const rows: number[] = [];
  const tasks = {
    expect: () => {},
    mostAtOnce: () => 4,
    run: async (task: CodecTask) => {
      if (task.work === "unpack") rows.push(task.rowCount);
      return runCodecTask(task);
    },
  };
  const limits = { budget, require: () => {} };
  const opened = await parquet.read(input as Partial<InputFile> as InputFile, limits, tasks);
  const read: string[] = [];
  for await (const { batch } of opened.batches()) read.push(...(batch.getChildAt(0)!.toArray() as string[]));
  expect(read).toEqual(texts);
  return rows;
}

it("measures one of several row groups that are read at the same time", async () => {
  const texts = Array.from({ length: 20_000 }, (_, i) => `text ${i} `.repeat(5));
  expect(await readIn(8_000_000, texts, { groupRows: 5000 })).toEqual([1024, 5000, 5000, 5000, 5000]);
});

it("never reads more rows at once than fit if the first ones are the shortest", async () => {
  const texts = Array.from({ length: 12_000 }, (_, i) => "x".repeat(i < 2000 ? 3 : 1000));
  const rows = await readIn(6_000_000, texts);
  expect(rows.length).toBeGreaterThan(2);
  expect(1000 * Math.max(...rows)).toBeLessThan(6_000_000 / 4);
});

it("reads equal long texts, which are there once, in pieces that fit in memory", async () => {
  const texts = Array.from({ length: 12_000 }, () => "x".repeat(1000));
  const rows = await readIn(6_000_000, texts, { pageRows: 12_000, dictionary: true });
  expect(rows.length).toBeGreaterThan(2);
  expect(1000 * Math.max(...rows)).toBeLessThan(6_000_000 / 4);
});

it("does not measure short texts of a dictionary if memory is plenty", async () => {
  const texts = Array.from({ length: 12_000 }, (_, i) => `text ${i % 10}`);
  expect(await readIn(1_000_000_000, texts, { dictionary: true, groupRows: 6000 })).toEqual([6000, 6000]);
});
