import { type ElementType, elementType } from "../elements.js";
import { VerifyError } from "../errors.js";
import { keyItem } from "../formats/format.js";
import { partialChecksum, transferSum } from "../keys/checksum.js";

/**
 * Looks at keys or indices on their way from the device: what was checked there may still be changed by the bus, the
 * driver or the memory that it is mapped to. Takes about a nanosecond a key, beside the writing.
 */
export class ReadbackCheck {
  readonly #sumOf: (bytes: Uint8Array) => number;
  readonly #expected: number;
  #sum = 0;

  private constructor(expected: number, sumOf: (bytes: Uint8Array) => number) {
    this.#expected = expected;
    this.#sumOf = sumOf;
  }

  /** @param expected the first of the sums that the device found, by wgsl/inspect.wgsl. */
  static ofKeys(type: ElementType, expected: number): ReadbackCheck {
    const item = keyItem(type);
    return new ReadbackCheck(expected, (bytes) => partialChecksum(bytes, item));
  }

  /** Of indices it is known what they add up to. */
  static ofIndices(count: number): ReadbackCheck {
    const item = keyItem(elementType("u32"));
    const expected = BigInt.asUintN(32, (BigInt(count) * BigInt(count - 1)) / 2n);
    return new ReadbackCheck(Number(expected), (bytes) => transferSum(bytes, item));
  }

  look(bytes: Uint8Array): void {
    this.#sum = (this.#sum + this.#sumOf(bytes)) >>> 0;
  }

  /** After the last byte. @throws VerifyError unless all arrived as it was sent. */
  end(device: string): void {
    if (this.#sum === this.#expected) return;
    throw new VerifyError(
      `${device} sorted rightly, but what it sent arrived changed: the checksums differ`,
      {
        hint: "the input is untouched and no file was replaced; run again, or try another --device",
      },
    );
  }
}
