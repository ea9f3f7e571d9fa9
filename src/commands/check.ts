import { pieces } from "../keys/item_stream.js";
import { type ItemOrder, itemOrder } from "../keys/order.js";
import { compareItems, scanNeighbours } from "../keys/scan.js";
import { disorderText } from "../report/verify.js";
import { ExitCode } from "./exit_code.js";
import { type InputOptions, openInputs } from "./inputs.js";

export interface CheckOptions extends InputOptions {
  readonly reverse: boolean;
  /** Whether equal neighbours are out of order too. */
  readonly unique: boolean;
  readonly quiet: boolean;
}

/** `gpusort --check FILE...`: says on standard error where the order is first broken, if it is, and exits with 1. */
export async function check(paths: readonly string[], options: CheckOptions): Promise<void> {
  const inputs = await openInputs(paths, options);
  try {
    const order = itemOrder(inputs.items.item, options.reverse);
    let last: Uint8Array | undefined;
    for (const input of inputs.each) {
      let start = 0;
      for await (const items of pieces(input)) {
        const found = firstFault(last, items, order, options.unique);
        if (found !== undefined) {
          if (!options.quiet) {
            const [before, after] = pair(last, items, found, input.item.bytes);
            process.stderr.write(disorderText(input, start + found, before, after));
          }
          process.exitCode = ExitCode.notSorted;
          return;
        }
        start += items.length / input.item.bytes;
        last = items.slice(-input.item.bytes);
      }
    }
  } finally {
    await inputs.close();
  }
}

/** The first item of these that must not follow the one before it. */
function firstFault(
  last: Uint8Array | undefined,
  items: Uint8Array,
  order: ItemOrder,
  unique: boolean,
): number | undefined {
  if (last) {
    const seam = compareItems(last, items.subarray(0, order.item.bytes), order);
    if (seam > 0 || (unique && seam === 0)) return 0;
  }
  const { firstInversion, firstDuplicate } = scanNeighbours(items, order);
  const faults = [firstInversion, unique ? firstDuplicate : undefined].filter((fault) => fault !== undefined);
  return faults.length === 0 ? undefined : Math.min(...faults) + 1;
}

function pair(last: Uint8Array | undefined, items: Uint8Array, index: number, bytes: number) {
  const at = index * bytes;
  const before = index === 0 ? last! : items.subarray(at - bytes, at);
  return [before, items.subarray(at, at + bytes)] as const;
}
