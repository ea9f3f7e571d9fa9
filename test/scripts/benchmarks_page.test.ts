import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { benchmarksPage, checkedQuestion, readQuestions, SECTIONS } from "../../scripts/benchmarks_page.js";

const root = new URL("../../", import.meta.url);
const names: string[] = Object.values(SECTIONS).flat();

const question = {
  title: "How fast?",
  machine: "two cores",
  versions: "Node 20.20.2",
  command: ["gpusort bench"],
  date: "2026-11-28",
  unit: "ms",
  columns: ["keys", "gpusort", "CUB"],
  rows: [
    ["2^10", "0.0120", "over 1 s"],
    ["2^20", "1,304", null],
  ],
  notes: [] as string[],
};

describe("BENCHMARKS.md", () => {
  it("is what node scripts/benchmarks_page.js makes of docs/benchmarks/", () => {
    expect(readFileSync(new URL("BENCHMARKS.md", root), "utf8")).toBe(benchmarksPage(readQuestions()));
  });

  it("has each question of docs/benchmarks/ once, and each question has a file", () => {
    const files = readdirSync(new URL("docs/benchmarks/", root)).filter((name) => /^\D.*\.json$/.test(name));
    expect(names.map((name) => `${name}.json`).sort()).toEqual(files.sort());
    const titles = [...readQuestions().values()].map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it("links to raw results and pictures that exist", () => {
    for (const { raw, plots } of readQuestions().values()) {
      for (const name of raw) expect(existsSync(new URL(`docs/benchmarks/${name}`, root)), name).toBe(true);
      for (const path of plots) expect(existsSync(new URL(path, root)), path).toBe(true);
    }
  });
});

describe("a question", () => {
  const check = (change: Record<string, unknown>) => checkedQuestion("some", { ...question, ...change });

  it("is shown with its machine, versions, date and command, and its values as they are", () => {
    const page: string = benchmarksPage(new Map(names.map((name) => [name, check({})])));
    expect(page).toContain(
      [
        "### How fast?",
        "",
        "ms. two cores; Node 20.20.2; 2026-11-28; `gpusort bench`.",
        "",
        "| keys | gpusort | CUB |",
        "| --- | ---: | ---: |",
        "| 2^10 | 0.0120 | over 1 s |",
        "| 2^20 | 1,304 |  |",
        "",
      ].join("\n"),
    );
  });

  it("says what was not recorded", () => {
    const lost = check({ date: "not recorded (by 2026-11-23)", command: ["not recorded: a script"] });
    const page = benchmarksPage(new Map(names.map((name) => [name, lost])));
    expect(page).toContain(
      "Node 20.20.2; date not recorded (by 2026-11-23); command not recorded: a script.",
    );
  });

  it.each([
    ["two values in a cell", { rows: [["2^10", "0.012 · 0.014", "1"]] }, "a cell holds no single value"],
    ["a value and its minimum", { rows: [["2^10", "0.012 (0.011)", "1"]] }, "a cell holds no single value"],
    ["a word for a value", { rows: [["2^10", "fast", "1"]] }, "a cell holds no single value"],
    [
      "two rows for one case",
      { rows: [question.rows[0], question.rows[0]] },
      "two rows have the same labels",
    ],
    ["two columns of one title", { columns: ["keys", "CUB", "CUB"] }, "columns: two are the same"],
    ["a row that is too short", { rows: [["2^10", "1"]] }, "a row is too short"],
    ["no command", { command: [] }, "command: "],
    ["no machine", { machine: undefined }, "machine: "],
    ["no versions", { versions: " " }, "versions: "],
    ["a date in words", { date: "last week" }, "date: "],
    ["a title that asks nothing", { title: "Speed" }, "title: "],
    ["four sentences of notes", { notes: ["One. Two.", "Three. Four."] }, "notes: over three sentences"],
    ["a field that is unknown", { comment: "x" }, "comment: "],
  ])("may not have %s", (_, change, message) => {
    expect(() => check(change)).toThrow(`docs/benchmarks/some.json: ${message}`);
  });
});
