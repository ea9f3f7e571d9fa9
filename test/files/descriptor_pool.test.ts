import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { DescriptorPool } from "../../src/files/descriptor_pool.js";
import { openInput } from "../../src/files/input.js";
import type { InputFile } from "../../src/files/input_file.js";
import { type FileSystem, nodeFiles } from "../../src/files/system.js";

const folder = await fs.mkdtemp(join(tmpdir(), "gpusort-pool-"));
afterAll(() => fs.rm(folder, { recursive: true }));

const BYTES = 1000;
const content = (i: number) => new Uint8Array(BYTES).map((_, at) => 31 * i + at);
const pathOf = (i: number) => join(folder, `file ${i}`);

/** Node's files, counted. */
class CountedFiles implements FileSystem {
  now = 0;
  most = 0;
  opened = 0;
  fails = false;

  open: FileSystem["open"] = async (path, flags) => {
    if (this.fails) throw Object.assign(new Error("EIO: injected"), { code: "EIO" });
    const file = await nodeFiles.open(path, flags);
    this.opened++;
    this.most = Math.max(this.most, ++this.now);
    const close = async () => {
      await file.close();
      this.now--;
    };
    return { ...file, close };
  };
}

/** Opens files, of which two may stay open. */
async function openMany(count: number, most = 2) {
  const files = new CountedFiles();
  const pool = new DescriptorPool(() => most);
  const inputs: InputFile[] = [];
  for (let i = 0; i < count; i++) inputs.push(await openInput(pathOf(i), files, pool));
  const close = async () => {
    for (const input of inputs) await input.close();
  };
  return { files, inputs, close };
}

async function readAll(input: InputFile): Promise<Uint8Array> {
  const into = new Uint8Array(BYTES);
  await input.read!(into, 0);
  return into;
}

beforeEach(async () => {
  for (let i = 0; i < 20; i++) await fs.writeFile(pathOf(i), content(i));
});

describe("more inputs than may be open", () => {
  it("are read in any order, each whole, with few open at a time", async () => {
    const { files, inputs, close } = await openMany(20);
    expect(files.now).toBe(2);
    for (const i of [0, 19, 7, 7, 3, 0]) expect(await readAll(inputs[i]!)).toEqual(content(i));
    await close();
    // One more is open while it is found out what it is.
    expect([files.now, files.most]).toEqual([0, 3]);
  });

  it("are read at the same time: some wait until others have been read", async () => {
    const { files, inputs, close } = await openMany(20);
    const reads = [...inputs, ...inputs].map(readAll);
    const bytes = await Promise.all(reads);
    for (const [i, some] of bytes.entries()) expect(some).toEqual(content(i % 20));
    expect(files.most).toBe(3);
    await close();
    expect(files.now).toBe(0);
  });

  it("are read on from where they were", async () => {
    const { inputs, close } = await openMany(3, 1);
    const parts: Uint8Array[] = [];
    for (let at = 0; at < BYTES; at += 100) {
      for (const input of inputs) {
        const part = new Uint8Array(100);
        expect(await input.next(part)).toBe(100);
        if (input === inputs[1]) parts.push(part);
      }
    }
    expect(new Uint8Array(Buffer.concat(parts))).toEqual(content(1));
    await close();
  });

  it("stay open while there is room, and the one that was not read for the longest time is closed", async () => {
    const { files, inputs, close } = await openMany(4, 4);
    for (let turn = 0; turn < 3; turn++) for (const input of inputs) await readAll(input);
    expect(files.opened).toBe(4);
    await close();
    const few = await openMany(3, 2); // 1 and 2 are open
    await readAll(few.inputs[1]!);
    await readAll(few.inputs[0]!); // in the place of 2
    await readAll(few.inputs[1]!);
    expect(few.files.opened).toBe(4);
    await few.close();
  });

  it("are each checked for changes, whether they are open or not", async () => {
    const changes: [string, (path: string) => Promise<void>][] = [
      ["written to", (path) => fs.appendFile(path, "more")],
      [
        "written to", // with as many bytes
        async (path) => {
          const { atime } = await fs.stat(path);
          await fs.writeFile(path, content(99));
          await fs.utimes(path, atime, new Date(Date.now() + 5000));
        },
      ],
      [
        "replaced", // by a copy with the same times
        async (path) => {
          const { atimeMs, mtimeMs } = await fs.stat(path);
          await fs.copyFile(path, `${path}~`);
          await fs.utimes(`${path}~`, atimeMs / 1000, mtimeMs / 1000);
          await fs.rename(`${path}~`, path);
        },
      ],
      ["removed", (path) => fs.unlink(path)],
    ];
    for (const [how, change] of changes) {
      const { files, inputs, close } = await openMany(3, 1); // 2 is open
      for (const input of inputs) await input.checkUnchanged();
      await readAll(inputs[2]!);
      await change(pathOf(0));
      const expected = `${pathOf(0)} was ${how} while it was read`;
      await expect(inputs[0]!.checkUnchanged()).rejects.toThrow(expected);
      const reading = readAll(inputs[0]!);
      await expect(reading).rejects.toThrow(InputError);
      await expect(reading).rejects.toThrow(expected);
      await inputs[1]!.checkUnchanged(); // its place was given back
      await close();
      expect(files.now).toBe(0);
      await fs.writeFile(pathOf(0), content(0));
    }
  });

  it("that cannot be opened again are named, and others go on", async () => {
    const { files, inputs, close } = await openMany(3, 1);
    files.fails = true;
    await expect(Promise.all([readAll(inputs[0]!), readAll(inputs[0]!)])).rejects.toThrow(
      `cannot read ${pathOf(0)}: EIO: injected`,
    );
    files.fails = false;
    for (const i of [0, 1, 2]) expect(await readAll(inputs[i]!)).toEqual(content(i));
    await close();
    expect(files.now).toBe(0);
  });

  it("may be closed while others wait", async () => {
    const { files, inputs, close } = await openMany(3, 1);
    const reads = inputs.map(readAll);
    await inputs[0]!.close();
    for (const [i, bytes] of (await Promise.all(reads)).entries()) expect(bytes).toEqual(content(i));
    await expect(readAll(inputs[0]!)).rejects.toThrow("closed");
    await close();
    expect(files.now).toBe(0);
  });
});
