import { execFileSync } from "node:child_process";
import { afterAll, expect, it } from "vitest";
import { Workplace } from "./support/command.js";
import { numpy, withNumpy } from "./support/numpy.js";

const work = await Workplace.create();
afterAll(() => work.remove());

/** All 65,536 f16 three times, but no -0, which NumPy does not tell from 0. */
const program = `
import numpy as np
bits = np.arange(3 * 65536, dtype="<u4") * 40503 % 65536
keys = bits[bits != 0x8000].astype("<u2").view("<f2")
np.save("keys.npy", keys)
np.save("sorted_expected.npy", np.sort(keys, kind="stable"))
np.argsort(keys, kind="stable").astype("<u4").tofile("argsort_expected.u32")
lines = [np.format_float_scientific(key, unique=True) for key in np.sort(keys[np.isfinite(keys)])]
open("expected.txt", "w").write("\\n".join(lines))
`;

withNumpy.describe("16-bit floats, as NumPy has them,", async () => {
  await work.write("oracle.py", program);
  execFileSync(numpy!, ["oracle.py"], { cwd: work.folder });

  const sort = async (...args: string[]) => {
    expect(await work.onCpu([...args, "--quiet"])).toMatchObject({ code: 0, stderr: "" });
  };
  /** The keys of a file, without the NaNs at its end: among themselves, these are in any order. */
  const numbersOf = async (name: string) => {
    const file = await work.read(name);
    return file.subarray(128, file.length - 2 * 3 * 2 * 1023).toString("hex");
  };

  it("are sorted in .npy files, with their bits", async () => {
    await sort("keys.npy", "-o", "sorted.npy");
    expect(await numbersOf("sorted.npy")).toBe(await numbersOf("sorted_expected.npy"));
    const headers = await Promise.all(["keys.npy", "sorted.npy"].map((name) => work.read(name)));
    expect(headers[1]!.subarray(0, 128)).toEqual(headers[0]!.subarray(0, 128));
  });

  it("have the order of a stable sort", async () => {
    await sort("keys.npy", "--argsort", "-o", "argsort.u32");
    expect((await work.read("argsort.u32")).equals(await work.read("argsort_expected.u32"))).toBe(true);
  });

  it("are printed with the fewest digits, as text that is read as the same keys", async () => {
    await sort("keys.npy", "-o", "sorted.txt");
    await sort("sorted.txt", "-t", "f16", "-o", "again.npy", "--to", "npy");
    const lines = (await work.read("sorted.txt")).toString().split("\n");
    // Of two numbers that are as short and as close, NumPy takes the even one.
    const digits = (line: string) =>
      Number(line)
        .toExponential()
        .replace(/e.*|\D/g, "").length;
    const expected = (await work.read("expected.txt")).toString().split("\n");
    expect(lines.filter((line) => /\d/.test(line)).map(digits)).toEqual(expected.map(digits));
    expect(await numbersOf("again.npy")).toBe(await numbersOf("sorted_expected.npy"));
  });
});
