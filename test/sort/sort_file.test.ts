import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream, promises as fs } from "node:fs";
import { ClientRequest, createServer, get } from "node:http";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import type { ProgressState } from "../../src/core/streams/progress.js";
import { openEngine } from "../../src/dawn/open_engine.js";
import type { InputFile } from "../../src/files/input_file.js";
import type { ProcessTimes } from "../../src/report/phases.js";
import { sortFile } from "../../src/sort/sort_file.js";
import type { SortDecision, SortFileOptions } from "../../src/sort/sort_options.js";
import { HANG_MS } from "../support/hang_limit.js";

const command = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));
const keys = Float32Array.from({ length: 3000 }, (_, i) => Math.fround(Math.sin(i) * 1000));
const bytes = new Uint8Array(keys.buffer);
const sorted = keys.slice().sort();

let folder = "";
const at = (name: string) => join(folder, name);
const floats = async (name: string) => new Float32Array(new Uint8Array(await fs.readFile(at(name))).buffer);
const onCpu = { device: "cpu" } as const;

beforeAll(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "gpusort-sort-file-"));
});
afterAll(() => fs.rm(folder, { recursive: true }));
beforeEach(async () => {
  for (const name of await fs.readdir(folder)) await fs.rm(at(name));
  await fs.writeFile(at("keys.f32"), bytes);
});

describe("sortFile", () => {
  it("sorts a file into another file, and in place", async () => {
    await sortFile(at("keys.f32"), at("sorted.f32"), onCpu);
    expect(await floats("sorted.f32")).toEqual(sorted);
    await sortFile(at("keys.f32"), at("keys.f32"), { ...onCpu, descending: true });
    expect(await floats("keys.f32")).toEqual(sorted.toReversed());
  });

  it("returns the summary that the command prints as JSON", async () => {
    const options = { ...onCpu, memoryBytes: 8192, head: 100 };
    const ours = await sortFile(at("keys.f32"), at("sorted.f32"), options);
    const args = [
      at("keys.f32"),
      "-o",
      at("sorted.f32"),
      "--device",
      "cpu",
      "-S",
      "8",
      "--head",
      "100",
      "--json",
    ];
    const { stdout } = await promisify(execFile)(process.execPath, [command, ...args]);
    const { loadMs, closeMs, ...theirs } = JSON.parse(stdout) as typeof ours & ProcessTimes;
    expect(Math.min(loadMs, closeMs)).toBeGreaterThanOrEqual(0);
    const timeless = ({ totalMs: _, phases, ...rest }: typeof ours) => ({
      ...rest,
      phases: phases.map(({ ms: _, ...phase }) => phase),
    });
    expect(JSON.parse(JSON.stringify(timeless(ours)))).toEqual(timeless(theirs));
    expect(ours).toMatchObject({ type: "f32", keyCount: 3000, written: 100, bytes: 12_000, verified: true });
  });

  it("takes byte streams of Node and of the web, and several inputs", async () => {
    const collected: Uint8Array[] = [];
    const collect = new Writable({
      write: (chunk: Uint8Array, _, done) => {
        collected.push(chunk.slice());
        done();
      },
    });
    const parts = [Readable.from([bytes.subarray(0, 7), bytes.subarray(7, 4000)]), at("rest.f32")];
    await fs.writeFile(at("rest.f32"), bytes.subarray(4000));
    await sortFile(parts, collect, { ...onCpu, type: "f32" });
    expect(new Float32Array(new Uint8Array(Buffer.concat(collected)).buffer)).toEqual(sorted);

    const received: Uint8Array[] = [];
    const web = new WritableStream<Uint8Array>({ write: (chunk) => void received.push(chunk.slice()) });
    await sortFile(new Blob([bytes]).stream(), web, { ...onCpu, type: "f32", unique: true });
    expect(new Float32Array(new Uint8Array(Buffer.concat(received)).buffer)).toEqual(
      Float32Array.from(new Set(sorted)),
    );
  });

  it("sorts several files with the caller's engine, which stays open", async () => {
    const engine = await openEngine("cpu");
    const closed: string[] = [];
    engine.engine.close = () => void closed.push("closed");
    for (const name of ["a.f32", "b.f32"]) await sortFile(at("keys.f32"), at(name), { engine });
    expect([await floats("a.f32"), await floats("b.f32")]).toEqual([sorted, sorted]);
    expect(closed).toEqual([]);
  });

  it("reports its decision first, then its progress, and in the end requested intervals", async () => {
    const decisions: SortDecision[] = [];
    const states: ProgressState[] = [];
    const summary = await sortFile(at("keys.f32"), at("sorted.f32"), {
      ...onCpu,
      memoryBytes: 8192,
      intervals: true,
      onDecision: (decision) => decisions.push(decision),
      onProgress: (state) => states.push(state),
    });
    expect(decisions).toMatchObject([
      { device: "CPU", deviceChoice: { reason: "asked" }, strategy: { kind: "out of core" } },
    ]);
    expect(new Set(states.map(({ phase }) => phase))).toEqual(
      new Set([
        ...["reading", "sorting on the CPU", "writing runs"],
        ...["gathering runs", "writing", "finishing the output"],
      ]),
    );
    const done = states.map(({ doneBytes }) => doneBytes);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(states.at(-2)).toMatchObject({ phase: "writing", phaseBytes: 12_000, totalBytes: 4 * 12_000 });
    const left = states.flatMap(({ secondsLeft }) => secondsLeft ?? []);
    expect(left.length).toBeGreaterThan(0);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    for (const phase of summary.phases) {
      const ms = phase.intervals?.reduce((sum, [begin, end]) => sum + end - begin, 0);
      if (phase.name === "start" || phase.name === "spill") expect(ms).toBeCloseTo(phase.ms, 6);
    }
  });

  it("says how much of rows will be written, unless only some are wanted", async () => {
    await fs.writeFile(at("rows.txt"), "b\na\nb");
    const written = async (wanted: Partial<SortFileOptions>) => {
      const states: ProgressState[] = [];
      const onProgress = (state: ProgressState) => states.push(state);
      await sortFile(at("rows.txt"), at("rows.sorted.txt"), {
        ...onCpu,
        ...wanted,
        format: "lines",
        onProgress,
      });
      const { phaseBytes, phaseTotalBytes } = states.findLast(({ phase }) => phase === "writing")!;
      return [phaseBytes, phaseTotalBytes];
    };
    expect(await written({})).toEqual([6, 6]);
    expect(await written({ unique: true })).toEqual([4, undefined]);
    expect(await written({ head: 1 })).toEqual([2, undefined]);
  });

  it("makes the pages of the output while it reads rows, unless it may have to sort them out of core", async () => {
    const text = Buffer.from("line b\nline a\n".repeat(100_000));
    const hasPages = async () => {
      const hidden = (await fs.readdir(folder)).filter((name) => name.startsWith("."));
      const sizes = await Promise.all(hidden.map(async (name) => (await fs.stat(at(name))).size));
      return sizes.some((size) => size > 0);
    };
    const input = (read: NonNullable<InputFile["read"]>): InputFile => ({
      name: "lines.txt",
      byteLength: text.length,
      peek: async (count) => text.subarray(0, count),
      next: () => Promise.reject(new Error("it is read in any order")),
      read,
      checkUnchanged: async () => {},
      close: async () => {},
    });
    const copy = (into: Uint8Array, offset: number) => into.set(text.subarray(offset, offset + into.length));
    const waiting = input(async (into, offset) => {
      await expect.poll(hasPages, { timeout: HANG_MS }).toBe(true);
      copy(into, offset);
    });
    await sortFile(waiting, at("sorted.txt"), { ...onCpu, format: "lines" });
    const looks: boolean[] = [];
    const looking = input(async (into, offset) => {
      looks.push(await hasPages());
      copy(into, offset);
    });
    const little = { ...onCpu, format: "lines", memoryBytes: 2 ** 20 } as const;
    await sortFile(looking, at("parts.txt"), little);
    expect(looks).not.toContain(true);
    const expected = `${"line a\n".repeat(100_000)}${"line b\n".repeat(100_000)}`;
    for (const name of ["sorted.txt", "parts.txt"]) {
      expect((await fs.readFile(at(name), "utf8")) === expected).toBe(true);
    }
  });

  it("reports the phases of a sort at once, and the sort before it begins", async () => {
    const phases: string[] = [];
    const onProgress = ({ phase }: ProgressState) => phases.at(-1) !== phase && phases.push(phase);
    await sortFile(at("keys.f32"), at("at_once.f32"), { ...onCpu, onProgress });
    expect(phases).toEqual(["reading", "sorting on the CPU", "writing", "finishing the output"]);
  });

  it("sorts indices out of core, also of inputs that are sorted already", async () => {
    await fs.writeFile(at("sorted.f32"), new Uint8Array(sorted.buffer));
    const options = { ...onCpu, memoryBytes: 8192, argsort: true, merge: true };
    await sortFile([at("sorted.f32"), at("sorted.f32")], at("indices.u32"), options);
    const indices = new Uint32Array(new Uint8Array(await fs.readFile(at("indices.u32"))).buffer);
    const both = [...sorted, ...sorted].map((key, i) => ({ key, i }));
    expect([...indices]).toEqual(both.sort((a, b) => a.key - b.key || a.i - b.i).map(({ i }) => i));
  });

  it("refuses an algorithm of a GPU also if there is no adapter, or if the engine is the CPU's", async () => {
    const options = { algorithm: "bitonic", openDevice: async () => undefined };
    for (const more of [{}, { device: "gpu", engine: await openEngine("cpu") }]) {
      await expect(sortFile(at("keys.f32"), at("out.f32"), { ...options, ...more })).rejects.toThrow(
        "the CPU does not sort by the algorithm 'bitonic'",
      );
      expect(await fs.readdir(folder)).toEqual(["keys.f32"]);
    }
  });

  it("refuses a name of the output for another type, unless the format is named", async () => {
    const refused = await sortFile(at("keys.f32"), at("out.f64"), onCpu).catch((error) => error);
    expect(refused).toBeInstanceOf(InputError);
    expect([refused.message, refused.options]).toEqual([
      expect.stringContaining("out.f64 is named for f64 keys, but would hold f32 keys"),
      ["output", "to"],
    ]);
    expect(await fs.readdir(folder)).toEqual(["keys.f32"]);
    await sortFile(at("keys.f32"), at("out.f64"), { ...onCpu, to: "raw" });
    expect(await floats("out.f64")).toEqual(sorted);
  });

  it("says in the decision why inputs are not merged", async () => {
    const notices: (string | undefined)[] = [];
    const options = {
      ...onCpu,
      merge: true,
      onDecision: ({ notice }: SortDecision) => notices.push(notice),
    };
    await sortFile([at("keys.f32"), at("keys.f32")], at("out.f32"), options);
    await sortFile(Readable.from([bytes]), at("out.f32"), { ...options, type: "f32" });
    await sortFile(at("keys.f32"), at("out.u32"), { ...options, argsort: true });
    expect(notices).toEqual([
      undefined,
      expect.stringMatching(/^text, pipes and .* sorted instead of merged$/),
      "indices cannot be merged, so all inputs are sorted",
    ]);
  });

  it("compresses an output as the option says, and refuses other words", async () => {
    await sortFile(at("keys.f32"), at("packed"), { ...onCpu, compress: "gz" });
    await sortFile(at("keys.f32"), at("plain"), onCpu);
    expect(gunzipSync(await fs.readFile(at("packed"))).equals(await fs.readFile(at("plain")))).toBe(true);
    const wrong = sortFile(at("keys.f32"), at("wrong"), { ...onCpu, compress: "gzip" as "gz" });
    await expect(wrong).rejects.toThrow('compress cannot be "gzip"');
  });

  it("rejects with the error of a stream that fails, which ends no process", async () => {
    const failing = async function* () {
      for (let i = 0; i < 20; i++) yield new Uint8Array(1 << 20);
      throw new Error("the peer is gone");
    };
    for (const options of [{}, { head: 1000 }, { unique: true }, { argsort: true }]) {
      const input = { ...onCpu, ...options, type: "u32" } as const;
      await expect(sortFile(failing(), at("out"), input)).rejects.toThrow("the peer is gone");
    }
    const wrong = new Error("no more");
    const outputs = [
      () => new Writable({ write: (_chunk, _encoding, done) => done(wrong) }),
      () => new WritableStream({ write: () => Promise.reject(wrong) }),
      () => createWriteStream(at("missing/file")),
    ];
    for (const output of outputs)
      await expect(sortFile(at("keys.f32"), output(), onCpu)).rejects.toThrow(/^no more$|no such file/);
    await sleep(10); // a stream emits its error later
  });

  it("leaves a stream of the web open and unlocked", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const written = new Response(readable).arrayBuffer();
    await sortFile(at("keys.f32"), writable, onCpu);
    await writable.close();
    expect(new Float32Array(await written)).toEqual(sorted);
  });

  it("takes the bytes of all chunks that have some", async () => {
    const chunks = [keys.subarray(0, 1000), new DataView(keys.buffer, 4000, 4000), keys.buffer.slice(8000)];
    await sortFile(Readable.from(chunks), at("sorted.f32"), { ...onCpu, type: "f32" });
    expect(await floats("sorted.f32")).toEqual(sorted);
    const text = sortFile(Readable.from(["1\n2\n"]), at("sorted.f32"), onCpu);
    await expect(text).rejects.toThrow("a chunk that is no bytes, but a string");
    await expect(sortFile([], at("sorted.f32"), onCpu)).rejects.toThrow("there is no input");
    const once = Readable.from([keys]);
    const twice = sortFile([once, once], at("sorted.f32"), { ...onCpu, type: "f32" });
    await expect(twice).rejects.toThrow("a stream is passed twice");
    expect(await floats("sorted.f32")).toEqual(sorted);
  });

  it("refuses a stream of which nothing is left, or that another reader or writer has", async () => {
    const sort = (input: AsyncIterable<Uint8Array>) =>
      sortFile(input, at("kept.f32"), { ...onCpu, type: "f32" });
    await sortFile(at("keys.f32"), at("kept.f32"), onCpu);
    const file = createReadStream(at("keys.f32"));
    await sort(file);
    await expect(sort(file)).rejects.toThrow("the stream was read to its end");
    const cancelled = new Blob([keys]).stream();
    await cancelled.cancel();
    await expect(sort(cancelled)).rejects.toThrow("the stream was read to its end or cancelled");
    const locked = new Blob([keys]).stream();
    const reader = locked.getReader();
    await expect(sort(locked)).rejects.toThrow(InputError);
    expect(await floats("kept.f32")).toEqual(sorted);
    reader.releaseLock();
    await sort(locked);
    const rest = createReadStream(at("keys.f32"), { highWaterMark: 64 });
    await once(rest, "readable");
    expect(rest.read(64)).toHaveLength(64);
    expect((await sort(rest)).keyCount).toBe(keys.length - 16);
    expect((await sort(Readable.from([]))).keyCount).toBe(0);
    const silent = spawn(process.execPath, ["-e", ""]);
    await once(silent, "close");
    expect((await sort(silent.stdout)).keyCount).toBe(0);
    const output = new WritableStream();
    output.getWriter();
    await expect(sortFile(at("keys.f32"), output, onCpu)).rejects.toThrow(InputError);
  });

  it("rejects with the signal's reason while a stream stalls", async () => {
    const stalled = async function* () {
      yield new Uint8Array(8);
      await new Promise(() => {});
    };
    for (const options of [{ type: "u32" }, { format: "lines" }, { recordBytes: 8 }] as const) {
      const aborting = new AbortController();
      const aborted = sortFile(stalled(), at("out"), { ...onCpu, ...options, signal: aborting.signal });
      setTimeout(() => aborting.abort(new Error("too late")), 20);
      await expect(aborted).rejects.toThrow("too late");
    }
  });

  it("rejects with the signal's reason while an output stalls", async () => {
    await fs.writeFile(at("lines.txt"), "b of a row\n".repeat(30_000));
    const outputs = [
      () => new PassThrough({ highWaterMark: 1 }),
      () => new Writable({ write() {} }),
      () => new WritableStream<Uint8Array>({ write: () => new Promise(() => {}) }),
    ];
    for (const [file, options] of [
      ["keys.f32", {}],
      ["keys.f32", { memoryBytes: 8192 }],
      ["lines.txt", { format: "lines" }],
    ] as const) {
      for (const output of outputs) {
        const signal = AbortSignal.timeout(200);
        const stalled = sortFile(at(file), output(), { ...onCpu, ...options, signal });
        await expect(stalled).rejects.toThrow("aborted due to timeout");
      }
    }
  });

  it("rejects when an output is destroyed while it stalls", async () => {
    await fs.writeFile(at("lines.txt"), "b of a row\n".repeat(30_000));
    for (const [file, options] of [
      ["keys.f32", {}],
      ["lines.txt", { format: "lines" }],
    ] as const) {
      for (const [reason, message] of [
        [undefined, "Premature close"],
        [new Error("the client is gone"), "the client is gone"],
      ] as const) {
        const output = new PassThrough({ highWaterMark: 1 });
        const sorting = sortFile(at(file), output, { ...onCpu, ...options });
        const waiting = setInterval(() => output.readableLength > 0 && output.destroy(reason), 5);
        await expect(sorting)
          .rejects.toThrow(message)
          .finally(() => clearInterval(waiting));
      }
    }
  });

  const servers = {
    "HTTP/1": [() => createServer(), (port: number) => get({ port, host: "127.0.0.1" })],
    "HTTP/2": [
      () => http2.createServer(),
      (port: number) => {
        const session = http2.connect(`http://127.0.0.1:${port}`).on("error", () => {});
        return session.request().on("close", () => session.destroy());
      },
    ],
  } as const;

  /** Sorts a file to the response of a server, of which a client takes some bytes before it goes. */
  async function sortToResponse(protocol: keyof typeof servers, name: string, bytes: number) {
    const [open, request] = servers[protocol];
    const server = open().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const sorting = once(server, "request").then(([, response]) => {
      response.setHeader("content-length", bytes);
      return sortFile(at(name), response, onCpu);
    });
    let taken = 0;
    const take = (stream: Readable) => {
      stream.on("error", () => {});
      stream.on("data", (chunk: Uint8Array) => {
        taken += chunk.length;
        if (taken >= Math.min(bytes, 1 << 16)) stream.destroy();
      });
    };
    const client = request(port);
    client.on("error", () => {});
    if (client instanceof ClientRequest) client.on("response", take);
    else take(client);
    return sorting.finally(async () => {
      server.close();
      await once(server, "close");
    });
  }

  it.each(Object.keys(servers) as (keyof typeof servers)[])(
    "rejects when the client of an %s server goes before it has all",
    async (protocol) => {
      // More than the system keeps for a socket.
      const many = Uint32Array.from({ length: 4_000_000 }, (_, i) => Math.imul(i, 0x9e3779b1));
      await fs.writeFile(at("many.u32"), many);
      await expect(sortToResponse(protocol, "many.u32", many.byteLength)).rejects.toThrow(
        /Premature close|ECONNRESET|EPIPE|destroyed/,
      );
    },
  );

  it.each(Object.keys(servers) as (keyof typeof servers)[])(
    "resolves when the client of an %s server goes as soon as it has all",
    async (protocol) => {
      await fs.writeFile(at("few.u32"), Uint32Array.of(3, 1, 2));
      for (let i = 0; i < 5; i++) {
        expect(await sortToResponse(protocol, "few.u32", 12)).toMatchObject({ written: 3 });
      }
    },
  );

  it("hears the error of a write that goes on after the signal has ended the sort", async () => {
    const failed: Error[] = [];
    const aborting = new AbortController();
    const late = new Writable({
      write(_, __, done) {
        setTimeout(() => aborting.abort(new Error("too late")), 10);
        setTimeout(done, 100, new Error("late failure"));
      },
    });
    const sorting = sortFile(at("keys.f32"), late, { ...onCpu, signal: aborting.signal });
    await expect(sorting).rejects.toThrow("too late");
    const note = (error: Error) => failed.push(error);
    process.prependOnceListener("uncaughtException", note);
    await sleep(200);
    process.off("uncaughtException", note);
    expect([failed, late.errored?.message]).toEqual([[], "late failure"]);
  });

  it.each([
    ["keys at once", "keys.f32", {}],
    ["keys out of core", "keys.f32", { memoryBytes: 8192 }],
    ["lines at once", "lines.txt", { format: "lines" }],
    ["lines out of core", "lines.txt", { format: "lines", memoryBytes: 1 }],
  ] as const)(
    "rejects with what its listeners throw, and leaves the old output: %s",
    async (_, name, options) => {
      await fs.writeFile(at("lines.txt"), "b of a row\na of a row\n".repeat(50_000));
      const sort = (onProgress: SortFileOptions["onProgress"], onDecision?: SortFileOptions["onDecision"]) =>
        sortFile(at(name), at("out"), { ...onCpu, ...options, onProgress, onDecision });
      let calls = 0;
      await sort(() => calls++);
      await fs.writeFile(at("out"), "old");
      const reason = new Error("it cannot be drawn");
      const last = calls;
      for (const at of new Set([1, 2, 3, last >> 2, last >> 1, last - 1, last])) {
        calls = 0;
        const sorting = sort(() => {
          if (++calls === at) throw reason;
        });
        await expect(sorting, `at call ${at}`).rejects.toBe(reason);
      }
      const fail = () => {
        throw reason;
      };
      await expect(sort(undefined, fail)).rejects.toBe(reason);
      const failLater = async () => fail();
      await expect(sort(failLater)).rejects.toThrow("onProgress returned a promise");
      await expect(sort(undefined, failLater)).rejects.toThrow("onDecision returned a promise");
      expect(await fs.readFile(at("out"), "utf8")).toBe("old");
      expect((await fs.readdir(folder)).sort()).toEqual(["keys.f32", "lines.txt", "out"]);
    },
  );

  it("rejects with the signal's reason, and leaves the old output", async () => {
    await fs.writeFile(at("out.f32"), "old");
    const reason = new Error("no longer wanted");
    const early = sortFile(at("keys.f32"), at("out.f32"), { ...onCpu, signal: AbortSignal.abort(reason) });
    await expect(early).rejects.toBe(reason);
    const controller = new AbortController();
    const late = sortFile(at("keys.f32"), at("out.f32"), {
      ...onCpu,
      memoryBytes: 8192,
      signal: controller.signal,
      onProgress: ({ phase }) => phase === "writing runs" && controller.abort(reason),
    });
    await expect(late).rejects.toBe(reason);
    expect(await fs.readFile(at("out.f32"), "utf8")).toBe("old");
    expect((await fs.readdir(folder)).sort()).toEqual(["keys.f32", "out.f32"]);
  });

  it("reports runs of lines, and the time that is left, as it does of numbers", async () => {
    const lines = Array.from({ length: 300_000 }, (_, i) => `${Math.imul(i, 0x9e3779b1) >>> 0} of a row\n`);
    const text = lines.join("");
    await fs.writeFile(at("lines.txt"), text);
    const states: ProgressState[] = [];
    const options = { ...onCpu, format: "lines", memoryBytes: 1 } as const;
    await sortFile(at("lines.txt"), at("sorted.txt"), { ...options, onProgress: (one) => states.push(one) });
    expect(await fs.readFile(at("sorted.txt"), "utf8")).toBe(lines.sort().join(""));
    const moved = (name: string) => states.findLast(({ phase }) => phase === name)?.phaseBytes;
    expect(moved("writing runs")).toBe(text.length);
    expect(moved("gathering runs")).toBeGreaterThanOrEqual(text.length);
    expect(moved("writing")).toBe(text.length);
    expect(states.some(({ secondsLeft = 0 }) => secondsLeft > 0)).toBe(true);
  });

  it("stops soon after the signal aborts, also while it reads temporary files", async () => {
    const controller = new AbortController();
    const reason = new Error("no longer wanted");
    let [gathered, written] = [0, 0];
    const sorting = sortFile(at("keys.f32"), at("out.f32"), {
      ...onCpu,
      memoryBytes: 8192,
      signal: controller.signal,
      onProgress: ({ phase, phaseBytes }) => {
        if (phase === "writing") written = phaseBytes;
        if (phase !== "gathering runs" || phaseBytes === 0) return;
        gathered = phaseBytes;
        controller.abort(reason);
      },
    });
    await expect(sorting).rejects.toBe(reason);
    expect(gathered).toBeGreaterThan(0);
    expect(written).toBeLessThan(bytes.length / 2);
  });

  it("sorts with more memory than a budget that is far too small, and gives a notice", async () => {
    const decisions: SortDecision[] = [];
    const options = { ...onCpu, memoryBytes: 1, onDecision: (one: SortDecision) => decisions.push(one) };
    await sortFile(at("keys.f32"), at("sorted.f32"), options);
    expect(await floats("sorted.f32")).toEqual(sorted);
    expect(decisions[0]!.notice).toBe(
      "1 KiB of memory are too few to sort this input in reasonable time, so 2 KiB are used",
    );
    await sortFile(at("keys.f32"), at("sorted.f32"), { ...options, memoryBytes: 8192 });
    expect(decisions[1]!.notice).toBeUndefined();
  });

  it.each([9e15, 3e9])("ends at once if there are no records of %i bytes", async (recordBytes) => {
    await fs.writeFile(at("none.bin"), "");
    const empty = [() => at("none.bin"), () => Readable.from([]), () => [Readable.from([]), at("none.bin")]];
    for (const open of empty) {
      for (const some of [
        {},
        { head: 2 },
        { argsort: true, unique: true },
        { keys: [{ offset: 8, bytes: 2e9 }] },
      ]) {
        const input = open();
        if (Array.isArray(input) && "head" in some) continue;
        const summary = await sortFile(input, at("out.bin"), { ...onCpu, recordBytes, ...some });
        expect(summary).toMatchObject({ keyCount: 0, written: 0 });
        expect((await fs.stat(at("out.bin"))).size).toBe(0);
      }
    }
    const tooLong = sortFile(Readable.from([bytes]), at("out.bin"), {
      ...onCpu,
      recordBytes,
      memoryBytes: 1e9,
    });
    await expect(tooLong).rejects.toBeInstanceOf(InputError);
  });

  it.each<[string, SortFileOptions, string]>([
    ["an unknown algorithm", { algorithm: "bogo" }, "unknown algorithm 'bogo'"],
    ["no items", { head: 0 }, "head cannot be 0"],
    ["an unknown option", { reverse: true } as never, "sortFile has no option 'reverse'"],
    [
      "an algorithm of a GPU on the CPU",
      { algorithm: "bitonic" },
      "the CPU does not sort by the algorithm 'bitonic'",
    ],
    ["a negative amount of memory", { memoryBytes: -1 }, "the memory to use cannot be -1 bytes"],
    ["an unknown format", { format: "xls" as never }, "unknown format 'xls'"],
    ["an unknown type", { type: "f99" as never }, "unknown element type 'f99'"],
    [
      "a record key as text",
      { recordBytes: 8, keys: ["0:4"] as never },
      "the record key 0:4 is not an object",
    ],
    ["a key that is no array", { recordBytes: 8, keys: "0:4" as never }, 'the keys of a record are "0:4"'],
    [
      "a record key without a record length",
      { keys: [{ offset: 0, bytes: 4 }] },
      "a record key does not apply",
    ],
    [
      "a record key that has what no key has",
      { recordBytes: 4, keys: [{ offset: 0, type: "u32", descending: true } as never] },
      "the record key 0:u32 has no option 'descending'",
    ],
    ["a switch that is a word", { descending: "no" as never }, 'descending is "no"'],
    ["a word that says nothing of replacement", { replace: "no" as never }, 'replace cannot be "no"'],
    ["a byte order that is no word", { byteOrder: Symbol("b") as never }, "byteOrder is Symbol(b)"],
    ["a place that is no word", { invalid: Symbol("i") as never }, "invalid is Symbol(i)"],
    ["rows that are no object", { rows: Symbol("r") as never }, "Symbol(r) is no object"],
    ["bytes that are no number", { recordBytes: Symbol("n") as never }, "recordBytes is Symbol(n)"],
    ["a head that is no number", { head: Symbol("h") as never }, "head cannot be Symbol(h)"],
    ["a device that is no name", { device: 1 as never }, "device is 1"],
    ["a folder that is no name", { tempDir: 1 as never }, "tempDir is 1"],
    ["memory that is no number", { memoryBytes: true as never }, "memoryBytes is true"],
    ["memory in a word", { memoryBytes: "1e9" as never }, 'memoryBytes is "1e9"'],
    ["memory that is a bigint", { memoryBytes: 5n as never }, "memoryBytes is 5"],
    ["a signal that is none", { signal: {} as never }, "signal is Object"],
    ["null for a signal", { signal: null as never }, "signal is null"],
    ["a format that is no word", { format: 1 as never }, "format is 1"],
    ["null for an algorithm", { algorithm: null as never }, "algorithm is null"],
    ["a listener that is no function", { onProgress: 1 as never }, "onProgress is 1"],
    ["an engine that is none", { engine: {} as never }, "engine is Object"],
    ["a device that cannot be opened", { openDevice: "x" as never }, 'openDevice is "x"'],
    ["a column that is no word", { by: [{ column: 1 as never }] }, "by[0].column is 1"],
    ["a type that is no word", { by: [{ column: "a", type: 1 as never }] }, "by[0].type is 1"],
    [
      "a place of nulls that is none",
      { by: [{ column: "a", nulls: "fisrt" as never }] },
      'by[0].nulls is "f',
    ],
    [
      "a column that has what no column has",
      { by: [{ column: "a", desc: true } as never] },
      "by[0] has no option 'desc'",
    ],
    [
      "a column whose direction is a word",
      { by: [{ column: "a", descending: "no" as never }] },
      'by[0].descending is "no"',
    ],
    ["an output that exists and must not be replaced", { replace: false }, "keys.f32 exists already"],
  ])("refuses %s with an InputError that names no flag", async (_, options, message) => {
    const refused = await sortFile(at("keys.f32"), at("keys.f32"), { ...onCpu, ...options }).catch((e) => e);
    expect(refused).toBeInstanceOf(InputError);
    expect(refused.message).toContain(message);
    expect(`${refused.message} ${refused.hint}`).not.toMatch(/(^|\s)--?[a-z]/);
    expect(await floats("keys.f32")).toEqual(keys);
  });

  /** Does something during the last sync of each file, when the whole output has been checked and written. */
  async function duringSync(work: () => Promise<unknown>, sorting: () => Promise<unknown>): Promise<void> {
    const handle = await fs.open(at("keys.f32"));
    const prototype = Object.getPrototypeOf(handle) as fs.FileHandle;
    await handle.close();
    const { sync } = prototype;
    prototype.sync = async function (this: fs.FileHandle) {
      await sync.call(this);
      await work();
    };
    try {
      await sorting();
    } finally {
      prototype.sync = sync;
    }
  }

  it.each<[string, () => Promise<unknown>, string]>([
    ["written to", () => fs.appendFile(at("keys.f32"), "more"), "was written to while it was read"],
    [
      "replaced",
      () => fs.writeFile(at("new"), "new").then(() => fs.rename(at("new"), at("keys.f32"))),
      "was changed or replaced while it was sorted in place",
    ],
  ])("keeps an input that is %s during the last sync of a sort in place", async (_, change, message) => {
    let after = Buffer.alloc(0);
    const work = async () => {
      if (after.length > 0) return;
      await change();
      after = await fs.readFile(at("keys.f32"));
    };
    await duringSync(work, async () => {
      const sorting = sortFile(at("keys.f32"), at("keys.f32"), onCpu);
      await expect(sorting).rejects.toThrow(InputError);
      await expect(sorting).rejects.toThrow(message);
    });
    expect(after.length).toBeGreaterThan(0);
    expect((await fs.readFile(at("keys.f32"))).equals(after)).toBe(true);
    expect((await fs.readdir(folder)).filter((name) => name.endsWith(".gpusort"))).toEqual([]);
  });

  it("heeds a signal during the last sync", async () => {
    const controller = new AbortController();
    const reason = new Error("no longer wanted");
    await duringSync(
      async () => controller.abort(reason),
      async () => {
        const sorting = sortFile(at("keys.f32"), at("out.f32"), { ...onCpu, signal: controller.signal });
        await expect(sorting).rejects.toBe(reason);
      },
    );
    expect(await fs.readdir(folder)).toEqual(["keys.f32"]);
  });

  it("reads the output back with verify: full, and refuses that for streams", async () => {
    await sortFile(at("keys.f32"), at("sorted.f32"), { ...onCpu, verify: "full" });
    expect(await floats("sorted.f32")).toEqual(sorted);
    const nowhere = new Writable({ write: (_chunk, _, done) => done() });
    const refused = sortFile(at("keys.f32"), nowhere, { ...onCpu, verify: "full" });
    await expect(refused).rejects.toThrow(InputError);
    await expect(refused).rejects.toThrow("cannot be read back");
    const unknown = sortFile(at("keys.f32"), at("out.f32"), { ...onCpu, verify: "most" as never });
    await expect(unknown).rejects.toThrow('verify cannot be "most"');
  });

  it.each([undefined, null, 7, {}])("refuses %s as an input or an output", async (neither) => {
    await expect(sortFile(neither as never, at("out.f32"), onCpu)).rejects.toThrow(InputError);
    await expect(sortFile(at("keys.f32"), neither as never, onCpu)).rejects.toThrow(InputError);
    expect(await floats("keys.f32")).toEqual(keys);
  });
});
