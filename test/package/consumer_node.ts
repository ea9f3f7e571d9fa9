import { createSorter, openDevice, type SortSummary, sortFile } from "gpusort";

export async function sortTwice(): Promise<SortSummary> {
  const sorter = await createSorter("cpu", { threads: 2 });
  const sorted: Float32Array = await sorter.sort(new Float32Array([2, 1]));
  const opened = await openDevice("auto");
  if (opened && sorted.length > 0) await createSorter(opened.gpu.device);
  sorter.destroy();
  await sortFile(new ReadableStream<Uint8Array>(), "b.f32", { type: "f32" });
  return await sortFile("a.f32", "b.f32", { descending: true });
}

// @ts-expect-error: a misspelt option
export const wrong = () => sortFile("a.f32", "b.f32", { reverse: true });
