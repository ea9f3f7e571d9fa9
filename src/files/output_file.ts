import type { ByteOutput } from "../core/streams/byte_stream.js";

/** An output. The bytes of a file become visible all at once, when it is published. */
export interface OutputFile extends ByteOutput {
  /**
   * The path of the file until it is published; undefined for a stream. What another library writes there,
   * instead of `write`, is published as well.
   */
  readonly path?: string;
  /** Announces the length, so that the file's pages can be allocated beforehand. Call it at most once. */
  expect?(bytes: number): void;
  /**
   * Gives the output its name. Call it after the last write.
   *
   * @param lastCheck is called by a file once all bytes are on the disk, right before it gets its name. If it
   *   rejects, `publish` rejects with the same reason, and the file does not get its name. Streams ignore it.
   */
  publish(lastCheck?: () => Promise<void>): Promise<void>;
  /** Removes the output. Call it instead of `publish`, or after `publish` failed. */
  discard(): Promise<void>;
}
