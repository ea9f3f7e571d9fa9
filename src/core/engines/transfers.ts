import type { Staging } from "../device/staging.js";
import { type ElementType, elementType } from "../elements.js";
import { VerifyError } from "../errors.js";
import { combineWordSums, transferSum } from "../items/checksum.js";
import { keyItem } from "../items/item.js";
import type { Totals } from "../sort/evidence.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import type { PhaseClock, PhaseName } from "../streams/phase_clock.js";

/**
 * Checks keys or indices that are read back from the device. The device has checked them already, but the
 * bus, the driver or the mapped memory may change them afterwards. The check is a plain sum, which runs at
 * the speed of memory; it is computed while the file is written.
 */
export class ReadbackCheck {
  readonly #sumOf: (bytes: Uint8Array) => number;
  readonly #expected: number;
  #sum = 0;

  private constructor(expected: number, sumOf: (bytes: Uint8Array) => number) {
    this.#expected = expected;
    this.#sumOf = sumOf;
  }

  /** @param totals what the device found when it inspected the keys, before the sort or after it. */
  static ofKeys(type: ElementType, { wordSums: [low, high] }: Totals): ReadbackCheck {
    const item = keyItem(type);
    const expected = type.words === 2 ? combineWordSums(low, high) : low;
    return new ReadbackCheck(expected, (bytes) => transferSum(bytes, item));
  }

  /** The sum of `count` indices is known without an inspection. */
  static ofIndices(count: number): ReadbackCheck {
    const item = keyItem(elementType("u32"));
    const expected = BigInt.asUintN(32, (BigInt(count) * BigInt(count - 1)) / 2n);
    return new ReadbackCheck(Number(expected), (bytes) => transferSum(bytes, item));
  }

  /**
   * @param sum what the device found when it added up the words of bytes, of which zeros complete the last
   * one.
   */
  static ofWords(sum: number): ReadbackCheck {
    const item = keyItem(elementType("u32"));
    return new ReadbackCheck(sum, (bytes) => {
      const rest = bytes.length % 4;
      const last = new Uint8Array(4);
      last.set(bytes.subarray(bytes.length - rest));
      return transferSum(bytes.subarray(0, bytes.length - rest), item) + transferSum(last, item);
    });
  }

  /** Adds the bytes of one window to the sum. */
  add(bytes: Uint8Array): void {
    this.#sum = (this.#sum + this.#sumOf(bytes)) >>> 0;
  }

  /**
   * Compares the sum with the expected one. To be called after the last window.
   *
   * @throws VerifyError if the sums differ.
   */
  end(device: string): void {
    if (this.#sum === this.#expected) return;
    throw new VerifyError(
      `${device} sorted correctly, but the result changed during the readback: the checksums differ`,
      {
        hint: "no file was replaced; run again, or try another device",
        options: ["device"],
      },
    );
  }
}

/** Moves the items of a job to the device and back, and measures that. */
export class Transfers {
  readonly #staging: Staging;
  readonly #clock: PhaseClock;

  constructor(staging: Staging, clock: PhaseClock) {
    this.#staging = staging;
    this.#clock = clock;
  }

  /** Fills a buffer with a source's first bytes, if there are both. */
  async upload(target: GPUBuffer | undefined, source: ItemSource | undefined, bytes: number): Promise<void> {
    if (!target || !source) return;
    const read = (window: Uint8Array<ArrayBuffer>, offset: number) =>
      this.#clock.time("read", window.length, () => source.read(window, offset));
    await this.#staging.upload(target, bytes, read, this.#transfer("upload"));
  }

  /**
   * Writes a buffer's first bytes to a sink, if there are both.
   *
   * @param arrival checks what arrives.
   * @param device the name of the device, for messages.
   */
  async download(
    buffer: GPUBuffer | undefined,
    sink: ItemSink | undefined,
    bytes: number,
    arrival: ReadbackCheck | undefined,
    device: string,
  ): Promise<void> {
    if (!buffer || !sink) return;
    const write = (window: Uint8Array<ArrayBuffer>, offset: number) => {
      const writing = this.#clock.time("write", window.length, () => sink.write(window, offset));
      arrival?.add(window); // during the write
      return writing;
    };
    await this.#staging.readback(buffer, bytes, write, this.#transfer("readback"));
    arrival?.end(device);
  }

  #transfer(name: PhaseName) {
    return {
      begin: () => this.#clock.begin(name),
      end: (bytes: number) => this.#clock.end(name, bytes),
    };
  }
}
