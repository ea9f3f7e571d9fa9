import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
// @ts-expect-error: a script without types
import { BUILTIN, readKernels, readShared } from "../../scripts/shaders.js";
// @ts-expect-error: a script without types
import { shortNames } from "../../scripts/short_names.js";
import type { ShaderUnit } from "../../src/core/shaders/library.js";

const wgsl = fileURLToPath(new URL("../../wgsl", import.meta.url));
const units: ShaderUnit[] = [
  ...readKernels(wgsl, "").values(),
  ...readShared(`${wgsl}/shared`).modules.values(),
];

const WORDS = /@\w+(?:\([a-z_]\w*\))?|\/\/.*|\.[xyzwrgba]{1,4}\b|\b[A-Za-z_]\w*/g;
const wordsOf = (source: string): string[] => source.match(WORDS) ?? [];

describe("short names", () => {
  const shorten = shortNames(units);
  const renamed = new Map<string, string>();
  for (const { source } of units) {
    const short = wordsOf(shorten(source));
    wordsOf(source).forEach((word, i) => {
      renamed.set(word, short[i]!);
    });
  }

  it("leave all that is not a name as it is, line by line", () => {
    for (const { source } of units) {
      expect(shorten(source).replaceAll(WORDS, "_")).toBe(source.replaceAll(WORDS, "_"));
    }
  });

  it("are one for each name, in all files", () => {
    expect(renamed.size).toBeGreaterThan(500);
    expect(new Set(renamed.values()).size).toBe(renamed.size);
    for (const { source } of units) {
      const again = wordsOf(source).map((word) => renamed.get(word));
      expect(wordsOf(shorten(source))).toEqual(again);
    }
  });

  it("leave WGSL's words, constants of programs and the entry point as they are", () => {
    const constants = units.flatMap((unit) => unit.constants);
    for (const word of ["main", "exchanged", "@builtin(local_invocation_index)", ...BUILTIN, ...constants]) {
      expect(renamed.get(word) ?? word).toBe(word);
    }
    for (const [word, short] of renamed)
      if (short !== word) expect(short).toMatch(/^([a-zA-Z]|[a-z][A-Z0-9][a-z]?)$/);
  });

  it("leave attributes, swizzles, members of what builtins return, and comments that mean something", () => {
    const source = [
      "fn main(@builtin(num_workgroups) workgroups: vec3u) { // unroll",
      "  let exchanged_word = atomicCompareExchangeWeak(&words[0], workgroups.xy.y, TILE).exchanged;",
      "}",
    ].join("\n");
    const shortened = shortNames([{ source, constants: ["TILE"] }])(source);
    expect(shortened).toBe(
      [
        "fn main(@builtin(num_workgroups) c: vec3u) { // unroll",
        "  let d = atomicCompareExchangeWeak(&e[0], c.xy.y, TILE).exchanged;",
        "}",
      ].join("\n"),
    );
  });
});
