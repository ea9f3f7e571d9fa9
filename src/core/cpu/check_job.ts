import type { Item, RecordItem } from "../items/item.js";
import type { CheckKernel } from "./check_kernels.js";
import { orderNumbers, writeJob } from "./sort/work.js";
import { elementForm, JOB_BYTES } from "./workspace.js";

/** A kernel, and what all its calls have in common. */
export interface CheckJob<Name extends string = CheckKernel> {
  readonly kernel: Name;
  readonly bytes: number;
  write(memory: WebAssembly.Memory, at: number): void;
}

export function checkJob(item: Item, descending: boolean): CheckJob {
  if (item.kind === "record") {
    const words = recordWords(item, descending);
    const write = ({ buffer }: WebAssembly.Memory, at: number) => new Uint32Array(buffer, at).set(words);
    return { kernel: "check_records", bytes: 4 * words.length, write };
  }
  const { type, bytes } = item;
  const form = elementForm(type.bytes, false);
  const ordering = { bytes: form.bytes, bits: { begin: 0, end: 8 * bytes }, pairs: false };
  const write = (memory: WebAssembly.Memory, job: number) =>
    writeJob({ job: { type, descending }, form, ordering, memory, at: { job, elements: 0, keys: 0 } }, 0);
  return { kernel: `check_${type.bytes}`, bytes: JOB_BYTES, write };
}

/** The order of a field that is bytes: see assembly/check/fields.ts. */
const BYTES_ORDER = 3;

/** See assembly/check/records.ts. */
function recordWords({ bytes, keys, byteOrder }: RecordItem, descending: boolean): number[] {
  const isBig = Number(byteOrder === "big");
  const fields = keys.map((key) =>
    "type" in key
      ? [key.offset, key.type.bytes, orderNumbers[key.type.order], isBig]
      : [key.offset, key.bytes, BYTES_ORDER, 0],
  );
  return [bytes, Number(descending), keys.length, ...fields.flat()];
}
