import { availableParallelism } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";

/** So many that threads start for one sort: see src/core/cpu/thread_pool.ts. */
const MANY = 2_500_000;

describe("--threads", () => {
  let work: Workplace;
  const keys = new Uint32Array(MANY).map((_, i) => Math.imul(i, 2654435761) ^ (i << 7));
  const sorted = keys.slice().sort();
  beforeAll(async () => {
    work = await Workplace.create();
    await work.write("many.u32", new Uint8Array(keys.buffer));
    await work.write("few.u32", new Uint8Array(keys.buffer, 0, 4000));
  });
  afterAll(() => work.remove());

  it.each([1, 2, 3, 5])("sorts the same on %i threads", async (threads) => {
    const args = ["many.u32", "-o", "out.u32", "--threads", String(threads), "--explain"];
    const { code, stderr } = await work.start(args).ended;
    expect(code, stderr).toBe(0);
    const many = threads === 1 ? "on one thread" : `on up to ${threads} threads`;
    expect(stderr).toContain(`CPU, ${many}: `);
    expect(Buffer.compare(await work.read("out.u32"), Buffer.from(sorted.buffer))).toBe(0);
  });

  it("of more than the cores are allowed, and told", async () => {
    const cores = availableParallelism();
    const { code, stderr } = await work.onCpu(["few.u32", "-o", "few.out", "--threads", String(cores + 1)]);
    expect(code).toBe(0);
    expect(stderr).toContain(`gpusort: ${cores + 1} threads share ${cores} cores\n`);
  });

  it.each(["0", "x", "-1", "1.5", "256", "1e9", ""])("'%s' is refused", async (threads) => {
    const { code, stderr } = await work.onCpu(["few.u32", "-o", "few.out2", `--threads=${threads}`]);
    const error = `'${threads}' is not a whole number from 1 to 255\n  write a number from 1 to 255\n`;
    expect([code, stderr]).toEqual([2, `gpusort: --threads ${error}`]);
    const other = await work.onCpu(["few.u32", "-o", "few.out2", `--parallel=${threads}`]);
    expect([other.code, other.stderr]).toEqual([2, `gpusort: --parallel ${error}`]);
    expect(await work.names()).not.toContain("few.out2");
  });

  it.each(["1", "3"])("checks the same on %s threads", async (threads) => {
    const several = ["--threads", threads];
    const wrong = sorted.slice();
    wrong.set([5, 4], MANY - 2);
    await work.write("wrong.u32", new Uint8Array(wrong.buffer));
    const checked = await work.start(["wrong.u32", "-c", ...several]).ended;
    expect(checked).toMatchObject({
      code: 1,
      stderr: `gpusort: wrong.u32: key 2499998 is out of order: 5 after ${wrong[MANY - 3]}\n`,
    });
    const verified = await work.start(["verify", "wrong.u32", "--json", ...several]).ended;
    expect(JSON.parse(verified.stdout.toString())).toMatchObject({
      ...{ count: MANY, inversions: 2, firstInversion: MANY - 3, last: 4 },
    });
  });

  it("is refused where the summaries of files are combined", async () => {
    const { code, stderr } = await work.run(["verify", "--combine", "x.json", "--threads", "2"]);
    expect([code, stderr.split("\n")[0]]).toEqual([2, "gpusort: --threads cannot be used with --combine"]);
  });
});
