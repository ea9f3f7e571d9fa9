import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hardwareTable, readReports, withTable } from "../../scripts/hardware.js";

type Report = ReturnType<typeof readReports>[number];
const [report] = readReports() as [Report];
const rowsOf = (reports: Report[]): string[] => hardwareTable(reports).trim().split("\n").slice(2);

describe("docs/hardware.md", () => {
  it("has the table that node scripts/hardware.js makes of docs/hardware/", () => {
    const text = readFileSync(new URL("../../docs/hardware.md", import.meta.url), "utf8");
    expect(text).toBe(withTable(text, readReports()));
  });

  it("says of each maker without a report that it was never run", () => {
    const neverRun = rowsOf([]).filter((row) => row.includes("| never run |"));
    expect(neverRun.map((row) => row.split(" | ")[0])).toEqual([
      "| AMD",
      "| Intel",
      "| Apple",
      "| Arm Mali",
      "| Qualcomm Adreno",
    ]);
    const amd = { ...report, adapter: { ...report.adapter, vendor: "amd", name: "Radeon" } };
    expect(rowsOf([amd]).filter((row) => row.startsWith("| AMD"))).toEqual([]);
  });

  it("counts what was wrong, and what was not tried", () => {
    const wrong = [{ type: "u32", size: 2, call: "sort", what: "in another order" }] as const;
    const some = { ...report, correctness: { ...report.correctness, sorted: 100, planned: 253, wrong } };
    expect(rowsOf([some])[0]).toContain("| 99 of 100 (of 253 planned) |");
  });
});
