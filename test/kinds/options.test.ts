import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { flags } from "../../src/commands/error_hint.js";
import { InputError } from "../../src/core/errors.js";
import { type Kind, kindNames } from "../../src/kinds/names.js";
import { optionTable, type RefusableOption, worksWith } from "../../src/kinds/options.js";
import { openInputs } from "../../src/sort/inputs.js";

const folder = mkdtempSync(join(tmpdir(), "gpusort-options-"));
afterAll(() => rmSync(folder, { recursive: true }));

const parquet = readFileSync(new URL("../../fixtures/tables/lists.parquet", import.meta.url));

/** A file of each kind, whose name or option says it. */
const inputs: Readonly<Record<Kind, readonly [name: string, content: Uint8Array | string, options: object]>> =
  {
    raw: ["a.u32", "abcd", {}],
    npy: ["a.npy", Buffer.from("\x93NUMPY\x01\0", "latin1"), {}],
    text: ["a.txt", "1\n", {}],
    records: ["a.rec", "abcd", { recordBytes: 4 }],
    lines: ["a.log", "b\n", {}],
    csv: ["a.csv", "b,1\n", {}],
    parquet: ["a.parquet", parquet, {}],
  };

/** A value that says something, for each option. */
const values: Readonly<Record<RefusableOption, unknown>> = {
  type: "u8",
  byteOrder: "big",
  skipBytes: 1,
  recordBytes: 4,
  keys: [{ offset: 0, bytes: 1 }],
  blankLines: "skip",
  textOverflow: "inf",
  header: true,
  rows: { terminator: 10, separator: undefined, quotes: false, keys: [] },
  by: [{ column: "1" }],
  invalid: "first",
  nullWords: ["NA"],
  decimal: ",",
  thousands: ".",
  merge: true,
  algorithm: "bitonic",
  device: "gpu",
};

const options = Object.keys(optionTable) as RefusableOption[];
const cells = kindNames.flatMap((kind) => options.map((option) => [kind, option] as const));

describe("an option and a kind of input", () => {
  it.each(cells)("work together, or are refused by names: %s with %s", async (kind, option) => {
    const [name, content, own] = inputs[kind];
    const path = join(folder, name);
    writeFileSync(path, content);
    const opening = openInputs([path], { format: kind, ...own, [option]: values[option] });
    if (worksWith(option, kind))
      return expect(await opening.then((opened) => opened.close())).toBeUndefined();
    await expect(opening).rejects.toThrow(InputError);
    await expect(opening).rejects.toMatchObject({
      message: expect.stringMatching(` does not apply to .*${name}: it is read as `),
      options: [option, ...(option === "keys" ? ["recordBytes"] : []), "format"],
    });
  });

  it("are not refused for a value that says nothing", async () => {
    for (const kind of kindNames) {
      const [name, content, own] = inputs[kind];
      writeFileSync(join(folder, name), content);
      const neutral = { header: false, merge: false, algorithm: "auto", device: "auto", type: undefined };
      await (await openInputs([join(folder, name)], { ...neutral, ...own })).close();
    }
  });

  it("are listed in docs/formats.md", () => {
    const docs = readFileSync(new URL("../../docs/formats.md", import.meta.url), "utf8");
    const keys = { keys: "--key OFFSET:BYTES", rows: "--key FIELD, -n, -t, …" };
    expect(docs).toContain(optionMatrix({ ...flags, ...keys }));
  });
});

/**
 * The table of options and kinds, in Markdown.
 *
 * @param flags the names of the options.
 */
function optionMatrix(flags: Readonly<Record<RefusableOption, string>>): string {
  const head = ["option", ...kindNames.map((kind) => `\`${kind}\``)];
  const body = (Object.keys(optionTable) as RefusableOption[]).map((option) => [
    `\`${flags[option]}\``,
    ...kindNames.map((kind) => (worksWith(option, kind) ? "yes" : "")),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`.replaceAll("  ", " ");
  return [line(head), line(head.map(() => "---")), ...body.map(line)].join("\n");
}
