import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { extensions, kindNamed, kindNames, kindOfPath, typeOfPath } from "../../src/kinds/names.js";

describe("a type by a path's extension", () => {
  it.each([
    ["keys.f64", "f64"],
    ["KEYS.F64", "f64"],
    ["folder.u64/keys.sorted.i32", "i32"],
    ["keys.u32.gz", "u32"],
    ["keys.i16.ZST", "i16"],
  ])("is found for %s: %s", (path, name) => {
    expect(typeOfPath(path)?.name).toBe(name);
  });

  it.each(["keys", "keys.bin", "u32", "keys.f8", "keys.u32.gz.gz", "folder.u32/keys", "keys.u32 "])(
    "is undefined for %s",
    (path) => {
      expect(typeOfPath(path)).toBeUndefined();
    },
  );
});

describe("a kind by a path's extension", () => {
  it("is that of the last extension before a compression", () => {
    expect(kindOfPath("a/b.NPY")?.kind).toBe("npy");
    expect(kindOfPath("a/b.tsv.gz")).toMatchObject({ kind: "csv", separator: 9 });
    expect(kindOfPath("keys.bin")).toEqual({ kind: "raw" });
    expect(kindOfPath("a.b/c")).toBeUndefined();
    expect(kindOfPath("a.csv.bak")).toBeUndefined();
  });
});

describe("a kind by its name", () => {
  it("is one of a list, or an error that offers one", () => {
    expect(kindNamed("lines")).toBe("lines");
    expect(() => kindNamed("numpy")).toThrow("unknown format 'numpy'");
    for (const name of ["constructor", "__proto__", "toString", ""])
      expect(() => kindNamed(name)).toThrow(`unknown format '${name}'`);
  });
});

describe("the extensions of each kind", () => {
  const docs = readFileSync(new URL("../../docs/formats.md", import.meta.url), "utf8");

  it.each(kindNames)("are those that docs/formats.md lists: %s", (name) => {
    const [, cell] = new RegExp(`^\\| \`${name}\` \\| ([^|]*)\\|`, "m").exec(docs) ?? [];
    const listed = [...(cell ?? "").matchAll(/`\.(\w+)`/g)].map(([, extension]) => extension);
    expect(listed).toEqual(
      [...extensions].flatMap(([extension, { kind }]) => (kind === name ? [extension] : [])),
    );
  });
});
