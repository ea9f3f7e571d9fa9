import { describe, expect, it } from "vitest";
import { checkUnit } from "../../scripts/shaders/check.js";
import { contractOf, familiesOf, paramsOf } from "../../scripts/shaders/contracts.js";
import { parseUnit } from "../../scripts/shaders/units.js";

/** Makes shared modules of texts by name. */
function sharedOf(texts: Record<string, string>) {
  return new Map(Object.entries(texts).map(([name, text]) => [name, parseUnit(`shared/${name}.wgsl`, text)]));
}

const key = [
  "#if key/32",
  "alias Key = u32;\nfn low(key: Key) -> u32 { return key; }",
  "#elif key/64",
  "alias Key = vec2u;\nfn high(key: Key) -> u32 { return key.y; }",
  "#end\n",
].join("\n");
const start = [
  "#import key",
  "#if start/scanned",
  "fn start(key: Key) -> u32 { return 0u; }",
  "#elif start/summed",
  "#constant TOTALS",
  "fn start(key: Key) -> u32 { return TOTALS; }",
  "#end\n",
].join("\n");
const shared = sharedOf({ grid: "fn linear(a: u32) -> u32 { return a; }", key, start });

const kernel = (text: string) => parseUnit("some/k.wgsl", text);

describe("a WGSL file", () => {
  it("keeps its line numbers when its directives are removed", () => {
    const unit = kernel("// What it does.\n#import grid\n#constant SIZE  // keys\nconst A = SIZE; // half\n");
    expect(unit.sections).toEqual([
      { imports: ["grid"], constants: ["SIZE"], enables: [], source: "\n\n\nconst A = SIZE;\n", when: [] },
    ]);
  });

  it.each([
    [
      "a name that nothing declares",
      "fn main() { other(); }",
      "uses other, which neither it nor its imports declare",
    ],
    ["an import that does not exist", "#import gird\nfn main() {}", "imports gird, which does not exist"],
    ["an import that it does not use", "#import grid\nfn main() {}", "imports grid but uses nothing of it"],
    [
      "a constant that it does not use",
      "#constant SIZE\nfn main() {}",
      "lists SIZE as a constant but does not use it",
    ],
    [
      "a name that only one variant declares",
      "#import key\nfn main(key: Key) { low(key); }",
      "uses low, which only some of key's variants declare",
    ],
  ])("with %s fails the build", (_, text, message) => {
    expect(() => checkUnit(kernel(text), shared)).toThrow(`wgsl/some/k.wgsl ${message}`);
  });

  it("may have lines for some variants, which keep their numbers and have directives of their own", () => {
    const text = [
      "#if a/x",
      "#constant SIZE",
      "const A = SIZE;",
      "#elif a/y",
      "const A = 1u;",
      "#if b/z",
      "const B = 1u;",
      "#end",
      "#else",
      "const A = 2u;",
      "#end",
      "fn main() {}",
    ].join("\n");
    const { sections } = kernel(text);
    expect(
      sections
        .map(({ source }) => source)
        .join("")
        .split("\n"),
    ).toEqual(text.split("\n").map((line) => (line.startsWith("#") ? "" : line)));
    const [x, y, z] = [
      { slot: "a", is: ["x"] },
      { slot: "a", is: ["y"] },
      { slot: "b", is: ["z"] },
    ];
    const some = sections.filter(({ source }) => source.trim() !== "");
    expect(some.map(({ source, constants, when }) => [source.trim(), constants, when])).toEqual([
      ["const A = SIZE;", ["SIZE"], [x]],
      ["const A = 1u;", [], [y]],
      ["const B = 1u;", [], [y, z]],
      ["const A = 2u;", [], [{ slot: "a", isNot: ["x", "y"] }]],
      ["fn main() {}", [], []],
    ]);
  });

  it.each([
    ["#else\n", "#else without #if"],
    ["#if a/x\n#else\n#else\n#end\n", "#else without #if"],
    ["#if a/x\n", "#end is missing"],
    ["#if a/x\n#elif b/x\n#end\n", "b is not the slot of the #if"],
    ["#if a\n#end\n", "'#if a' is not a directive"],
    ["#end a\n", "'#end a' is not a directive"],
  ])("with the conditions %j fails the build", (text, message) => {
    expect(() => kernel(text)).toThrow(message);
  });

  it("is checked for all variants", () => {
    const uses = (use: string) => `#import key\n${use}\nfn main(key: Key) {}`;
    const lowOf = "fn low_of(key: Key) -> u32 { return low(key); }";
    const highOf = "fn high_of(key: Key) -> u32 { return high(key); }";
    const right = uses(`#if key/32\n${lowOf}\n#else\n${highOf}\n#end`);
    expect(() => checkUnit(kernel(right), shared)).not.toThrow();
    expect(() => checkUnit(kernel(uses(`#if key/64\n${lowOf}\n#end`)), shared)).toThrow("uses low, which");
    const named = kernel("#import key/32\nfn main(key: Key) { low(key); }");
    expect(() => checkUnit(named, shared)).not.toThrow();
  });

  it("is of the family of its folder; modules of shared/ are of none", () => {
    expect(parseUnit("msd/remap/msd_remap_plan.wgsl", "fn main() {}").family).toBe("msd/remap");
    expect(parseUnit("shared/grid.wgsl", "fn a() {}").family).toBeUndefined();
  });

  it.each(["#imports grid", "#import", "#import a b", "#if X", "#default"])(
    "with the line '%s' fails the build",
    (line) => {
      expect(() => kernel(line)).toThrow("is not a directive");
    },
  );

  it("may use its own names, WGSL's names, members and constants", () => {
    const text = [
      "#import grid",
      "#constant SIZE",
      "struct Pair { first: u32, second: u32 }",
      "var<workgroup> pairs: array<Pair, SIZE>;",
      "fn main(@builtin(workgroup_id) id: vec3u) {",
      "  for (var i = 0u; i < SIZE; i++) { let p = pairs[i]; pairs[i].first = max(p.second, linear(id.x)); }",
      "}",
    ].join("\n");
    expect(() => checkUnit(kernel(text), shared)).not.toThrow();
  });
});

describe("the families of kernels", () => {
  it("have the modules that only they import; a module with a family is loaded for its variants", () => {
    const all = sharedOf({
      all: "fn all() {}",
      own: "fn own() {}",
      way: "#if way/often\nfn way() {}\n#elif way/rarely\n#import rare\nfn way() { rare(); }\n#end\n",
    });
    const uses = (names: string) => {
      const imports = names.split(" ").map((name) => `#import ${name}\n`);
      const calls = names.split(" ").map((name) => `${name}();`);
      return `${imports.join("")}fn main() { ${calls.join(" ")} }`;
    };
    all.set("rare", parseUnit("a/b/rare.wgsl", "fn rare() {}"));
    const kernels = new Map([
      ["a_one", parseUnit("a/a_one.wgsl", uses("all own way"))],
      ["c_one", parseUnit("c/c_one.wgsl", uses("all way"))],
      ["b_one", parseUnit("a/b/b_one.wgsl", uses("all own"))],
    ]);
    const { common, families } = familiesOf(kernels, all);
    expect(Object.keys(common)).toEqual(["all", "way"]);
    const parts = [...families].map(([name, { kernels, modules, variants, base }]) => {
      return [name, Object.keys(kernels), Object.keys(modules), variants, base];
    });
    expect(parts).toEqual([
      ["a", ["a_one"], ["own"], [], undefined],
      ["c", ["c_one"], [], [], undefined],
      ["a/b", ["b_one"], ["rare"], ["way/rarely"], "a"],
    ]);
    const always = new Map([["d_one", parseUnit("d/d_one.wgsl", uses("rare"))]]);
    expect(() => familiesOf(always, all)).toThrow("rare has a family, so import it after #if");
  });
});

describe("the contract of a kernel", () => {
  it("has its slots, the constants that it always needs, and those that only a variant needs", () => {
    const text =
      "#import start\n#import key\n#constant SIZE\nfn main(key: Key) { start(key); let a = SIZE; }";
    expect(contractOf(kernel(text), shared)).toEqual({
      slots: new Map([
        ["key", ["32", "64"]],
        ["start", ["scanned", "summed"]],
      ]),
      optionalSlots: [],
      constants: ["SIZE"],
      optional: ["TOTALS"],
    });
  });

  it("has optional slots: those that its files do without, and those that only some variants need", () => {
    const some = sharedOf({
      a: "#if a/one\n#import b\nfn a() { b(); }\n#elif a/two\nfn a() {}\n#end",
      b: "#if b/one\nfn b() {}\n#elif b/two\nfn b() { let two = 2u; }\n#end",
      c: "#if c/one\nfn c() {}\n#else\nfn c() { let none = 0u; }\n#end",
    });
    const text = "#import a\n#import c\n#if d/one\nconst D = 1u;\n#end\nfn main() { a(); c(); }";
    const { slots, optionalSlots } = contractOf(kernel(text), some);
    expect([...slots.keys()]).toEqual(["a", "b", "c", "d"]);
    expect(optionalSlots).toEqual(["b", "c", "d"]);
  });

  it("has parameters at the words where WGSL places them", () => {
    const text =
      "struct P { key_count: u32, weights: array<vec4f, 2>, scale: f32 }\n" +
      "@group(0) @binding(0) var<uniform> p: P;";
    expect(paramsOf(kernel(text), shared)).toEqual({
      name: "P",
      words: 16,
      members: [
        { name: "keyCount", at: 0, kind: "u32", words: 1 },
        { name: "weights", at: 4, kind: "f32", words: 8 },
        { name: "scale", at: 12, kind: "f32", words: 1 },
      ],
    });
  });
});
