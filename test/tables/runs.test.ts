import { Utf8 } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { VerifyError } from "../../src/core/errors.js";
import { PhaseClock } from "../../src/core/streams/phase_clock.js";
import type { TemporaryFile } from "../../src/files/temporary.js";
import type { ColumnOf } from "../../src/tables/column.js";
import { joinTables } from "../../src/tables/join.js";
import { type Run, RunFile, RunReader } from "../../src/tables/runs.js";
import { take } from "../../src/tables/take.js";

/** A temporary file in memory. */
function memoryFile(): TemporaryFile & { bytes: Uint8Array } {
  return {
    bytes: new Uint8Array(0),
    async read(into, offset) {
      into.set(this.bytes.subarray(offset, offset + into.length));
    },
    async write(from, offset) {
      this.bytes = new Uint8Array([...this.bytes.subarray(0, offset), ...from]);
    },
    close: async () => {},
  };
}

function textColumn(texts: readonly string[]): ColumnOf<"bytes"> {
  const offsets = Uint32Array.of(0, ...texts.map((_, i) => texts.slice(0, i + 1).join("").length));
  const values = new TextEncoder().encode(texts.join(""));
  return { kind: "bytes", type: new Utf8(), length: texts.length, offsets, values };
}

function textsOf({ offsets, values, length }: ColumnOf<"bytes">): string[] {
  return Array.from({ length }, (_, i) =>
    new TextDecoder().decode(values.subarray(offsets[i], offsets[i + 1])),
  );
}

async function runOf(file: TemporaryFile, texts: readonly string[], blockBytes: number): Promise<Run> {
  const writer = new RunFile(file, new PhaseClock(), undefined).begin(blockBytes);
  await writer.add(
    [textColumn(texts)],
    Uint32Array.from(texts, (_, i) => i),
  );
  return (await writer.end())!;
}

async function readBlocks(run: Run): Promise<string[][]> {
  const reader = new RunReader(run, [take(textColumn([""]), new Uint32Array(0))]);
  const blocks: string[][] = [];
  while (reader.next) {
    const [column] = joinTables([await reader.read()]);
    blocks.push(textsOf(column as ColumnOf<"bytes">));
  }
  return blocks;
}

describe("a run", () => {
  it("comes back in blocks of about the bytes that were asked for, unless a row is longer", async () => {
    const texts = Array.from({ length: 200 }, (_, i) => "x".repeat(i % 50 === 7 ? 3000 : i % 20));
    const run = await runOf(memoryFile(), texts, 400);
    const blocks = await readBlocks(run);
    expect(blocks.flat()).toEqual(texts);
    expect(run.rows).toBe(200);
    expect(blocks.length).toBeGreaterThan(8);
    for (const block of blocks) {
      if (block.length > 1) expect(block.join("").length + 4 * block.length).toBeLessThan(800);
    }
    expect(run.blockCost).toBeGreaterThan(2 * 3000);
    expect(run.blockCost).toBeLessThan(2 * 3100);
  });

  it("notices each byte of it that changed in its file", async () => {
    const file = memoryFile();
    const run = await runOf(
      file,
      Array.from({ length: 20 }, (_, i) => `row ${i}`),
      50,
    );
    expect(file.bytes).toHaveLength(run.bytes);
    // The head of the first block is never read, and the padding of heads means nothing.
    const isRead = Array.from(file.bytes, (_, at) => at >= run.at);
    const whole = await readBlocks(run);
    let noticed = 0;
    for (let at = run.at; at < file.bytes.length; at++) {
      file.bytes[at]! ^= 1;
      const error = await readBlocks(run).catch((cause) => cause);
      if (error instanceof VerifyError) noticed++;
      else expect(error).toEqual(whole);
      file.bytes[at]! ^= 1;
    }
    const blocks = whole.length;
    expect(blocks).toBeGreaterThan(2);
    expect(noticed).toBe(isRead.filter(Boolean).length - 4 * blocks);
  });
});
