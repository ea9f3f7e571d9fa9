import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";

const root = new URL("../src/", import.meta.url);

interface Import {
  /** A file of src/ for a module of ours, else the package or Node module as it is named. */
  readonly target: string;
  readonly ours: boolean;
  readonly typeOnly: boolean;
}

/** Every file of src/, by its path in it. */
const sources = new Map(
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => [path, readFileSync(new URL(path, root), "utf8")]),
);

function importsOf(path: string): Import[] {
  const source = withoutComments(sources.get(path)!);
  const froms = source.matchAll(/^(?:import|export)( type)?\b[^;]*? from (["'])(.+?)\2;$/gm);
  const bare = source.matchAll(/^import( type)?\s*(["'])(.+?)\2;$/gm);
  const expressions = source.matchAll(/(typeof )?\bimport\((["'])(.+?)\2\)/g);
  return [...froms, ...bare, ...expressions].map(([, type, , name]) =>
    resolve(path, name!, type !== undefined),
  );
}

function resolve(path: string, name: string, typeOnly: boolean): Import {
  if (!name.startsWith(".")) return { target: name, ours: false, typeOnly };
  const target = posix.join(posix.dirname(path), name).replace(/\.js$/, ".ts");
  return { target, ours: true, typeOnly };
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}

/** What a rule speaks of: a folder of src/, or a file that lies in none. */
function part(path: string): string {
  return path.includes("/") ? path.split("/")[0]! : path.replace(/\.ts$/, "");
}

const anything = [
  "bench",
  "demos",
  "device",
  "elements",
  "engines",
  "errors",
  "files",
  "formats",
  "keys",
  "plan",
  "profile",
  "report",
  "sort",
  "twins",
];

/** Which parts may import which. A name with ":type" may be imported for its types only. */
const allowed: Record<string, readonly string[]> = {
  errors: [],
  elements: ["errors"],
  "wgsl.generated": [],
  plan: ["wgsl.generated:type"],
  twins: ["plan", "wgsl.generated:type"],
  sort: ["plan", "elements", "errors", "wgsl.generated:type"],
  demos: ["sort", "plan", "elements", "errors", "report", "device:type", "formats:type"],
  device: ["plan", "errors", "wgsl.generated"],
  formats: ["elements", "engines:type", "errors"],
  keys: ["elements", "engines:type", "errors", "formats", "twins"],
  engines: ["sort", "device", "elements", "errors", "formats", "keys", "plan", "twins"],
  files: ["errors", "formats:type"],
  bench: ["engines", "elements", "errors", "keys", "sort"],
  profile: ["engines", "elements", "keys"],
  report: [
    "bench",
    "device:type",
    "elements",
    "engines:type",
    "errors",
    "formats",
    "keys:type",
    "plan",
    "profile:type",
    "sort",
  ],
  commands: anything,
  cli: ["commands", "elements", "errors", "files"],
  sorter: ["engines", "sort", "device", "plan", "elements", "errors"],
  core: ["device", "elements", "errors", "plan", "sort", "sorter"],
  index: ["core", "device", "engines", "files", "formats", "profile", "sorter"],
};

/** Where a rule above is wider than what it is for, the files that it is for. */
const narrower: readonly { from: RegExp; to: RegExp; only: readonly string[]; why: string }[] = [
  {
    from: /^(engines|keys)\//,
    to: /^twins\//,
    only: ["twins/order.ts"],
    why: "the hash, and no whole kernel",
  },
  { from: /^engines\//, to: /^formats\//, only: ["formats/format.ts"], why: "what an item is" },
  { from: /^report\//, to: /^formats\//, only: ["formats/text_numbers.ts"], why: "a key as text" },
  { from: /^bench\//, to: /^sort\//, only: ["sort/algorithms.ts"], why: "what an algorithm is able to do" },
  { from: /^bench\//, to: /^engines\//, only: ["engines/phases.ts"], why: "a pure function of phases" },
  {
    from: /^report\//,
    to: /^bench\//,
    only: ["bench/row.ts", "bench/statistics.ts", "bench/way.ts"],
    why: "the shape of rows, and pure functions of them",
  },
  { from: /^twins\//, to: /^plan\//, only: ["plan/plan.ts"], why: "a texture's words" },
  { from: /^demos\//, to: /^report\//, only: ["report/units.ts", "report/table.ts"], why: "its text" },
  { from: /^cli\.ts$/, to: /^files\//, only: ["files/unpublished.ts"], why: "--help must not load the rest" },
  {
    from: /^report\//,
    to: /^(sort|plan)\//,
    only: ["plan/grid.ts", "sort/algorithms.ts", "sort/bitonic.ts"],
    why: "pure functions of an adapter's limits",
  },
];

/** Every file that is loaded with this one, itself included. */
function reachable(path: string): Set<string> {
  const found = new Set([path]);
  for (const each of found) {
    for (const { target, ours, typeOnly } of importsOf(each)) if (ours && !typeOnly) found.add(target);
  }
  return found;
}

describe("the imports", () => {
  it("are all found: every quoted module of every file is one that the patterns here read", () => {
    for (const [path, source] of sources) {
      const quoted = withoutComments(source).match(/\b(from|import\(|import)\s*["']/g)?.length ?? 0;
      expect(importsOf(path).length, path).toBe(quoted);
      for (const { target, ours } of importsOf(path)) {
        if (ours && target !== "wgsl.generated.ts")
          expect(sources.has(target), `${path} imports ${target}`).toBe(true);
      }
    }
  });

  it("of every part have a rule", () => {
    expect([...new Set([...sources.keys()].map(part))].filter((name) => !(name in allowed))).toEqual([]);
  });

  it.each(Object.keys(allowed))("of %s go to the parts that it may know", (name) => {
    const breaches = [...sources.keys()]
      .filter((path) => part(path) === name)
      .flatMap((path) => importsOf(path).map((one) => ({ path, ...one })))
      .filter(({ target, ours, typeOnly }) => {
        const to = part(target);
        if (!ours || to === name) return false;
        return !allowed[name]!.includes(to) && !(typeOnly && allowed[name]!.includes(`${to}:type`));
      });
    expect(breaches.map(({ path, target }) => `${path} imports ${target}`)).toEqual([]);
  });

  it.each(narrower)("from $from to $to are for $why only", ({ from, to, only }) => {
    const breaches = [...sources.keys()]
      .filter((path) => from.test(path))
      .flatMap((path) => importsOf(path).map((one) => ({ path, ...one })))
      .filter(({ target, typeOnly }) => to.test(target) && !typeOnly && !only.includes(target));
    expect(breaches.map(({ path, target }) => `${path} imports ${target}`)).toEqual([]);
  });

  it("go round in no circle while modules load", () => {
    const circles = [...sources.keys()].filter((path) =>
      importsOf(path).some(
        ({ target, ours, typeOnly }) =>
          ours && !typeOnly && sources.has(target) && reachable(target).has(path),
      ),
    );
    expect(circles).toEqual([]);
  });
});

describe("the browser's entry", () => {
  it("reaches no package and no Node module", () => {
    const outside = [...reachable("core.ts")].flatMap((path) =>
      importsOf(path)
        .filter(({ ours, typeOnly }) => !ours && !typeOnly)
        .map(({ target }) => `${path} imports ${target}`),
    );
    expect(outside).toEqual([]);
  });

  it("reaches no global that only Node has", () => {
    const globals = /\b(process|Buffer|require|__dirname|__filename|setImmediate)\b[.(]/;
    expect(
      [...reachable("core.ts")].filter((path) => globals.test(withoutComments(sources.get(path)!))),
    ).toEqual([]);
  });

  it("reaches what it is for", () => {
    expect([...reachable("core.ts")]).toEqual(
      expect.arrayContaining([
        "sort/bitonic.ts",
        "sorter/sorter.ts",
        "device/execute.ts",
        "device/kernels.ts",
        "wgsl.generated.ts",
      ]),
    );
  });
});

describe("what only one place does", () => {
  const files = (pattern: RegExp) =>
    [...sources].filter(([, source]) => pattern.test(withoutComments(source))).map(([path]) => path);

  it("is touching the process's streams and its end: the command line's", () => {
    const touching = files(/\bprocess\s*\.\s*(stdout|stderr|stdin|exit|exitCode|argv)\b|\bconsole\s*\./);
    expect(touching.filter((path) => path !== "cli.ts" && !path.startsWith("commands/"))).toEqual([]);
    expect(touching).toContain("cli.ts");
  });

  it("is drawing tables: report/table.ts", () => {
    const users = [...sources.keys()].filter((path) =>
      importsOf(path).some(({ target }) => target === "cli-table3"),
    );
    expect(users).toEqual(["report/table.ts"]);
  });

  it("is drawing plots: report/plot.ts, whose packages are loaded when one is asked for", () => {
    const packages = ["vega", "vega-lite", "@resvg/resvg-js"];
    const users = [...sources.keys()].filter((path) =>
      importsOf(path).some(({ target, typeOnly }) => packages.includes(target) && !typeOnly),
    );
    expect(users).toEqual(["report/plot.ts"]);
    expect(sources.get("report/plot.ts")).not.toMatch(/from "(vega|@resvg)/);
  });

  it("is loading Dawn: device/adapter.ts, and only when an adapter is asked for", () => {
    const users = [...sources.keys()].filter((path) =>
      importsOf(path).some(({ target }) => target === "webgpu"),
    );
    expect(users).toEqual(["device/adapter.ts"]);
    expect(sources.get("device/adapter.ts")).not.toMatch(/from "webgpu"/);
  });

  it("is holding WGSL: the files of wgsl/, and what is generated of them", () => {
    const wgsl = /@compute|@workgroup_size|@group\s*\(|var<(storage|workgroup|uniform)/;
    expect(files(wgsl).filter((path) => path !== "wgsl.generated.ts")).toEqual([]);
  });
});
