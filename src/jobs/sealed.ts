import { createHash } from "node:crypto";
import { GpusortError } from "../core/errors.js";

/** @returns the first 32 hexadecimal digits of the SHA-256 of some bytes or text. */
export function digest(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 32);
}

/** JSON that holds its own digest, so that a file that was cut short or edited is found out. */
export function sealed(content: object): string {
  const plain = JSON.stringify(content);
  return `${JSON.stringify({ ...JSON.parse(plain), seal: digest(plain) }, null, 1)}\n`;
}

/**
 * Reads what `sealed` made.
 *
 * @throws Error if the text is anything else.
 */
export function unsealed(text: string): unknown {
  const json = parsed(text);
  const { seal, ...content } = (json ?? {}) as Record<string, unknown>;
  if (digest(JSON.stringify(content)) !== seal) throw new Error("it was changed, or cut short");
  return content;
}

/** @returns undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * What another task of a job should have written is missing, or is not what its receipt says. The job goes on
 * when that task has run again.
 */
export class UnfinishedError extends GpusortError {
  override readonly name = "UnfinishedError";
}
