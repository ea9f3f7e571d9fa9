import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { condensed, peerTable } from "../../scripts/peers/table.js";

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), "utf8");
const report = JSON.parse(read("peers.json"));

describe("the table of other libraries", () => {
  it("is that of the results in docs/peers.json", () => {
    expect(read("library.md")).toContain(`<!-- scripts/peers.js -->\n${peerTable(report)}<!-- end -->`);
  });

  it("keeps of each type and kind of keys the sizes that had the same outcome", () => {
    const wrong = (size: number, outcome: string) => ({ type: "u32", kind: "reversed", size, outcome });
    expect(
      condensed([wrong(1, "right"), wrong(2, "wrong"), wrong(3, "wrong"), wrong(4, "error: no")]),
    ).toEqual({
      arrays: 4,
      sizes: [1, 2, 3, 4],
      wrong: [
        { type: "u32", kind: "reversed", outcome: "wrong", sizes: [2, 3] },
        { type: "u32", kind: "reversed", outcome: "error: no", sizes: [4] },
      ],
    });
  });

  it("says which types and sizes were wrong, what was not run, and what was a clone", () => {
    const result = (type: string, size: number, outcome: string) => ({
      type,
      kind: "uniform",
      size,
      outcome,
    });
    const results = [
      ...[result("u32", 2, "right"), result("u32", 3, "wrong"), result("i32", 2, "right")],
      ...[result("i32", 3, "error: no"), result("f32", 2, "wrong"), result("f32", 3, "wrong")],
    ];
    const peer = { version: "1.2.3", adapter: "a b", types: ["u32", "i32", "f32"], bytes: 12_345 };
    const peers = [
      { ...peer, name: "one", source: "npm", ...condensed(results) },
      { ...peer, name: "two", source: "a clone", note: "it says so", ...condensed(results.slice(0, 1)) },
      { name: "three", notRun: "there is none" },
    ];
    expect(peerTable({ date: "2026-11-27", browser: "Chrome/1", peers }).trim().split("\n")).toEqual([
      "Run on 2026-11-27 in Chrome/1, on a b.",
      "",
      "| library | version | types | arrays right | wrong | kB, minified and gzipped |",
      "| --- | --- | --- | --- | --- | ---: |",
      "| one | 1.2.3 | u32, i32, f32 | 2 of 6 | u32, i32 of 3 keys; f32 of all numbers of keys | 12.3 |",
      "| two | 1.2.3 (a clone) | u32, i32, f32 | 1 of 1 | –; it says so | 12.3 |",
      "| three |  | | not run: there is none | |  |",
    ]);
  });
});
