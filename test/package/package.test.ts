import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { describeIn, openChromium } from "../browser/chromium.js";
import { type Served, serve, visit } from "../browser/site.js";
import { HANG_MS } from "../support/hang_limit.js";
import { needs } from "../support/needs.js";

/**
 * The packages as they are published: packed, unpacked into a folder of their own, bundled, run in a browser,
 * and compiled against. tools.json names the versions of the tools; .ci/run installs them.
 *
 * GPUSORT_PACKAGE_TOOLS is the folder with their node_modules. GPUSORT_MATRIX=full tests every
 * combination.
 */
const tools = process.env.GPUSORT_PACKAGE_TOOLS;
const full = process.env.GPUSORT_MATRIX === "full";
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gpusort-package-"));
afterAll(() => rmSync(folder, { recursive: true }));

const withTools = needs(tools, "bundlers and compilers in a folder that GPUSORT_PACKAGE_TOOLS names");

/** How a page imports each package. */
const packages = ["gpusort-core", "gpusort/core"] as const;

const sourceOf = (file: string, name: string) =>
  readFileSync(new URL(file, import.meta.url), "utf8").replace(
    /"gpusort\/core(\/gpu)?"/,
    JSON.stringify(name),
  );

/** @returns the path of the packed file. */
function pack(from: string): string {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(execFileSync("npm", args, { cwd: from, encoding: "utf8" }));
  return join(folder, filename);
}

const packed: Record<string, string> = {};

beforeAll(() => {
  execFileSync(process.execPath, ["scripts/pack-core.js"], { cwd: root });
  packed["gpusort-core"] = pack(join(root, "packages/core/dist"));
  packed.gpusort = pack(root);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const args = [
    "install",
    "--offline",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    packed["gpusort-core"],
  ];
  execFileSync("npm", args, { cwd: folder });
  // gpusort would bring Dawn along, of which gpusort/core must need nothing.
  const target = join(folder, "node_modules/gpusort");
  mkdirSync(target);
  execFileSync("tar", ["-xzf", packed.gpusort, "-C", target, "--strip-components=1"]);
});

describe("gpusort-core", () => {
  const installed = join(folder, "node_modules/gpusort-core");

  it("has the version of gpusort, and needs no other package", () => {
    const { version, dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(version).toBe(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
    expect(dependencies).toBeUndefined();
    expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "gpusort",
      "gpusort-core",
    ]);
  });

  it.each(packages)("exports what %s does, and sorts on the CPU in Node", async (name) => {
    const script = join(folder, "node.js");
    writeFileSync(
      script,
      `import * as all from "${name}";
      const sorted = await (await all.createSorter("cpu")).sort(new Uint32Array([3, 1, 2]));
      const refused = await all.createSorter("cpu", { thread: 1 }).catch((error) => error.name);
      console.log(JSON.stringify([Object.keys(all), [...sorted], refused]));`,
    );
    const [names, ...results] = JSON.parse(execFileSync(process.execPath, [script], { encoding: "utf8" }));
    expect(results).toEqual([[1, 2, 3], "InputError"]);
    expect(names).toEqual(Object.keys(await import("../../src/core/index.js")).sort());
  });

  it("has no file that gpusort/core does not reach", () => {
    const files = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" });
    expect(files.filter((path) => /rows|text|gpu_rows/.test(path))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([join("cpu", "web_worker.js"), "at_once.js", "standalone.js"]),
    );
  });
});

type Files = Record<string, string>;

/** The files of a folder by their paths there, such as "/main.js". */
const filesIn = (from: string): Files =>
  Object.fromEntries(
    readdirSync(from, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".js"))
      .map((path) => [`/${path.replaceAll("\\", "/")}`, readFileSync(join(from, path), "utf8")]),
  );

interface Bundler {
  readonly name: string;
  /** Whether it puts what is loaded later into files of their own. */
  readonly splits: boolean;
  readonly needsTools?: boolean;
  /** @returns the files of the bundle, of which main.js is the page's. */
  readonly bundle: (project: string) => Promise<Files>;
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", timeout: HANG_MS });
  expect(status, `${command} ${args.join(" ")}: ${stdout}${stderr}`).toBe(0);
  return stdout;
}
const tool = (name: string) => join(tools!, "node_modules/.bin", name);

const withEsbuild = (format: "esm" | "iife") => async (project: string) => {
  await build({
    entryPoints: [join(project, "main.js")],
    bundle: true,
    splitting: format === "esm",
    format,
    minify: true,
    outdir: join(project, "out"),
    logLevel: "error",
    logOverride: { "empty-import-meta": "silent" }, // the worker, which a page without one does without
  });
  return filesIn(join(project, "out"));
};

const bundlers: readonly Bundler[] = [
  { name: "esbuild", splits: true, bundle: withEsbuild("esm") },
  { name: "esbuild without splitting", splits: false, bundle: withEsbuild("iife") },
  {
    name: "Vite",
    splits: true,
    bundle: async (project) => {
      writeFileSync(join(project, "index.html"), '<script type="module" src="/main.js"></script>');
      writeFileSync(
        join(project, "vite.config.js"),
        'export default { build: { target: "esnext", rollupOptions: { output: { entryFileNames: "main.js" } } } };',
      );
      run(join(root, "node_modules/.bin/vite"), ["build", "--logLevel", "warn"], project);
      return filesIn(join(project, "dist"));
    },
  },
  {
    name: "webpack",
    splits: true,
    needsTools: true,
    bundle: async (project) => {
      const args = [
        "--mode",
        "production",
        "--no-optimization-minimize",
        "--entry",
        "./main.js",
        "--output-path",
        "out",
      ];
      run(tool("webpack"), [...args, "--output-filename", "main.js"], project);
      return filesIn(join(project, "out"));
    },
  },
];

const cases = bundlers.flatMap((bundler) =>
  packages.filter((name) => full || name === "gpusort-core").map((name) => ({ ...bundler, of: name })),
);

describeIn(await openChromium(), "a page", (browser) => {
  afterAll(() => browser.close());

  interface Opening {
    /** Which paths the server lacks at first. */
    readonly refuse?: (path: string) => boolean;
    readonly head?: string;
    readonly query?: string;
  }

  /** Opens a page whose script is main.js. */
  async function open(files: Files, { refuse = () => false, head = "", query = "" }: Opening = {}) {
    const asked = new Set<string>();
    let refuses = true;
    const find = (path: string): Served | undefined => {
      asked.add(path);
      if (path === `/${query}`) {
        return { text: `<!doctype html>${head}<script type="module" src="/main.js"></script>` };
      }
      const text = files[path];
      return text === undefined || (refuses && refuse(path)) ? undefined : { text };
    };
    const site = await serve(find);
    const page = await visit(browser, `${site.url}/${query}`, "globalThis.result");
    return {
      result: await page.evaluate("result"),
      asked,
      /** Sorts once more, now that the server has all paths. Chromium may answer at first from its memory. */
      sortAgain: async (timeout = HANG_MS) => {
        refuses = false;
        return await vi.waitFor(() => page.evaluate("sortAgain()"), { timeout, interval: 500 });
      },
      close: async () => {
        await page.close();
        site.close();
      },
    };
  }

  const project = (name: string, of: string) => {
    const path = join(folder, `${name} ${of}`.replaceAll(/[^\w-]/g, "_"));
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "package.json"), '{ "private": true, "type": "module" }');
    writeFileSync(join(path, "main.js"), sourceOf("page.js", of));
    return path;
  };

  const sorts = async ({ name, splits, of, bundle }: (typeof cases)[number]) => {
    const files = await bundle(project(`${name} ${of}`, of));
    const { result, asked, close } = await open(files);
    expect(result).toEqual({ resident: true, arrays: true, cpu: true });
    const loaded = [...asked].filter((path) => path.endsWith(".js") && path in files);
    if (splits) expect(loaded.length).toBeGreaterThan(3);
    else expect(loaded).toEqual(["/main.js"]);
    await close();
  };
  it.each(cases.filter(({ needsTools }) => !needsTools))("of $of, bundled by $name, sorts", sorts);
  withTools.it.each(cases.filter(({ needsTools }) => needsTools))("of $of, bundled by $name, sorts", sorts);

  const onGpu = { arrays: true, wide: true, indices: true, cpu: "InputError" };
  const dist = (path = "") => join(folder, "node_modules/gpusort-core/dist", path);

  it("with an import map and no bundler sorts on a GPU, and loads nothing of the CPU's sort", async () => {
    const imports = JSON.stringify({ imports: { "gpusort-core/gpu": "/gpu.js" } });
    const main = sourceOf("page_gpu.js", "gpusort-core/gpu");
    const { result, asked, close } = await open(
      { ...filesIn(dist()), "/main.js": main },
      { head: `<script type="importmap">${imports}</script>` },
    );
    expect(result).toEqual({ ...onGpu, subgroups: true, segments: true, top: true });
    const ofCpu = /\/cpu\/(?!(sums|sum_kernels\.generated|program|memory)\.js$)|engines\/cpu/;
    expect([...asked].filter((path) => ofCpu.test(path))).toEqual([]);
    await close();
  });

  it.each(["", "?default"])(
    "of the single file sorts on a GPU, and needs no other file: %j",
    async (query) => {
      const main = sourceOf("page_gpu.js", "/standalone.js");
      const standalone = readFileSync(dist("standalone.js"), "utf8");
      const { result, asked, close } = await open(
        { "/main.js": main, "/standalone.js": standalone },
        { query },
      );
      const rejected = (part: string) =>
        `LoadError: ${part} did not load: gpusort-core/standalone only sorts all keys; ` +
        'import createSorter from "gpusort-core/gpu", or "gpusort/core/gpu"';
      expect(result).toEqual({
        ...onGpu,
        subgroups: query === "",
        segments: rejected("the plans of segments"),
        top: rejected("the plans of first keys"),
      });
      expect([...asked].filter((path) => path !== "/favicon.ico")).toEqual([
        `/${query}`,
        "/main.js",
        "/standalone.js",
      ]);
      await close();
    },
  );

  /** Whether the browser asks once more for a module that did not load. Chromium 143 never does. */
  const loadsAgain = async () => {
    const load = 'globalThis.sortAgain = () => import("/part.js").then(() => true);';
    const main = `${load}\nglobalThis.result = sortAgain().catch(String);`;
    const { sortAgain, close } = await open(
      { "/main.js": main, "/part.js": "" },
      { refuse: (path) => path === "/part.js" },
    );
    const loads = await sortAgain(5000).catch(() => false);
    await close();
    return loads;
  };

  it("whose server lacks a part gets an error, and sorts once the part is there", async ({ skip }) => {
    skip(!(await loadsAgain()), "needs a browser that asks once more for a module that did not load");
    const files = await withEsbuild("esm")(project("lacking", "gpusort-core"));
    const isEngine = (path: string) => /^\/gpu\.later-\w+\.js$/.test(path); // of engines/gpu.js
    expect(Object.keys(files).filter(isEngine)).toHaveLength(1);
    const { result, sortAgain, close } = await open(files, { refuse: isEngine });
    expect(result).toEqual({
      resident: true,
      arrays: expect.stringMatching(/^the sort of arrays did not load: .*dynamically imported module/),
      cpu: true,
    });
    expect(await sortAgain()).toBe(true);
    await close();
  });
});

const compilers = ["typescript-5.4", "typescript-5.9", "typescript-6", "typescript"] as const;
const resolutions = { node16: "node16", nodenext: "nodenext", bundler: "esnext" } as const;

/** From TypeScript 6 on, lib dom has the types of WebGPU itself; @webgpu/types would declare them twice. */
const hasOwnTypes = (compiler: string) => !compiler.startsWith("typescript-5");

interface Libs {
  readonly consumer: "consumer" | "consumer_cpu" | "consumer_node";
  readonly lib: readonly string[];
  readonly types: readonly string[];
}

/** What a program that imports gpusort/core has. One that only sorts on the CPU needs no types of WebGPU. */
const coreLibs = (compiler: string): Libs[] => {
  const types = hasOwnTypes(compiler) ? [] : ["@webgpu/types"];
  return [
    { consumer: "consumer", lib: ["es2022", "dom"], types },
    { consumer: "consumer", lib: ["esnext", "dom"], types },
    { consumer: "consumer", lib: ["es2022"], types: ["@webgpu/types", "node"] },
    { consumer: "consumer_cpu", lib: ["es2022"], types: [] },
    { consumer: "consumer_cpu", lib: ["es2022", "dom"], types: [] },
  ];
};
/** What a program that imports gpusort has. */
const nodeLibs: readonly Libs[] = [
  { consumer: "consumer_node", lib: ["es2022"], types: ["node"] },
  { consumer: "consumer_node", lib: ["es2022", "dom"], types: ["node"] },
  { consumer: "consumer_node", lib: ["es2022"], types: ["node", "@webgpu/types"] },
];

const compilations = compilers.flatMap((compiler) =>
  (Object.keys(resolutions) as (keyof typeof resolutions)[]).flatMap((resolution) =>
    [...packages, "gpusort"].flatMap((of) =>
      (of === "gpusort" ? nodeLibs : coreLibs(compiler)).map((libs) => ({
        compiler,
        resolution,
        of,
        ...libs,
      })),
    ),
  ),
);
/**
 * Older compilers take minutes, so they compile once what has the fewest types beside WebGPU's. The newest one
 * compiles every program, but gpusort/core, whose files are those of gpusort-core, by one resolution. Which
 * files node16 finds, attw says below.
 */
const chosen = compilations.filter(({ compiler, resolution, of, consumer, lib, types }) => {
  if (full) return true;
  if (compiler === "typescript") {
    return resolution === "nodenext" || (resolution === "bundler" && of !== "gpusort/core");
  }
  const isFewest =
    lib[0] === "es2022" && (consumer === "consumer") === (lib.length === 2) && types.length < 2;
  return resolution === "nodenext" && of !== "gpusort/core" && isFewest;
});

withTools.describe("the types", () => {
  beforeAll(() => {
    mkdirSync(join(folder, "node_modules/@webgpu"), { recursive: true });
    symlinkSync(join(root, "node_modules/@types"), join(folder, "node_modules/@types"));
    symlinkSync(join(tools!, "node_modules/@webgpu/types"), join(folder, "node_modules/@webgpu/types"));
    // A dependency whose types gpusort's need. The optional packages are not there.
    symlinkSync(join(root, "node_modules/valibot"), join(folder, "node_modules/valibot"));
  });

  it.each(chosen)("of $of hold for a $consumer, $compiler, $resolution, lib $lib, types $types", (one) => {
    const project = join(folder, `types ${Object.values(one).join(" ")}`.replaceAll(/[^\w-]/g, "_"));
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
    writeFileSync(join(project, "consumer.ts"), sourceOf(`${one.consumer}.ts`, one.of));
    const compilerOptions = {
      ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
      ...{ target: "es2022", lib: one.lib, types: one.types },
      ...{ module: resolutions[one.resolution], moduleResolution: one.resolution },
    };
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["consumer.ts"] }),
    );
    const compiler = join(tools!, "node_modules", one.compiler, "bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", project], { encoding: "utf8" });
    // @webgpu/types itself needs more types of lib dom than Node's types have.
    const errors = stdout.split("\n").filter((line) => line && !line.includes("@webgpu/types"));
    expect(errors).toEqual([]);
  });

  it.each(["gpusort-core", "gpusort"])("of %s are found as they should be: @arethetypeswrong/cli", (name) => {
    run(tool("attw"), [packed[name]!, "--profile", "esm-only"], folder);
  });

  it("and what package.json says agree: publint", () => {
    run(join(root, "node_modules/.bin/publint"), [join(root, "packages/core/dist"), "--strict"], root);
  });
});
