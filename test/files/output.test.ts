import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { cleanUpAtExit } from "../../src/files/exit_cleanup.js";
import { createOutput, openReplacement } from "../../src/files/output.js";
import { WritableOutput } from "../../src/files/stream_output.js";
import { type FileSystem, nodeFiles } from "../../src/files/system.js";
import { faultyFiles } from "../support/faulty_files.js";
import { needs } from "../support/needs.js";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((made) => fs.rm(made, { recursive: true }))));

let folder: string;
let target: string;
beforeEach(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "gpusort-output-"));
  folders.push(folder);
  target = join(folder, "sorted.u32");
});

const asRoot = needs(process.getuid?.() === 0, "root");
const posix = needs(process.platform !== "win32", "a POSIX system");
const linux = needs(process.platform === "linux", "Linux");

/** Whether there is a file system in memory, in which files are allocated by a program of the system. */
const inMemory = existsSync("/dev/shm") && existsSync("/usr/bin/fallocate");
const memory = needs(inMemory, "/dev/shm and fallocate");

async function moveToMemory(): Promise<void> {
  folder = await fs.mkdtemp("/dev/shm/gpusort-output-");
  folders.push(folder);
}

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const read = (path: string) => fs.readFile(path, "utf8");
const names = () => fs.readdir(folder);

describe("a new output", () => {
  it("appears complete when it is published, whatever the pieces that were written", async () => {
    const output = await createOutput(target, false);
    expect(output.name).toBe(target);
    await Promise.all([output.write(bytes("cd"), 2), output.write(bytes("ab"), 0)]);
    await output.write(bytes("e"), 4);
    expect(existsSync(target)).toBe(false);
    await output.publish();
    expect(await read(target)).toBe("abcde");
    expect(await names()).toEqual([basename(target)]);
  });

  it("is a hidden file beside its target until it is published", async () => {
    const output = await createOutput(target, false);
    const [temporary] = await names();
    expect(temporary).toMatch(/^\.sorted\.u32\..+\.gpusort$/);
    await output.discard();
  });

  it("may be empty", async () => {
    await (await createOutput(target, false)).publish();
    expect(await read(target)).toBe("");
  });

  it("leaves nothing when it is discarded", async () => {
    const output = await createOutput(target, false);
    await output.write(bytes("half"), 0);
    await output.discard();
    expect(await names()).toEqual([]);
  });

  it("may have the same target as another one: the one published last stays", async () => {
    const [first, second] = [await createOutput(target, true), await createOutput(target, true)];
    await first.write(bytes("first"), 0);
    await second.write(bytes("second"), 0);
    await first.publish();
    await second.publish();
    expect(await read(target)).toBe("second");
    expect(await names()).toEqual([basename(target)]);
  });

  it("is refused in a folder that does not exist", async () => {
    const nowhere = join(folder, "missing", "sorted.u32");
    await expect(createOutput(nowhere, true)).rejects.toThrow(InputError);
    await expect(createOutput(nowhere, true)).rejects.toThrow(`cannot write ${nowhere}`);
    expect(await names()).toEqual([]);
  });

  it("is refused if its target is a folder", async () => {
    await expect(createOutput(folder, true)).rejects.toThrow(InputError);
    await expect(createOutput(folder, true)).rejects.toThrow(`the output ${folder} is a directory`);
  });
});

linux.describe("the temporary file of a process", () => {
  it("is removed by the next process with the same target, if and only if its process is dead", async () => {
    const source = new URL("../../dist/files/output.js", import.meta.url).href;
    const script = `import(${JSON.stringify(source)}).then(async ({ createOutput }) => {
      await createOutput(${JSON.stringify(target)}, true);
      process.kill(process.pid, "SIGKILL");
    })`;
    spawn(process.execPath, ["-e", script]);
    while ((await names()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const [left] = await names();
    expect(left).toMatch(/^\..*\.gpusort$/);
    const foreign = left!.replace(/\.[0-9a-f]{8}-(\d+)-/, ".00000000-$1-");
    await fs.writeFile(join(folder, foreign), "of another machine");
    await new Promise((resolve) => setTimeout(resolve, 50));
    const living = await createOutput(target, true);
    expect(await names()).toHaveLength(2);
    expect(await names()).not.toContain(left);
    expect(await names()).toContain(foreign);
    await (await createOutput(target, true)).publish();
    await living.publish();
    expect(await names()).toEqual([foreign, basename(target)].sort());
  });
});

describe("an output that survives a power failure", () => {
  /** What was synced, and what the target held then. */
  function observed() {
    const synced: [path: string, target: string | undefined][] = [];
    const files: FileSystem = {
      open: async (path, flags, mode) => {
        const file = await nodeFiles.open(path, flags, mode);
        return {
          ...file,
          sync: async () => {
            await file.sync();
            synced.push([path, await fs.readFile(target, "utf8").catch(() => undefined)]);
          },
        };
      },
    };
    return { files, synced };
  }

  it.each([
    ["replaces another one", true, "old"],
    ["is new", true, undefined],
    ["must be new", false, undefined],
  ])("is synced before it gets its name, and its folder afterwards: it %s", async (_, replace, before) => {
    if (before !== undefined) await fs.writeFile(target, before);
    const { files, synced } = observed();
    const output = await createOutput(target, replace, { files });
    await output.write(bytes("new"), 0);
    await output.publish();
    const temporary = expect.stringMatching(/\.sorted\.u32\..*\.gpusort$/);
    expect(synced).toEqual([
      [temporary, before],
      [folder, "new"],
    ]);
  });
});

describe("an output with an announced length", () => {
  it.each([
    [10_000, 10_000],
    [100_000_000, 5],
    [5, 10_000],
    [70_000_000, 0],
    [0, 3],
  ])("of %i bytes contains exactly the %i bytes that were written", async (expected, length) => {
    const output = await createOutput(target, true);
    output.expect!(expected);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const content = new Uint8Array(length).fill(7);
    const half = length >> 1;
    await Promise.all([
      output.write(content.subarray(0, half), 0),
      output.write(content.subarray(half), half),
    ]);
    await output.publish();
    expect((await fs.readFile(target)).equals(content)).toBe(true);
  });

  it("keeps the bytes that were written before the announcement", async () => {
    const output = await createOutput(target, true);
    await output.write(bytes("header"), 0);
    output.expect!(50_000_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await output.write(bytes(", body"), 6);
    await output.publish();
    expect(await read(target)).toBe("header, body");
  });

  memory.it.each([5, 20_000_000])(
    "of 300 MB in memory contains exactly the %i bytes that were written",
    async (length) => {
      await moveToMemory();
      const output = await createOutput(join(folder, "sorted.u32"), true);
      output.expect!(300_000_000);
      await new Promise((resolve) => setTimeout(resolve, length % 50));
      const content = new Uint8Array(length).fill(7);
      await output.write(content, 0);
      await output.publish();
      expect((await fs.readFile(join(folder, "sorted.u32"))).equals(content)).toBe(true);
      expect(await names()).toEqual(["sorted.u32"]);
    },
  );

  it.each([200_000_000, 300_000_000])("of %i bytes leaves nothing when it is discarded", async (expected) => {
    if (inMemory) await moveToMemory();
    const output = await createOutput(join(folder, "sorted.u32"), true);
    output.expect!(expected);
    await output.discard();
    expect(await names()).toEqual([]);
  });
});

describe("an output whose target exists", () => {
  beforeEach(() => fs.writeFile(target, "old"));

  it("is refused unless it may be replaced", async () => {
    await expect(createOutput(target, false)).rejects.toThrow(InputError);
    await expect(createOutput(target, false)).rejects.toThrow(`the output ${target} exists already`);
    await expect(createOutput(target, false)).rejects.toHaveProperty("options", ["replace", "output"]);
    expect(await read(target)).toBe("old");
    expect(await names()).toEqual([basename(target)]);
  });

  it("leaves the old bytes in place until it is published, and then has none of them", async () => {
    await fs.writeFile(target, "old and long");
    const output = await createOutput(target, true);
    await output.write(bytes("new"), 0);
    expect(await read(target)).toBe("old and long");
    await output.publish();
    expect(await read(target)).toBe("new");
    expect(await names()).toEqual([basename(target)]);
  });

  it("leaves the old bytes in place when it is discarded", async () => {
    const output = await createOutput(target, true);
    await output.write(bytes("new"), 0);
    await output.discard();
    expect(await read(target)).toBe("old");
    expect(await names()).toEqual([basename(target)]);
  });

  posix.it.each([0o600, 0o644, 0o755, 0o400])("keeps its mode: %o", async (mode) => {
    await fs.chmod(target, mode);
    const output = await createOutput(target, true);
    await output.write(bytes("new"), 0);
    await output.publish();
    expect((await fs.stat(target)).mode & 0o7777).toBe(mode);
  });

  asRoot.it("keeps its owner", async () => {
    await fs.chown(target, 4321, 8765);
    await (await createOutput(target, true)).publish();
    expect(await fs.stat(target)).toMatchObject({ uid: 4321, gid: 8765 });
  });
});

posix.describe("the permissions of an output", () => {
  const mode = async (path: string) => (await fs.stat(path)).mode & 0o7777;
  const input = async (name: string, itsMode: number, group?: number) => {
    const path = join(folder, name);
    await fs.writeFile(path, "input");
    if (group !== undefined) await fs.chown(path, process.getuid!(), group);
    await fs.chmod(path, itsMode);
    return fs.stat(path, { bigint: true });
  };

  it("are the owner's only until it is published", async () => {
    await fs.writeFile(target, "old");
    await fs.chmod(target, 0o644);
    const output = await createOutput(target, true);
    const [temporary] = (await names()).filter((name) => name.endsWith(".gpusort"));
    expect(await mode(join(folder, temporary!))).toBe(0o600);
    await output.write(bytes("new"), 0);
    expect(await mode(join(folder, temporary!))).toBe(0o600);
    await output.publish();
    expect(await mode(target)).toBe(0o644);
  });

  it.each([
    [0o022, [], 0o644],
    [0o077, [], 0o600],
    [0o002, [0o600], 0o600],
    [0o022, [0o640], 0o640],
    [0o022, [0o644, 0o604], 0o604],
    [0o022, [0o666], 0o644],
    [0o022, [0o444], 0o644],
  ])("that is new, with the umask %o and inputs of modes %j, are %o", async (umask, modes, expected) => {
    const before = process.umask(umask);
    try {
      const inputs = await Promise.all(modes.map((one, i) => input(`input-${i}`, one)));
      await (await createOutput(target, false, { inputs })).publish();
      expect(await mode(target)).toBe(expected);
    } finally {
      process.umask(before);
    }
  });

  asRoot.it("give its group no more than everybody if the input has another group", async () => {
    const inputs = [await input("of-others", 0o664, 8765)];
    await (await createOutput(target, false, { inputs })).publish();
    expect(await mode(target)).toBe(0o644);
    const secret = [await input("secret", 0o640, 8765)];
    await (await createOutput(join(folder, "b"), false, { inputs: secret })).publish();
    expect(await mode(join(folder, "b"))).toBe(0o600);
  });

  it("stay as they are on a file system without modes", async () => {
    const files = faultyFiles((operation) => (operation === "chmod" ? { error: "EPERM" } : undefined));
    await (await createOutput(target, false, { files })).publish();
    expect(await mode(target)).toBe(0o600);
  });
});

describe("the last check of an output", () => {
  it("comes after the bytes are on the disk, and before the output gets its name", async () => {
    const files = faultyFiles(() => undefined);
    const output = await createOutput(target, true, { files });
    await output.write(bytes("new"), 0);
    let calls = 0;
    await output.publish(async () => {
      calls++;
      expect(files.operations).toContain("sync");
      expect(existsSync(target)).toBe(false);
    });
    expect(calls).toBe(1);
    expect(await read(target)).toBe("new");
  });

  it("prevents the replacement with its own error", async () => {
    await fs.writeFile(target, "old");
    const output = await createOutput(target, true);
    const reason = new Error("not now");
    await expect(output.publish(() => Promise.reject(reason))).rejects.toBe(reason);
    await output.discard();
    expect(await read(target)).toBe("old");
    expect(await names()).toEqual([basename(target)]);
  });
});

posix.describe("an output in place of its input", () => {
  const changes: [string, () => Promise<unknown>][] = [
    ["written to", () => fs.appendFile(target, "more")],
    ["written to in secret", () => fs.writeFile(target, "OLD").then(() => fs.utimes(target, 1e9, 1e9))],
    ["given another mode", () => fs.chmod(target, 0o600)],
    ["replaced", () => fs.writeFile(`${target}2`, "old").then(() => fs.rename(`${target}2`, target))],
    ["removed", () => fs.rm(target)],
  ];

  it.each(changes)("is refused in the end if the input was %s meanwhile", async (_, change) => {
    await fs.writeFile(target, "old");
    await fs.utimes(target, 1e9, 1e9);
    const inputs = [await fs.stat(target, { bigint: true })];
    const output = await createOutput(target, true, { inputs });
    await output.write(bytes("new"), 0);
    await new Promise((resolve) => setTimeout(resolve, 15)); // past a tick of the file system's clock
    await change();
    const after = existsSync(target) ? await read(target) : undefined;
    const publishing = output.publish();
    await expect(publishing).rejects.toThrow(InputError);
    await expect(publishing).rejects.toThrow(
      `${target} was changed or replaced while it was sorted in place`,
    );
    await output.discard();
    expect(existsSync(target) ? await read(target) : undefined).toBe(after);
  });
});

describe("an output with a name of its own kind", () => {
  it.each([100, 215, 216, 234, 255])("of %i bytes has a shorter temporary name", async (length) => {
    for (const letter of ["n", "é"]) {
      const long = join(folder, letter.repeat(Math.floor(length / Buffer.byteLength(letter))));
      const output = await createOutput(long, true);
      for (const name of await names()) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(143);
      expect((await names()).join()).not.toContain("\uFFFD");
      await output.publish();
      expect(await names()).toEqual([basename(long)]);
      await fs.rm(long);
    }
  });

  it("of 256 bytes is refused before anything is done", async () => {
    const long = join(folder, "n".repeat(256));
    await expect(createOutput(long, true)).rejects.toThrow(`cannot write ${long}: ENAMETOOLONG`);
  });

  it.each([
    ["", "the name of the output is empty"],
    ["a\0b", "the name of the output contains a zero byte: a\\0b"],
    ["a\uFFFDb", "cannot write a\uFFFDb: bytes of its name that are not UTF-8 were lost"],
  ])("that cannot be right is refused: %j", async (path, message) => {
    await expect(createOutput(path, true)).rejects.toThrow(InputError);
    await expect(createOutput(path, true)).rejects.toThrow(message);
  });

  it("in a folder that does not exist is named, rather than its temporary file", async () => {
    const nowhere = join(folder, "missing", "sorted.u32");
    await expect(createOutput(nowhere, true)).rejects.toThrow(
      `cannot write ${nowhere}: there is no folder ${dirname(nowhere)}`,
    );
    await fs.writeFile(target, "a file");
    const below = createOutput(join(target, "sorted.u32"), true);
    await expect(below).rejects.toThrow(/^cannot write [^']*: ENOTDIR: not a directory$/);
  });

  linux.it("in a folder that takes no files is not said to be in a folder that is not there", async () => {
    await expect(createOutput("/proc/sorted.u32", true)).rejects.toThrow(
      "cannot write /proc/sorted.u32: ENOENT: no such file or directory",
    );
  });

  it("is named in the errors of the option that it belongs to", async () => {
    const nowhere = join(folder, "missing", "trace.json");
    await expect(openReplacement(nowhere, "trace")).rejects.toHaveProperty("options", ["trace"]);
  });
});

linux.describe("an output to a descriptor of this process", () => {
  it("is written at its position, and keeps what is there", async () => {
    await fs.writeFile(target, "");
    const handle = await fs.open(target, "r+");
    await handle.write("header ");
    const link = join(folder, "descriptor");
    await fs.symlink(`/proc/self/fd/${handle.fd}`, link);
    for (const path of [`/dev/fd/${handle.fd}`, link]) {
      const output = await createOutput(path, true);
      expect(output.seekable).toBe(false);
      await Promise.all([output.write(bytes("bo"), 0), output.write(bytes("dy "), 2)]);
      await output.publish();
    }
    await handle.write("footer");
    await handle.close();
    expect(await read(target)).toBe("header body body footer");
    expect(await names()).toEqual(["descriptor", basename(target)]);
  });

  it("is refused if it is not open, open for reading only, or to be read back", async () => {
    await expect(createOutput("/dev/fd/987", true)).rejects.toThrow("cannot write /dev/fd/987: it is closed");
    await fs.writeFile(target, "old");
    const handle = await fs.open(target, "r");
    const path = `/dev/fd/${handle.fd}`;
    await expect(createOutput(path, true)).rejects.toThrow(
      `cannot write ${path}: it is open for reading only`,
    );
    await expect(createOutput(path, true, { readBack: true })).rejects.toThrow(/cannot be read back/);
    await handle.close();
    expect(await read(target)).toBe("old");
  });
});

describe("an output whose target is created before it is published", () => {
  it("is refused when it is published, and leaves only the other file", async () => {
    const output = await createOutput(target, false);
    await output.write(bytes("mine"), 0);
    await fs.writeFile(target, "theirs");
    const publishing = output.publish();
    await expect(publishing).rejects.toThrow(InputError);
    await expect(publishing).rejects.toThrow(`the output ${target} exists already`);
    await output.discard();
    expect(await read(target)).toBe("theirs");
    expect(await names()).toEqual([basename(target)]);
  });

  it("replaces the target if that is allowed", async () => {
    const output = await createOutput(target, true);
    await output.write(bytes("mine"), 0);
    await fs.writeFile(target, "theirs");
    await output.publish();
    expect(await read(target)).toBe("mine");
  });
});

describe("an output that cannot be published", () => {
  it("throws an error that names it, and leaves no temporary file", async () => {
    const output = await createOutput(target, true);
    await output.write(bytes("mine"), 0);
    await fs.mkdir(join(target, "in the way"), { recursive: true });
    const publishing = output.publish();
    await expect(publishing).rejects.toThrow(InputError);
    await expect(publishing).rejects.toThrow(`cannot write ${target}`);
    await output.discard();
    expect(await names()).toEqual([basename(target)]);
  });
});

posix.describe("an output through a symbolic link", () => {
  it("replaces what the link points to, and keeps the link", async () => {
    const elsewhere = join(folder, "elsewhere");
    await fs.mkdir(elsewhere);
    await fs.writeFile(join(elsewhere, "real.u32"), "old");
    await fs.symlink(join("elsewhere", "real.u32"), target);
    const output = await createOutput(target, true);
    // A rename works only within a file system, so the temporary file is in the folder of the real file.
    expect(await fs.readdir(elsewhere)).toHaveLength(2);
    await output.write(bytes("new"), 0);
    await output.publish();
    expect((await fs.lstat(target)).isSymbolicLink()).toBe(true);
    expect(await read(join(elsewhere, "real.u32"))).toBe("new");
    expect(await fs.readdir(elsewhere)).toEqual(["real.u32"]);
  });

  it("whose file does not exist yet creates that file, and keeps the link", async () => {
    const real = join(folder, "real.u32");
    await fs.symlink("real.u32", target);
    const output = await createOutput(target, true);
    await output.write(bytes("new"), 0);
    await output.publish();
    expect((await fs.lstat(target)).isSymbolicLink()).toBe(true);
    expect(await read(real)).toBe("new");
  });
});

posix.describe("an output that is not a regular file", () => {
  it("is written to directly, and remains a device", async () => {
    const output = await createOutput("/dev/null", false);
    await output.write(bytes("new"), 0);
    await output.publish();
    expect((await fs.stat("/dev/null")).isCharacterDevice()).toBe(true);
    expect((await fs.readdir(dirname("/dev/null"))).filter((name) => name.endsWith(".gpusort"))).toEqual([]);
  });

  it("takes the pieces in the order of the calls: a FIFO has no offsets", async () => {
    const fifo = join(folder, "fifo");
    await ended(spawn("mkfifo", [fifo]));
    const reader = spawn("cat", [fifo]);
    const hasEnded = ended(reader);
    const received: Buffer[] = [];
    reader.stdout.on("data", (chunk: Buffer) => received.push(chunk));
    const output = await createOutput(fifo, false);
    const pieces = Array.from({ length: 20 }, (_, i) => bytes(String.fromCharCode(97 + i).repeat(50_000)));
    await Promise.all(pieces.map((piece, i) => output.write(piece, i * 50_000)));
    await output.publish();
    await hasEnded;
    expect(Buffer.compare(Buffer.concat(received), Buffer.concat(pieces))).toBe(0);
    expect((await fs.stat(fifo)).isFIFO()).toBe(true);
  });

  const full = needs(existsSync("/dev/full"), "/dev/full");
  full.it("throws an error with a hint if it is full", async () => {
    const output = await createOutput("/dev/full", true);
    const writing = output.write(bytes("new"), 0);
    await expect(writing).rejects.toThrow(InputError);
    await expect(writing).rejects.toThrow(/^cannot write \/dev\/full: .*no space left/);
    await expect(writing).rejects.toHaveProperty("hint", expect.stringContaining("free some space"));
    await output.discard();
  });
});

describe("a process that is about to end", () => {
  it("removes the temporary files of unpublished outputs, and nothing else", async () => {
    const published = await createOutput(target, false);
    await published.publish();
    const discarded = await createOutput(join(folder, "b"), false);
    await discarded.discard();
    const open = [await createOutput(join(folder, "c"), false), await createOutput(target, true)];
    expect(await names()).toHaveLength(3);
    cleanUpAtExit();
    expect(await names()).toEqual([basename(target)]);
    for (const output of open) await output.discard();
  });
});

describe("standard output", () => {
  it("takes one piece after the other, in the order of the calls", async () => {
    const taken: string[] = [];
    const slowFirst = new Writable({
      write: (chunk: Buffer, _, done) => {
        setTimeout(
          () => done(taken.push(chunk.toString()) < 0 ? new Error() : null),
          taken.length === 0 ? 20 : 0,
        );
      },
    });
    const output = new WritableOutput(slowFirst, "standard output");
    await Promise.all(["a", "b", "c"].map((text) => output.write(bytes(text))));
    await output.publish();
    expect(taken).toEqual(["a", "b", "c"]);
    expect(output.name).toBe("standard output");
  });

  it("rejects with the stream's error", async () => {
    const broken = new Writable({ write: (_chunk, _, done) => done(new Error("EPIPE")) });
    broken.on("error", () => {}); // the stream emits the error as well, which this test ignores
    await expect(new WritableOutput(broken).write(bytes("a"))).rejects.toThrow("EPIPE");
  });

  it("writes to a file's stream that is not open yet, from where it starts", async () => {
    await fs.writeFile(target, "HEADER");
    const stream = createWriteStream(target, { flags: "r+", start: 6 });
    const output = new WritableOutput(stream);
    await output.write(bytes("a"));
    await output.write(bytes("bc"));
    stream.end();
    await once(stream, "close");
    expect(await read(target)).toBe("HEADERabc");
  });
});

function ended(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`it exited with ${code}`))));
  });
}
