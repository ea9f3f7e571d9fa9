import { describe, expect, it } from "vitest";
import {
  checkUnit,
  contractOf,
  familiesOf,
  paramsOf,
  parseUnit,
  parseVariants,
} from "../../scripts/shaders.js";

type Variant = ReturnType<typeof parseVariants>[number];

/** Makes shared modules of texts by name; the name of a variant is "slot/variant". */
function sharedOf(texts: Record<string, string>) {
  const modules = new Map(
    Object.entries(texts).map(([name, text]) => [name, parseUnit(`shared/${name}.wgsl`, text)]),
  );
  const slots = new Map<string, string[]>();
  for (const name of modules.keys()) {
    const [slot, variant] = name.split("/") as [string, string?];
    if (variant) slots.set(slot, [...(slots.get(slot) ?? []), variant]);
  }
  return { modules, slots };
}

const shared = sharedOf({
  grid: "fn linear(a: u32) -> u32 { return a; }",
  "key/32": "alias Key = u32;\nfn low(key: Key) -> u32 { return key; }",
  "key/64": "alias Key = vec2u;\nfn high(key: Key) -> u32 { return key.y; }",
  "start/scanned": "#import key\nfn start(key: Key) -> u32 { return 0u; }",
  "start/summed": "#import key\n#constant TOTALS\nfn start(key: Key) -> u32 { return TOTALS; }",
});

const kernel = (text: string) => parseUnit("k.wgsl", text);

describe("a WGSL file", () => {
  it("keeps its line numbers when its directives are removed", () => {
    const unit = kernel("// What it does.\n#import grid\n#constant SIZE  // keys\nconst A = SIZE; // half\n");
    expect(unit).toMatchObject({ imports: ["grid"], constants: ["SIZE"], source: "\n\n\nconst A = SIZE;\n" });
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
    expect(() => checkUnit(kernel(text), shared)).toThrow(`wgsl/k.wgsl ${message}`);
  });

  it("may end with the default of its slot, which keeps its line numbers and has directives of its own", () => {
    const text = "#import grid\nfn a() { linear(1u); }\n#default\n#constant SIZE\nfn a() { let b = SIZE; }\n";
    const [[name, own], [other, standard]] = parseVariants("shared/slot/some.wgsl", text) as [
      Variant,
      Variant,
    ];
    expect([name, other]).toEqual(["some", "default"]);
    expect(own).toMatchObject({ imports: ["grid"], constants: [], source: "\nfn a() { linear(1u); }\n" });
    expect(standard).toMatchObject({
      path: own.path,
      imports: [],
      constants: ["SIZE"],
      source: "\n\n\n\nfn a() { let b = SIZE; }\n",
    });
    expect(() => parseVariants("shared/slot/some.wgsl", `${text}#default\n`)).toThrow(
      "#default is there twice",
    );
    expect(() => kernel("#default\nfn main() {}")).toThrow("is not a directive");
  });

  it("is of the family that it names, or else of the one that its name begins with", () => {
    expect(kernel("#family radix\nfn main() {}").family).toBe("radix");
    expect(parseUnit("msd_scan.wgsl", "fn main() {}").family).toBe("msd");
    expect(parseUnit("rows/rows_find.wgsl", "fn main() {}").family).toBe("rows");
    expect(() => kernel("#family radix\n#family msd")).toThrow("a kernel or a variant has one family");
    expect(() => sharedOf({ grid: "#family radix" })).toThrow("another module has none");
  });

  it.each(["#imports grid", "#import", "#import a b", "#if X"])(
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
  it("have the modules that only they import, and variants that name them are loaded with no other", () => {
    const all = sharedOf({
      all: "fn all() {}",
      own: "fn own() {}",
      rare: "fn rare() {}",
      "way/often": "fn way() {}",
      "way/rarely": "#import rare\n#family a/b\nfn way() { rare(); }",
    });
    const uses = (names: string) => {
      const imports = names.split(" ").map((name) => `#import ${name}\n`);
      const calls = names.split(" ").map((name) => `${name}();`);
      return `${imports.join("")}fn main() { ${calls.join(" ")} }`;
    };
    const kernels = new Map([
      ["a_one", parseUnit("a_one.wgsl", uses("all own way"))],
      ["c_one", parseUnit("c_one.wgsl", uses("all way"))],
      ["b_one", parseUnit("b_one.wgsl", `#family a/b\n${uses("all own")}`)],
    ]);
    const { common, families } = familiesOf(kernels, all);
    expect(Object.keys(common)).toEqual(["all", "way/often"]);
    const parts = [...families].map(([name, { kernels, modules, variants, base }]) => {
      return [name, Object.keys(kernels), Object.keys(modules), variants, base];
    });
    expect(parts).toEqual([
      ["a", ["a_one"], ["own"], [], undefined],
      ["c", ["c_one"], [], [], undefined],
      ["a/b", ["b_one"], ["rare", "way/rarely"], ["way/rarely"], "a"],
    ]);
  });
});

describe("the contract of a kernel", () => {
  it("has its slots, the constants that it always needs, and those that only a variant needs", () => {
    const text =
      "#import start\n#import key\n#constant SIZE\nfn main(key: Key) { start(key); let a = SIZE; }";
    expect(contractOf(kernel(text), shared)).toEqual({
      slots: ["key", "start"],
      optionalSlots: [],
      constants: ["SIZE"],
      optional: ["TOTALS"],
    });
  });

  it("has optional slots: those with a default, and those that only some variants need", () => {
    const some = sharedOf({
      "a/one": "#import b\nfn a() { b(); }",
      "a/two": "fn a() {}",
      "b/one": "fn b() {}",
      "c/one": "fn c() {}",
      "c/default": "fn c() {}",
    });
    const text = "#import a\n#import c\nfn main() { a(); c(); }";
    expect(contractOf(kernel(text), some)).toMatchObject({
      slots: ["a", "b", "c"],
      optionalSlots: ["b", "c"],
    });
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
