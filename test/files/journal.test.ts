import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { Journal } from "../../src/files/journal.js";

const folder = mkdtempSync(join(tmpdir(), "gpusort-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string) => join(folder, name);
const anything = () => {};

describe("a journal", () => {
  it("has each line on disk as soon as it is appended, and continues at its end", () => {
    const first = Journal.open(path("a"), "--out", anything);
    expect(first.text).toBe("");
    first.append("one");
    expect(readFileSync(path("a"), "utf8")).toBe("one\n");
    first.append("two");
    first.close();
    const second = Journal.open(path("a"), "--out", anything);
    expect(second.text).toBe("one\ntwo\n");
    second.append("three");
    second.close();
    expect(readFileSync(path("a"), "utf8")).toBe("one\ntwo\nthree\n");
  });

  it("removes an incomplete last line, which a crash left", () => {
    writeFileSync(path("b"), 'one\n{"row": {"type": "ü');
    const journal = Journal.open(path("b"), "--out", anything);
    expect(journal.text).toBe("one\n");
    journal.append("two");
    journal.close();
    expect(readFileSync(path("b"), "utf8")).toBe("one\ntwo\n");
  });

  it("leaves a file unchanged that is not a journal", () => {
    const bytes = Buffer.from([1, 2, 10, 0, 255, 7]);
    writeFileSync(path("c"), bytes);
    const refuse = () => {
      throw new InputError("no journal");
    };
    expect(() => Journal.open(path("c"), "--out", refuse)).toThrow("no journal");
    expect(readFileSync(path("c"))).toEqual(bytes);
  });

  it("is named in the error if the file cannot be created, is none, or is too long", () => {
    const nowhere = path("none/there");
    expect(() => Journal.open(nowhere, "--out", anything)).toThrow(InputError);
    expect(() => Journal.open(nowhere, "--out", anything)).toThrow("--out cannot be written");
    expect(() => Journal.open("/dev/null", "--out", anything)).toThrow("--out is no regular file");
    writeFileSync(path("long"), "");
    truncateSync(path("long"), (64 << 20) + 1);
    expect(() => Journal.open(path("long"), "--out", anything)).toThrow("--out is longer than 64 MiB");
    const journal = Journal.open(path("d"), "--out", anything);
    journal.close();
    expect(() => journal.append("one")).toThrow("--out cannot be written: EBADF");
  });
});
