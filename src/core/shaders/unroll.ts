/**
 * The first line of a loop that can be unrolled, with or without the spaces that scripts/minify_wgsl.js
 * removes.
 */
const LOOP = /^( *)for ?\(var (\w+) = 0u; ?\2 < (\w+); ?\2\+\+\) ?\{$/;

/**
 * Unrolls the loops of a WGSL text that follow a line with `#unroll`. The loop
 *
 *     #unroll
 *     for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
 *       …
 *     }
 *
 * becomes KEYS_PER_INVOCATION copies of its body, each in a block that begins with `const i = …u;`. WGSL has
 * no attribute for this. If a driver does not unroll the loop, it puts every array that the loop indexes into
 * memory: an H200 then ranks keys at half the speed. The body is copied without any change except that comments
 * are removed.
 *
 * @param constants the values of the bounds by name.
 * @throws SyntaxError if what follows is no such loop, if a bound is not a constant, or if the closing brace of
 *   a loop is missing.
 */
export function unroll(text: string, constants: Readonly<Record<string, number>>): string {
  const lines = text.split("\n");
  const out: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    if (lines[i]!.trim() !== "#unroll") {
      out.push(lines[i]!);
      continue;
    }
    const header = LOOP.exec(lines[i + 1] ?? "");
    if (!header)
      throw new SyntaxError(`cannot unroll '${lines[i + 1]}': it is no loop from 0u to a constant`);
    const [, indent = "", name = "", bound = ""] = header;
    const end = lineOfClosingBrace(lines, i + 1);
    const count = constants[bound];
    if (count === undefined) throw new SyntaxError(`cannot unroll a loop to ${bound}: it is not a constant`);
    if (end < 0) throw new SyntaxError(`cannot unroll a loop to ${bound}: its closing brace is missing`);
    const body = lines.slice(i + 2, end).map((line) => line.replace(/\/\/.*/, ""));
    const copy = unroll(body.join("\n"), constants).replaceAll("\n", " ");
    // All copies are on one line, so that later lines keep their numbers in error messages.
    const copies = Array.from({ length: count }, (_, k) => `${indent}{ const ${name} = ${k}u; ${copy} }`);
    out.push(copies.join(" "), ...lines.slice(i + 1, end + 1).map(() => ""));
    i = end;
  }
  return out.join("\n");
}

/** @returns the line that closes the brace of the line `begin`; -1 if none does. */
function lineOfClosingBrace(lines: readonly string[], begin: number): number {
  let open = 0;
  for (let i = begin; i < lines.length; i++) {
    const [code = ""] = lines[i]!.split("//");
    open += code.split("{").length - code.split("}").length;
    if (open === 0) return i;
  }
  return -1;
}
