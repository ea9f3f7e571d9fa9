import type { ByteInput } from "../../core/streams/byte_stream.js";

/**
 * Makes a `next` that reads the next `bytes` bytes of a file while its caller works on those before. A pipe
 * is not read ahead: that may take long, and what ends the job would have to wait for it.
 */
export function prefetched(input: ByteInput, bytes: number): ByteInput["next"] {
  if (input.byteLength === undefined || input.byteLength <= bytes) return (into) => input.next(into);
  let buffers: Uint8Array[] = [];
  let reading: Promise<Uint8Array> | undefined;
  let ready = new Uint8Array(0) as Uint8Array;
  const read = () => {
    if (buffers.length === 0) buffers = [new Uint8Array(bytes), new Uint8Array(bytes)];
    buffers.reverse(); // the other one was read, or is being taken from
    const [buffer] = buffers;
    const bytesRead = input.next(buffer!).then((length) => buffer!.subarray(0, length));
    bytesRead.catch(() => {}); // the caller that needs these bytes gets the error
    return bytesRead;
  };
  return async (into) => {
    let filled = 0;
    while (filled < into.length) {
      if (ready.length === 0) {
        ready = await (reading ?? read());
        if (ready.length === 0) {
          buffers = []; // other inputs may follow
          return filled;
        }
        reading = read();
      }
      const some = ready.subarray(0, into.length - filled);
      into.set(some, filled);
      ready = ready.subarray(some.length);
      filled += some.length;
    }
    return filled;
  };
}
