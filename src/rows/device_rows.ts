import type { DeviceKey } from "../core/engines/row_job.js";
import { QUOTE } from "../core/rows/reading.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { isMapped, keysOf } from "./order/order_words.js";
import type { RowComparison, RowOrder } from "./order/row_order.js";

/** Which rows are written. */
interface RowSelection {
  readonly argsort?: boolean | undefined;
  readonly merge?: boolean | undefined;
}

/** Why a device does not sort rows in such an order, to follow "as"; undefined if it does. */
export function unsuitedForDevice(order: RowOrder, selection: RowSelection): string | undefined {
  if (selection.argsort) return "their numbers are wanted";
  if (selection.merge) return "sorted inputs are merged";
  if (order.quotes && order.separator === QUOTE) return "a quote separates fields";
  for (const { begin, end, form, nullWords } of keysOf(order)) {
    if (form || nullWords) return "a key has numbers in a form of their own, or words for no value";
    const isField = begin.offset === 0 && end?.field === begin.field && end.bytes === undefined;
    if (order.quotes && !isField) return "a key is not a field that may be in quotes";
  }
  for (const { compare } of keysOf(order))
    if (isForCpu(compare)) return `a key is compared ${cpuOnly[compare]}`;
  return undefined;
}

/** Orders that no kernel of a device knows, to follow "compared". */
const cpuOnly = { natural: "in natural order", nocase: "without regard to case" } as const;

const isForCpu = (compare: RowComparison): compare is keyof typeof cpuOnly => compare in cpuOnly;

/** The keys of an order that `unsuitedForDevice` lets pass. */
export function deviceKeys(order: RowOrder): DeviceKey[] {
  return keysOf(order).map((key) => {
    const { compare, descending = false, invalid, required = false } = key;
    if (isForCpu(compare)) throw new RangeError(`no device compares keys ${cpuOnly[compare]}`);
    return {
      compare: compare === "number" ? "decimal" : compare,
      isMapped: isMapped(key),
      descending,
      isChecked: invalid !== undefined || (order.quotes && required),
    };
  });
}

/** The bytes that tell about how long rows are. */
const HEAD_BYTES = 1 << 16;

/** How many bytes a row has on average, about, by the first ones of the first input that has any. */
export async function meanRowBytes(
  inputs: readonly ByteInput[],
  { terminator }: Pick<RowOrder, "terminator">,
): Promise<number> {
  for (const input of inputs) {
    const head = await input.peek(HEAD_BYTES);
    if (head.length === 0) continue;
    const rows = head.reduce((count, byte) => count + Number(byte === terminator), 0);
    return head.length / Math.max(1, rows);
  }
  return 1;
}
