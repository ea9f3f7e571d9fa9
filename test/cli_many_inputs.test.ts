import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, expect } from "vitest";
import { elementType } from "../src/core/elements.js";
import { npyHeader } from "../src/formats/npy_header.js";
import { HANG_MS } from "./support/hang_limit.js";
import { needs } from "./support/needs.js";

const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gpusort-many-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Of 64 descriptors Node and its threads need about 30. */
const FILES = 300;
const KEYS = 50;
const LIMIT = `ulimit -n 64`;

/** Sorted keys of each file, many of them equal to those of other files. */
const keysOf = (file: number) =>
  Uint32Array.from({ length: KEYS }, (_, i) => (Math.imul(i + file, 0x9e3779b1) >>> 0) % 997).sort();
const files = Array.from({ length: FILES }, (_, i) => keysOf(i));
const all = Uint32Array.from(files.flatMap((keys) => [...keys])).sort();

const bytesOf = (keys: Uint32Array) => Buffer.from(keys.buffer);
const asNpy = (keys: Uint32Array) =>
  Buffer.concat([npyHeader(elementType("u32"), "little", 1, keys.length), bytesOf(keys)]);
const asText = (keys: Uint32Array) => Buffer.from([...keys].map((key) => `${key}\n`).join(""));

/** Lines and records that tell where they come from: equal keys keep the order of their files. */
const placed = (make: (key: number, file: number) => Buffer) => {
  const each = files.map((keys, file) => Buffer.concat([...keys].map((key) => make(key, file))));
  const sorted = files.flatMap((keys, file) => [...keys].map((key) => ({ key, file })));
  sorted.sort((a, b) => a.key - b.key); // which is stable
  return { each, sorted: Buffer.concat(sorted.map(({ key, file }) => make(key, file))) };
};

const record = (key: number, file: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(key, 0);
  bytes.writeUInt32BE(file, 4);
  return bytes;
};
const header = Buffer.from("name,price\n");
const lines = placed((key, file) => Buffer.from(`${key} of ${file}\n`));
const csv = placed((key, file) => Buffer.from(`"${file}, quoted",${key}\n`));

interface Kind {
  readonly name: string;
  readonly each: readonly Buffer[];
  readonly sorted: Buffer;
  readonly options: readonly string[];
}

const kinds: readonly Kind[] = [
  { name: "u32", each: files.map(bytesOf), sorted: bytesOf(all), options: [] },
  { name: "npy", each: files.map(asNpy), sorted: asNpy(all), options: [] },
  { name: "txt", each: files.map(asText), sorted: asText(all), options: ["--format", "text"] },
  { name: "bin", ...placed(record), options: ["--record", "8", "--key", "0:4"] },
  { name: "lines", ...lines, options: ["-s", "-k1,1n"] },
  { name: "lines.gz", ...lines, each: lines.each.map((some) => gzipSync(some)), options: ["-s", "-k1,1n"] },
  { name: "u32.gz", each: files.map((keys) => gzipSync(bytesOf(keys))), sorted: bytesOf(all), options: [] },
  {
    name: "csv",
    each: csv.each.map((rows) => Buffer.concat([header, rows])),
    sorted: Buffer.concat([header, csv.sorted]),
    options: ["--by", "price", "--header"],
  },
];

const linux = needs(process.platform === "linux", "Linux");

function shell(script: string, args: readonly string[]) {
  const command = ["-c", script, process.execPath, bin, ...args];
  return spawnSync("bash", command, { cwd: folder, encoding: "utf8", timeout: HANG_MS });
}

linux.describe(`${FILES} inputs of a process that may open 64 files`, () => {
  for (const { name, each, sorted, options } of kinds) {
    linux.it.each([
      ["sorted", ["-S", "8K"]],
      ["merged", ["-m"]],
    ])(`are %s: ${name}`, (_how, more) => {
      const names = each.map((_, file) => `${file}.${name}`);
      for (const [file, bytes] of each.entries()) writeFileSync(join(folder, names[file]!), bytes);
      const output = `out.${name.replace(/\.gz$/, "")}`;
      const args = [...names, ...options, ...more, "-q", "-o", output, "--device", "cpu"];
      const { status, stderr } = shell(`${LIMIT}; exec "$0" "$@"`, args);
      expect([status, stderr.replace(/^gpusort: (used|-S|text, pipes).*\n/m, "")]).toEqual([0, ""]);
      expect(readFileSync(join(folder, output)).equals(sorted)).toBe(true);
    });
  }

  linux.it("are each checked for changes when the output is on the disk", () => {
    const names = files.map((_, file) => `${file}.u32`);
    for (const [file, keys] of files.entries()) writeFileSync(join(folder, names[file]!), bytesOf(keys));
    // The first input is long closed when the last one is read: a pipe, which waits for the change.
    const script = `${LIMIT}; mkfifo late; (sleep 0.5; cp 1.u32 other; mv other 0.u32; cat 1.u32) > late &
      exec "$0" "$@"`;
    const args = [...names, "late", "--type", "u32", "-o", "none.u32", "--device", "cpu"];
    const { status, stderr } = shell(script, args);
    expect(stderr).toMatch(/^gpusort: 0\.u32 was replaced while it was read\n {2}run again/m);
    expect(status).toBe(2);
  });

  linux.it("must not be more pipes than that, because a pipe stays open", () => {
    const script = `for i in $(seq 60); do mkfifo p$i; cat 0.u32 > p$i & done; ${LIMIT}
      "$0" "$@" p* --type u32 -o f; status=$?; kill $(jobs -p); exit $status`;
    const { status, stderr } = shell(script, []);
    expect(stderr).toMatch(/gpusort: cannot read p\d+: EMFILE.*\n.*raise the limit of open files/);
    expect(status).toBe(2);
  });
});
