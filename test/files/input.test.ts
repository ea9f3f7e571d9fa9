import { spawn } from "node:child_process";
import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { openInput } from "../../src/files/input.js";

const folder = await fs.mkdtemp(join(tmpdir(), "gpusort-input-"));
afterAll(() => fs.rm(folder, { recursive: true }));

const PIECE = 4 << 20;
const root = process.getuid?.() === 0;
const posix = process.platform !== "win32";
if (root)
  process.stderr.write("SKIPPED: the test of a file without read permission: root may read every file\n");
if (!posix) process.stderr.write("SKIPPED: the tests of FIFOs and permissions: this is not a POSIX system\n");

/** Bytes that make each offset look different from the offsets nearby. */
function pattern(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length).map((_, i) => Math.imul(i, 0x9e3779b1) >>> 24);
}

async function file(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await fs.writeFile(path, bytes);
  return path;
}

describe("an input file", () => {
  it("has its path as its name, and knows its length", async () => {
    const path = await file("known.u32", pattern(12));
    const input = await openInput(path);
    expect([input.name, input.byteLength]).toEqual([path, 12]);
    await input.close();
  });

  it("reads any window of its bytes, also windows that span several pieces", async () => {
    const bytes = pattern(2 * PIECE + 5);
    const input = await openInput(await file("large", bytes));
    const windows = [
      [0, bytes.length],
      [3, PIECE],
      [1, PIECE + 1],
      [PIECE - 1, PIECE + 2],
      [2 * PIECE, 5],
      [bytes.length, 0],
    ] as const;
    // All at once, because an engine reads several windows at the same time.
    await Promise.all(
      windows.map(async ([offset, length]) => {
        const window = new Uint8Array(length);
        await input.read!(window, offset);
        expect(Buffer.compare(window, bytes.subarray(offset, offset + length))).toBe(0);
      }),
    );
    await input.close();
  });

  it("may be empty", async () => {
    const input = await openInput(await file("empty", new Uint8Array()));
    expect(input.byteLength).toBe(0);
    await input.read!(new Uint8Array(), 0);
    await input.close();
  });

  it.each([
    [100, 60],
    [PIECE + 10, PIECE + 3],
  ])(
    "of %i bytes that is truncated to %i after it was opened throws an error that names its new end",
    async (long, short) => {
      const path = await file(`cut-${long}`, pattern(long));
      const input = await openInput(path);
      await fs.truncate(path, short);
      const reading = input.read!(new Uint8Array(long), 0);
      await expect(reading).rejects.toThrow(InputError);
      await expect(reading).rejects.toThrow(
        `${path} was cut short while it was read: it now ends at byte ${short}`,
      );
      await input.close();
    },
  );

  it("cannot be read after close", async () => {
    const input = await openInput(await file("closed", pattern(8)));
    await input.close();
    await expect(input.read!(new Uint8Array(8), 0)).rejects.toThrow();
  });
});

describe("an input that cannot be opened", () => {
  it("is refused if there is no such file", async () => {
    const path = join(folder, "nothing.u32");
    const opening = openInput(path);
    await expect(opening).rejects.toThrow(InputError);
    await expect(opening).rejects.toThrow(`there is no file ${path}`);
    await expect(opening).rejects.toHaveProperty("hint", "check the path");
  });

  it("is refused if it is a folder", async () => {
    await expect(openInput(folder)).rejects.toThrow(InputError);
    await expect(openInput(folder)).rejects.toThrow(`${folder} is a directory`);
  });

  it("is refused if its folder is a file", async () => {
    const path = join(await file("plain", pattern(1)), "keys.u32");
    await expect(openInput(path)).rejects.toThrow(InputError);
    await expect(openInput(path)).rejects.toThrow(`cannot read ${path}`);
  });

  it.runIf(posix && !root)("is refused if it may not be read", async () => {
    const path = await file("secret", pattern(4));
    await fs.chmod(path, 0);
    await expect(openInput(path)).rejects.toThrow(InputError);
    await expect(openInput(path)).rejects.toThrow(`cannot read ${path}`);
    await expect(openInput(path)).rejects.toHaveProperty("hint", "check the path and its permissions");
  });
});

describe.runIf(posix)("a FIFO", () => {
  async function fifo(name: string, bytes: Uint8Array) {
    const path = join(folder, name);
    await ended(spawn("mkfifo", [path]));
    // Another process writes. In this process, a blocked open would hold a thread of the pool that has to
    // read.
    const source = await file(`${name}.bytes`, bytes);
    const writer = ended(spawn("sh", ["-c", 'cat "$1" > "$2"', "sh", source, path]));
    return { input: await openInput(path), writer };
  }

  it("has no length, and gives its bytes in order, also after a peek at the first ones", async () => {
    const bytes = pattern(3_000_001);
    const { input, writer } = await fifo("pipe", bytes);
    expect([input.byteLength, input.read]).toEqual([undefined, undefined]);
    expect(Buffer.compare(await input.peek(6), bytes.subarray(0, 6))).toBe(0);
    expect(Buffer.compare(await input.peek(12), bytes.subarray(0, 12))).toBe(0);
    let at = 0;
    for (const length of [5, 3, 100, 70_000, 2_000_000, 0, 929_893, 10]) {
      const window = new Uint8Array(length);
      const read = await input.next(window);
      expect(read).toBe(Math.min(length, bytes.length - at));
      expect(Buffer.compare(window.subarray(0, read), bytes.subarray(at, at + read))).toBe(0);
      at += read;
    }
    await writer;
    await input.checkUnchanged();
    await input.close();
  });

  it("may be empty", async () => {
    const { input } = await fifo("silent", new Uint8Array());
    expect((await input.peek(6)).length).toBe(0);
    expect(await input.next(new Uint8Array(10))).toBe(0);
    await input.close();
  });
});

describe("a file that is written to while it is read", () => {
  it.each([
    ["grows", (path: string) => fs.appendFile(path, "more")],
    ["changes", (path: string) => fs.writeFile(path, pattern(100).reverse())],
  ])("is refused if it %s, and accepted if it does not change", async (name, change) => {
    const path = await file(name, pattern(100));
    const input = await openInput(path);
    await input.checkUnchanged();
    await new Promise((resolve) => setTimeout(resolve, 20)); // the clocks of file systems are coarse
    await change(path);
    await expect(input.checkUnchanged()).rejects.toThrow(InputError);
    await expect(input.checkUnchanged()).rejects.toThrow(`${path} was written to while it was read`);
    await input.close();
  });
});

function ended(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`it exited with ${code}`))));
  });
}
