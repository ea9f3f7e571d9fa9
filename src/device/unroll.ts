/**
 * Unrolls the loops of a WGSL text that ask for it by a comment:
 *
 *     for (var i = 0u; i < TILE_KEYS; i++) { // unroll
 *       …
 *     }
 *
 * becomes its body TILE_KEYS times, each in a block that begins with `const i = …u;`. WGSL has no such hint, and a
 * driver that leaves the loop alone puts every array that it indexes into memory: an H200 then ranks keys at half
 * the speed. The text stays valid WGSL without this; the body is repeated, never edited.
 *
 * @param constants the bounds, by name.
 * @throws SyntaxError if a bound is no constant, or if the loop's closing brace is not found at its indentation.
 */
export function unroll(text: string, constants: Readonly<Record<string, number>>): string {
  const lines = text.split("\n");
  const out: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const header = /^( *)for \(var (\w+) = 0u; \2 < (\w+); \2\+\+\) \{ \/\/ unroll$/.exec(lines[i]!);
    if (!header) {
      out.push(lines[i]!);
      continue;
    }
    const [, indent = "", name = "", bound = ""] = header;
    const end = lines.indexOf(`${indent}}`, i);
    const count = constants[bound];
    if (count === undefined) throw new SyntaxError(`cannot unroll a loop to ${bound}, which is no constant`);
    if (end < 0) throw new SyntaxError(`the unrolled loop to ${bound} does not end`);
    const body = lines.slice(i + 1, end).map((line) => line.replace(/\/\/(?! unroll$).*/, ""));
    const copy = unroll(body.join("\n"), constants).replaceAll("\n", " ");
    // On one line, so that the lines after it keep their numbers in error messages.
    const copies = Array.from({ length: count }, (_, k) => `${indent}{ const ${name} = ${k}u; ${copy} }`);
    out.push(copies.join(" "), ...lines.slice(i + 1, end + 1).map(() => ""));
    i = end;
  }
  return out.join("\n");
}
