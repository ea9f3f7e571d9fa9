import { createTar } from "nanotar";
import { expect, it } from "vitest";
import { fileInTar } from "../../src/dawn/tar.js";

const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, i) => (i * 7) % 256));
const lengths = [0, 1, 511, 512, 513, 5000];
const archive = Buffer.from(
  createTar(lengths.map((length) => ({ name: `files/${length}`, data: bytesOf(length) }))),
);

it.each(lengths)("finds a file of %i bytes among others", (length) => {
  expect(fileInTar(archive, `files/${length}`)).toEqual(bytesOf(length));
});

it("finds no file that is not there, in an archive that is whole, cut off, empty or none", () => {
  for (const bytes of [archive, archive.subarray(0, 700), archive.subarray(0, 100), Buffer.alloc(0)]) {
    expect(fileInTar(bytes, "files/2")).toBeUndefined();
    expect(fileInTar(bytes, "file")).toBeUndefined();
  }
  expect(fileInTar(Buffer.from("no archive ".repeat(200)), "files/1")).toBeUndefined();
});
