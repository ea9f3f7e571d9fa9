import { describe, expect, it } from "vitest";
import { unroll } from "../../../src/core/shaders/link.js";

const loop = [
  "a;",
  "  #unroll",
  "  for (var i = 0u; i < COUNT; i++) {",
  "    b[i]; // why",
  "    c;",
  "  }",
  "d;",
].join("\n");

describe("unroll", () => {
  it("repeats the body of a marked loop with a constant counter, and keeps other line numbers", () => {
    const lines = unroll(loop, { COUNT: 2 }).split("\n");
    expect(lines).toHaveLength(loop.split("\n").length);
    expect(lines[0]).toBe("a;");
    expect(lines[6]).toBe("d;");
    expect(lines[1]!.replaceAll(/\s+/g, " ")).toBe(" { const i = 0u; b[i]; c; } { const i = 1u; b[i]; c; }");
  });

  it("removes a marked loop with zero iterations, and keeps a loop that is not marked", () => {
    expect(unroll(loop, { COUNT: 0 }).trim().split(/\s+/)).toEqual(["a;", "d;"]);
    const plain = loop.replace("  #unroll\n", "");
    expect(unroll(plain, {})).toBe(plain);
  });

  it("unrolls loops within loops", () => {
    const nested = [
      "#unroll",
      "for (var i = 0u; i < N; i++) {",
      "  #unroll",
      "  for (var j = 0u; j < M; j++) {",
      "    x[i][j];",
      "  }",
      "}",
    ].join("\n");
    const text = unroll(nested, { N: 2, M: 3 });
    expect(text.match(/x\[i\]\[j\];/g)).toHaveLength(6);
    expect(text.match(/const j = 2u;/g)).toHaveLength(2);
  });

  it("refuses what is no loop, a bound that is not a constant, and a loop without a closing brace", () => {
    expect(() => unroll("#unroll\nb[i];", {})).toThrow("cannot unroll 'b[i];'");
    expect(() => unroll("#unroll", {})).toThrow(SyntaxError);
    expect(() => unroll(loop, {})).toThrow("COUNT");
    expect(() => unroll(loop.replace("  }\n", ""), { COUNT: 2 })).toThrow(SyntaxError);
  });
});
