import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { GpusortError } from "../../src/core/errors.js";
import { TaskThreads } from "../../src/threads/task_threads.js";

/** Adds a number to each byte, and says where. */
interface Task {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly what?: "die" | "fail" | "wait";
}

const LARGE = 2 ** 20;
let folder = "";
let started: Worker[] = [];
const note = (worker: Worker) => started.push(worker);
const url = (name: string) => pathToFileURL(join(folder, name));
const taskOf = (value: number, what?: Task["what"]): Task => ({
  bytes: new Uint8Array(9).fill(value),
  ...(what && { what }),
});

/** The last byte of a result says who made it. */
const HERE = 1;
const THREAD = 2;
const here = async ({ bytes }: Task) => bytes.map((byte, i) => (i === 8 ? HERE : byte + 1));

beforeAll(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "gpusort-task-threads-"));
  const server = new URL("../../dist/threads/task_server.js", import.meta.url).href;
  const run = `async ({ bytes, what }) => {
    if (what === "die") setTimeout(() => { throw new Error("it broke"); }, 0);
    if (what === "die" || what === "wait") await new Promise(() => {});
    if (what === "fail") throw new RangeError("no such task");
    return bytes.map((byte, i) => (i === 8 ? ${THREAD} : byte + 1));
  }`;
  await fs.writeFile(
    url("good.mjs"),
    `import { serveTasks } from ${JSON.stringify(server)}; void serveTasks(async () => {}, ${run});`,
  );
  await fs.writeFile(url("broken.mjs"), "throw new Error('no package');");
});
afterAll(() => fs.rm(folder, { recursive: true }));
beforeEach(() => {
  started = [];
  process.on("worker", note);
});
afterEach(() => {
  process.off("worker", note);
  for (const worker of started) expect(worker.threadId).toBe(-1); // it has ended
});

const open = (given: Partial<ConstructorParameters<typeof TaskThreads<Task>>[0]> = {}) =>
  new TaskThreads<Task>({
    ...{ url: url("good.mjs"), threads: 3, memoryBytes: 10 * LARGE, run: here, startBytes: 1 },
    ...given,
  });

/** Does a task, and says who did it. */
async function makerOf(threads: TaskThreads<Task>, task: Task, bytes = LARGE): Promise<number> {
  const before = [...task.bytes];
  const result = await threads.run(task, bytes, [task.bytes.buffer]);
  expect([...result.subarray(0, 8)]).toEqual(before.slice(0, 8).map((byte) => byte + 1));
  return result[8]!;
}

it("does tasks on the threads that it expects to need, each with its own result", async () => {
  const threads = open();
  threads.expect(2);
  expect(threads.running).toBe(2);
  const makers = Array.from({ length: 20 }, (_, i) => makerOf(threads, taskOf(i)));
  expect(new Set(await Promise.all(makers))).toEqual(new Set([THREAD]));
  threads.expect(100);
  expect(threads.running).toBe(3);
  expect(threads.mostAtOnce(LARGE)).toBe(4);
  await threads.close();
  expect(threads.running).toBe(0);
  expect(started).toHaveLength(3);
});

it("does on the calling thread what is little, and what takes more memory than the threads may have", async () => {
  const threads = open();
  expect(await makerOf(threads, taskOf(1))).toBe(HERE);
  expect(threads.mostAtOnce(1)).toBe(1);
  threads.expect(1);
  expect(threads.running).toBe(0);
  threads.expect(2);
  expect(await makerOf(threads, taskOf(1), 100)).toBe(HERE);
  expect(await makerOf(threads, taskOf(1), 11 * LARGE)).toBe(HERE);
  expect(threads.mostAtOnce(11 * LARGE)).toBe(1);
  // What a thread has taken for one task, it has for each that follows; no other thread gets as much.
  const some = Array.from({ length: 6 }, () => makerOf(threads, taskOf(1), 6 * LARGE));
  expect(new Set(await Promise.all(some))).toEqual(new Set([THREAD]));
  expect(threads.mostAtOnce(6 * LARGE)).toBe(1);
  await threads.close();
});

it("starts none if there is to be one thread", async () => {
  const threads = open({ threads: 1 });
  threads.expect(2 ** 40);
  expect(await makerOf(threads, taskOf(1))).toBe(HERE);
  await threads.close();
  expect(started).toHaveLength(0);
});

it("rejects with the reason of a task that fails, and goes on", async () => {
  const threads = open();
  threads.expect(2);
  await expect(makerOf(threads, taskOf(1, "fail"))).rejects.toThrow(/^no such task$/);
  expect(await makerOf(threads, taskOf(1))).toBe(THREAD);
  await threads.close();
});

it.each(["broken.mjs", "missing.mjs"])(
  "does all tasks on the calling thread if no thread starts: %s",
  async (name) => {
    const threads = open({ url: url(name) });
    threads.expect(3);
    const makers = Array.from({ length: 5 }, (_, i) => makerOf(threads, taskOf(i)));
    expect(await Promise.all(makers)).toEqual([HERE, HERE, HERE, HERE, HERE]);
    threads.expect(100);
    expect(threads.running).toBe(0);
    await threads.close();
  },
);

it("names the end of a thread and the way out; other threads do what follows, and then the calling one", async () => {
  const threads = open();
  threads.expect(2);
  const lost = () => makerOf(threads, taskOf(1, "die")).catch((cause) => cause);
  const error = await lost();
  expect(error).toBeInstanceOf(GpusortError);
  expect(error.message).toBe("a thread that reads and writes tables ended: it broke");
  expect(error).toMatchObject({ hint: "sort with one thread, which needs no others", options: ["threads"] });
  expect(await makerOf(threads, taskOf(1))).toBe(THREAD);
  await lost();
  expect(await makerOf(threads, taskOf(1))).toBe(HERE);
  await threads.close();
});

it("rejects what is not done when it is closed", async () => {
  const threads = open();
  threads.expect(2);
  const waiting = [1, 2, 3].map((n) => threads.run(taskOf(n, "wait"), LARGE, []).catch((cause) => cause));
  await new Promise((resolve) => setTimeout(resolve, 200));
  await threads.close();
  for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(GpusortError);
});
