import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { elementType } from "../../src/core/elements.js";
import { CpuEngine } from "../../src/core/engines/cpu.js";
import { InputError } from "../../src/core/errors.js";
import type { KeyItem } from "../../src/core/items/item.js";
import { openInput } from "../../src/files/input.js";
import { createOutput } from "../../src/files/output.js";
import { createTemporary } from "../../src/files/temporary/temporary.js";
import { raw } from "../../src/formats/raw.js";
import { sortExternally } from "../../src/sort/items/external_sort.js";
import { KeySorter } from "../../src/sort/items/key_sorter.js";
import { type Fault, faultyFiles } from "../support/faulty_files.js";

const folder = await fs.mkdtemp(join(tmpdir(), "gpusort-faults-"));
afterAll(() => fs.rm(folder, { recursive: true }));
const source = join(folder, "keys.u32");
const target = join(folder, "sorted.u32");
const keys = Uint32Array.from({ length: 5000 }, (_, i) => Math.imul(i, 0x9e3779b1));
const sorted = Buffer.from(keys.slice().sort().buffer);

beforeEach(async () => {
  await fs.writeFile(source, keys);
  await fs.utimes(source, 1e9, 1e9); // an input that was just written is looked at more often
  await fs.writeFile(target, "old");
});

/** Sorts out of core, as the command does, with files that fail as `fault` says. */
async function sort(fault: Fault) {
  const files = faultyFiles(fault);
  const input = await openInput(source, files);
  try {
    const output = await createOutput(target, true, { files });
    try {
      const items = await raw.open(input, {});
      const writer = await raw.create(output, items.item, items.style, items.itemCount);
      const sorterOptions = { descending: false, algorithm: "auto", verify: true };
      await sortExternally(items, writer, {
        sorter: new KeySorter(new CpuEngine(), items.item as KeyItem, sorterOptions),
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
  it("that moves fewer bytes than requested is asked again until all are moved", async () => {
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
    "that fails with %s at any operation leaves the old output, and no other file",
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
      const message =
        /^cannot (read .*keys\.u32|write .*sorted\.u32|keep temporary files in .*): E(IO|NOSPC): injected, /;
      for (const [at, operation] of operations.entries()) {
        await fs.writeFile(target, "old");
        const failure = await sort((_, n) => (n === at ? { error } : undefined)).then(
          () => undefined,
          (failed: Error) => failed,
        );
        const [names, bytes] = await state();
        expect(names).toEqual(["keys.u32", "sorted.u32"]);
        // A sort goes on with another owner, and if a file fails to close that was only read. Not every file
        // system can sync a folder, which comes last.
        const isFolder = operation === "sync" && at === operations.lastIndexOf("sync");
        if (failure === undefined && (isFolder || ["chown", "close"].includes(operation))) {
          expect(bytes.equals(sorted)).toBe(true);
          continue;
        }
        expect(failure, `${operation} ${at}`).toBeInstanceOf(InputError);
        expect(failure!.message).toMatch(message);
        expect(bytes.toString()).toBe("old");
      }
    },
  );
});

describe("offsets past 2 and 4 GiB", () => {
  const GIB = 2 ** 30;
  const offsets = [2 * GIB - 4, 2 * GIB, 4 * GIB - 8, 4 * GIB + 4];

  it("work for inputs and outputs, here with a sparse file", async () => {
    const path = join(folder, "holes.u32");
    const output = await createOutput(path, true);
    for (const at of offsets) await output.write(Uint8Array.of(1, 2, 3, at / 4), at);
    await output.publish();
    const input = await openInput(path);
    expect(input.byteLength).toBe(4 * GIB + 8);
    const items = await raw.open(input, { type: "u32" });
    expect(items.itemCount).toBe(GIB + 2);
    for (const at of offsets) {
      const around = new Uint8Array(12);
      await items.source!.read(around, at - 8);
      expect([...around.subarray(8)]).toEqual([1, 2, 3, (at / 4) & 255]);
    }
    await input.close();
    await fs.rm(path);
  });

  it("work for temporary files", async () => {
    const temporary = await createTemporary(folder, undefined);
    for (const at of offsets) await temporary.write(Uint8Array.of(4, 3, 2, 1), at);
    for (const at of offsets) {
      const read = new Uint8Array(4);
      await temporary.read(read, at);
      expect([...read]).toEqual([4, 3, 2, 1]);
    }
    await temporary.close();
    expect(elementType("u32").bytes).toBe(4);
  });
});

describe("a temporary file", () => {
  it("has no name while it is used, and returns the bytes that were written", async () => {
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

  it("has a name only for a moment if the file system has no unnamed files", async () => {
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

  it("is refused in a folder that does not exist, is a file, or has too little space", async () => {
    await expect(createTemporary(join(folder, "none"), 1)).rejects.toThrow(
      /cannot keep temporary files in .*none: ENOENT: no such file or directory$/,
    );
    await expect(createTemporary(source, 1)).rejects.toThrow(/ENOTDIR: not a directory$/);
    const refused = createTemporary(folder, Number.MAX_SAFE_INTEGER);
    await expect(refused).rejects.toThrow(
      / has \d+ bytes free, but the temporary files of this sort need 9007199254740991$/,
    );
    await expect(refused).rejects.toHaveProperty("options", ["tempDir", "memoryBytes"]);
  });
});
