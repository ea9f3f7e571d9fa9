import { spawn } from "node:child_process";
import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { openInput } from "../../src/files/input.js";
import { type FileSystem, nodeFiles } from "../../src/files/system.js";
import { faultyFiles } from "../support/faulty_files.js";
import { needs } from "../support/needs.js";

const folder = await fs.mkdtemp(join(tmpdir(), "gpusort-input-"));
afterAll(() => fs.rm(folder, { recursive: true }));

const PIECE = 4 << 20;
const root = process.getuid?.() === 0;
const isPosix = process.platform !== "win32";
const posix = needs(isPosix, "a POSIX system");
const linux = needs(process.platform === "linux", "Linux");
/** Root may read every file. */
const withoutRoot = needs(isPosix && !root, "a POSIX system, and a process that is not root");

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

linux.describe("a file that does not tell its length", () => {
  it.each(["/proc/version", "/sys/class/net/lo/mtu", "/proc/sys/kernel/pid_max"])(
    "is read to its end: %s",
    async (path) => {
      const expected = await fs.readFile(path);
      const input = await openInput(path);
      expect([input.byteLength, input.read]).toEqual([undefined, undefined]);
      expect(Buffer.from(await input.peek(3))).toEqual(expected.subarray(0, 3));
      const into = new Uint8Array(10_000);
      expect(Buffer.from(into.subarray(0, await input.next(into)))).toEqual(expected);
      await input.checkUnchanged();
      await input.close();
    },
  );

  it("is told from one with holes", async () => {
    const path = await file("holes", new Uint8Array());
    await fs.truncate(path, 100_000);
    const input = await openInput(path);
    expect(input.byteLength).toBe(100_000);
    await input.close();
  });
});

linux.describe("a descriptor of this process", () => {
  it("is read from its position, whatever path names it, and stays open", async () => {
    const handle = await fs.open(await file("positioned", pattern(100)));
    await handle.read(new Uint8Array(40));
    const link = join(folder, "descriptor-link");
    await fs.symlink(`/dev/fd/${handle.fd}`, link);
    for (const path of [`/proc/self/fd/${handle.fd}`, link]) {
      const input = await openInput(path);
      expect([input.name, input.byteLength]).toEqual([path, undefined]);
      expect(await input.next(new Uint8Array(10))).toBe(10);
      await input.close();
    }
    const rest = new Uint8Array(100);
    expect((await handle.read(rest)).bytesRead).toBe(40);
    expect(rest.subarray(0, 40)).toEqual(pattern(100).subarray(60));
    await handle.close();
  });

  it("at its start is a file, with a length", async () => {
    const handle = await fs.open(await file("at-start", pattern(100)));
    const input = await openInput(`/dev/fd/${handle.fd}`);
    expect(input.byteLength).toBe(100);
    await input.close();
    await handle.close();
  });

  it("that is a file is checked for changes too", async () => {
    const path = await file("moving", pattern(100));
    const handle = await fs.open(path);
    await handle.read(new Uint8Array(1));
    const input = await openInput(`/dev/fd/${handle.fd}`);
    await input.checkUnchanged();
    await fs.appendFile(path, "more");
    await expect(input.checkUnchanged()).rejects.toThrow("was written to while it was read");
    await handle.close();
  });

  it("that is not open is refused", async () => {
    await expect(openInput("/dev/fd/987")).rejects.toThrow(InputError);
    await expect(openInput("/dev/fd/987")).rejects.toThrow("cannot read /dev/fd/987: it is closed");
  });
});

describe("an input whose system call fails", () => {
  it.each(["stat", "read"] as const)("is closed again if %s fails when it is opened", async (operation) => {
    const path = await file("failing", new Uint8Array());
    const files = faultyFiles((name) => (name === operation ? { error: "EIO" } : undefined));
    const opening = openInput(path, files);
    await expect(opening).rejects.toThrow(InputError);
    await expect(opening).rejects.toThrow(`cannot read ${path}: EIO: injected, ${operation}`);
    expect(files.operations.at(-1)).toBe("close");
  });

  it("is named if it cannot be looked at in the end", async () => {
    const path = await file("failing-late", pattern(8));
    await fs.utimes(path, 1e9, 1e9);
    const files = faultyFiles((name, n) => (name === "stat" && n > 0 ? { error: "EIO" } : undefined));
    const input = await openInput(path, files);
    await expect(input.checkUnchanged()).rejects.toThrow(`cannot read ${path}: EIO: injected, stat`);
    await input.close();
  });

  it("gets a hint about the limit if too many files are open", async () => {
    const files = {
      open: () => Promise.reject(Object.assign(new Error("EMFILE: full"), { code: "EMFILE" })),
    };
    const hint = expect.stringContaining("raise the limit of open files");
    await expect(openInput("some", files)).rejects.toHaveProperty("hint", hint);
  });
});

describe("an input that cannot be opened", () => {
  it.each([
    ["", "the name of the input is empty"],
    ["a\0b", "the name of the input contains a zero byte: a\\0b"],
    ["a\uFFFDb", "there is no file a\uFFFDb: bytes of its name that are not UTF-8 were lost"],
  ])("is refused with the reason: %j", async (path, message) => {
    await expect(openInput(path)).rejects.toThrow(InputError);
    await expect(openInput(path)).rejects.toThrow(message);
  });

  it("may have a replacement character in its name if there is such a file", async () => {
    const input = await openInput(await file("a\uFFFDb", pattern(8)));
    expect(input.byteLength).toBe(8);
    await input.close();
  });

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

  withoutRoot.it("is refused if it may not be read", async () => {
    const path = await file("secret", pattern(4));
    await fs.chmod(path, 0);
    await expect(openInput(path)).rejects.toThrow(InputError);
    await expect(openInput(path)).rejects.toThrow(`cannot read ${path}`);
    await expect(openInput(path)).rejects.toHaveProperty("hint", "check the path and its permissions");
  });
});

posix.describe("a FIFO", () => {
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
    await change(path); // immediately, although the clocks of file systems are coarse
    await expect(input.checkUnchanged()).rejects.toThrow(InputError);
    await expect(input.checkUnchanged()).rejects.toThrow(`${path} was written to while it was read`);
    await input.close();
  });
});

/** Node's files on a file system whose clock ticks only every 10 ms. */
const slowClock: FileSystem = {
  async open(...words) {
    const opened = await nodeFiles.open(...words);
    const stat = async () => {
      const stats = await opened.stat();
      const mtimeNs = stats.mtimeNs - (stats.mtimeNs % 10_000_000n);
      return Object.assign(Object.create(Object.getPrototypeOf(stats)), stats, { mtimeNs });
    };
    return { ...opened, stat };
  },
};

describe("a file that was written just before it is opened", () => {
  it("is refused if it changes in the same tick of the file system's clock", async () => {
    for (let round = 0; round < 5; round++) {
      const path = await file("ticking", pattern(100));
      const input = await openInput(path, slowClock);
      await fs.writeFile(path, pattern(100).reverse());
      await expect(input.checkUnchanged()).rejects.toThrow(`${path} was written to while it was read`);
      await input.close();
    }
  });
});

function ended(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`it exited with ${code}`))));
  });
}
