import stringWidth from "string-width";

/** Columns that a text takes on a terminal. A Chinese character takes two of them, a combining one none. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

/** Shortens a text in the middle so that it takes at most `columns` columns: "a very lo…e.u32". */
export function fit(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  const head = prefix(characters, Math.ceil((columns - 1) / 2));
  const tail = prefix(characters.toReversed(), columns - 1 - textWidth(head.join("")));
  return columns < 1 ? "" : `${head.join("")}…${tail.reverse().join("")}`;
}

/** The longest prefix that takes at most `columns` columns. */
function prefix(characters: readonly string[], columns: number): string[] {
  let width = 0;
  for (const [i, character] of characters.entries()) {
    width += textWidth(character);
    if (width > columns) return characters.slice(0, i);
  }
  return [...characters];
}

/**
 * Breaks the lines of a text that are longer than `columns` between words. What follows is indented by two
 * more spaces. A word that is longer than a line, such as a path, stays whole.
 */
export function foldLines(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => foldLine(line, columns))
    .join("\n");
}

function foldLine(line: string, columns: number): string {
  const [indent] = /^ */.exec(line)!;
  const [first = "", ...words] = line.slice(indent.length).split(" ");
  const lines = [indent + first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(`${indent}  ${word}`);
  }
  return lines.join("\n");
}
