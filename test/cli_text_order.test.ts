import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";

let work: Workplace;
beforeAll(async () => {
  work = await Workplace.create();
});
afterAll(() => work.remove());

async function sorted(content: string, ...options: string[]) {
  await work.write("in.txt", content);
  const { code, stdout, stderr } = await work.onCpu(["in.txt", "-o", "-", ...options]);
  expect(code).toBe(0);
  return { lines: stdout.toString().split("\n").slice(0, -1), stderr };
}

describe("lines of text of which some are numbers", () => {
  // Some are within the first 64 KiB, some behind.
  it.each([0, 5, 30_000])(
    "are sorted as text if line %i + 1 is none, and the summary says so",
    async (at) => {
      const numbers = Array.from({ length: 40_000 }, (_, i) => String((i * 7919) % 40_009));
      const { lines, stderr } = await sorted(`${numbers.toSpliced(at, 0, "1,5").join("\n")}\n`);
      expect(lines).toEqual([...numbers, "1,5"].sort());
      expect(stderr).toContain(`, by whole lines as text, as line ${at + 1} of in.txt is no number: '1,5'\n`);
      expect(stderr.includes("the first line of in.txt, '1,5', looks like a header")).toBe(at === 0);
      const checked = await work.run(["-c", "in.txt"]);
      expect([checked.code, checked.stderr]).toEqual([1, expect.stringContaining("not in order")]);
      await work.write("sorted.txt", `${lines.join("\n")}\n`);
      expect(await work.run(["-c", "sorted.txt"])).toMatchObject({ code: 0, stderr: "" });
      const { stdout } = await work.run(["verify", "in.txt"]);
      expect(stdout.toString()).toContain(`as line ${at + 1} of in.txt is no number: '1,5'\n`);
    },
  );

  it("are sorted by their numbers, however many blank lines come first", async () => {
    for (const blanks of [3, 70_000]) {
      const { lines, stderr } = await sorted(`${"\n".repeat(blanks)}10\n9\n`);
      expect(lines).toEqual(["9", "10", ...Array.from({ length: blanks }, () => "")]);
      expect(stderr).toContain("by the number on each line");
    }
  });

  it("are sorted by their numbers if a byte order mark comes first", async () => {
    const { lines, stderr } = await sorted("\ufeff10\n9\n");
    expect(lines.map(Number)).toEqual([9, 10]);
    expect(stderr).toContain("by the number on each line");
  });
});
