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
