import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";

const work = await Workplace.create();
afterAll(() => work.remove());

const valsort = (...args: string[]) => work.run(["verify", ...args, "--records", "valsort"]);

beforeAll(async () => {
  const gen = ["gen", "1000", "-o", "in.dat", "--records", "gensort", "--checksum"];
  expect(await work.run(gen)).toMatchObject({ code: 0, stderr: "1ea6370b955\n" });
  const sort = ["in.dat", "--record", "100", "--key", "0:10", "-o", "out.dat", "-q"];
  expect(await work.onCpu(sort)).toMatchObject({ code: 0 });
});

// C. Nyberg's gensort and valsort 1.5 print the same of these records, except the keys.
describe("records of gensort", () => {
  it("are checked as valsort checks them, sorted", async () => {
    const { code, stdout } = await valsort("out.dat");
    expect([code, stdout.toString().split("\n")]).toEqual([
      0,
      [
        "Records: 1000",
        "Checksum: 1ea6370b955",
        expect.stringMatching(/^First key: 00[0-9a-f]{18}$/),
        expect.stringMatching(/^Last key: ff[0-9a-f]{18}$/),
        "Duplicate keys: 0",
        "SUCCESS - all records are in order",
        "",
      ],
    ]);
  });

  it("are checked so in any other order, too: exit code 1", async () => {
    const { code, stdout } = await valsort("in.dat");
    expect([code, stdout.toString().split("\n")]).toEqual([
      1,
      [
        "First unordered record is record 2",
        "Records: 1000",
        "Checksum: 1ea6370b955",
        'First key: "JimGrayRIP"',
        "Last key: 4d15a82070c03ee39bf5",
        "ERROR - there are 483 unordered records",
        "",
      ],
    ]);
    expect(await valsort("in.dat", "-q")).toMatchObject({ code: 1, stdout: Buffer.alloc(0) });
  });

  it("and duplicate keys are counted", async () => {
    const sorted = await work.read("out.dat");
    await work.write("twice.dat", Buffer.concat([sorted.subarray(0, 100), sorted]));
    expect((await valsort("twice.dat")).stdout.toString()).toContain("Records: 1001\n");
    expect((await valsort("twice.dat")).stdout.toString()).toContain("Duplicate keys: 1\n");
  });

  it("have the bytes of the whole in parts, and through pipes", async () => {
    const whole = await work.read("in.dat");
    const part = async (count: string, offset: string) =>
      (await work.run(["gen", count, "--offset", offset, "-o", "-", "--records", "gensort"])).stdout;
    expect(Buffer.concat([await part("1", "0"), await part("998", "1"), await part("1", "999")])).toEqual(
      whole,
    );
    const piped = await work.run(["verify", "-", "--records", "valsort"], whole);
    expect(piped.stdout.toString()).toContain("Checksum: 1ea6370b955\n");
  });

  it("come skewed, as text, and compressed", async () => {
    for (const [options, checksum] of [
      [["--dist", "skewed"], "1e96301166b"],
      [["--records", "gensort-ascii"], "1f5dfb3631a"],
      [["--records", "gensort-ascii", "--dist", "skewed"], "1eef17d1cac"],
    ] as const) {
      const gen = [
        "gen",
        "1000",
        "-o",
        "r.dat.gz",
        "--records",
        "gensort",
        "--checksum",
        "--force",
        ...options,
      ];
      expect(await work.run(gen)).toMatchObject({ code: 0, stderr: `${checksum}\n` });
      expect((await valsort("r.dat.gz")).stdout.toString()).toContain(`Checksum: ${checksum}\n`);
    }
    const lines = (await work.run(["gen", "2", "-o", "-", "--records", "gensort-ascii"])).stdout.toString();
    expect(lines).toMatch(
      /^AsfAGHM5om {2}0{32} {2}[0-9A-F]{52}\r\n~sHd0jDv6X {2}0{31}1 {2}[0-9A-F]{52}\r\n$/,
    );
  });

  it("are checked in several files as one, which also finds disorder at their borders", async () => {
    const sorted = await work.read("out.dat");
    await work.write("a.dat", sorted.subarray(0, 40_000));
    await work.write("b.dat", sorted.subarray(40_000));
    const whole = (await valsort("out.dat")).stdout.toString();
    expect((await valsort("a.dat", "b.dat")).stdout.toString()).toBe(whole);
    const wrong = await valsort("b.dat", "a.dat");
    expect(wrong.code).toBe(1);
    expect(wrong.stdout.toString()).toMatch(/^First unordered record is record 600\n/);
    expect(wrong.stdout.toString()).toMatch(
      /Checksum: 1ea6370b955\n[\s\S]*ERROR - there are 1 unordered records\n$/,
    );
  });

  it("are checked in parts, whose summaries are combined", async () => {
    const sorted = await work.read("out.dat");
    const cuts = [0, 0, 17_000, 17_100, 100_000];
    for (const [i, to] of cuts.slice(1).entries()) {
      await work.write("part.dat", sorted.subarray(cuts[i], to));
      await work.write(`${i}.json`, (await valsort("part.dat", "--json")).stdout);
    }
    const combine = (...names: string[]) => work.run(["verify", "--combine", ...names]);
    const whole = await combine("0.json", "1.json", "2.json", "3.json");
    expect([whole.code, whole.stdout]).toEqual([0, (await valsort("out.dat")).stdout]);
    const wrong = await combine("1.json", "3.json", "0.json", "2.json", "--json");
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stdout.toString())).toMatchObject({
      ...{ version: 2, records: "valsort", order: "ascending", count: 1000, checksum: "1ea6370b955" },
      ...{ inversions: 1, firstInversion: 998, duplicates: 0 },
    });
    await work.write(
      "other.json",
      (await work.run(["verify", "out.dat", "--record", "100", "--json"])).stdout,
    );
    expect((await combine("1.json", "other.json")).stderr).toContain("different types or orders");
    const changed = JSON.parse((await work.read("1.json")).toString());
    await work.write("1.json", JSON.stringify({ ...changed, checksum: "0x1" }));
    expect((await combine("1.json")).stderr).toMatch(/^gpusort: 1\.json is not a summary: checksum: /);
  });

  it("that are not whole are refused, and no records are in order", async () => {
    await work.write("odd.dat", Buffer.alloc(150));
    expect((await valsort("odd.dat")).stderr).toMatch(
      /^gpusort: odd\.dat has 150 bytes, which is not a whole /,
    );
    await work.write("empty.dat", "");
    expect((await valsort("empty.dat")).stdout.toString()).toMatch(
      /^Records: 0\nChecksum: 0\nDuplicate keys: 0\n/,
    );
  });
});

describe("options beside --records", () => {
  const refused = async (args: readonly string[]) => {
    const { code, stderr } = await work.run(args);
    expect(code).toBe(2);
    return stderr;
  };
  const named = ["--records", "gensort"];

  it.each([
    [
      [...named, "--record", "100"],
      "--record cannot be used with --records\n  leave one of them out: --record ",
    ],
    [[...named, "-t", "u32"], "--type cannot be used with --records\n  leave one of them out: "],
    [[...named, "--byte-order", "big"], "--byte-order cannot be used with --records\n"],
    [[...named, "--seed", "2"], "--seed cannot be used with --records\n  leave it out: "],
    [[...named, "--total", "20"], "--total cannot be used with --records\n  leave it out: "],
    [
      [...named, "--dist", "zipf"],
      "--dist zipf cannot be used with --records gensort\n  gensort's keys are ",
    ],
    [["--dist", "skewed"], "--dist skewed is a distribution of gensort's records alone\n  write --records "],
    [["--checksum"], "--checksum has no effect without --records\n  name gensort's records with --records "],
    [
      ["--records", "100"],
      "--records '100' is a number\n  for records of so many bytes, write --record 100; ",
    ],
    [["--records", "gensort-asci"], "--records 'gensort-asci' is unknown\n  did you mean gensort-ascii? "],
    [
      ["--records", "valsort"],
      "--records 'valsort' is unknown\n  did you mean gensort? use one of gensort, ",
    ],
    [
      ["--record", "gensort"],
      "--record 'gensort' is not a number of bytes\n  records of the sort benchmark ",
    ],
    [[...named, "--to", "npy"], "records cannot be written as npy\n"],
  ])("of gen are refused: %j", async (options, message) => {
    expect(await refused(["gen", "10", "-o", "k.dat", ...options])).toContain(`gpusort: ${message}`);
    expect(await work.names()).not.toContain("k.dat");
  });

  it.each([
    [["--record", "100"], "--record cannot be used with --records\n  leave one of them out: --record "],
    [["--key", "0:10"], "--key cannot be used with --records\n  leave it out: valsort expects "],
    [["-t", "u32"], "--type cannot be used with --records\n"],
    [["-r"], "--reverse cannot be used with --records\n"],
    [["-n"], "--numeric-sort cannot be used with --records\n"],
    [["--by", "1"], "--by cannot be used with --records\n"],
    [["--combine"], "--records cannot be used with --combine\n  leave it out: each summary says "],
    [["--records", "gensort"], "--records 'gensort' is unknown\n  did you mean valsort? "],
  ])("of verify are refused: %j", async (options, message) => {
    const args = ["verify", "out.dat", "--records", "valsort", ...options];
    expect(await refused(args)).toContain(`gpusort: ${message}`);
  });

  it("of sort are refused: it is told how long records are, and where their keys", async () => {
    expect(await refused(["out.dat", "--records", "gensort"])).toContain(
      "  --records: for records of the sort benchmark, write --record 100 --key 0:10\n",
    );
  });
});
