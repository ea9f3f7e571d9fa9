const SHOWN_CHARACTERS = 40;

/**
 * Quotes text from a file for a message: at most 40 characters of it. Characters that cannot be seen, or that
 * look like a space, are written as escapes, such as \u00a0.
 */
export function quote(text: string): string {
  const characters = [...text.slice(0, 2 * SHOWN_CHARACTERS + 2)];
  const shown = characters.slice(0, SHOWN_CHARACTERS).map(escapeCharacter).join("");
  return `'${shown}${characters.length > SHOWN_CHARACTERS ? "…" : ""}'`;
}

/** Quotes bytes from a file as UTF-8. If they are not UTF-8, those that are not ASCII are written as \xff. */
export function quoteBytes(bytes: Uint8Array): string {
  const head = new Uint8Array(bytes.subarray(0, 4 * SHOWN_CHARACTERS + 4));
  try {
    // With "stream", a character that the cut splits is left out instead of being an error.
    return quote(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(head, { stream: true }));
  } catch {
    const escaped = [...head.subarray(0, SHOWN_CHARACTERS)].map((byte) =>
      byte < 0x80 ? escapeCharacter(String.fromCharCode(byte)) : `\\x${byte.toString(16)}`,
    );
    return `'${escaped.join("")}${head.length > SHOWN_CHARACTERS ? "…" : ""}'`;
  }
}

function escapeCharacter(character: string): string {
  if (character === " " || !/[\p{C}\p{Z}]/u.test(character)) return character;
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
