import { availableParallelism } from "node:os";
import { Writable } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { openEngine } from "../../src/dawn/open_engine.js";
import { sortFile } from "../../src/sort/sort_file.js";
import { cpuEngine } from "../../src/threads/cpu_engine.js";

describe("the number of threads", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(process, "permission");
  });

  it("is that of the cores that the process may use, or what the caller says", () => {
    expect(cpuEngine().threads).toBe(availableParallelism());
    for (const threads of [1, 2, 255]) expect(cpuEngine(threads).threads).toBe(threads);
  });

  it.each([0, -1, 1.5, 256, Number.NaN, Number.POSITIVE_INFINITY])("cannot be %d", (threads) => {
    expect(() => cpuEngine(threads)).toThrow(InputError);
    expect(() => cpuEngine(threads)).toThrow(`the number of threads cannot be ${threads}`);
  });

  it("is one where there is no shared memory", () => {
    vi.stubGlobal("SharedArrayBuffer", undefined);
    expect(cpuEngine(4).threads).toBe(1);
  });

  it("is one where the process may start no thread", () => {
    const permission = (threads: boolean) => ({ has: (scope: string) => scope !== "worker" || threads });
    Object.assign(process, { permission: permission(false) });
    expect(cpuEngine(4).threads).toBe(1);
    Object.assign(process, { permission: permission(true) });
    expect(cpuEngine(4).threads).toBe(4);
  });
});

describe("what a stream gets", () => {
  it("is its own: a later sort with the same engine does not change it, and no thread shares it", async () => {
    const engine = await openEngine("cpu", { threads: 2 });
    const chunks: Uint8Array[] = [];
    const write = (chunk: Uint8Array, _: string, done: () => void) => {
      chunks.push(chunk);
      done();
    };
    for (const first of [9, 5]) {
      const keys = Buffer.from(Uint32Array.of(first, first - 1).buffer);
      const stream = new Writable({ write, decodeStrings: false });
      await sortFile(
        (async function* () {
          yield keys;
        })(),
        stream,
        { type: "u32", engine },
      );
    }
    engine.engine.close();
    expect(chunks.map((chunk) => new DataView(chunk.buffer, chunk.byteOffset).getUint32(0, true))).toEqual([
      8, 4,
    ]);
    for (const { buffer } of chunks) expect(buffer).toBeInstanceOf(ArrayBuffer);
  });
});
