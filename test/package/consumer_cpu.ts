import { createSorter, type Sorter } from "gpusort/core";

export async function sortOnCpu(): Promise<Float32Array> {
  const sorter: Sorter = await createSorter("cpu");
  const sorted: Float32Array = await sorter.sort(new Float32Array([2, 1]));
  sorter.destroy();
  return sorted;
}

// @ts-expect-error: a misspelt option
export const wrong = (sorter: Sorter) => sorter.sort(new Float32Array(2), { reverse: true });
