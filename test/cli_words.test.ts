import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fullName } from "../src/commands/help.js";
import { createProgram } from "../src/commands/program.js";
import { demos } from "../src/demos/registry.js";
import { Workplace } from "./support/command.js";

/** What every object of JavaScript has, so that a table may seem to hold it. */
const inherited = ["constructor", "__proto__", "toString"];

const work = await Workplace.create();
beforeAll(async () => {
  await work.write("a.csv", "a,b\n3,4\n1,2\n");
  await work.write("n.txt", "3\n1\n2\n");
  await work.write("keys.u32", new Uint8Array(Uint32Array.of(3, 1, 2).buffer));
});
afterAll(() => work.remove());

/** A command line of each command, to which an option is added. Commands that are not here read no names. */
const lines: Readonly<Record<string, readonly string[]>> = {
  sort: ["sort", "n.txt", "-o", "out"],
  verify: ["verify", "n.txt"],
  gen: ["gen", "4", "-o", "out"],
  bench: ["bench"],
  "job plan": ["job", "plan", "n.txt", "--job", "job", "-o", "parts"],
  devices: ["devices"],
};

/** What an option needs beside it. */
const beside: Readonly<Record<string, readonly string[]>> = {
  "--invalid": ["--by", "1"],
  "--decimal": ["--by", "1"],
  "--thousands": ["--by", "1"],
  "--theme": ["--plot", "plot.svg"],
  "--threshold": ["--compare", "n.txt"],
};

/** Values that may be any text, and paths. */
const free = /<(file|folder|separator|words)>|^--report$/;

const withOwn = (command: Command): Command[] => [command, ...command.commands.flatMap(withOwn)];

const cases = withOwn(createProgram()).flatMap((command) =>
  command.options
    .filter(({ flags }) => /[<[]/.test(flags) && !free.test(flags))
    .map(({ long }) => ({ name: fullName(command), long: long! }))
    .filter(({ name }) => name in lines),
);

/** Fails unless a command line is refused with an error about the word. */
async function expectRefusal(args: readonly string[], word: string): Promise<void> {
  const { code, stderr } = await work.run(args);
  expect([code, stderr], args.join(" ")).toEqual([2, expect.stringContaining(word)]);
  expect(stderr).not.toContain("this is a bug");
  expect(stderr).not.toContain("native code");
}

describe("a word that every object has is no name of anything:", () => {
  it("the options are those of all these commands", () => {
    expect(new Set(cases.map(({ name }) => name))).toEqual(new Set(Object.keys(lines)));
    expect(cases.length).toBeGreaterThan(50);
  });

  it.each(cases)("gpusort $name $long", async ({ name, long }) => {
    for (const word of inherited) {
      const onCpu = ["sort", "bench"].includes(name) && long !== "--device" ? ["--device", "cpu"] : [];
      await expectRefusal([...lines[name]!, ...(beside[long] ?? []), long, word, ...onCpu], word);
    }
  });

  it.each(inherited)("--by a:%s", async (word) => {
    for (const by of [`a:${word}`, `a:desc:${word}`, `a:${word}:${word}`]) {
      const args = ["a.csv", "--header", "--by", by, "-o", "out", "--device", "cpu"];
      expect(await work.run(args)).toMatchObject({ code: 2, stderr: expect.stringMatching(word) });
      const verified = await work.run(["verify", "a.csv", "--header", "--by", by]);
      expect(verified).toMatchObject({ code: 2, stderr: expect.stringMatching(word) });
    }
  });

  it.each(inherited)("a command, a demo, a shell: %s", async (word) => {
    for (const args of [
      [word, "--device", "cpu"],
      ["demo", word],
      ["completion", word],
    ]) {
      await expectRefusal(args, word);
    }
    for (const { name, images, options } of demos) {
      const files = images.filter(({ required }) => required).map(() => "n.txt");
      for (const option of Object.keys(options)) {
        await expectRefusal(["demo", name, ...files, `--${option}`, word, "--device", "cpu"], word);
      }
    }
  });

  it.each(inherited)("an extension: FILE.%s", async (word) => {
    await work.write(`lines.${word}`, "b\na\n");
    const args = [`lines.${word}`, "-o", `sorted.${word}`, "--device", "cpu", "-q"];
    expect(await work.run(args)).toMatchObject({ code: 0, stderr: "" });
    expect((await work.read(`sorted.${word}`)).toString()).toBe("a\nb\n");
  });
});
