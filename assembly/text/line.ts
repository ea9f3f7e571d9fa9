// Lines end with a line feed, which a carriage return may precede. Spaces and tabs may surround a number.

import { CARRIAGE_RETURN, LINE_FEED, SPACE } from "./constants";

const TAB: u32 = 9;

export function skipSpaces(at: usize): usize {
  let character = load<u8>(at);
  while (character === SPACE || character === TAB) character = load<u8>(++at);
  return at;
}

/** The start of the next line, if nothing but spaces comes before it; otherwise 0. */
export function nextLine(at: usize): usize {
  if (load<u8>(at) === LINE_FEED) return at + 1;
  const end = skipSpaces(at);
  const character = load<u8>(end);
  if (character === LINE_FEED) return end + 1;
  return character === CARRIAGE_RETURN && load<u8>(end, 1) === LINE_FEED ? end + 2 : 0;
}

/** Stores what a kernel has done: how many keys and lines, and how many bytes of text. */
export function report(at: usize, keys: u32, lines: u32, bytes: usize): void {
  store<u32>(at, keys);
  store<u32>(at, lines, 4);
  store<u32>(at, <u32>bytes, 8);
}
