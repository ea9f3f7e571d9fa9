import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";

const root = new URL("../src/", import.meta.url);

interface Import {
  /** A file of src/ if the module is ours, else the name of the package or Node module. */
  readonly target: string;
  readonly ours: boolean;
  readonly typeOnly: boolean;
  /** Whether it is an expression, which is evaluated when its code runs. */
  readonly lazy: boolean;
}

/** The source of every file of src/, by its path there. */
const sources = new Map(
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => [path, readFileSync(new URL(path, root), "utf8")]),
);

const imports = new Map(
  [...sources].map(([path, source]) => [path, importsIn(path, withoutComments(source))]),
);

const importsOf = (path: string) => imports.get(path)!;

function importsIn(path: string, source: string): Import[] {
  const froms = source.matchAll(/^(?:import|export)( type)?\b[^;]*? from (["'])(.+?)\2;$/gm);
  const bare = source.matchAll(/^import( type)?\s*(["'])(.+?)\2;$/gm);
  const expressions = source.matchAll(/(typeof )?\bimport\((["'])(.+?)\2\)/g);
  const all = (matches: Iterable<RegExpMatchArray>, lazy: boolean) =>
    [...matches].map(([, type, , name]) => ({ ...resolve(path, name!), typeOnly: type !== undefined, lazy }));
  return [...all(froms, false), ...all(bare, false), ...all(expressions, true)];
}

function resolve(path: string, name: string): Pick<Import, "target" | "ours"> {
  if (!name.startsWith(".")) return { target: name, ours: false };
  const target = posix.join(posix.dirname(path), name).replace(/\.js$/, ".ts");
  return { target, ours: true };
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}

/** The room of a file: its folder in src/ or in src/core/. A file directly in these is a room of its own. */
function room(path: string): string {
  const folders = path.split("/").slice(0, -1);
  if (folders.length === 0 || (folders.length === 1 && folders[0] === "core"))
    return path.replace(/\.ts$/, "");
  return folders[0] === "core" ? folders.slice(0, 2).join("/") : folders[0]!;
}

const base = [
  "core/settle_all",
  "core/compression",
  "core/errors",
  "core/quote",
  "core/names",
  "core/elements",
  "core/printable",
  "core/float16",
  "core/lazy_module",
  "core/bytes",
  "core/host_types",
];

/** The rooms that each room may import, lowest rooms first. From a room with ":type", only types. */
const allowed: Record<string, readonly string[]> = {
  "core/settle_all": [],
  "core/host_types": [],
  "core/compression": [],
  "core/quote": [],
  "core/printable": [],
  "core/errors": ["core/printable"],
  "core/names": ["core/errors"],
  "core/lazy_module": ["core/errors"],
  "core/bytes": [],
  "core/elements": ["core/compression", "core/errors", "core/float16", "core/names"],
  "core/float16": [],
  "core/plan": ["core/bytes", "core/shaders"],
  "core/shaders": ["core/lazy_module"],
  "core/streams": ["core/bytes"],
  "core/items": [...base, "core/cpu", "core/streams:type"],
  "core/sort": [...base, "core/plan", "core/shaders"],
  "core/device": [...base, "core/plan", "core/shaders"],
  "core/primitives": [...base, "core/plan", "core/shaders", "core/sort"],
  "core/rows": [...base, "core/plan", "core/primitives", "core/shaders", "core/sort"],
  "core/cpu": [...base, "core/items:type", "core/sort:type", "core/streams"],
  "core/engines": [
    ...base,
    "core/cpu",
    "core/plan",
    "core/primitives",
    "core/sort",
    "core/rows",
    "core/device",
    "core/items",
    "core/streams",
  ],
  "core/sorter": [
    ...base,
    "core/plan",
    "core/primitives",
    "core/sort",
    "core/device",
    "core/engines",
    "core/streams",
  ],
  "core/gpu": [...base, "core/sort", "core/device", "core/sorter"],
  "core/index": [...base, "core/plan", "core/shaders", "core/sort", "core/device", "core/sorter"],
  "build.generated": [],
  json_schemas: [],
  optional_packages: ["core/errors"],
  demo_kernels: ["core/shaders"],
  files: [...base, "core/streams"],
  rows: [...base, "core/cpu", "core/engines:type", "core/items:type", "core/rows", "core/streams"],
  kinds: [...base, "core/streams:type", "files:type"],
  formats: [...base, "core/cpu", "core/items", "core/streams", "kinds", "rows:type"],
  testdata: [...base, "core/items"],
  hardware: [...base, "core/device", "core/engines", "core/plan", "core/sorter", "core/streams", "testdata"],
  graysort: [...base, "core/cpu", "core/items", "sort", "formats:type"],
  threads: [...base, "core/cpu", "core/engines", "core/streams"],
  dawn: [
    ...base,
    "threads",
    "core/plan",
    "core/shaders",
    "core/sort",
    "core/device",
    "core/engines",
    "core/sorter",
    "files",
    "optional_packages",
    "build.generated",
  ],
  auto: ["core/elements", "core/errors", "core/engines", "dawn"],
  sort: [
    ...base,
    "core/sorter",
    "core/cpu",
    "core/engines:type",
    "core/items",
    "core/sort",
    "core/streams",
    "dawn:type",
    "files",
    "formats",
    "kinds",
    "auto",
    "rows",
    "threads",
    "optional_packages",
  ],
  jobs: [
    ...base,
    "build.generated",
    "json_schemas",
    "core/items",
    "core/streams",
    "dawn:type",
    "sort",
    "files",
    "formats",
    "kinds",
    "auto",
    "threads",
  ],
  bench: [
    ...base,
    "json_schemas",
    "core/plan",
    "core/device",
    "core/engines",
    "core/sort",
    "core/sorter:type",
    "core/streams",
    "testdata",
  ],
  report: [
    ...base,
    "core/items",
    "core/plan",
    "core/sort",
    "core/streams",
    "bench",
    "dawn:type",
    "sort:type",
    "formats",
    "graysort",
    "hardware:type",
    "jobs",
    "auto:type",
    "rows:type",
    "optional_packages",
  ],
  demos: [
    ...base,
    "core/plan",
    "core/shaders",
    "core/sort",
    "core/device",
    "core/items",
    "demo_kernels",
    "report",
    "optional_packages",
  ],
  commands: [
    ...base,
    "build.generated",
    "json_schemas",
    "core/engines",
    "core/items",
    "core/plan",
    "core/sort",
    "core/sorter",
    "core/streams",
    "bench",
    "dawn",
    "demos",
    "sort",
    "files",
    "formats",
    "graysort",
    "hardware",
    "jobs",
    "optional_packages",
    "kinds",
    "auto",
    "report",
    "rows:type",
    "testdata",
    "threads",
  ],
  cli: [...base, "build.generated", "commands", "files", "threads"],
  index: [
    "core/index",
    "dawn",
    "sort",
    ...["core/bytes", "core/engines", "core/items", "core/streams"].map((room) => `${room}:type`),
    ...["files", "formats", "kinds", "auto", "rows"].map((room) => `${room}:type`),
  ],
};

/** Rules that limit the rules above to certain files. */
const narrower: readonly { from: RegExp; to: RegExp; only: readonly string[]; why: string }[] = [
  {
    from: /^rows\//,
    to: /^core\/rows\//,
    only: ["core/rows/reading.ts"],
    why: "the rest is for GPUs",
  },
  {
    from: /^report\//,
    to: /^bench\//,
    only: ["bench/schema.ts", "bench/statistics.ts", "bench/metric.ts", "bench/tasks.ts"],
    why: "the types of rows, and pure functions of them",
  },
  {
    from: /^demos\//,
    to: /^report\//,
    only: ["report/units.ts", "report/table.ts", "report/plot/vega.ts"],
    why: "text and pictures",
  },
  {
    from: /^(dawn|auto)\//,
    to: /^files\//,
    only: ["files/own_files.ts"],
    why: "files in the user's cache",
  },
  {
    from: /^cli\.ts$/,
    to: /^files\//,
    only: ["files/exit_cleanup.ts"],
    why: "--help must not load the rest",
  },
];

/** Every file that is loaded with this one, by such imports as count, including itself. */
function reachable(path: string, counts: (one: Import) => boolean = () => true): Set<string> {
  const found = new Set([path]);
  for (const each of found) {
    if (!sources.has(each)) continue;
    for (const one of importsOf(each)) if (one.ours && !one.typeOnly && counts(one)) found.add(one.target);
  }
  return found;
}

/** Every file that this one imports, directly or not, for types or values, including itself. */
function connected(path: string): Set<string> {
  const found = new Set([path]);
  for (const each of found) {
    if (!sources.has(each)) continue;
    for (const { target, ours } of importsOf(each)) if (ours) found.add(target);
  }
  return found;
}

describe("a sort on the CPU", () => {
  it("loads no code of a GPU: every sort of few keys waits for what it loads", () => {
    const loaded = reachable("commands/sort/sort.ts", ({ lazy }) => !lazy);
    expect(loaded).toContain("core/engines/cpu.ts");
    const ofGpus = /^(core\/(device|shaders|plan)\/|core\/sort\/(?!key)|dawn\/(?!open_engine|gpu_files))/;
    expect([...loaded].filter((path) => ofGpus.test(path))).toEqual([]);
  });
});

describe("a check of a file", () => {
  it("loads nothing of jobs", () => {
    const loaded = reachable("commands/sort/verify.ts");
    expect(loaded).toContain("commands/sort/summary_json.ts");
    expect([...loaded].filter((path) => path.startsWith("jobs/"))).toEqual([]);
  });
});

describe("the imports", () => {
  it("are all found: the patterns of this test read every quoted module of every file", () => {
    for (const [path, source] of sources) {
      const quoted = withoutComments(source).match(/\b(from\s|import\(|import\s)\s*["']/g)?.length ?? 0;
      expect(importsOf(path).length, path).toBe(quoted);
      for (const { target, ours } of importsOf(path)) {
        if (ours && !target.endsWith(".generated.ts"))
          expect(sources.has(target), `${path} imports ${target}`).toBe(true);
      }
    }
  });

  it("of every room have a rule in this test", () => {
    expect([...new Set([...sources.keys()].map(room))].filter((name) => !(name in allowed))).toEqual([]);
  });

  it("of every folder have a row in ARCHITECTURE.md, and no other folder has one", () => {
    const map = readFileSync(new URL("../ARCHITECTURE.md", root), "utf8");
    const table = map.slice(map.indexOf("\n## The rooms"), map.indexOf("\n## What one more costs"));
    const rows = table.matchAll(/^\| ((?:`[\w/]+`(?:, )?)+) \|/gm);
    const named = [...rows].flatMap(([, names]) => names!.replaceAll("`", "").split(", "));
    const folders = [...sources.keys()].filter((path) => `${room(path)}.ts` !== path).map(room);
    expect(named.sort()).toEqual([...new Set(folders)].sort());
  });

  it.each(Object.keys(allowed))("of %s go only to the rooms that its rule allows", (name) => {
    const breaches = [...sources.keys()]
      .filter((path) => room(path) === name)
      .flatMap((path) => importsOf(path).map((one) => ({ path, ...one })))
      .filter(({ target, ours, typeOnly }) => {
        const to = room(target);
        if (!ours || to === name) return false;
        return !allowed[name]!.includes(to) && !(typeOnly && allowed[name]!.includes(`${to}:type`));
      });
    expect(breaches.map(({ path, target }) => `${path} imports ${target}`)).toEqual([]);
  });

  it.each(narrower)("from $from to $to go only to some files: $why", ({ from, to, only }) => {
    const breaches = [...sources.keys()]
      .filter((path) => from.test(path))
      .flatMap((path) => importsOf(path).map((one) => ({ path, ...one })))
      .filter(({ target, typeOnly }) => to.test(target) && !typeOnly && !only.includes(target));
    expect(breaches.map(({ path, target }) => `${path} imports ${target}`)).toEqual([]);
  });

  it("have no cycles, not even for types", () => {
    const cycles = [...sources.keys()].filter((path) =>
      importsOf(path).some(({ target, ours }) => ours && sources.has(target) && connected(target).has(path)),
    );
    expect(cycles).toEqual([]);
  });
});

describe("the core", () => {
  it("has an entry that reaches nothing of what sorts on the CPU, not even later", () => {
    const loaded = [...reachable("core/gpu.ts")];
    expect(loaded).toContain("core/engines/gpu.ts");
    const ofCpu = /^core\/(engines\/cpu|cpu\/(?!(sums|sum_kernels\.generated|program|memory)\.ts$))/;
    expect(loaded.filter((path) => ofCpu.test(path))).toEqual([]);
  });

  it("imports only itself", () => {
    const outside = [...sources.keys()]
      .filter((path) => path.startsWith("core/"))
      .flatMap((path) => importsOf(path).map((one) => ({ path, ...one })))
      .filter(({ target, ours }) => !ours || !target.startsWith("core/"));
    expect(outside.map(({ path, target }) => `${path} imports ${target}`)).toEqual([]);
  });

  it("uses no global that only Node has", () => {
    const globals = /\b(process|Buffer|require|__dirname|__filename|setImmediate)\b[.(]/;
    const core = [...sources].filter(([path]) => path.startsWith("core/"));
    expect(core.filter(([, source]) => globals.test(withoutComments(source))).map(([path]) => path)).toEqual(
      [],
    );
  });

  it("loads the sorts, the device and the kernels", () => {
    expect([...reachable("core/index.ts")]).toEqual(
      expect.arrayContaining([
        "core/sort/bitonic.ts",
        "core/sorter/sorter.ts",
        "core/device/execute.ts",
        "core/device/kernels.ts",
        "core/shaders/kernels.generated.ts",
        "core/shaders/wgsl/radix.generated.ts",
      ]),
    );
  });
});

describe("only one place", () => {
  const files = (pattern: RegExp) =>
    [...sources].filter(([, source]) => pattern.test(withoutComments(source))).map(([path]) => path);

  it("touches the process's streams and exit: the command line", () => {
    const touching = files(/\bprocess\s*\.\s*(stdout|stderr|stdin|exit|exitCode|argv)\b|\bconsole\s*\./);
    expect(touching.filter((path) => path !== "cli.ts" && !path.startsWith("commands/"))).toEqual([]);
    expect(touching).toContain("cli.ts");
  });

  it("names flags: the command line with its reports, the demos, which declare their own, and V8's", () => {
    const flag = /["'`\s]--[a-z][a-z-]+/;
    const mayName = /^(cli\.ts$|commands\/|report\/|demos\/|threads\/compile\.ts$)/;
    const naming = files(flag).filter((path) => !mayName.test(path));
    expect(naming).toEqual([]);
    expect(files(flag)).toContain("commands/error_hint.ts");
  });

  it("draws tables: report/table.ts", () => {
    const users = [...sources.keys()].filter((path) =>
      importsOf(path).some(({ target }) => target === "cli-table3"),
    );
    expect(users).toEqual(["report/table.ts"]);
  });

  it("draws plots: two files of report/, which load their packages when a plot is requested", () => {
    const packages = ["vega", "vega-lite", "@resvg/resvg-js"];
    const users = [...sources.keys()].filter((path) =>
      importsOf(path).some(({ target, typeOnly }) => packages.includes(target) && !typeOnly),
    );
    expect(users.sort()).toEqual(["report/plot/plot.ts", "report/plot/vega.ts"]);
    for (const path of users) expect(sources.get(path)).not.toMatch(/^import \{.* from "(vega|@resvg)/m);
  });

  it("loads Dawn: dawn/adapter.ts, or its copy, and only when an adapter is requested", () => {
    const users = [...sources.keys()].filter((path) =>
      importsOf(path).some(({ target }) => target === "webgpu"),
    );
    expect(users.sort()).toEqual(["dawn/adapter.ts", "dawn/embedded.ts"]);
    for (const path of users) expect(sources.get(path)).not.toMatch(/from "webgpu"/);
  });

  it("has WGSL: the files of wgsl/, and the files that are generated from them", () => {
    const wgsl = /@compute|@workgroup_size|@group\s*\(|var<(storage|workgroup|uniform)/;
    expect(files(wgsl).filter((path) => !/\/wgsl\/\w+\.generated\.ts$/.test(path))).toEqual([]);
  });
});
