import { type BigIntStats, writeSync } from "node:fs";
import { finished } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError, type OptionName } from "../core/errors.js";
import { serialQueue } from "../core/streams/serial_queue.js";
import { statDescriptor } from "./descriptor.js";
import { unwritable } from "./errors.js";
import type { OutputFile } from "./output_file.js";
import { unlessAborted } from "./stream_input.js";
import type { OpenFile } from "./system.js";

/** An output without offsets: the pieces of pending writes are appended in the order of the calls. */
abstract class StreamOutput implements OutputFile {
  abstract readonly name: string;
  readonly seekable = false;
  readonly #signal: AbortSignal | undefined;
  readonly #inTurn = serialQueue("stop");

  /** @param signal aborts a write that may never end. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  protected abstract append(from: Uint8Array): Promise<void>;

  write(from: Uint8Array): Promise<void> {
    return this.#inTurn(() => {
      this.#signal?.throwIfAborted();
      return unlessAborted(this.append(from), this.#signal);
    });
  }

  async publish(): Promise<void> {}
  async discard(): Promise<void> {}
}

/** An output to a pipe, to a device, or to a descriptor of this process. */
export class DirectOutput extends StreamOutput {
  readonly name: string;
  readonly #file: OpenFile;
  readonly #option: OptionName;
  readonly #readerMayEnd: boolean;

  /** @param readerMayEnd whether its reader may end early, as head does in a pipeline. */
  constructor(name: string, file: OpenFile, option: OptionName, readerMayEnd: boolean) {
    super();
    this.name = name;
    this.#file = file;
    this.#option = option;
    this.#readerMayEnd = readerMayEnd;
  }

  protected async append(from: Uint8Array): Promise<void> {
    for (let written = 0; written < from.length; ) {
      try {
        written += await this.#file.write(from.subarray(written), null);
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException;
        if (code === "EPIPE" && this.#readerMayEnd) throw cause;
        if (code !== "EAGAIN") throw unwritable(this.name, cause as NodeJS.ErrnoException, this.#option);
        await sleep(1); // a socket that does not wait
      }
    }
  }

  override publish(): Promise<void> {
    return this.#file.close();
  }

  override discard(): Promise<void> {
    return this.#file.close();
  }
}

/** What Node's streams have beside what all writable streams have. */
interface OwnState {
  readonly fd?: number;
  readonly destroyed?: boolean;
  readonly errored?: Error | null;
  /** By which a response of HTTP/1 sends its bytes. */
  readonly socket?: { readonly destroyed?: boolean } | null;
  /** By which a response of HTTP/2 sends its bytes. */
  readonly stream?: NodeJS.WritableStream;
}

/** The stream that tells when no more can be written: a response of HTTP/2 tells nothing of its own. */
function senderOf(stream: NodeJS.WritableStream & OwnState): NodeJS.WritableStream & OwnState {
  return stream.constructor.name === "Http2ServerResponse" && stream.stream ? stream.stream : stream;
}

/** The error of a stream that was destroyed without one, as Node's `finished` makes it. */
function prematureClose(): Error {
  return Object.assign(new Error("Premature close"), { code: "ERR_STREAM_PREMATURE_CLOSE" });
}

/** An output to an open stream of Node, which stays open. */
export class WritableOutput extends StreamOutput {
  readonly name: string;
  readonly #stream: NodeJS.WritableStream & OwnState;
  #failure: Error | undefined;
  #appended: Promise<void> = Promise.resolve();
  /** Without a listener, a stream that fails ends the process. The next write is rejected instead. */
  readonly #noteFailure = (error: Error) => {
    this.#failure = error;
  };

  constructor(stream: NodeJS.WritableStream & OwnState, name = "the stream", signal?: AbortSignal) {
    super(signal);
    this.#stream = stream;
    this.name = name;
    stream.on("error", this.#noteFailure);
  }

  /** What the system says about it; undefined if it has no descriptor. */
  get stats(): BigIntStats | undefined {
    const { fd } = this.#stream;
    return typeof fd === "number" ? statDescriptor(fd) : undefined;
  }

  protected append(from: Uint8Array): Promise<void> {
    this.#appended = this.#append(from);
    return this.#appended;
  }

  async #append(from: Uint8Array): Promise<void> {
    if (this.#failure) throw this.#failure;
    const { fd } = this.#stream;
    // Node's class for standard output to a file treats a partial write as complete: a full disk would look
    // like success.
    const isSync = this.#stream.constructor.name === "SyncWriteStream";
    if (isSync && fd !== undefined) return this.#appendToFile(fd, from);
    const sender = senderOf(this.#stream);
    let unwatch = () => {};
    const written = new Promise<void>((resolve, reject) => {
      const fail = (error: Error) => {
        this.#failure ??= error;
        reject(this.#failure);
      };
      // A stream that is closed meanwhile may call back no more, as a PassThrough or a response of HTTP/2.
      unwatch = finished(sender, { readable: false }, (error) => fail(error ?? prematureClose()));
      // The stream may keep the bytes, whose memory is used again, and may be shared by threads.
      this.#stream.write(new Uint8Array(from), (error) => {
        if (error) fail(error);
        // A socket that is destroyed calls back the writes that it drops, without an error.
        else if (sender.destroyed || sender.socket?.destroyed) fail(sender.errored ?? prematureClose());
        else resolve();
      });
    });
    return written.finally(() => unwatch());
  }

  override async publish(): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#stream.off("error", this.#noteFailure);
  }

  override async discard(): Promise<void> {
    // A write may go on after a signal has ended the sort. A stream emits its error after the write was
    // rejected.
    this.#appended.then(
      () => this.#failure ?? this.#stream.off("error", this.#noteFailure),
      () => {},
    );
  }

  #appendToFile(fd: number, from: Uint8Array): void {
    try {
      for (let written = 0; written < from.length; ) written += writeSync(fd, from, written);
    } catch (cause) {
      throw unwritable(this.name, cause as NodeJS.ErrnoException);
    }
  }
}

/** An output to an open stream of the web, which stays open. It is locked meanwhile. */
export class WebOutput extends StreamOutput {
  readonly name = "the stream";
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;

  constructor(stream: WritableStream<Uint8Array>, signal?: AbortSignal) {
    super(signal);
    if (stream.locked) {
      throw new InputError("the stream of the output is locked by another writer", {
        hint: "release that, or pass another stream",
      });
    }
    this.#writer = stream.getWriter();
  }

  protected async append(from: Uint8Array): Promise<void> {
    // The stream may keep the bytes, whose memory is used again, and may be shared by threads.
    await this.#writer.write(new Uint8Array(from));
  }

  override async publish(): Promise<void> {
    this.#writer.releaseLock();
  }

  override async discard(): Promise<void> {
    this.#writer.releaseLock();
  }
}
