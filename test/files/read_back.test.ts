import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { InputError, VerifyError } from "../../src/core/errors.js";
import { createOutput, type OutputSettings } from "../../src/files/output.js";
import { type Fault, faultyFiles } from "../support/faulty_files.js";

const folder = await fs.mkdtemp(join(tmpdir(), "gpusort-read-back-"));
afterAll(() => fs.rm(folder, { recursive: true }));
const target = join(folder, "sorted.u32");

const BLOCK = 4 << 20;
const content = new Uint8Array(2 * BLOCK + 12_345).map((_, i) => Math.imul(i, 0x9e3779b1) >>> 24);

/** Writes the content in pieces that end at `cuts`, the last piece first. */
async function write(cuts: readonly number[], settings: OutputSettings): Promise<void> {
  await fs.writeFile(target, "old");
  const output = await createOutput(target, true, settings);
  try {
    const ends = [...new Set([...cuts, content.length])].sort((a, b) => b - a);
    for (const [i, end] of ends.entries()) {
      const begin = ends[i + 1] ?? 0;
      await output.write(content.subarray(begin, end), begin);
    }
    await output.publish();
  } catch (error) {
    await output.discard();
    throw error;
  }
}

describe("an output that is read back", () => {
  it("is published if it holds what was written, however it was cut into pieces", async () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: content.length }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.boolean(), async (ends, short) => {
        const fault: Fault = (name) =>
          short && (name === "read" || name === "write") ? { most: 1 << 20 } : undefined;
        await write(ends, { readBack: true, files: faultyFiles(fault) });
        expect((await fs.readFile(target)).equals(content)).toBe(true);
      }),
      { numRuns: 10, examples: [[[BLOCK, 2 * BLOCK], false]] },
    );
  });

  it.each([0, 1, 127])("is refused if one bit of byte %i of any piece changed", async (flip) => {
    const cuts = [128, BLOCK - 1, BLOCK + 130];
    for (let piece = 0; piece <= cuts.length; piece++) {
      let writes = 0;
      const files = faultyFiles((name) => (name === "write" && writes++ === piece ? { flip } : undefined));
      const writing = write(cuts, { readBack: true, files });
      await expect(writing, `piece ${piece}`).rejects.toThrow(VerifyError);
      await expect(writing).rejects.toThrow(
        /sorted\.u32 is not what was written to it: bytes \d+ to \d+ have/,
      );
      expect(await fs.readFile(target, "utf8")).toBe("old");
      expect(await fs.readdir(folder)).toEqual(["sorted.u32"]);
    }
  });

  it("is refused if it is longer than what was written", async () => {
    const output = await createOutput(target, true, { readBack: true });
    await output.write(content.subarray(0, 8), 0);
    const [temporary] = (await fs.readdir(folder)).filter((name) => name.endsWith(".gpusort"));
    await fs.appendFile(join(folder, temporary!), "!");
    await expect(output.publish()).rejects.toThrow("it has 9 bytes instead of 8");
    await output.discard();
  });

  it("may be empty", async () => {
    await (await createOutput(target, true, { readBack: true })).publish();
    expect(await fs.readFile(target, "utf8")).toBe("");
  });

  it("is refused if it cannot be read", async () => {
    const files = faultyFiles((name) => (name === "read" ? { error: "EIO" } : undefined));
    const writing = write([], { readBack: true, files });
    await expect(writing).rejects.toThrow(InputError);
    await expect(writing).rejects.toThrow(`cannot write ${target}: EIO: injected, read`);
  });

  it("is read without the cache's help where memory of whole pages is needed", async () => {
    const flags: (string | number)[] = [];
    const files = faultyFiles(() => undefined);
    const watched: typeof files = {
      ...files,
      open: (path, how, mode) => {
        flags.push(how);
        return files.open(path, how, mode);
      },
    };
    await write([], { readBack: true, files: watched });
    const direct = fs.constants.O_DIRECT;
    if (direct === undefined) return expect(flags).toEqual(["wx", fs.constants.O_RDONLY]);
    expect(flags[1]).toBe(fs.constants.O_RDONLY | direct);
  });
});
