import { promises as fs } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";
import { nodeHasZstd, pack, program, withNodeZstd } from "./support/compressed.js";
import { numpy, withNumpy } from "./support/numpy.js";

const work = await Workplace.create();
afterAll(() => work.remove());

const keys = Uint32Array.from({ length: 5000 }, (_, i) => Math.imul(i, 0x9e3779b1));
const raw = Buffer.from(keys.buffer);
const sorted = Buffer.from(keys.slice().sort().buffer);
const text = Buffer.from("30\n-1\n2\n2\n");
const sortedText = "-1\n2\n2\n30\n";

beforeEach(async () => {
  for (const name of await work.names()) await fs.rm(work.path(name));
  await work.write("keys.u32", raw);
  await work.write("keys.u32.gz", gzipSync(raw));
  await work.write("numbers.txt.gz", gzipSync(text));
});

const unzipped = async (name: string) => gunzipSync(await work.read(name));
const quietly = (...args: string[]) => work.onCpu([...args, "-q"]);
const done = { code: 0, stderr: "" };

describe("a gzip file", () => {
  it("is sorted as what is inside, into a gzip file named like it", async () => {
    expect(await quietly("keys.u32.gz")).toMatchObject(done);
    expect((await unzipped("keys.sorted.u32.gz")).equals(sorted)).toBe(true);
    expect(await quietly("numbers.txt.gz")).toMatchObject(done);
    expect(`${await unzipped("numbers.sorted.txt.gz")}`).toBe(sortedText);
    expect(await quietly("keys.u32.gz", "--argsort")).toMatchObject(done);
    expect(await unzipped("keys.argsort.u32.gz")).toHaveLength(raw.length);
    expect(await quietly("numbers.txt.gz", "--to", "raw", "-t", "i64")).toMatchObject(done);
    expect(await unzipped("numbers.sorted.i64.gz")).toHaveLength(32);
  });

  it("is written uncompressed if asked for, or named so", async () => {
    expect(await quietly("keys.u32.gz", "--compress", "none")).toMatchObject(done);
    expect((await work.read("keys.sorted.u32")).equals(sorted)).toBe(true);
    expect(await quietly("keys.u32.gz", "-o", "out.u32")).toMatchObject(done);
    expect((await work.read("out.u32")).equals(sorted)).toBe(true);
  });

  it("is sorted in place", async () => {
    expect(await quietly("keys.u32.gz", "-o", "keys.u32.gz")).toMatchObject(done);
    expect((await unzipped("keys.u32.gz")).equals(sorted)).toBe(true);
    expect(await work.names()).toEqual(["keys.u32", "keys.u32.gz", "numbers.txt.gz"]);
  });

  it("is sorted together with other files", async () => {
    const both = Buffer.from(Uint32Array.from([...keys, ...keys]).sort().buffer);
    expect(await quietly("keys.u32", "keys.u32.gz", "-o", "both.u32")).toMatchObject(done);
    expect((await work.read("both.u32")).equals(both)).toBe(true);
  });

  it("is sorted from standard input, and by the options of a sort", async () => {
    const piped = await work.run(["-", "-t", "u32", "--device", "cpu", "-q"], gzipSync(raw));
    expect(piped).toMatchObject(done);
    expect(piped.stdout.equals(sorted)).toBe(true);
    expect(await quietly("numbers.txt.gz", "-u", "-r", "-o", "out.txt")).toMatchObject(done);
    expect(`${await work.read("out.txt")}`).toBe("30\n2\n-1\n");
    expect(await quietly("keys.u32.gz", "--head", "7", "-o", "head.u32")).toMatchObject(done);
    expect((await work.read("head.u32")).equals(sorted.subarray(0, 28))).toBe(true);
    const tight = ["keys.u32.gz", "-S", "16K", "--verify=full", "-o", "tight.u32.gz"];
    expect(await quietly(...tight)).toMatchObject(done);
    expect((await unzipped("tight.u32.gz")).equals(sorted)).toBe(true);
  });

  it("is merged by sorting, which a notice says", async () => {
    await work.write("sorted.u32.gz", gzipSync(sorted));
    const { code, stderr } = await work.onCpu(["-m", "sorted.u32.gz", "sorted.u32.gz", "-o", "out.u32"]);
    expect(code).toBe(0);
    expect(stderr).toContain("text, pipes and compressed files are read only once");
  });

  it("is checked and verified", async () => {
    await work.write("sorted.u32.gz", gzipSync(sorted));
    expect(await work.run(["-c", "sorted.u32.gz"])).toMatchObject(done);
    expect(await work.run(["-c", "keys.u32.gz"])).toMatchObject({ code: 1 });
    const [plain, packed] = await Promise.all(
      ["keys.u32", "keys.u32.gz"].map((name) => work.run(["verify", "--json", "-q", name])),
    );
    expect(packed).toMatchObject({ code: 1 });
    expect(`${packed!.stdout}`).toBe(`${plain!.stdout}`);
  });

  it("stays raw if the format is named, and its name does not say what it is", async () => {
    const bytes = gzipSync(raw);
    await work.write("keys.bin", bytes);
    expect(await quietly("keys.bin", "-o", "inside.u32")).toMatchObject(done);
    expect((await work.read("inside.u32")).equals(sorted)).toBe(true);
    for (const options of [
      ["--format", "raw", "-t", "u8"],
      ["--record", "1"],
    ]) {
      expect(await quietly("keys.bin", ...options, "-o", "bytes")).toMatchObject(done);
      expect((await work.read("bytes")).equals(Buffer.from(bytes).sort())).toBe(true);
      expect(await quietly("keys.u32.gz", ...options, "-o", "bytes")).toMatchObject(done);
      expect((await work.read("bytes")).equals(Buffer.from(raw).sort())).toBe(true);
    }
  });

  it("that is cut short or damaged is an error, and leaves no output", async () => {
    const packed = gzipSync(raw);
    const damaged = Buffer.from(packed);
    damaged[packed.length - 8]! ^= 1;
    await work.write("cut.u32.gz", packed.subarray(0, -100));
    await work.write("damaged.u32.gz", damaged);
    await work.write("named.u32.gz", raw);
    const before = await work.names();
    const cases = [
      ["cut.u32.gz", "cut.u32.gz is cut short: its compressed data has no end\n  copy it again\n"],
      ["damaged.u32.gz", "damaged.u32.gz is damaged: incorrect data check\n  copy it again\n"],
      ["named.u32.gz", "named.u32.gz is no gzip file, although it is named for one\n"],
    ] as const;
    for (const [name, message] of cases) {
      for (const options of [[], ["-o", name], ["--head", "3"], ["-u"], ["-o", "new.npy", "-S", "16K"]]) {
        const { code, stderr } = await quietly(name, ...options);
        expect([code, stderr], `${name} ${options}`).toEqual([2, expect.stringContaining(message)]);
      }
      expect(await work.run(["verify", "-q", name])).toMatchObject({ code: 2 });
    }
    expect(await work.names()).toEqual(before);
    expect((await work.read("cut.u32.gz")).equals(packed.subarray(0, -100))).toBe(true);
  });
});

describe("an output", () => {
  it("is compressed as its name says, by sort and by gen", async () => {
    expect(await quietly("keys.u32", "-o", "out.u32.GZ", "--verify=full")).toMatchObject(done);
    expect((await unzipped("out.u32.GZ")).equals(sorted)).toBe(true);
    expect(await work.run(["gen", "1000", "-o", "gen.f64", "-q"])).toMatchObject(done);
    expect(await work.run(["gen", "1000", "-o", "gen.f64.gz", "-q"])).toMatchObject(done);
    expect((await unzipped("gen.f64.gz")).equals(await work.read("gen.f64"))).toBe(true);
  });

  it("is compressed as --compress says, also on its way to standard output", async () => {
    expect(await quietly("keys.u32", "--compress", "gz")).toMatchObject(done);
    expect((await unzipped("keys.sorted.u32.gz")).equals(sorted)).toBe(true);
    const { stdout } = await work.run(["-", "-t", "u32", "--device", "cpu", "-q", "--compress", "gz"], raw);
    expect(gunzipSync(stdout).equals(sorted)).toBe(true);
    const made = await work.run(["gen", "9", "-o", "-", "-t", "u32", "--compress", "gz", "-q"]);
    expect(gunzipSync(made.stdout)).toHaveLength(36);
  });

  it("may be an empty file, which is a gzip file too", async () => {
    await work.write("none.u32", "");
    expect(await quietly("none.u32", "-o", "none.u32.gz")).toMatchObject(done);
    expect(await unzipped("none.u32.gz")).toHaveLength(0);
    expect(await quietly("none.u32.gz", "-o", "again.u32")).toMatchObject(done);
    expect(await work.read("again.u32")).toHaveLength(0);
  });

  it("of a format that states its length may be compressed, even if the length is known late", async () => {
    expect(await quietly("numbers.txt.gz", "-u", "-o", "out.npy.gz")).toMatchObject(done);
    const npy = await unzipped("out.npy.gz");
    expect(npy.subarray(0, 128).toString("latin1")).toContain("'shape': (3,)");
    expect([128, 136, 144].map((at) => npy.readBigInt64LE(at))).toEqual([-1n, 2n, 30n]);
    expect(npy).toHaveLength(152);
    expect(await quietly("out.npy.gz", "--to", "text", "-o", "out.txt")).toMatchObject(done);
    expect(`${await work.read("out.txt")}`).toBe("-1\n2\n30\n");
  });

  withNumpy.it("is one that NumPy reads", async () => {
    expect(await quietly("keys.u32", "-o", "out.npy.gz")).toMatchObject(done);
    const python = program(numpy!);
    const load =
      "import numpy,gzip,sys; sys.stdout.buffer.write(numpy.load(gzip.open(sys.argv[1])).tobytes())";
    expect(python.run(["-c", load, work.path("out.npy.gz")], Buffer.alloc(0)).equals(sorted)).toBe(true);
  });

  it.each([
    [["-o", "out.u32.gz", "--compress", "none"], "the output out.u32.gz is named for gzip, but would not be"],
    [["-o", "out.u32.zst", "--compress", "gz"], "the output out.u32.zst is named for zstd, but would not be"],
    [["-o", "out.f64.gz"], "the output out.f64.gz is named for f64 keys"],
    [["--compress", "gzp"], "--compress 'gzp' is not a compression\n  did you mean gz?"],
    [["--compress", "lz4"], "is not a compression\n  use one of gz, gzip, zst, zstd, none\n"],
    [
      ["--compress", "lz4", "-o", "out.parquet"],
      "use one of gz, gzip, zst, zstd, none, snappy (of Parquet)\n",
    ],
    [["--compress", "snapy", "-o", "out.parquet"], "did you mean snappy? use"],
    [["--compress", "snappy"], "--compress 'snappy' is not a compression"],
    [["-c", "--compress", "gz"], "--compress cannot be used with --check"],
  ])("is refused with %j", async (options, message) => {
    const { code, stderr } = await quietly("keys.u32", ...options);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await work.names()).toEqual(["keys.u32", "keys.u32.gz", "numbers.txt.gz"]);
  });
});

describe("a zstd file", () => {
  withNodeZstd.it("is sorted into a zstd file", async () => {
    await work.write("keys.u32.zst", Buffer.concat([pack("zst", raw), pack("zst", raw)]));
    expect(await quietly("keys.u32.zst", "-u")).toMatchObject(done);
    expect(await quietly("keys.sorted.u32.zst", "-o", "out.u32")).toMatchObject(done);
    expect((await work.read("out.u32")).equals(sorted)).toBe(true);
  });

  it.runIf(!nodeHasZstd)("is an error that says two ways out, if Node has no zstd", async () => {
    await work.write("keys.u32.zst", Buffer.from("28b52ffd2406310000330a310a320a5d8be4b7", "hex"));
    const { code, stderr } = await quietly("keys.u32.zst");
    expect(code).toBe(2);
    expect(stderr).toBe(
      "gpusort: keys.u32.zst is a zstd file, which this version of Node cannot decompress\n" +
        "  use Node 22.15, 23.8 or later, or unpack it: zstdcat keys.u32.zst | gpusort -\n",
    );
    expect(await quietly("keys.u32", "-o", "out.u32.zst")).toMatchObject({ code: 2 });
    expect(await work.names()).not.toContain("out.u32.zst");
  });
});
