import type { Staging } from "../device/staging.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import type { PhaseClock, PhaseName } from "../streams/phase_clock.js";
import type { ReadbackCheck } from "./readback_check.js";

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
