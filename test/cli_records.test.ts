import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";
import { needs } from "./support/needs.js";

const work = await Workplace.create();
afterAll(() => work.remove());

const checker = fileURLToPath(new URL("support/check_records.py", import.meta.url));
const python = needs(spawnSync("python3", ["--version"]).status === 0, "Python");

const check = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync("python3", [checker, ...args], {
    cwd: work.folder,
    encoding: "utf8",
  });
  return { status, said: stdout + stderr };
};

python.describe("gpusort sorts records as Python does", () => {
  it.each([
    ["ten bytes", "uniform", ["--key", "0:10"], "0:10", []],
    ["one byte, with many equal keys", "few", ["--key", "0:1"], "0:1", []],
    ["one byte, descending", "few", ["--key", "0:1", "-r"], "0:1", ["-r"]],
    ["a number in the middle", "uniform", ["--key", "3:u32"], "3:<I", []],
    ["a big-endian number", "uniform", ["--key", "3:i64", "--byte-order", "big"], "3:>q", []],
    ["a float", "uniform", ["--key", "12:f64"], "12:<d", []],
  ] as const)("by %s", async (_, distribution, options, key, reverse) => {
    await work.run(["gen", "20011", "-o", "in.bin", "--record", "100", "--dist", distribution, "--force"]);
    for (const memory of [[], ["-S", "256K", "-T", "."]]) {
      const { code, stderr } = await work.onCpu([
        "in.bin",
        "-o",
        "out.bin",
        "--record",
        "100",
        ...options,
        ...memory,
      ]);
      expect(code, stderr).toBe(0);
      expect(stderr).toContain("20,011 records of 100 bytes (2.00 MB)");
      expect(stderr.includes("out of core")).toBe(memory.length > 0);
      expect(check("in.bin", "out.bin", "100", key, ...reverse)).toMatchObject({ status: 0 });
    }
  });

  it("and the checker rejects records that are not sorted or were changed", async () => {
    await work.run(["gen", "1000", "-o", "in.bin", "--record", "100", "--force"]);
    expect(check("in.bin", "in.bin", "100", "0:10")).toMatchObject({ status: 1 });
    await work.onCpu(["in.bin", "-o", "out.bin", "--record", "100", "--key", "0:10", "-q"]);
    const bytes = await work.read("out.bin");
    bytes[77_777]! ^= 1;
    await work.write("changed.bin", bytes);
    expect(check("in.bin", "changed.bin", "100", "0:10")).toMatchObject({
      status: 1,
      said: expect.stringContaining("record 777 "),
    });
  });
});

describe("gpusort of records", () => {
  it("supports --check, verify, --merge, --head and --unique", async () => {
    await work.run(["gen", "5000", "-o", "in.bin", "--record", "20", "--dist", "few", "--force"]);
    const options = ["--record", "20", "--key", "0:1"];
    expect((await work.run(["-c", "in.bin", ...options])).code).toBe(1);
    expect((await work.onCpu(["in.bin", "-o", "out.bin", "-q", ...options])).code).toBe(0);
    expect((await work.run(["-c", "out.bin", ...options])).code).toBe(0);
    const verified = await work.run(["verify", "out.bin", ...options]);
    expect([verified.code, verified.stdout.toString()]).toEqual([
      0,
      expect.stringContaining("records of 20 bytes"),
    ]);
    const sorted = await work.read("out.bin");
    expect(
      (await work.onCpu(["in.bin", "-o", "-", "-q", "--head", "30", ...options])).stdout.equals(
        sorted.subarray(0, 600),
      ),
    ).toBe(true);
    const unique = (await work.onCpu(["in.bin", "-o", "-", "-q", "-u", ...options])).stdout;
    expect(unique.length).toBe(16 * 20);
    expect(unique.subarray(0, 20).equals(sorted.subarray(0, 20))).toBe(true);
    expect(
      (await work.onCpu(["-m", "out.bin", "out.bin", "-o", "-", "-q", "-S", "4K", ...options])).stdout.length,
    ).toBe(200_000);
  });

  it.each([
    [["--record", "0"], /--record '0'/],
    [["--record", "20", "--key", "15:10"], /the key 15:10 does not lie in a record of 20 bytes/],
    [["--record", "20", "--to", "npy"], /records cannot be written as npy\n {2}write records or raw/],
    [["--record", "3"], /not a whole number of records of 3 bytes/],
    [["--format", "records"], /the length of a record in few\.bin is not known/],
  ])("refuses %j", async (options, message) => {
    await work.write("few.bin", new Uint8Array(20));
    const { code, stderr } = await work.onCpu(["few.bin", ...options]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe("gpusort of records longer than any input", () => {
  it.each([
    ["3000000000", []],
    ["9000000000000000", []],
    ["9000000000000000", ["--head", "3"]],
    ["9000000000000000", ["--key", "0:8000000000000000", "-u"]],
  ])("ends at once if there are none: --record %s %j", async (record, options) => {
    await work.write("none.bin", new Uint8Array(0));
    for (const input of [["none.bin"], ["-"]]) {
      const ended = await work.onCpu([...input, "-o", "out.bin", "-q", "--record", record, ...options]);
      expect([ended.code, ended.stderr]).toEqual([0, ""]);
      expect((await work.read("out.bin")).length).toBe(0);
    }
    for (const command of [["-c"], ["verify"]]) {
      const ended = await work.run([...command, "none.bin", "--record", record]);
      expect([ended.code, ended.stderr]).toEqual([0, ""]);
    }
  });

  it("tells what does not fit where, and names the options", async () => {
    await work.write("few.bin", new Uint8Array(20));
    const message = /^gpusort: few\.bin has 20 bytes, which is not a whole number of records/;
    expect((await work.onCpu(["few.bin", "--record", "3000000000"])).stderr).toMatch(message);
    const piped = (record: string, memory: string) =>
      work.onCpu(["-", "--record", record, "-S", memory], new Uint8Array(20));
    expect((await piped("2000000000", "1G")).stderr).toMatch(
      /^gpusort: to sort records of 2000000000 bytes takes 906\d+ bytes of memory, but.*\n.*--record, --memory/,
    );
    for (const record of ["3000000000", "9000000000000000"])
      expect((await piped(record, "1G")).stderr).toMatch(/are too long: .*\n.*\(--record\)/);
    const checked = await work.run(["-c", "-", "--record", "9000000000000000"], new Uint8Array(20));
    expect([checked.code, checked.stderr]).toEqual([2, expect.stringContaining("are too long")]);
  });
});

describe("gpusort in a memory that is far too small", () => {
  it("uses more, and says so once", async () => {
    await work.run(["gen", "200000", "-o", "k.u32", "--force"]);
    const { code, stderr } = await work.onCpu(["k.u32", "-o", "out.u32", "-S", "1", "-v"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^gpusort: 1 KiB of memory are too few to sort this input in reasonable time, so \d+ KiB are used\n/,
    );
    expect(stderr.split("KiB of memory").length).toBe(2);
    expect(stderr).toContain("out of core: 64 runs");
    const quiet = await work.onCpu(["k.u32", "-o", "quiet.u32", "-S", "1", "-q"]);
    expect([quiet.code, quiet.stderr]).toEqual([0, ""]);
    expect((await work.read("quiet.u32")).equals(await work.read("out.u32"))).toBe(true);
  });
});

describe("gpusort --argsort", () => {
  const keys = Int32Array.of(30, 10, 20, 10, 30);
  const indices = (bytes: Buffer) => [...new Uint32Array(new Uint8Array(bytes).buffer)];

  it.each([
    [[], [1, 3, 2, 0, 4]],
    [["-r"], [0, 4, 2, 1, 3]],
    [["-u"], [1, 2, 0]],
    [
      ["--head", "2"],
      [1, 3],
    ],
    [
      ["-S", "40b", "-T", "."],
      [1, 3, 2, 0, 4],
    ],
  ] as const)("writes the original positions of the keys: %j", async (options, expected) => {
    await work.write("k.i32", new Uint8Array(keys.buffer));
    const run = await work.onCpu(["k.i32", "--argsort", "-o", "-", "-q", ...options]);
    expect([run.code, run.stderr, indices(run.stdout)]).toEqual([0, "", expected]);
    const piped = await work.onCpu(
      ["-", "-t", "i32", "--argsort", "-q", ...options],
      new Uint8Array(keys.buffer),
    );
    expect(indices(piped.stdout)).toEqual(expected);
  });

  it("writes the positions of records in more memory than is read at a time", async () => {
    const [count, bytes] = [7_001, 6_007];
    const records = Buffer.alloc(count * bytes);
    const keyOf = (record: number) => (record * 4_999) % 911;
    for (let i = 0; i < count; i++) records.writeUInt32BE(keyOf(i), i * bytes + 5);
    await work.write("in.bin", records);
    const options = ["--record", String(bytes), "--key", "5:4", "--argsort", "-o", "-", "-q"];
    const run = await work.onCpu(["in.bin", ...options]);
    const expected = Array.from({ length: count }, (_, i) => i).sort((a, b) => keyOf(a) - keyOf(b) || a - b);
    expect([run.code, run.stderr, indices(run.stdout)]).toEqual([0, "", expected]);
  });

  it("writes them in the format of --to", async () => {
    await work.write("k.i32", new Uint8Array(keys.buffer));
    expect(
      (await work.onCpu(["k.i32", "--argsort", "-o", "-", "--to", "text", "-q"])).stdout.toString(),
    ).toBe("1\n3\n2\n0\n4\n");
  });
});
