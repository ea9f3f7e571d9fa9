import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { VerifyError } from "../../../src/core/errors.js";
import { spoolOutput } from "../../../src/files/temporary/spool.js";
import { createTemporary } from "../../../src/files/temporary/temporary.js";
import { byteOutput } from "../../support/bytes.js";
import { type Fault, faultyFiles } from "../../support/faulty_files.js";

const folder = await fs.mkdtemp(join(tmpdir(), "gpusort-spool-"));
afterAll(() => fs.rm(folder, { recursive: true }));

const content = new Uint8Array(3_000_000).map((_, i) => Math.imul(i, 0x9e3779b1) >>> 24);

/** Writes the content through a temporary file, its header last. @returns what arrived. */
async function spool(fault: Fault): Promise<Uint8Array> {
  const pipe = byteOutput(false);
  const file = { ...pipe, publish: async () => {}, discard: async () => {} };
  const spooled = spoolOutput(file, await createTemporary(folder, undefined, faultyFiles(fault)));
  await spooled.write(content.subarray(128), 128);
  await spooled.write(content.subarray(0, 128), 0);
  await spooled.publish();
  return pipe.bytes();
}

describe("a spooled output", () => {
  it("gets all bytes in order", async () => {
    expect(Buffer.compare(await spool(() => undefined), content)).toBe(0);
  });

  it.each([0, 1])("is an error if the disk changed a bit of piece %i", async (piece) => {
    const spooling = spool((_, n) => (n === piece ? { flip: 100 } : undefined)).then(() => "no error");
    await expect(spooling).rejects.toThrow(VerifyError);
    await expect(spooling).rejects.toThrow("a temporary file changed the bytes for output");
  });
});
