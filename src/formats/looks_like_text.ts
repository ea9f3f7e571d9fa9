import { utf16Mark } from "./text_encoding.js";

/** How many of a file's first bytes tell whether it is text. */
export const HEAD_BYTES = 4096;

/**
 * Whether the first bytes of a file are those of text: lines of printable characters in UTF-8 or UTF-16, or a
 * number without a line break. Four bytes of random keys look like a number once in 20,000 times.
 */
export function isText(head: Uint8Array): boolean {
  const text = decode(head);
  if (text === undefined || !/[\p{L}\p{N}]/u.test(text)) return false;
  return /^[\d+\-.,;eE \t\r\n]+$/.test(text) || (text.includes("\n") && !/(?![\t\n\f\r])\p{Cc}/u.test(text));
}

/** A file's first bytes as text; undefined if they are not text in UTF-8, nor in UTF-16 with its mark. */
function decode(head: Uint8Array): string | undefined {
  try {
    // With "stream", a character that the end of `head` splits is left out instead of being an error.
    return new TextDecoder(utf16Mark(head) ?? "utf-8", { fatal: true }).decode(head, { stream: true });
  } catch {
    return undefined;
  }
}
