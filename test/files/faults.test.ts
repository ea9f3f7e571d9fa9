import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { elementType } from "../../src/elements.js";
import { CpuEngine } from "../../src/engines/cpu.js";
import { sortExternally } from "../../src/engines/external.js";
import { itemSorter } from "../../src/engines/sorters.js";
import { InputError } from "../../src/errors.js";
import { openInput } from "../../src/files/input.js";
import { createOutput } from "../../src/files/output.js";
import { createTemporary } from "../../src/files/temporary.js";
import { raw } from "../../src/formats/raw.js";
import { type Fault, faultyFiles } from "../support/faulty_files.js";

const folder = await fs.mkdtemp(join(tmpdir(), "gpusort-faults-"));
afterAll(() => fs.rm(folder, { recursive: true }));
const source = join(folder, "keys.u32");
const target = join(folder, "sorted.u32");
const keys = Uint32Array.from({ length: 5000 }, (_, i) => Math.imul(i, 0x9e3779b1));
const sorted = Buffer.from(keys.slice().sort().buffer);

beforeEach(async () => {
  await fs.writeFile(source, keys);
  await fs.writeFile(target, "old");
});

/** A whole sort out of core, as the command does it, on files that fail as they are told to. */
async function sort(fault: Fault) {
  const files = faultyFiles(fault);
  const input = await openInput(source, files);
  try {
    const output = await createOutput(target, true, files);
    try {
      const items = await raw.open(input, {});
      const writer = await raw.create(output, items.item, items.style, items.itemCount);
      const wish = { descending: false, algorithm: "auto", verify: true };
      await sortExternally(items, writer, {
        sorter: itemSorter(new CpuEngine(), items.item, wish),
        chunkItems: 1000,
        verify: true,
        createStore: (bytes) => createTemporary(folder, bytes, files),
      });
      await input.checkUnchanged();
      await output.publish();
    } catch (error) {
      await output.discard();
      throw error;
    }
  } finally {
    await input.close();
  }
  return files.operations;
}

const state = async () => [(await fs.readdir(folder)).sort(), await fs.readFile(target)] as const;

describe("a disk", () => {
  it("that moves fewer bytes than it was asked to is asked again, until all are there", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 20 }),
        async (lengths) => {
          await sort((operation, n) =>
            operation === "read" || operation === "write"
              ? { most: lengths[n % lengths.length]! }
              : undefined,
          );
          const [names, bytes] = await state();
          expect(names).toEqual(["keys.u32", "sorted.u32"]);
          expect(bytes.equals(sorted)).toBe(true);
        },
      ),
      { numRuns: 20 },
    );
  });

  it.each(["EIO", "ENOSPC"])(
    "that fails with %s, at whichever operation, leaves the old output, and no other file",
    async (error) => {
      const operations = await sort(() => undefined);
      expect(operations.length).toBeGreaterThan(20);
      expect([...new Set(operations)].sort()).toEqual([
        "chmod",
        "chown",
        "close",
        "read",
        "stat",
        "sync",
        "write",
      ]);
      for (const [at, operation] of operations.entries()) {
        // Who may not give a file its owner and mode goes on with less, and a file that is all there may fail to close.
        if (operation === "chown" || operation === "close" || operation === "chmod" || operation === "stat")
          continue;
        await fs.writeFile(target, "old");
        const sorting = sort((_, n) => (n === at ? { error } : undefined));
        await expect(sorting, `${operation} ${at}`).rejects.toThrow(InputError);
        await expect(sorting).rejects.toThrow(
          /^cannot (read .*keys\.u32|write .*sorted\.u32|keep temporary files in .*): E(IO|NOSPC): injected, /,
        );
        const [names, bytes] = await state();
        expect(names).toEqual(["keys.u32", "sorted.u32"]);
        expect(bytes.toString()).toBe("old");
      }
    },
  );
});

describe("places past 2 and 4 GiB", () => {
  const GIB = 2 ** 30;
  const places = [2 * GIB - 4, 2 * GIB, 4 * GIB - 8, 4 * GIB + 4];

  it("are read and written where they are: a file with holes", async () => {
    const path = join(folder, "holes.u32");
    const output = await createOutput(path, true);
    for (const at of places) await output.write(Uint8Array.of(1, 2, 3, at / 4), at);
    await output.publish();
    const input = await openInput(path);
    expect(input.byteLength).toBe(4 * GIB + 8);
    const items = await raw.open(input, { type: "u32" });
    expect(items.itemCount).toBe(GIB + 2);
    for (const at of places) {
      const around = new Uint8Array(12);
      await items.source!.read(around, at - 8);
      expect([...around.subarray(8)]).toEqual([1, 2, 3, (at / 4) & 255]);
    }
    await input.close();
    await fs.rm(path);
  });

  it("hold temporary files too", async () => {
    const temporary = await createTemporary(folder, undefined);
    for (const at of places) await temporary.write(Uint8Array.of(4, 3, 2, 1), at);
    for (const at of places) {
      const read = new Uint8Array(4);
      await temporary.read(read, at);
      expect([...read]).toEqual([4, 3, 2, 1]);
    }
    await temporary.close();
    expect(elementType("u32").bytes).toBe(4);
  });
});

describe("a temporary file", () => {
  it("has no name while it is used, and gives back what it was given", async () => {
    const before = await fs.readdir(folder);
    const temporary = await createTemporary(folder, 1000);
    await temporary.write(Buffer.from("abc"), 5);
    expect(await fs.readdir(folder)).toEqual(before);
    const read = new Uint8Array(3);
    await temporary.read(read, 5);
    expect(Buffer.from(read).toString()).toBe("abc");
    await expect(temporary.read(new Uint8Array(3), 7)).rejects.toThrow("a temporary file ends at byte 8");
    await temporary.close();
  });

  it("where a file system has no nameless ones, has one for a moment only", async () => {
    const nameless = (flags: string | number) => typeof flags === "number";
    const files = faultyFiles(() => undefined);
    const named = {
      open: (path: string, flags: string | number, mode?: number) =>
        nameless(flags) ? Promise.reject(new Error("EOPNOTSUPP")) : files.open(path, flags, mode),
    };
    const before = await fs.readdir(folder);
    const temporary = await createTemporary(folder, undefined, named);
    expect(await fs.readdir(folder)).toEqual(before);
    await temporary.write(Uint8Array.of(7), 0);
    const read = new Uint8Array(1);
    await temporary.read(read, 0);
    expect(read[0]).toBe(7);
    await temporary.close();
  });

  it("is refused in a folder that is none, or that has too little space", async () => {
    await expect(createTemporary(join(folder, "none"), 1)).rejects.toThrow(
      /cannot keep temporary files in .*ENOENT/,
    );
    await expect(createTemporary(source, 1)).rejects.toThrow(InputError);
    const refused = createTemporary(folder, Number.MAX_SAFE_INTEGER);
    await expect(refused).rejects.toThrow(
      / has \d+ bytes free, and the temporary files of this sort take 9007199254740991$/,
    );
    await expect(refused).rejects.toHaveProperty("hint", expect.stringContaining("--temp-dir"));
  });
});
