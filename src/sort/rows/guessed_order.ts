import { InputError } from "../../core/errors.js";
import { quoteBytes } from "../../core/quote.js";
import type { ByteInput } from "../../core/streams/byte_stream.js";
import { isGuess, type Widen } from "../../rows/order/guess.js";
import type { OnTallied } from "../../rows/order/tally.js";
import { canReadAgain } from "../../rows/text.js";
import type { OrderOfInputs } from "../order_of_inputs.js";
import { type KeyMisfits, type Misfits, misfitHint, misfitsOf } from "./misfits.js";

/** Follows what an order becomes while its rows are read, and what its keys hold. */
export class OrderInUse {
  #current: OrderOfInputs;
  #misfits: readonly KeyMisfits[] = [];

  constructor(order: OrderOfInputs) {
    this.#current = order;
  }

  /** The order as it is now. */
  get current(): OrderOfInputs {
    return this.#current;
  }

  /** Values that are not what their columns are said to hold. */
  get misfits(): readonly Misfits[] {
    return this.#misfits.map(({ key: _, ...one }) => one);
  }

  /** Undefined if nothing was guessed that may become something else. */
  get widen(): Widen | undefined {
    if (!this.#current.widen) return undefined;
    return (misfit) => {
      this.#current = this.#current.widen!(misfit);
      return this.#current.order;
    };
  }

  /** @throws InputError if no value of a column is what the column is said to hold. */
  readonly take: OnTallied = (tallies, isComplete) => {
    this.#misfits = misfitsOf(tallies, this.#current);
    const none = this.#misfits.find(({ key }) => !tallies[key]!.hasValue);
    if (!none || !isComplete) return;
    const { column, what, first } = none;
    throw new InputError(
      `no value of the column ${column} is ${what}: row ${first.row} of ${first.input} holds ${quoteBytes(Buffer.from(first.value))}`,
      misfitHint(first.value),
    );
  };
}

/** Whether rows that are merged can be written anew, as a guess turns out to be wrong. */
export function canBeginAnew(
  { order }: OrderOfInputs,
  inputs: readonly ByteInput[],
  output: { readonly seekable: boolean },
  head: number | undefined,
): boolean {
  // With a head, what was written before may be longer.
  return !isGuess(order) || (output.seekable && head === undefined && inputs.every(canReadAgain));
}
