import { spawnSync } from "node:child_process";
import { promises as fs, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, expect } from "vitest";
import { Workplace } from "./support/command.js";
import { needs } from "./support/needs.js";
import { onTerminal, withTerminal } from "./support/terminal.js";

const posix = needs(process.platform !== "win32", "a POSIX system");
const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const work = await Workplace.create();
afterAll(() => work.remove());
beforeEach(async () => {
  for (const name of await work.names()) await fs.rm(work.path(name));
  await work.write("n.txt", "3\n1\n2\n");
});

const notice =
  "gpusort: the result goes to n.sorted.txt, and nothing to standard output; -o - sends it there\n";

/** Runs a line of the shell, in which GPUSORT is the command. */
function shell(line: string) {
  const command = line.replaceAll("GPUSORT", `'${process.execPath}' '${bin}'`);
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { cwd: work.folder, encoding: "utf8" });
  return { status, stdout, stderr };
}

posix.it.each(["GPUSORT n.txt --device cpu >out", "GPUSORT n.txt --device cpu | cat"])(
  "a redirected output that stays empty is said before the summary: %s",
  async (line) => {
    const { status, stdout, stderr } = shell(line);
    expect([status, stdout, stderr.slice(0, notice.length)]).toEqual([0, "", notice]);
    expect((await work.read("n.sorted.txt")).toString()).toBe("1\n2\n3\n");
  },
);

posix.it("but not if nothing goes to that file, because of an error", async () => {
  await work.write("n.sorted.txt", "mine");
  for (const file of ["n.txt", "none.txt"]) {
    const { status, stderr } = shell(`GPUSORT ${file} --device cpu >out`);
    expect([status, stderr]).toEqual([2, expect.not.stringContaining("the result goes to")]);
  }
});

posix.it.each([
  ["GPUSORT n.txt --device cpu -q >out", ""],
  ["GPUSORT n.txt --device cpu --json | head -c 1", "{"],
  ["GPUSORT n.txt --device cpu -o o.txt | cat", ""],
  ["GPUSORT n.txt --device cpu >/dev/null", ""],
  ["GPUSORT n.txt --device cpu -o - | cat", "1\n2\n3\n"],
  ["GPUSORT --device cpu <n.txt | cat", "1\n2\n3\n"],
  ["cat n.txt | GPUSORT - --device cpu | cat", "1\n2\n3\n"],
  ["GPUSORT /dev/stdin --device cpu <n.txt | cat", "1\n2\n3\n"],
  ["GPUSORT n.txt -c | cat", ""],
])("but not where it is known, or where something goes there: %s", (line, expected) => {
  const { stdout, stderr } = shell(line);
  expect([stdout, stderr]).toEqual([expected, expect.not.stringContaining("nothing to standard output")]);
});

withTerminal.it("but not at a terminal", async () => {
  const { code, bytes } = await onTerminal("GPUSORT n.txt --device cpu", { cwd: work.folder });
  expect([code, bytes]).toEqual([0, expect.not.stringContaining("nothing to standard output")]);
});

posix.it.each([
  "GPUSORT n.txt -o - >>n.txt",
  "GPUSORT n.txt n.txt -o /dev/stdout 1<>n.txt",
  "GPUSORT <n.txt >>n.txt",
  "GPUSORT n.txt -o /dev/fd/3 3>>n.txt",
  "GPUSORT n.txt -t u32 --format text --to raw -o - >>n.txt",
])("an output that is the input where it stands is an error before the input changes: %s", async (line) => {
  const { status, stderr } = shell(`${line} --device cpu`);
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/ is also an input, and would be written to while it is read\n {2}name another /),
  ]);
  expect((await work.read("n.txt")).toString()).toBe("3\n1\n2\n");
});

posix.it(
  "a named pipe that is the input and the output is an error, too, and does not wait for itself",
  () => {
    const { status, stderr } = shell("mkfifo f; seq 99999 >f & GPUSORT f -o f --device cpu");
    expect([status, stderr]).toEqual([2, expect.stringContaining("gpusort: f is also an input")]);
  },
);

posix.it.each([
  [0, "| head -c 1", "/dev/stdout"],
  [0, "3>&1 >&2 | head -c 1", "/dev/fd/3"],
  [2, "", "f"],
])("a reader that ends early is no error (%i) of a pipeline, but of a named pipe", (code, end, output) => {
  const reader = output === "f" ? "mkfifo f; head -c 1 f >/dev/null &" : "";
  const { stderr } = shell(
    `seq 300000 >big.txt; ${reader} { GPUSORT big.txt -q -o ${output} --device cpu; echo $? >code; } ${end}`,
  );
  const written = readFileSync(work.path("code"), "utf8");
  expect([written, stderr]).toEqual([
    `${code}\n`,
    code === 0
      ? ""
      : expect.stringMatching(/^gpusort: cannot write f: EPIPE.*\n {2}let its reader read .*--output/),
  ]);
});
