import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";
import { onTerminal, withTerminal } from "./support/terminal.js";

const work = await Workplace.create();
const cwd = work.folder;
beforeAll(async () => {
  for (const [count, name] of [
    ["200000", "keys.u32"],
    ["2^22", "many.u32"],
    ["2^24", "most.u32"],
  ] as const) {
    expect((await work.run(["gen", count, "-o", name])).code).toBe(0);
  }
});
afterAll(() => work.remove());

/** A pipe that is slow enough for the progress line to appear. */
const slow = (command: string) =>
  `(head -c 400000 keys.u32; sleep 1.5; tail -c +400001 keys.u32) | ${command}`;

withTerminal.describe("progress on a terminal", () => {
  it("is shown as a line after a second, and erased at the end", async () => {
    const { lines } = await onTerminal(slow("GPUSORT - -t u32 -o out.u32 --device cpu -S 1M -T ."), { cwd });
    // Each line replaces the one before it.
    expect(lines.some((line) => /^(reading|writing runs) [\d.]+ [kM]B at <?[\d.]+ GB\/s$/.test(line))).toBe(
      true,
    );
    expect(lines.at(-1)).toMatch(/^standard input -> out\.u32: 200,000 u32 keys/);
  });

  it("names the sort before it begins, because a sort on the CPU blocks the process", async () => {
    const { lines } = await onTerminal("GPUSORT many.u32 --force --device cpu", { cwd });
    expect(lines).toContain("sorting on the CPU");
  });

  it("is not shown for a small file, which is sorted at once", async () => {
    const { bytes } = await onTerminal("GPUSORT keys.u32 --force --device cpu", { cwd });
    expect(bytes).not.toContain("\u001b");
  });

  it("never says that more time is left than before", async () => {
    const { lines } = await onTerminal("GPUSORT most.u32 --force --device cpu -S 2M", { cwd });
    const left = lines.flatMap((line) => /, (\d+) s left$/.exec(line)?.[1] ?? []).map(Number);
    expect(left.length).toBeGreaterThan(2);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
  });

  it.each([20, 40, 80, 200])("fits in %i columns", async (columns) => {
    const command = "GPUSORT many.u32 --force --device cpu -S 2M";
    const { lines } = await onTerminal(command, { cwd, columns });
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines.slice(0, -1)) expect(line.length).toBeLessThan(columns);
  });

  it("is erased by Ctrl-C, with exit code 130", async () => {
    const types = { keys: "\u0003", when: "sorting on the CPU" };
    const { code, bytes } = await onTerminal("GPUSORT many.u32 -o never.u32 --device cpu -S 1M", {
      cwd,
      types,
    });
    expect(code).toBe(130);
    expect(bytes.endsWith("\r\u001b[2K")).toBe(true);
    expect(await work.names()).not.toContain("never.u32");
  });
});

withTerminal.describe("gpusort bench on a terminal", () => {
  it.each([
    ["typed", "TypedArray.prototype.sort"],
    ["cpu --threads 2", "gpusort on the CPU"],
  ])("ends at Ctrl-C, also while it measures sorts on the CPU: %s", async (column, when) => {
    const types = { keys: "\u0003", when };
    const command = `GPUSORT bench --columns ${column} --sizes 2^18 --device cpu --budget 600 --error 0.01 --json`;
    const { code, bytes } = await onTerminal(command, { cwd, types });
    expect(code).toBe(130);
    const [, printed] = bytes.split(`^C\r\u001b[2K`);
    expect(printed).toMatch(
      /^\{\r\n(.*\r\n)* {2}"interrupted": true,\r\n(.*\r\n)*\}\r\ngpusort: interrupted after 0 of 1 row\r\n/,
    );
  });

  it("shows which row of how many it measures, and the time left", async () => {
    const command = "GPUSORT bench --columns typed --sizes 4,1000 --device cpu --budget 9 --error 100";
    const { code, lines } = await onTerminal(command, { cwd });
    expect(code).toBe(0);
    const shown = lines.flatMap((line) => /^row (\d) of 2, (\d) s left: ([\d,]+) u32 keys/.exec(line) ?? []);
    expect(shown).toEqual(expect.arrayContaining(["1", "4", "2", "1,000"]));
    for (const line of lines.slice(0, -1)) expect(line.split("\r\n").at(-1)!.length).toBeLessThan(80);
  });

  it("closes its table at Ctrl-C, and says how to keep the rows that are measured", async () => {
    const types = { keys: "\u0003", when: "row 2 of 2" };
    const command = "GPUSORT bench --columns typed --sizes 4,2^22 --device cpu --budget 30 --error 100";
    const { code, lines } = await onTerminal(command, { cwd, types });
    expect(code).toBe(130);
    expect(lines.some((line) => /^│ +4 │ [^│]+│\r\n$/.test(line))).toBe(true);
    expect(lines.at(-1)).toMatch(
      /^└[─┴]+┘\r\n[^└│]*gpusort: interrupted after 1 of 2 rows\r\n {2}--out FILE keeps each row as soon as/,
    );
    expect(lines.at(-1)).not.toContain("    at ");
  });
});

describe("progress", () => {
  it("is not shown if standard error is not a terminal", async () => {
    const { code, stderr } = await work.run(
      ["-", "-t", "u32", "-o", "out.u32", "-q", "--device", "cpu"],
      "abcd",
    );
    expect([code, stderr]).toEqual([0, ""]);
  });
});
