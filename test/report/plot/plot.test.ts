import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Metric } from "../../../src/bench/metric.js";
import type { Crossover } from "../../../src/bench/schema.js";
import { type BenchDocument, SCHEMA } from "../../../src/bench/schema.js";
import { InputError } from "../../../src/core/errors.js";
import { plotterFor } from "../../../src/report/plot/plot.js";
import { cellOf, rowOf } from "../../support/bench.js";

const series = { task: "sort", type: "u32", distribution: "uniform", payloadBytes: 0, algorithm: "auto" };
const crossovers: Crossover[] = [
  {
    ...series,
    way: "gpu",
    against: "cpu",
    from: { kind: "between", keyCount: 12_345, low: 12_200, high: 12_400 },
  },
  {
    ...series,
    way: "gpu",
    against: "typed",
    from: { kind: "between", keyCount: 1230, low: 1210, high: 1250 },
  },
  { ...series, way: "round-trip", against: "cpu", from: { kind: "never" } },
];
const document: BenchDocument = {
  schema: SCHEMA,
  startedAt: "",
  environment: {
    gpusort: "0.1.0",
    commit: null,
    node: "v20",
    v8: "",
    dawn: "",
    toggles: [],
    os: "",
    cpu: "Some CPU",
    cores: 2,
    threads: 1,
    memoryBytes: 1,
    adapter: {
      name: "Some GPU",
      driver: "some driver",
      vendor: "",
      architecture: "",
      software: false,
      subgroupSize: { min: 32, max: 32 },
      gpuClock: "timestamp queries",
    },
  },
  stopRule: { relativeError: 0.02, budgetSeconds: 60 },
  rows: [2 ** 10, 2 ** 14, 2 ** 18].map((n) =>
    rowOf(n, {
      array: n > 2 ** 14 ? { skipped: "over 5 s" } : cellOf(n * 1e-6),
      typed: cellOf(n * 1e-7),
      cpu: cellOf(n * 2e-8),
      gpu: cellOf(1e-3 + n * 1e-9),
    }),
  ),
  crossovers,
};
const all = new Set<Metric>(["array", "typed", "cpu", "gpu"]);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The texts in a drawing. */
const words = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, word]) => word);

describe("a plot as SVG", async () => {
  const draw = await plotterFor("a.svg");
  const svg = text(await draw(document, all, "light"));

  it("has a line for each requested metric, and one for the copy", async () => {
    for (const label of [
      "Array.prototype.sort",
      "TypedArray.prototype.sort",
      "gpusort on the CPU",
      "GPU, sort alone",
      "copy kernel, the ceiling",
    ]) {
      expect(words(svg)).toContain(label);
    }
    const less = words(text(await draw(document, new Set<Metric>(["typed"]), "light")));
    expect(less).toContain("TypedArray.prototype.sort");
    expect(less).not.toContain("GPU, sort alone");
    expect(less.join()).not.toContain("beats");
    expect(less.join()).not.toContain("thread");
  });

  it("has a title, and axes labelled with powers of two and decades", () => {
    for (const label of [
      "number of keys",
      "median time (ms)",
      "keys read and written (GB/s)",
      "2^10",
      "2^18",
      "0.1",
      "100",
    ]) {
      expect(words(svg)).toContain(label);
    }
    expect(words(svg)).toContain("Sorting u32 keys, uniform, algorithm auto");
    expect(svg).toContain("Some GPU, some driver");
    expect(svg).toContain("Some CPU, 2 cores; gpusort 0.1.0 with 1 thread, Node v20");
  });

  it("has the sizes themselves on its axis, if no power of two lies between them", async () => {
    const rows = [1200, 1900].map((n) => rowOf(n, { typed: cellOf(n * 1e-7) }));
    const drawn = words(text(await draw({ ...document, rows, crossovers: [] }, all, "light")));
    expect(drawn.filter((word) => /^(1,[29]00|2\^.*)$/.test(word!))).toEqual([
      "1,200",
      "1,900",
      "1,200",
      "1,900",
    ]);
  });

  it("marks the crossovers that were found, with the best sort on the CPU", () => {
    const marks = words(svg).filter((word) => word?.includes("beats"));
    expect(marks).toEqual(["beats gpusort on the CPU from 12,300"]);
  });

  it("marks a crossover within the chart, at either end", async () => {
    const anchor = async (keyCount: number) => {
      const from = { kind: "between", keyCount, low: keyCount, high: keyCount } as const;
      const drawn = text(
        await draw({ ...document, crossovers: [{ ...crossovers[0]!, from }] }, all, "light"),
      );
      return /<text [^>]*text-anchor="(\w+)"[^>]*>beats/.exec(drawn)?.[1];
    };
    expect([await anchor(2 ** 11), await anchor(2 ** 17)]).toEqual(["start", "end"]);
  });

  it("marks the crossovers of results that have no better sort than JavaScript's", async () => {
    const old = { ...document, crossovers: crossovers.slice(1) };
    const marks = words(text(await draw(old, all, "light"))).filter((word) => word?.includes("beats"));
    expect(marks).toEqual(["beats TypedArray.prototype.sort from 1,230"]);
  });

  it("names several series by what differs, and draws them with different dashes", async () => {
    const zipf = document.rows.map((row) => ({ ...row, distribution: "zipf" }));
    const both = { ...document, rows: [...document.rows, ...zipf] };
    const drawn = text(await draw(both, all, "dark"));
    expect(words(drawn)).toEqual(expect.arrayContaining(["uniform", "zipf"]));
    expect(drawn).toMatch(/role-legend-symbol[^>]*><path[^>]*stroke="#e6edf3"[^>]*stroke-dasharray/);
  });

  it("has a series for each task, and says in its title what was done", async () => {
    const unique = document.rows.map((row) => ({ ...row, task: "unique" }));
    const titled = "sort, unique of u32 keys, uniform, algorithm auto";
    const both = words(text(await draw({ ...document, rows: [...document.rows, ...unique] }, all, "light")));
    expect(both).toEqual(expect.arrayContaining(["sort", "unique", titled]));
  });

  it("is light, dark, or follows its reader's system", async () => {
    const dark = text(await draw(document, all, "dark"));
    const auto = text(await draw(document, all, "auto"));
    expect([svg, dark, auto].map((one) => /<rect [^>]*fill="(#\w+)"/.exec(one)?.[1])).toEqual([
      "#ffffff",
      "#0d1117",
      "#ffffff",
    ]);
    expect(auto).toContain("@media (prefers-color-scheme:dark){");
    expect(auto).toContain('[fill="#ffffff"]{fill:#0d1117}');
    expect(svg).not.toContain("@media");
  });

  it("can be drawn of a single size, and of skipped cells alone", async () => {
    const [row] = document.rows;
    await draw({ ...document, rows: [row!], crossovers: [] }, all, "light");
    const none = rowOf(8, { typed: { skipped: "over 5 s" } }, { copyBytesPerSecond: null });
    await draw({ ...document, rows: [none], crossovers: [] }, all, "light");
  });
});

describe("a plot as PNG", () => {
  /** Width, height and the filtered rows of pixels, which suffice to see whether a picture is blank. */
  function decode(png: Uint8Array) {
    const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
    expect(text(png.subarray(1, 4))).toBe("PNG");
    const [width, height] = [view.getUint32(16), view.getUint32(20)];
    const chunks: Uint8Array[] = [];
    for (let at = 8; at < png.length; at += 12 + view.getUint32(at)) {
      if (text(png.subarray(at + 4, at + 8)) === "IDAT")
        chunks.push(png.subarray(at + 8, at + 8 + view.getUint32(at)));
    }
    return { width, height, data: inflateSync(Buffer.concat(chunks)) };
  }

  it("is a picture of twice the size that is not blank, in either theme", async () => {
    const draw = await plotterFor("a.PNG");
    for (const theme of ["auto", "dark"] as const) {
      const { width, height, data } = decode(await draw(document, all, theme));
      expect(width).toBeGreaterThan(1200);
      expect(height).toBeGreaterThan(1200);
      const written = data.filter((byte) => byte !== 0).length;
      expect(written / data.length).toBeGreaterThan(0.01);
    }
  });
});

describe("a plot with another extension", () => {
  it.each(["bench", "bench.pdf", "svg", "bench.svg.gz"])("is refused: %s", async (path) => {
    await expect(plotterFor(path)).rejects.toThrow(InputError);
    await expect(plotterFor(path)).rejects.toThrow(`--plot '${path}' ends in neither .svg nor .png`);
  });
});
