/**
 * A table in Markdown.
 *
 * @param {readonly string[]} head the titles of the columns.
 * @param {readonly (readonly unknown[])[]} rows their cells.
 * @param {number} words how many columns hold words; the others hold numbers, which end at the right.
 */
export function markdownTable(head, rows, words = 1) {
  return [head, head.map((_, i) => (i < words ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |\n`)
    .join("");
}

/**
 * The document with the table between the mark of its script and the mark of its end.
 *
 * @param {string} text
 * @param {string} script
 * @param {string} table
 */
export function withMarkedTable(text, script, table) {
  const [begin, end] = [`<!-- scripts/${script} -->\n`, "<!-- end -->"];
  return text.slice(0, text.indexOf(begin)) + begin + table + text.slice(text.indexOf(end));
}
