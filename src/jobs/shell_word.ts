import { singleQuoted } from "../core/printable.js";

/** A word as a shell reads it: in single quotes, if it has characters that mean something there. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : singleQuoted(text);
}
