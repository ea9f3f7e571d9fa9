import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { wgslMinifier } from "../../scripts/minify_wgsl.js";
import { unroll } from "../../src/core/shaders/link.js";
import type { ShaderFamily } from "../../src/core/shaders/program.js";

const folder = new URL("../../src/core/shaders/wgsl/", import.meta.url);
const names = readdirSync(folder).filter((name) => !name.startsWith("common."));
const families = await Promise.all(
  names.map(async (name): Promise<ShaderFamily> => (await import(new URL(name, folder).href)).family),
);
const sections = families
  .flatMap(({ kernels, modules }) => [kernels, modules].flatMap((all) => Object.values(all)))
  .flatMap(({ path, sections }) => sections.map((section) => ({ path, ...section })));
const minify = wgslMinifier(sections);

const tokens = (source: string) => source.match(/\b[A-Za-z_]\w*|\d[\w.]*|[^\s\w]/g) ?? [];
const isName = (token: string) => /^[A-Za-z_]/.test(token);

/** What each name became, over all files. */
const renamed = new Map<string, string>();
const pairs = sections.map(({ path, source }) => {
  const [before, after] = [tokens(source), tokens(minify(source))];
  before.forEach((token, i) => {
    if (isName(token)) renamed.set(token, renamed.get(token) ?? after[i]!);
  });
  return { path, before, after };
});

describe("shorter WGSL", () => {
  it("has the same tokens as before, and replaces each name by one of its own, the same everywhere", () => {
    expect(new Set(renamed.values()).size).toBe(renamed.size);
    for (const { path, before, after } of pairs) {
      expect(after, path).toEqual(before.map((token) => (isName(token) ? renamed.get(token)! : token)));
    }
  });

  it("keeps the names of WGSL, of the constants that programs give, of the entry point, and all lines", () => {
    const text =
      "@group(0) @binding(1) var<storage, read_write> keys: array<u32>;\n\nfn main(\n  a: u32) { min(a, TILE); }";
    const short = wgslMinifier([{ source: text, constants: ["TILE"] }])(text);
    expect(short).toMatch(
      /^@group\(0\)@binding\(1\)var<storage,read_write> \w:array<u32>;\n\nfn main\(\na:u32\)\{min\(a,TILE\);\}$/,
    );
  });

  it("can be unrolled", () => {
    const text = "  #unroll\n  for (var index = 0u; index < KEYS; index++) {\n    a[index];\n  }\n";
    const short = wgslMinifier([{ source: text, constants: ["KEYS"] }])(text);
    expect(unroll(short, { KEYS: 3 }).match(/const \w = \du;/g)).toHaveLength(3);
  });

  it("takes less than three quarters of the bytes", () => {
    const bytes = (sources: string[]) => sources.join("").length;
    const sources = sections.map(({ source }) => source);
    expect(bytes(sources.map(minify))).toBeLessThan(0.75 * bytes(sources));
  });
});
