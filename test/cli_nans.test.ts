import { execFileSync } from "node:child_process";
import { afterAll, expect, it } from "vitest";
import { Workplace } from "./support/command.js";
import { numpy, withNumpy } from "./support/numpy.js";

const work = await Workplace.create();
afterAll(() => work.remove());

const COUNT = 6000;
const RECORD = 16;

/**
 * Records of an f32, an f64 and their number. Half of the floats are NaNs of both signs with different
 * payloads. There are few other values, and no -0, which NumPy does not tell from 0.
 */
function records(): Uint8Array {
  const view = new DataView(new ArrayBuffer(COUNT * RECORD));
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 0x9e3779b1) + 0x7f4a7c15) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const sign = () => (random(2) === 0 ? 0 : 0x8000_0000);
  for (let i = 0; i < COUNT; i++) {
    const at = i * RECORD;
    view.setFloat32(at, random(3) + 1, true);
    if (random(2) === 0) view.setUint32(at, (0x7f80_0001 + random(1000) + sign()) >>> 0, true);
    view.setFloat64(at + 4, random(3) - 5, true);
    if (random(2) === 0) view.setUint32(at + 8, (0x7ff0_0001 + random(1000) + sign()) >>> 0, true);
    view.setUint32(at + 12, i, true);
  }
  return new Uint8Array(view.buffer);
}

/** The orders that NumPy gives. A stable descending order is the reverse of that of the reversed input. */
const program = `
import json, sys
import numpy as np
rows = np.fromfile("in.bin", np.dtype([("a", "<f4"), ("b", "<f8"), ("i", "<u4")]))
rows["a"].tofile("a.f32")
rows["b"].tofile("b.f64")
up = lambda *keys: np.lexsort(keys[::-1])
down = lambda *keys: len(rows) - 1 - up(*[key[::-1] for key in keys])[::-1]
first = lambda order, key: [i for i in order if i in set(np.unique(key, return_index=True)[1])]
half = len(rows) // 2
rows[:half][up(rows["a"][:half])].tofile("half_1.bin")
rows[half:][up(rows["a"][half:])].tofile("half_2.bin")
merged = np.concatenate([up(rows["a"][:half]), half + up(rows["a"][half:])])
rows["a"][merged][:half].tofile("half_1.f32")
rows["a"][merged][half:].tofile("half_2.f32")
a, b = rows["a"], rows["b"]
orders = dict(
  argsort_a=np.argsort(a, kind="stable"), argsort_b=np.argsort(b, kind="stable"),
  a=up(a), ab=up(a, b), ba_down=down(b, a), a_down=down(a), b_down=down(b),
  unique=first(up(a), a), unique_down=first(down(a), a),
  merged=merged[up(a[merged])], argsort_merged=up(a[merged]),
)
print(json.dumps({name: [int(i) for i in order] for name, order in orders.items()}))
`;

withNumpy.describe("gpusort keeps the input order of NaNs, as NumPy's stable sorts do", async () => {
  const input = records();
  await work.write("in.bin", input);
  await work.write("orders.py", program);
  const python = () => execFileSync(numpy!, ["orders.py"], { cwd: work.folder, encoding: "utf8" });
  const orders: Record<string, number[]> = JSON.parse(python());
  const inOrder = (order: readonly number[]) =>
    Buffer.concat(order.map((i) => input.subarray(i * RECORD, (i + 1) * RECORD)));
  const halves = ["half_1.bin", "half_2.bin"];
  const outOfCore = ["-S", "32K", "-T", "."];

  for (const memory of [[], outOfCore]) {
    const where = memory.length > 0 ? "out of core" : "in core";

    it.each([
      ["one key", ["in.bin", "--key", "0:f32"], "a"],
      ["one key, descending", ["in.bin", "--key", "0:f32", "-r"], "a_down"],
      ["two keys", ["in.bin", "--key", "0:f32", "--key", "4:f64"], "ab"],
      ["two keys, descending", ["in.bin", "--key", "4:f64", "--key", "0:f32", "-r"], "ba_down"],
      ["distinct keys", ["in.bin", "--key", "0:f32", "-u"], "unique"],
      ["distinct keys, descending", ["in.bin", "--key", "0:f32", "-u", "-r"], "unique_down"],
      ["sorted inputs", ["-m", ...halves, "--key", "0:f32"], "merged"],
    ] as const)(`in records by %s, ${where}`, async (_, args, order) => {
      const options = [...args, "--record", String(RECORD), ...memory];
      const { code, stderr } = await work.onCpu([...options, "-o", "out.bin"]);
      expect(code, stderr).toBe(0);
      if (memory.length > 0) expect(stderr).toMatch(/out of core|merged/);
      const out = await work.read("out.bin");
      expect(out.equals(inOrder(orders[order]!))).toBe(true);
      const keys = options.filter((_, i) => options[i] === "--key" || options[i - 1] === "--key");
      const reverse = options.includes("-r") ? ["-r"] : [];
      const checked = ["out.bin", "--record", String(RECORD), ...keys, ...reverse];
      expect((await work.run(["-c", ...checked])).code).toBe(0);
      expect((await work.run(["verify", ...checked])).code).toBe(0);
    });

    it.each([
      [["a.f32"], "argsort_a"],
      [["b.f64"], "argsort_b"],
      [["a.f32", "-r"], "a_down"],
      [["b.f64", "-r"], "b_down"],
      [["a.f32", "-u"], "unique"],
      [["-m", "half_1.f32", "half_2.f32"], "argsort_merged"],
    ] as const)(`in the indices of %j, ${where}`, async (args, order) => {
      const { code, stderr } = await work.onCpu([...args, "--argsort", "-o", "order.u32", ...memory]);
      expect(code, stderr).toBe(0);
      expect(stderr.includes("out of core")).toBe(memory.length > 0);
      const bytes = new Uint8Array(await work.read("order.u32"));
      expect([...new Uint32Array(bytes.buffer)]).toEqual(orders[order]!);
    });
  }

  it("in the first records, of a file and of a stream", async () => {
    const options = ["--record", String(RECORD), "--key", "0:f32", "-r", "--head", "3500", "-q", "-o", "-"];
    const expected = inOrder(orders.a_down!.slice(0, 3500));
    expect((await work.onCpu(["in.bin", ...options])).stdout.equals(expected)).toBe(true);
    expect((await work.onCpu(["-", ...options], input)).stdout.equals(expected)).toBe(true);
  });
});
