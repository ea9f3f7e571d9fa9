/**
 * Control characters (C0, DEL and C1), line and paragraph separators, and marks that reorder text. A terminal
 * acts on them, so a file name could forge or hide what gpusort says.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** The text on one line, with its unprintable characters escaped as in JSON: "\n", "\u001b". */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** The text with its unprintable characters escaped, except line breaks. JSON stays the same JSON. */
export function printableLines(text: string): string {
  return text.replace(UNPRINTABLE, (character) => (character === "\n" ? character : escaped(character)));
}

function escaped(character: string): string {
  const short = JSON.stringify(character).slice(1, -1);
  if (short !== character) return short;
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Longer messages are mostly one long name or value, which helps nobody and floods a log. */
const MAX_BYTES = 1900;

/** How much of either end of a text that is too long is kept. A character takes at most four bytes. */
const KEPT_CHARACTERS = 220;

/**
 * A message on one line of at most 1,900 bytes of UTF-8: printable, and cut in its middle if it is longer.
 */
export function messageLine(text: string): string {
  const line = printable(text);
  if (new TextEncoder().encode(line).length <= MAX_BYTES) return line;
  const characters = Array.from(line);
  const ends = [characters.slice(0, KEPT_CHARACTERS), characters.slice(-KEPT_CHARACTERS)];
  const [head, tail] = ends.map((end) => end.join(""));
  return `${head}… (${characters.length} characters in all) …${tail}`;
}

/** Each line of a text as a `messageLine`, for the text of another library or of a stack trace. */
export function messageLines(text: string): string {
  return text.split("\n").map(messageLine).join("\n");
}

/** A text in single quotes, as one word for a shell. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
