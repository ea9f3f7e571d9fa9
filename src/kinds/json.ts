import type { ByteInput } from "../core/streams/byte_stream.js";
import { kindOfPath } from "./names.js";

const HEAD_BYTES = 1 << 12;

/** Whether an input is lines of JSON: its name says so, or it begins with an object, as no table of CSV does. */
export async function holdsJsonLines(input: ByteInput): Promise<boolean> {
  if (kindOfPath(input.name)?.isJson) return true;
  const head = Buffer.from(await input.peek(HEAD_BYTES)).toString("latin1");
  return /^\s*\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})/.test(head);
}
