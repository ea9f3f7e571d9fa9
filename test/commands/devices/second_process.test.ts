import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { promises as fs, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { hiding, wordsThatHide } from "../../../src/commands/devices/one_gpu.js";
import { HANG_MS } from "../../support/hang_limit.js";
import { isRunning } from "../../support/is_running.js";
import { needs } from "../../support/needs.js";

const folder = await fs.mkdtemp(join(tmpdir(), "gpusort-second-"));
afterAll(() => fs.rm(folder, { recursive: true }));
const secret = join(folder, "secret");
await fs.writeFile(secret, "seen");
await fs.chmod(folder, 0o777);

const { before = [], problem } =
  process.platform === "linux" ? wordsThatHide([secret]) : { problem: "no Linux" };
const namespaces = needs(problem === undefined, `namespaces that hide files: ${problem}`);

/** Starts itself again by the built command's code, then does what its first argument says. */
const script = join(folder, "script.mjs");
const built = pathToFileURL(join(import.meta.dirname, "../../../dist/commands/devices/second_process.js"));
await fs.writeFile(
  script,
  `
  import { readFileSync, writeSync } from "node:fs";
  if (process.env.IS_SECOND !== "yes") {
    const { endAsSecondProcess } = await import(${JSON.stringify(built.href)});
    await endAsSecondProcess(JSON.parse(process.env.BEFORE), { IS_SECOND: "yes" });
  }
  const [, , what, argument] = process.argv;
  const say = (line) => writeSync(1, line + "\\n");
  if (what === "copy") process.stdin.pipe(process.stdout);
  if (what === "read") say(readFileSync(argument, "utf8"));
  if (what === "exit") process.exitCode = Number(argument);
  if (what === "die") process.kill(process.pid, argument);
  if (what === "who") say([process.getuid(), process.getgid(), process.cwd(), process.umask()].join(" "));
  if (what === "wait") {
    process.on(argument, () => { say("got " + argument); process.exit(7); });
    say(String(process.pid));
    setInterval(() => {}, 1000);
  }
  `,
);

function start(
  words: readonly string[],
  stdio: ("pipe" | number)[] = ["pipe", "pipe", "pipe"],
): ChildProcess {
  const env = { ...process.env, BEFORE: JSON.stringify(before) };
  return spawn(process.execPath, [script, ...words], { stdio, env, cwd: folder });
}

async function end(
  child: ChildProcess,
): Promise<{ code: number | null; signal: string | null; stdout: string }> {
  const stdout = text(child.stdout!);
  const [code, signal] = await once(child, "exit");
  return { code, signal, stdout: await stdout };
}

namespaces.describe("words that hide files", () => {
  // Root has shown its own way above; here root is an ordinary user.
  const other = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : undefined;
  const user = other ?? { uid: process.getuid!(), gid: process.getgid!() };
  const run = (files: readonly string[]) => {
    const [program = "", ...args] = [...hiding(files, user), "sh", "-c", `cat '${secret}'; id -u; id -g`];
    return spawnSync(program, args, { ...other, encoding: "utf8" });
  };
  const allowed = run([]).status === 0;
  const ordinary = needs(allowed, "namespaces that an ordinary user may make");

  ordinary.it("serve an ordinary user, who is the same user behind them", () => {
    expect(run([]).stdout).toBe(`seen${user.uid}\n${user.gid}\n`);
    expect(run([secret]).stdout).toBe(`${user.uid}\n${user.gid}\n`);
  });

  it("end with an error if a file cannot be hidden", () => {
    expect(wordsThatHide([secret, join(folder, "none")])).toEqual({
      problem: expect.stringMatching(/none.*(does not exist|No such file)/),
    });
  });
});

namespaces.describe("a command that starts itself again behind hidden files", () => {
  it("sees nothing in them, while others see them", async () => {
    expect(await end(start(["read", secret]))).toEqual({ code: 0, signal: null, stdout: "\n" });
    expect(readFileSync(secret, "utf8")).toBe("seen");
  });

  it("is the same user in the same folder", async () => {
    const who = [process.getuid!(), process.getgid!(), folder, process.umask()].join(" ");
    expect((await end(start(["who"]))).stdout).toBe(`${who}\n`);
  });

  it("reads and writes the pipes of the first process", async () => {
    const child = start(["copy"]);
    const much = "0123456789abcdef".repeat(2 ** 16);
    const ended = end(child);
    child.stdin!.end(much);
    expect((await ended).stdout === much).toBe(true);
  });

  it("has the open files that its arguments name, as a shell passes <(command)", async () => {
    const other = join(folder, "other");
    await fs.writeFile(other, "by its number");
    const stdio: ("pipe" | number)[] = ["pipe", "pipe", "pipe", "pipe", openSync(other, "r")];
    expect((await end(start(["read", "/dev/fd/4"], stdio))).stdout).toBe("by its number\n");
  });

  it("does not start if its arguments name a file that is not open", async () => {
    const child = start(["read", "/dev/fd/77"]);
    const said = text(child.stderr!);
    expect((await end(child)).code).not.toBe(0);
    expect(await said).toContain("InputError: cannot use /dev/fd/77: it is closed");
    expect(await said).not.toContain("EBADF");
  });

  it.each([1, 77])("passes the exit code %i on", async (code) => {
    expect(await end(start(["exit", String(code)]))).toMatchObject({ code, signal: null });
  });

  it.each(["SIGTERM", "SIGABRT"])("dies as the second process dies, by %s", async (signal) => {
    expect(await end(start(["die", signal]))).toMatchObject({ code: null, signal });
  });

  it.each(["SIGINT", "SIGUSR2"] as const)("passes %s on", async (signal) => {
    const child = start(["wait", signal]);
    await once(child.stdout!, "readable"); // it waits
    const ended = end(child);
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 7, stdout: expect.stringContaining(`got ${signal}`) });
  });

  it("leaves no second process behind if the first is killed", async () => {
    const child = start(["wait", "SIGTERM"]);
    const [line] = await once(child.stdout!, "data");
    const pid = Number(String(line));
    expect(pid).not.toBe(child.pid);
    expect(isRunning(pid)).toBe(true);
    child.kill("SIGKILL");
    await expect.poll(() => isRunning(pid), { timeout: HANG_MS }).toBe(false);
  });
});
