import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { compare } from "../../src/bench/compare.js";
import {
  type BenchDocument,
  type Header,
  mismatch,
  parseDocument,
  SCHEMA,
} from "../../src/bench/document.js";
import { InputError } from "../../src/errors.js";
import { cellOf, laboratory, rowOf } from "../support/bench.js";

const schema = JSON.parse(readFileSync(new URL("../../docs/bench.schema.json", import.meta.url), "utf8"));
const validate = new Ajv2020({ allErrors: true }).compile(schema);

const header: Header = {
  schema: SCHEMA,
  startedAt: "2026-11-21T00:00:00.000Z",
  environment: {
    gpusort: "0.1.0",
    commit: null,
    node: "v20.0.0",
    v8: "11",
    dawn: "0.6.2",
    toggles: ["a"],
    os: "Linux",
    cpu: "Some CPU",
    cores: 2,
    memoryBytes: 2 ** 33,
    adapter: {
      name: "Some GPU",
      driver: "1",
      vendor: "v",
      architecture: "a",
      software: false,
      subgroupSize: { min: 32, max: 32 },
      gpuClock: "timestamp queries",
    },
  },
  stopRule: { relativeError: 0.02, budgetSeconds: 5, mostRuns: 1000 },
};

async function document(): Promise<BenchDocument> {
  const { contender, all } = laboratory();
  const { rows, crossovers } = await all(
    [
      contender("array", { seconds: () => 6 }),
      contender("typed", { seconds: (n) => n / 1e6 }),
      contender("gpu", { algorithm: "auto", seconds: (n) => (5000 + n / 100) / 1e6 }),
      contender("round-trip", { algorithm: "auto", seconds: () => 1, refuses: () => "too many" }),
    ],
    { sizes: [1000, 64_000], crossovers: ["gpu", "round-trip"] },
  );
  return { ...header, rows, crossovers, comparison: compare(rows, rows, 0.05) };
}

describe("a benchmark's document", () => {
  it("is as its schema says", async () => {
    const made = JSON.parse(JSON.stringify(await document()));
    validate(made);
    expect(validate.errors).toBeNull();
    const onCpu = { ...made, environment: { ...made.environment, adapter: null } };
    expect(validate(onCpu)).toBe(true);
  });

  it("is refused by its schema where a field is missing, new, or of another kind", async () => {
    const made = JSON.parse(JSON.stringify(await document()));
    expect(validate({ ...made, rows: undefined })).toBe(false);
    expect(validate({ ...made, extra: 1 })).toBe(false);
    made.rows[0].cells.typed.medianSeconds = "1";
    expect(validate(made)).toBe(false);
  });

  it("is read back from JSON", async () => {
    const made = await document();
    expect(parseDocument(JSON.stringify(made, null, 2), "old.json")).toEqual(made);
  });

  it("is read from lines, whole ones only", () => {
    const rows = [rowOf(1, { gpu: cellOf(1) }), rowOf(2, { gpu: cellOf(2) })];
    const lines = [JSON.stringify(header), ...rows.map((row) => JSON.stringify({ row }))];
    expect(parseDocument(`${lines.join("\n")}\n`, "x").rows).toEqual(rows);
    expect(parseDocument(`${lines.join("\n")}\n{"row":{"ty`, "x").rows).toEqual(rows);
    expect(parseDocument(`${lines[0]}\n`, "x").rows).toEqual([]);
  });

  it.each([
    "",
    "hello",
    "[]",
    "null",
    "{}",
    '{"rows":[]}',
    '{"schema":"gpusort-bench/9","rows":[]}',
    "\0\u0001",
  ])("is not read from '%s', and the file is named", (text) => {
    expect(() => parseDocument(text, "keys.u32")).toThrow(InputError);
    expect(() => parseDocument(text, "keys.u32")).toThrow("'keys.u32' holds no benchmark");
  });
});

describe("rows of another run", () => {
  it("go with those of the same software on the same machine by the same rule", () => {
    expect(mismatch({ ...header, startedAt: "earlier" }, header)).toBeUndefined();
  });

  it.each([
    ["gpusort was 0.0.9 and is 0.1.0", { environment: { ...header.environment, gpusort: "0.0.9" } }],
    ["cpu was Other and is Some CPU", { environment: { ...header.environment, cpu: "Other" } }],
    ["the device was the CPU and is Some GPU", { environment: { ...header.environment, adapter: null } }],
    ["the stop rule was another", { stopRule: { ...header.stopRule, budgetSeconds: 1 } }],
  ])("do not where %s", (why, other) => {
    expect(mismatch({ ...header, ...other }, header)).toBe(why);
  });
});
