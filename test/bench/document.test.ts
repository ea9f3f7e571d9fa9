import { readFileSync } from "node:fs";
import { toJsonSchema } from "@valibot/to-json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { compare } from "../../src/bench/compare.js";
import { contestsOf } from "../../src/bench/crossover.js";
import { mismatch, parseDocument } from "../../src/bench/document.js";
import {
  type BenchDocument,
  benchDocument,
  definitions,
  type Header,
  SCHEMA,
} from "../../src/bench/schema.js";
import { InputError } from "../../src/core/errors.js";
import { benchFixture, cellOf, rowOf } from "../support/bench.js";

const published = "../../docs/bench.schema.json";
const schema = JSON.parse(readFileSync(new URL(published, import.meta.url), "utf8"));
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
    threads: 2,
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
  stopRule: { relativeError: 0.02, budgetSeconds: 60 },
};

async function document(): Promise<BenchDocument> {
  const { contender, all } = benchFixture();
  const { rows, crossovers } = await all(
    [
      contender("array", { seconds: () => 6 }),
      contender("typed", { seconds: (n) => n / 1e6 }),
      contender("cpu", { seconds: (n) => n / 4e6 }),
      contender("gpu", { algorithm: "auto", seconds: (n) => (5000 + n / 100) / 1e6 }),
      contender("round-trip", { algorithm: "auto", seconds: () => 1, refuses: () => "too many" }),
    ],
    { sizes: [1000, 64_000], contests: contestsOf(new Set(["typed", "cpu", "gpu", "round-trip"])) },
  );
  return { ...header, rows, crossovers, comparison: compare({ ...header, rows }, { ...header, rows }, 0.05) };
}

describe("a benchmark's document", () => {
  it("has a published schema, made from the one that parses files (vitest -u updates it)", async () => {
    const made = toJsonSchema(benchDocument, {
      target: "draft-2020-12",
      definitions,
      ignoreActions: ["readonly"],
    });
    const whole = { ...made, title: "What gpusort bench --json prints" };
    await expect(`${JSON.stringify(whole, null, 2)}\n`).toMatchFileSnapshot(published);
  });

  it("matches its schema", async () => {
    const made = JSON.parse(JSON.stringify(await document()));
    validate(made);
    expect(validate.errors).toBeNull();
    const onCpu = { ...made, environment: { ...made.environment, adapter: null } };
    expect(validate(onCpu)).toBe(true);
    expect(validate({ ...made, interrupted: true })).toBe(true);
  });

  it("does not match its schema if a field is missing, unknown or of another type", async () => {
    const made = JSON.parse(JSON.stringify(await document()));
    expect(validate({ ...made, rows: undefined })).toBe(false);
    expect(validate({ ...made, extra: 1 })).toBe(false);
    made.rows[0].cells.typed.medianSeconds = "1";
    expect(validate(made)).toBe(false);
  });

  it("is parsed from JSON", async () => {
    const made = await document();
    expect(parseDocument(JSON.stringify(made, null, 2), "old.json")).toEqual(made);
  });

  it.each(["2026-11-22-h200.jsonl", "2026-11-22-swiftshader.json", "2026-11-25-lavapipe.jsonl"])(
    "is parsed from %s",
    (name) => {
      const text = readFileSync(new URL(`../../docs/benchmarks/${name}`, import.meta.url), "utf8");
      const old = parseDocument(text, name);
      expect(old.rows.length).toBeGreaterThan(0);
      const compared = compare(old, { ...old, environment: { ...old.environment, threads: 2 } }, 0.05);
      expect(new Set(compared.changes.map(({ ratio }) => ratio))).toEqual(new Set([1]));
      expect(compared.threads).toBeUndefined();
    },
  );

  it("is parsed from JSON lines, without a line that was cut short", () => {
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
  ])("is not parsed from '%s', and the error names the file", (text) => {
    expect(() => parseDocument(text, "keys.u32")).toThrow(InputError);
    expect(() => parseDocument(text, "keys.u32")).toThrow("keys.u32 is not a benchmark result");
  });

  it.each([
    ["", "it holds no object of JSON"],
    ["[1]", "it holds no object of JSON"],
    ["{}", "schema: it is missing"],
  ])("is not parsed from '%s', and the error says why in words", (text, why) => {
    expect(() => parseDocument(text, "x.json")).toThrow(new RegExp(`: ${why}$`));
  });
});

describe("rows of an older benchmark", () => {
  it("can be combined with rows of the same software, machine and bound, in whatever time", () => {
    const stopRule = { relativeError: 0.02, budgetSeconds: 5 };
    expect(mismatch({ ...header, stopRule }, header)).toBeUndefined();
    expect(mismatch({ ...header, startedAt: "earlier" }, header)).toBeUndefined();
  });

  it.each([
    ["gpusort was 0.0.9 and is now 0.1.0", { environment: { ...header.environment, gpusort: "0.0.9" } }],
    ["cpu was Other and is now Some CPU", { environment: { ...header.environment, cpu: "Other" } }],
    ["threads was 16 and is now 2", { environment: { ...header.environment, threads: 16 } }],
    ["the device was the CPU and is now Some GPU", { environment: { ...header.environment, adapter: null } }],
    [
      "the bound of the error was 0.01 and is now 0.02",
      { stopRule: { ...header.stopRule, relativeError: 0.01 } },
    ],
  ])("cannot be combined if %s", (why, other) => {
    expect(mismatch({ ...header, ...other }, header)).toBe(why);
  });

  it("cannot be combined if their threads are unknown", () => {
    const { threads: _, ...environment } = header.environment;
    expect(mismatch({ ...header, environment }, header)).toBe("threads was unknown and is now 2");
  });
});
