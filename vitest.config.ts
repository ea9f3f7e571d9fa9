import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { cacheFolder } from "./src/files/own_files.js";
import { HANG_MS } from "./test/support/hang_limit.js";
import { SlowestFirst } from "./test/support/slowest_first.js";

// Node 20 decodes these certificates whenever it starts, which takes it 40 ms; no test needs them.
delete process.env.NODE_EXTRA_CA_CERTS;

/** A package's default export is what it is in Node. */
const deps = { interopDefault: false };

/**
 * Whether all tests run, as in CI. Otherwise those run that show that a build works on this machine. Each adapter
 * runs every type and distribution by every algorithm, the command, its files, and the library.
 */
const isFull = process.env.GPUSORT_TESTS === "full";
const onAdapter = `test/adapter/${isFull ? "*" : "{cli,conformance,data,sorter}"}.test.ts`;

/**
 * Files, a line each, all of whose tests have passed just before, without an adapter, on SwiftShader or in a browser:
 * they do not run there again.
 */
const complete = process.env.GPUSORT_TESTS_COMPLETE?.split("\n").filter(Boolean) ?? [];

/**
 * Plans, the kernels that stand in for WGSL, tasks, made-up keys and how keys of rows are compared are the same on
 * every machine.
 */
const sameEverywhere = [
  "core/shaders",
  "core/sort",
  "csv_differential",
  "demos/cpu",
  "formats/text/kernels",
  "jobs",
  "rows/{dates,long_keys,natural_order,numbers,plain_rows}",
  "rows/{merge,order}",
  "testdata",
];

const filesOf = (names: readonly string[]) =>
  names.flatMap((name) => [`test/${name}/**`, `test/${name}.test.ts`]);

/**
 * `unit` and `command` need no adapter at all, `browser` a Chromium, `runtimes` Deno and Bun, `package` the
 * packed packages. The other projects run test/adapter on the adapter that GPUSORT_TEST_DEVICE names, and say so
 * if there is none: lavapipe with every access clamped, and once more with subgroups of 16, unclamped. A process
 * opens one device, so every file gets a process of its own.
 */
const onDevice = (
  name: string,
  device: string,
  env = {},
  include = onAdapter,
  exclude: readonly string[] = [],
) => ({
  name,
  include: [include],
  exclude: [...exclude],
  env: { GPUSORT_TEST_DEVICE: device, ...env },
  deps,
});

/**
 * A software adapter compiles kernels on one core, and most of its tests compile, so two files run at a time,
 * of any such adapters.
 */
const onSoftware = (...given: Parameters<typeof onDevice>) => ({
  extends: true as const,
  test: {
    ...onDevice(...given),
    setupFiles: ["test/support/paced_polling.ts"],
    maxWorkers: 2,
    sequence: { groupOrder: 1 }, // after the unit tests, with those in pairs
  },
});

/** Files that use a GPU run alone. */
const onNamed = (device: string) => ({
  extends: true as const,
  test: {
    ...onDevice("named", device, {}, "test/adapter/*.test.ts"),
    fileParallelism: false,
    sequence: { groupOrder: 2 },
  },
});

/** An adapter of this machine to test on besides, such as a GPU. */
const named = process.env.GPUSORT_TEST_DEVICE;

/**
 * Mesa does not optimize kernels for tests, which compile longer than they sort: a quarter of their time less.
 * It keeps compiled kernels without the size of their subgroups, so those of each size have a folder of their
 * own, which no other program uses.
 */
const onMesa = (env: { readonly LP_NATIVE_VECTOR_WIDTH?: string } = {}) => {
  const bits = env.LP_NATIVE_VECTOR_WIDTH ?? process.env.LP_NATIVE_VECTOR_WIDTH ?? "native";
  return { ...env, GALLIVM_PERF: "nopt", MESA_SHADER_CACHE_DIR: join(cacheFolder(), "test-shaders", bits) };
};
const clamped = { ...onMesa(), GPUSORT_ROBUSTNESS: "on" };
const wide = onMesa({ LP_NATIVE_VECTOR_WIDTH: "512" });

/** Tests of whole commands: most of their time goes to the start of processes. */
const commands = ["test/{cli,cli_*,csv_differential,documents,examples_cluster}.test.ts"];

/** These tests wait for processes and for synced files for a quarter of the time if there is one file per core. */
const moreThanCores = Math.ceil(1.5 * availableParallelism());

/** Tests that need no adapter. */
const onCpu = (name: string, include: readonly string[], exclude: readonly string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: [...include],
    exclude: [...exclude, ...(isFull ? complete : filesOf(sameEverywhere))],
    maxWorkers: moreThanCores,
    // To load the modules again for each file takes as much time as many of the tests.
    isolate: false,
    // Small WebAssembly memories make V8 collect garbage often, on threads that spin; and it marks a small heap
    // nearly all the time, unless that may grow to several times what is in use. Most functions of tests run
    // for less time than it takes to optimize them.
    execArgv: [
      "--single-threaded-gc",
      "--heap-growing-percent=300",
      "--always-sparkplug",
      "--interrupt-budget=1000000",
    ],
    deps,
  },
});

/** Threads run the built code. */
const alias = [
  {
    find: /^\.\/worker_url\.js$/,
    replacement: fileURLToPath(new URL("test/support/worker_url.ts", import.meta.url)),
  },
];

/**
 * What leaves cores idle when it runs alone: pages that are drawn, processes that start, files that are synced.
 * Two files run at a time, of these and of software adapters, since a page does not wait long for its adapter. The
 * trials kill sorts at moments that they choose from the times of other sorts just before, so other work may slow
 * them.
 */
const inPairs = { maxWorkers: 2, sequence: { groupOrder: 1 } };

export default defineConfig({
  resolve: { alias },
  test: {
    pool: "forks",
    // Projects add to these.
    globalSetup: "test/support/end_together.ts",
    setupFiles: "test/support/own_state.ts",
    reporters: ["./test/support/failures_reporter.ts"],
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    sequence: { sequencer: SlowestFirst },
    coverage: {
      include: ["src/**/*.ts"],
      exclude: ["**/*.generated.ts"],
      reporter: ["text-summary", "html"],
    },
    projects: [
      onCpu(
        "unit",
        ["test/*.test.ts", "test/!(adapter|browser|package|runtimes|trials)/**/*.test.ts"],
        commands,
      ),
      onCpu("command", commands),
      {
        extends: true,
        test: {
          name: "browser",
          include: ["test/browser/*.test.ts"],
          exclude: complete,
          globalSetup: "test/support/unpack_chromium.ts",
          ...inPairs,
        },
      },
      {
        extends: true,
        test: {
          name: "package",
          include: ["test/package/*.test.ts"],
          globalSetup: "test/support/unpack_chromium.ts",
          ...inPairs,
        },
      },
      {
        extends: true,
        test: {
          name: "runtimes",
          include: ["test/runtimes/*.test.ts"],
          ...inPairs,
        },
      },
      {
        extends: true,
        test: {
          name: "trials",
          include: ["test/trials/*.test.ts"],
          ...inPairs,
          deps,
        },
      },
      onSoftware("swiftshader", "swiftshader", {}, onAdapter, complete),
      onSoftware("lavapipe", "llvmpipe", clamped),
      ...(isFull ? [onSoftware("lavapipe-16", "llvmpipe", wide, "test/adapter/radix.test.ts")] : []),
      ...(named ? [onNamed(named)] : []),
    ],
  },
});
