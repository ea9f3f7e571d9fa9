import type { ByteInput } from "../core/streams/byte_stream.js";
import type { RowOrder } from "./order/row_order.js";

/** So many bytes tell about how long rows are. */
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
