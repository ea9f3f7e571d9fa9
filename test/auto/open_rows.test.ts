import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { openForRows, type RowRequest } from "../../src/auto/open_rows.js";
import { DeviceError } from "../../src/core/errors.js";
import type { OpenDevice } from "../../src/dawn/adapter.js";

const cache = mkdtempSync(join(tmpdir(), "gpusort-"));
vi.stubEnv("XDG_CACHE_HOME", cache);
afterAll(() => rmSync(cache, { recursive: true }));

const large: RowRequest = {
  bytes: 2 ** 30,
  kind: "lines",
  keys: 1,
  rowBytes: async () => 38,
  unsuited: undefined,
  isSelected: false,
  isLimited: false,
};

/** What is chosen, and the selectors that were opened. */
async function chosen(selector: string, request: Partial<RowRequest>, { hasGpu = true, threads = 16 } = {}) {
  const opened: string[] = [];
  const openDevice: OpenDevice = async (name) => {
    opened.push(name);
    throw new DeviceError("it does not open");
  };
  const options = { openDevice, threads, mayHaveGpu: () => hasGpu };
  const { choice } = await openForRows(selector, { ...large, ...request }, options);
  return { choice, opened };
}

describe("the device for rows of text", () => {
  it.each<[string, Partial<RowRequest>, object]>([
    ["cpu", {}, { reason: "asked" }],
    [
      "gpu",
      { unsuited: "their numbers are asked for" },
      { reason: "rows", why: "their numbers are asked for" },
    ],
    ["gpu", { bytes: undefined }, { reason: "rows", why: "the input can only be read in order" }],
    ["auto", { bytes: 2 ** 28 - 1 }, { reason: "rows", why: undefined }],
    ["auto", { isLimited: true }, { reason: "rows", why: undefined }],
    ["auto", { isSelected: true }, { reason: "rows", why: "only the first rows are asked for" }],
  ])("is the CPU, and no other is opened: %s %j", async (selector, request, choice) => {
    expect(await chosen(selector, request)).toEqual({ choice, opened: [] });
  });

  it("is the CPU where there is no GPU, or where it takes less time by an estimate", async () => {
    expect(await chosen("auto", {}, { hasGpu: false })).toEqual({ choice: { reason: "rows" }, opened: [] });
    const { choice, opened } = await chosen("auto", { bytes: 2 ** 28 }, { threads: 64 });
    expect(choice).toMatchObject({ reason: "rows estimate" });
    expect(opened).toEqual([]);
  });

  it("is a GPU for CSV of fewer bytes than of lines, which both take less time for", async () => {
    const opened = async (kind: RowRequest["kind"], bytes: number) =>
      (await chosen("auto", { kind, bytes })).opened.length > 0;
    expect(await opened("csv", 320e6)).toBe(false);
    expect(await opened("csv", 380e6)).toBe(true);
    expect(await opened("lines", 380e6)).toBe(false);
    expect(await opened("lines", 450e6)).toBe(true);
  });

  it("is the CPU for long lines, of which few have to be sorted, and a GPU for as many bytes of short ones", async () => {
    const opened = async (rowBytes: number) =>
      (await chosen("auto", { bytes: 700e6, rowBytes: async () => rowBytes })).opened.length > 0;
    expect(await opened(1024)).toBe(false);
    expect(await opened(9)).toBe(true);
  });

  it("is the CPU for whole lines, which are not taken apart, and a GPU for as many by a key", async () => {
    const opened = async (keys: number) => (await chosen("auto", { bytes: 749e6, keys })).opened.length > 0;
    expect(await opened(0)).toBe(false);
    expect(await opened(1)).toBe(true);
  });

  it("is a GPU for large texts, or the CPU if it does not open", async () => {
    const { choice, opened } = await chosen("auto", {});
    expect(opened).toEqual(["gpu"]);
    expect(choice).toEqual({ reason: "rows", why: "no GPU could be opened (it does not open)" });
  });

  it("is an error if the one that was asked for does not open", async () => {
    await expect(chosen("some GPU", { bytes: 1 })).rejects.toThrow("it does not open");
  });
});
