import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";
import { onTerminal, withTerminal } from "./support/terminal.js";

const work = await Workplace.create();
const cwd = work.folder;
beforeAll(async () => {
  await work.write("keys.u32", new Uint8Array(Uint32Array.of(3, 1, 2).buffer));
  await work.write("keys.txt", "3\n1\n2\n");
});
afterAll(() => work.remove());

const refusal = /^gpusort: binary keys would be written to a terminal\r\n {2}.*\(--output, --to\)\r\n$/;

describe("gpusort without a file", () => {
  it.each([
    [["--format", "text", "--device", "cpu"], "1\n2\n3\n"],
    [["sort", "--format", "text", "-r", "--device", "cpu"], "3\n2\n1\n"],
  ])("sorts standard input: %j", async (args, sorted) => {
    const { code, stdout } = await work.run(args, "3\n1\n2\n");
    expect([code, stdout.toString()]).toEqual([0, sorted]);
  });

  it("checks and verifies standard input", async () => {
    expect((await work.run(["--check", "--format", "text"], "3\n1\n")).code).toBe(1);
    const { code, stdout } = await work.run(["verify", "--format", "text"], "1\n3\n");
    expect(code).toBe(0);
    expect(stdout.toString()).toMatch(/^ +- +lines\n +order +by the number on each line\n +count +2\n/);
  });

  withTerminal.it("prints a short help at a terminal, and exits with 2", async () => {
    for (const command of ["GPUSORT", "GPUSORT sort --check", "GPUSORT verify"]) {
      const { code, bytes } = await onTerminal(command, { cwd });
      expect(code).toBe(2);
      expect(bytes).toMatch(/^gpusort: no file is named, and standard input is a terminal\r\n/);
      expect(bytes).toContain("gpusort --help ");
    }
  });
});

describe("-h and -V", () => {
  it("print neither help nor version where there is data, or a pipe that might bring some", async () => {
    for (const args of [["-h"], ["sort", "-h"], ["-h", "-"]]) {
      const { code, stdout } = await work.run([...args, "-q"], "4K\n3\n2M\n");
      expect([code, stdout.toString()], args.join(" ")).toEqual([0, "3\n4K\n2M\n"]);
    }
    expect(await work.run(["-h"], "")).toMatchObject({ code: 0, stdout: Buffer.of() });
    for (const args of [["-V"], ["-rV"], ["-V", "keys.txt"]]) {
      const { stdout } = await work.run(args, "3\n");
      expect(stdout.toString()).not.toMatch(/^\d+\.\d+\.\d+/);
    }
  });

  withTerminal.it("alone at a terminal print them", async () => {
    expect((await onTerminal("GPUSORT -h", { cwd })).bytes).toMatch(/^Usage: gpusort /);
    expect((await onTerminal("GPUSORT -V", { cwd })).bytes).toMatch(/^\d+\.\d+\.\d+\r\n$/);
    const { code, bytes } = await onTerminal("GPUSORT -h -q keys.txt -o - --device cpu", { cwd });
    expect([code, bytes]).toEqual([0, "1\r\n2\r\n3\r\n"]);
  });
});

withTerminal.describe("keys from a terminal", () => {
  it.each([
    "GPUSORT - --format text --device cpu",
    "GPUSORT --check - --format text",
    "GPUSORT verify - --format text",
  ])("are announced: %s", async (command) => {
    const types = { keys: "1\n\u0004", when: "end with Ctrl-D" };
    const { code, bytes } = await onTerminal(command, { cwd, types });
    expect(code).toBe(0);
    expect(bytes).toContain("gpusort: reading keys from the terminal; end with Ctrl-D\r\n");
  });

  it("are not announced with --quiet", async () => {
    const command = "stty -echo; GPUSORT - --format text --device cpu -q";
    const { code, bytes } = await onTerminal(command, { cwd, types: { keys: "2\n1\n\u0004" } });
    expect([code, bytes.slice(-6)]).toEqual([0, "1\r\n2\r\n"]);
    expect(bytes).not.toContain("gpusort:");
  });
});

withTerminal.describe("binary keys", () => {
  it.each([
    "GPUSORT keys.u32 -o -",
    "GPUSORT keys.u32 -o /dev/tty",
    "GPUSORT keys.u32 -o - --force",
    "GPUSORT keys.txt -o - --to npy",
    "GPUSORT -t u32 < keys.u32",
    "cat keys.u32 | GPUSORT --record 4 --key 0:4",
    "GPUSORT nothing.u32 -o -",
    "GPUSORT gen 10 -o -",
  ])("are not written to a terminal: %s", async (command) => {
    const { code, bytes } = await onTerminal(command, { cwd });
    expect(code).toBe(2);
    expect(bytes).toMatch(refusal);
  });

  it("are written to a pipe, and text to a terminal", async () => {
    for (const command of [
      "GPUSORT keys.u32 -o - --device cpu -q | od -An -tu4 -w4 | tr -d ' '",
      "GPUSORT keys.u32 -o - --to text --device cpu -q",
      "GPUSORT keys.txt -o - --device cpu -q",
      "GPUSORT --format text --device cpu -q < keys.txt",
    ]) {
      const { code, bytes } = await onTerminal(command, { cwd });
      expect([command, code, bytes]).toEqual([command, 0, "1\r\n2\r\n3\r\n"]);
    }
  });

  it("leave no progress in the middle of text that goes to the same terminal", async () => {
    expect((await work.run(["gen", "2^22", "-o", "many.u32"])).code).toBe(0);
    const { bytes } = await onTerminal("GPUSORT many.u32 -o - --to text --device cpu", { cwd });
    const [, text] = bytes.split("sorting on the CPU\r\u001b[2K");
    expect(text).not.toContain("\u001b");
    expect(text!.split("\r\n").indexOf("4294966653")).toBe(2 ** 22 - 1);
  });
});

withTerminal.describe("what gpusort prints on a terminal of 80 columns", () => {
  it.each([
    "GPUSORT keys.u32 --force --device cpu",
    "GPUSORT devices",
    "GPUSORT keys.u32 --force -v --explain",
    "GPUSORT bench --sizes 1000 --columns typed --budget 0.1 --device cpu",
  ])("does not wrap: %s", async (command) => {
    const { code, lines } = await onTerminal(command, { cwd });
    expect(code).toBe(0);
    for (const line of lines.flatMap((some) => some.split("\r\n")))
      expect(line.length).toBeLessThanOrEqual(80);
  });
});
