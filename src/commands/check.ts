import { type ItemOrder, itemOrder } from "../core/items/order.js";
import { compareItems, scanNeighbours } from "../core/items/scan.js";
import { pieces } from "../core/streams/pieces.js";
import { openInputs } from "../external/inputs.js";
import { requireReadable } from "../external/record_length.js";
import { disorderText } from "../report/verify.js";
import { ExitCode } from "./exit_code.js";
import { inputsOf } from "./inputs.js";
import { type InputArguments, parseInputArguments } from "./parse.js";
import { announceTerminal } from "./terminal.js";

export interface CheckArguments extends InputArguments {
  readonly reverse?: boolean | undefined;
  /** Whether equal neighbours also count as out of order. */
  readonly unique?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/**
 * `gpusort --check FILE...`: if the input is not in order, prints the first pair of items in the wrong order
 * to standard error, and exits with 1.
 */
export async function check(paths: readonly string[], typed: CheckArguments): Promise<void> {
  const { reverse = false, unique = false, quiet = false } = typed;
  if (!quiet) announceTerminal(paths);
  const inputs = await openInputs(await inputsOf(paths), parseInputArguments(typed));
  try {
    const order = itemOrder(inputs.items.item, reverse);
    let last: Uint8Array | undefined;
    for (const input of inputs.each) {
      requireReadable(input);
      let start = 0;
      for await (const items of pieces(input, input.item.bytes)) {
        const found = firstFault(last, items, order, unique);
        if (found !== undefined) {
          if (!quiet) {
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

/**
 * The index of the first of `items` that must not follow its predecessor; undefined if all are in order.
 *
 * @param last the item before the first of `items`, if there is one.
 */
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

/** The item at `index` and its predecessor, which is `last` for the first item. */
function pair(last: Uint8Array | undefined, items: Uint8Array, index: number, bytes: number) {
  const at = index * bytes;
  const before = index === 0 ? last! : items.subarray(at - bytes, at);
  return [before, items.subarray(at, at + bytes)] as const;
}
