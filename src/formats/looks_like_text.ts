import { utf16Mark } from "./text_encoding.js";

/** How many of a file's first bytes tell whether it is text. */
export const HEAD_BYTES = 4096;

/**
 * Whether the first bytes of a file are those of text: lines of printable characters in UTF-8, UTF-16, or an
 * encoding such as Latin-1; or a number without a line break. Four bytes of random keys look like a number
 * once in 20,000 times.
 */
export function isText(head: Uint8Array): boolean {
  const text = decode(head);
  if (text === undefined) return isMostlyAscii(head);
  if (!/[\p{L}\p{N}]/u.test(text)) return false;
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

/**
 * Whether bytes that are not UTF-8 are lines of text all the same: few are not ASCII, and none is a control.
 */
function isMostlyAscii(head: Uint8Array): boolean {
  const isControl = (byte: number) => (byte < 0x20 && ![9, 10, 12, 13].includes(byte)) || byte === 0x7f;
  const others = head.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0);
  return head.includes(10) && 4 * others <= head.length && !head.some(isControl);
}
